#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <sstream>

#include "omvc/input.hpp"
#include "omvc/sink.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Rows {
  std::vector<int> labels{1, -1, 0};
  std::vector<double> values{
      0.1, 2, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), 3, 1e-300};
  ResultRows all() const { return {0, labels, {values.data(), 3, 2}}; }
};

TEST(Sinks, ALabelFileAppearsOnlyWhenFinished) {
  const test::TempDir folder;
  const std::string path = folder.path("labels.txt");
  const Rows rows;
  {
    const auto sink = make_label_sink(path);
    sink->write(rows.all());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path(""))) << "an abandoned sink leaves nothing behind";
  const auto sink = make_label_sink(path);
  sink->write(rows.all());
  sink->finish();
  EXPECT_EQ(contents(path), "1\n-1\n0\n");
  EXPECT_EQ(read_labels(path), rows.labels);
}

TEST(Sinks, LabelTablesHaveTheIdsOfTheSource) {
  const test::TempDir folder;
  const Rows rows;
  const Input with = open_input({folder.write_file("a.csv", "id,x\nann,1\n\"b, \"\"c\"\"\",2\n#eve,3\n")});
  const Input without = open_input({folder.write_file("b.csv", "1\n2\n3\n")});
  const auto written = [&](const std::string& name, Source* source) {
    const auto sink = make_label_sink(folder.path(name), source);
    for (const Index first : {0, 1}) {
      const std::span<const int> labels(rows.labels);
      sink->write({first, first == 0 ? labels.first(1) : labels.subspan(1), {}});
    }
    sink->finish();
    EXPECT_EQ(read_labels(folder.path(name)), rows.labels) << name;
    return contents(folder.path(name));
  };
  EXPECT_EQ(written("l.csv", with.source.get()), "id,label\nann,1\n\"b, \"\"c\"\"\",-1\n\"#eve\",0\n");
  EXPECT_EQ(written("l.tsv", with.source.get()), "id\tlabel\nann\t1\n\"b, \"\"c\"\"\"\t-1\n\"#eve\"\t0\n");
  EXPECT_EQ(written("l.txt", with.source.get()), "1\n-1\n0\n");
  EXPECT_EQ(written("l.csv", without.source.get()), "1\n-1\n0\n");
  EXPECT_EQ(written("l.csv", nullptr), "1\n-1\n0\n");
}

TEST(Sinks, EmbeddingsReadBackToTheSameBits) {
  const test::TempDir folder;
  const Rows rows;
  for (const std::string name : {"e.npy", "e.csv", "e.tsv", "e.txt"}) {
    const std::string path = folder.path(name);
    const auto sink = make_embedding_sink(path);
    sink->write(rows.all());
    sink->finish();
    const Input input = open_input({path});
    const Chunk chunk = read_all(*input.source);
    ASSERT_EQ(chunk.size(), 3) << name;
    EXPECT_EQ(chunk.views[0].present, (std::vector<Index>{0, 2})) << name;
    EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{0.1, 2})) << name;
    EXPECT_EQ(test::dense_row(chunk.views[0].block, 1), (std::vector<double>{3, 1e-300})) << name;
  }
}

TEST(Sinks, EmbeddingTablesHaveAHeaderAndTheIds) {
  const test::TempDir folder;
  const Rows rows;
  const Input with = open_input({folder.write_file("with.csv", "id,x\nann,1\n\"b, c\",2\neve,3\n")});
  const auto sink = make_embedding_sink(folder.path("e.csv"), with.source.get());
  sink->write(rows.all());
  sink->finish();
  EXPECT_EQ(contents(folder.path("e.csv")), "id,e1,e2\nann,0.1,2\n\"b, c\",nan,nan\neve,3,1e-300\n");
}

TEST(Sinks, PresenceReadsBack) {
  const test::TempDir folder;
  const std::string path = folder.path("mask.txt");
  const std::vector<bool> mask{true, false, true, true, false, true};
  write_presence(path, mask, 3);
  EXPECT_EQ(read_presence(path, 3), mask);
}

TEST(Sinks, UnwritablePathsAreKnownAtOnce) {
  const test::TempDir folder;
  const std::string missing = folder.path("no/such/file");
  test::expect_error(ErrorKind::io, {missing}, [&] { make_label_sink(missing); });
  test::expect_error(ErrorKind::io, {missing}, [&] { check_writable(missing); });
  test::expect_error(ErrorKind::io, {"folder"}, [&] { check_writable(folder.path("")); });
  check_writable(folder.path("fine"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

}  // namespace
}  // namespace omvc
