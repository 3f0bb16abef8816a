// Sparse views of a stream grow: words that come late are learned, whatever the model knew before.
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "omvc/clusterer.hpp"
#include "omvc/rows.hpp"
#include "omvc/stream.hpp"

#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::TempDir;

constexpr int kRows = 1600;
constexpr int kLate = 900;  // from here on there is a third topic, of words that nobody had before

int topic_of(int row) { return row < kLate ? row % 2 : row % 3; }

std::string line_of(int row) {
  std::string words;
  std::set<std::string> have;
  std::mt19937 random(static_cast<unsigned>(row));
  for (int k = 0; k < 6; ++k) {
    const std::string word = std::string(1, "abc"[topic_of(row)]) + std::to_string(random() % 20);
    if (have.insert(word).second) words += "\"" + word + "\": " + std::to_string(1 + (row + k) % 3) + ", ";
  }
  if (row % 4 == 0) words += "\"rare" + std::to_string(row) + "\": 1, ";
  return "{\"id\": " + std::to_string(row) + ", \"text\": {" + words.substr(0, words.size() - 2) + "}}";
}

struct Fed {
  std::vector<int> labels;
  Index features = 0;
  Index left_out = 0;
};

// Rows [first, last), handed over `batch` at a time once there are clusters.
Fed feed(const std::string& file, int first, int last, Index batch, Index most = 0) {
  StreamOptions options{.file = file, .model = {}};
  options.model.clusters = 3;
  options.model.threads = 1;
  options.rows = 100;
  options.in_step = true;
  Stream stream(options);
  RowReader reader({.schema = stream.schema(),
                    .sparse = stream.sparse(),
                    .grows = !stream.has_clusters(),
                    .new_names = true,
                    .max_features = most,
                    .text = {}});
  Fed out;
  std::vector<std::string> ids;
  Index growth = 0;
  for (int row = first; row < last; ++row) {
    EXPECT_TRUE(reader.add(line_of(row)));
    ids.push_back(reader.id());
    if (stream.has_clusters() && reader.size() < batch && row + 1 < last) continue;
    if (reader.growth() != growth) stream.widen(reader.schema());
    growth = reader.growth();
    const StreamLabels found = stream.push(reader.take(), ids);
    EXPECT_TRUE(found.refused.empty());
    out.labels.insert(out.labels.end(), found.labels.begin(), found.labels.end());
    ids.clear();
    if (stream.has_clusters()) reader.freeze();
  }
  stream.finish();
  out.features = stream.schema().views[0].features;
  out.left_out = reader.left_out();
  return out;
}

TEST(NewWords, AreLearnedAndMakeAClusterOfTheirOwn) {
  TempDir dir;
  const Fed fed = feed(dir.path("model"), 0, kRows, 64);
  // At first a row of unknown words alone has no view; once they are learned it has a cluster.
  std::map<int, std::map<int, int>> late;
  for (int row = kRows - 300; row < kRows; ++row) ++late[topic_of(row)][fed.labels[static_cast<std::size_t>(row)]];
  std::set<int> clusters;
  for (const auto& [topic, counts] : late) {
    ASSERT_EQ(counts.size(), 1u) << "topic " << topic;
    clusters.insert(counts.begin()->first);
  }
  EXPECT_EQ(clusters.size(), 3u);
  EXPECT_FALSE(clusters.contains(-1));
  bool lacked = false;
  for (int row = kLate; row < kRows; ++row) {
    lacked = lacked || (topic_of(row) == 2 && fed.labels[static_cast<std::size_t>(row)] == -1);
  }
  EXPECT_TRUE(lacked) << "before it was learned the third topic was no row of zeros";
  // The model is of use to others: it has the words of its prototypes.
  const Clusterer model = Clusterer::load(dir.path("model"));
  EXPECT_EQ(model.summary().instances, kRows);
  EXPECT_GT(model.schema().views[0].features, 60) << "all topics, and rare words";
  EXPECT_EQ(
      model.assign(Chunk{{0}, {{CsrBlock<double>{1, model.schema().views[0].features, {0, 1}, {0}, {{1.0}}}, {0}}}})
          .labels.size(),
      1u);
}

#ifndef OMVC_SANITIZED  // minutes there
TEST(NewWords, HowManyRowsAreReadAtOnceDoesNotMatterNorDoRestarts) {
  TempDir dir;
  const Fed one = feed(dir.path("one"), 0, kRows, 1);
  const Fed many = feed(dir.path("many"), 0, kRows, 700);
  EXPECT_EQ(one.labels, many.labels);
  EXPECT_TRUE(test::read_bytes(dir.path("one")) == test::read_bytes(dir.path("many")));
  Fed parts = feed(dir.path("parts"), 0, 1100, 64);
  const Fed rest = feed(dir.path("parts"), 1100, kRows, 64);
  parts.labels.insert(parts.labels.end(), rest.labels.begin(), rest.labels.end());
  EXPECT_EQ(one.labels, parts.labels);
  EXPECT_TRUE(test::read_bytes(dir.path("one")) == test::read_bytes(dir.path("parts")));
}
#endif

TEST(NewWords, AreBounded) {
  TempDir dir;
  const Fed fed = feed(dir.path("model"), 0, 600, 64, 50);
  EXPECT_EQ(fed.features, 50);
  EXPECT_GT(fed.left_out, 0);
  for (std::size_t i = 200; i < fed.labels.size(); ++i) EXPECT_GE(fed.labels[i], 0) << "the others are known";
}

}  // namespace
}  // namespace omvc
