#include "source/text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "omvc/input.hpp"
#include "omvc/source.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

class Text : public testing::Test {
 protected:
  Rows read(const std::string& content, Index max_rows = 1000) {
    const auto reader = open_text(dir_.write_file("view.txt", content), "view");
    schema_ = reader->schema();
    Rows all;
    while (true) {
      const ViewRows rows = reader->read(max_rows);
      for (auto& row : dense_rows(rows.view, rows.instances)) all.push_back(std::move(row));
      if (rows.instances < max_rows) return all;
    }
  }
  void expect_refused(const std::string& content, std::vector<std::string> parts) {
    parts.push_back("view.txt");
    expect_error(ErrorKind::data, parts, [&] { read(content); });
  }

  test::TempDir dir_;
  ViewSchema schema_;
};

TEST_F(Text, DetectsTheDelimiter) {
  const Rows expected{{1, 2.5, -3}, {4, 5e-1, 6}};
  EXPECT_EQ(read("1,2.5,-3\n4,5e-1,+6\n"), expected);
  EXPECT_EQ(read("1\t2.5\t-3\n4\t5e-1\t6\n"), expected);
  EXPECT_EQ(read("1;2.5;-3\n4;5e-1;6\n"), expected);
  EXPECT_EQ(read("  1  2.5 -3\n4 5e-1   6  \n"), expected);
  EXPECT_EQ(read("1, 2.5, -3\n4, 5e-1, 6"), expected) << "no newline at the end";
  EXPECT_EQ(schema_.features, 3);
  EXPECT_TRUE(schema_.feature_names.empty());
}

TEST_F(Text, ReadsCrlfByteOrderMarkAndComments) {
  EXPECT_EQ(read("\xEF\xBB\xBF# a comment\r\n#another\r\n1,2\r\n\r\n3,4\r\n"), (Rows{{1, 2}, {}, {3, 4}}));
}

TEST_F(Text, TakesAHeaderAsFeatureNames) {
  EXPECT_EQ(read("\"a, b\",\"say \"\"hi\"\"\"\n1,2\n"), (Rows{{1, 2}}));
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"a, b", "say \"hi\""}));
  EXPECT_EQ(read("one feature\n1\n2\n"), (Rows{{1}, {2}}));
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"one feature"}));
  EXPECT_EQ(read("nan NA NaN\n1 2 3\n"), (Rows{{}, {1, 2, 3}})) << "a line of NaN is not a header";
}

TEST_F(Text, EmptyLinesAndLinesOfNanAreAbsentInstances) {
  EXPECT_EQ(read("\n\n1,2\n,\nnan,NA\n  \n3,4\n\n"), (Rows{{}, {}, {1, 2}, {}, {}, {}, {3, 4}, {}}));
  EXPECT_EQ(read("1 2\n-nan nan\n"), (Rows{{1, 2}, {}}));
}

TEST_F(Text, DeliversTheSameRowsWhateverTheChunkSize) {
  std::string content = "\n\n";
  for (int i = 0; i < 50; ++i) content += i % 3 == 0 ? "\n" : std::to_string(i) + " " + std::to_string(2 * i) + "\n";
  const Rows whole = read(content);
  ASSERT_EQ(whole.size(), 52u);
  for (const Index size : {1, 2, 7, 51, 52, 53}) EXPECT_EQ(read(content, size), whole) << size;
}

TEST_F(Text, ReadsLinesLongerThanTheBuffer) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += (i == 0 ? "" : ",") + std::to_string(i);
  const Rows rows = read(line + "\r\n" + line + "\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), 100'000u);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[1][99'999], 99'999.0);
}

TEST_F(Text, TinyNumbersAreZero) { EXPECT_EQ(read("1e-400 -1e-999 2\n"), (Rows{{0, 0, 2}})); }

TEST_F(Text, NamesFileLineAndColumnOfWhatItCannotUse) {
  expect_refused("1,2,3\n4,5\n", {":2:", "expected 3 columns, found 2"});
  expect_refused("# c\n1 2\n3 4x\n", {":3:", "column 2", "'4x'"});
  expect_refused("1,2\n\n\ninf,2\n", {":4:", "column 1", "infinite"});
  expect_refused("1,2\n1e999,2\n", {":2:", "column 1", "too large"});
  expect_refused("1,2\n3,\n", {":2:", "column 2", "NaN"});
  expect_refused("a,b,c\n1,2\n", {":1:", "3 columns", "line 2 has 2"});
  expect_refused(",a,b\n0,1,2\n", {":1:", "row numbers", "index=False"});
  expect_refused("\na,b\n1,2\n", {":2:", "column 1", "'a'"});
  expect_refused("1,2\n+-3,1\n", {":2:", "'+-3'"});
}

TEST_F(Text, RefusesFilesWithoutData) {
  for (const char* content : {"", "\n", "\n\n", "# only a comment\n", "a,b\n"}) {
    expect_refused(content, {"no data"});
  }
  expect_error(ErrorKind::io, {"missing.txt", "No such file"}, [&] { open_text(dir_.path("missing.txt"), "v"); });
  expect_error(ErrorKind::io, {"folder"}, [&] { open_text(dir_.path(""), "v"); });
}

TEST_F(Text, RewindsToTheFirstInstanceAndKeepsTheSchema) {
  const auto reader = open_text(dir_.write_file("view.csv", "a,b\n\n1,2\n3,4\n"), "view");
  const ViewSchema schema = reader->schema();
  const ViewRows first = reader->read(10);
  ASSERT_TRUE(reader->rewind());
  const ViewRows second = reader->read(10);
  EXPECT_EQ(dense_rows(first.view, first.instances), dense_rows(second.view, second.instances));
  EXPECT_EQ(first.instances, 3);
  EXPECT_EQ(reader->schema(), schema);
}

TEST_F(Text, ReadsGzipAndReportsDamage) {
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919 % 10007) + "," + std::to_string(i) + "\n";
  const std::string path = dir_.write_gzip("view.csv.gz", content);
  const auto reader = open_text(path, "view");
  const ViewRows rows = reader->read(100'000);
  EXPECT_EQ(rows.instances, 20'000);
  EXPECT_EQ(test::dense_row(rows.view.block, 19'999)[1], 19'999.0);
  ASSERT_TRUE(reader->rewind());
  EXPECT_EQ(reader->read(100'000).instances, 20'000);

  const std::string bytes = test::read_bytes(path);
  dir_.write_file("view.csv.gz", bytes.substr(0, bytes.size() / 2));
  expect_error(ErrorKind::data, {"view.csv.gz", "truncated"}, [&] { open_text(path, "view")->read(100'000); });
  std::string damaged = bytes;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 20; ++i)
    damaged[i] = static_cast<char>(~damaged[i]);
  dir_.write_file("view.csv.gz", damaged);
  expect_error(ErrorKind::data, {"view.csv.gz"}, [&] { open_text(path, "view")->read(100'000); });
}

TEST_F(Text, APipeIsReadOnce) {
  const std::string path = dir_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { dir_.write_file("pipe", "1 2\n3 4\n"); });
  Input input = open_input({path});
  const auto chunk = input.source->next(10);
  writer.join();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->size(), 2);
  EXPECT_FALSE(input.source->rewind());
}

}  // namespace
}  // namespace omvc
