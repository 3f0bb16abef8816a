// A model that goes on learning: numbers that last, clusters that come, memory and half-life, what bad streams get.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/explain.hpp"
#include "omvc/planted.hpp"

#include "chunk/rows.hpp"
#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/random_data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

constexpr Index kChunk = 500;
constexpr int kClusters = 6;

// Without -k, instances that lack the same view must not look like clusters of their own: that takes clusters that are
// not worlds apart, so few views are missing where the number of clusters is left open.
PlantedOptions planted(double missing = 0.3) {
  return {.instances = 14000,
          .features = {30, 20},
          .density = {},
          .clusters = kClusters,
          .missing = missing,
          .keep_one_view = true,
          .separation = 1.5,
          .noise = 0.5,
          .seed = 8};
}

// Chunks of the planted stream. Instances of the last cluster are left out before instance `until`.
[[maybe_unused]] std::vector<Chunk> chunks_of(int count, Index until, const PlantedOptions& data = planted()) {
  const auto source = make_planted_source(data);
  const auto filtered = make_filtered_source(
      *source, [data, until](Index row) { return row >= until || planted_label(data, row) != kClusters - 1; });
  std::vector<Chunk> chunks;
  while (static_cast<int>(chunks.size()) < count) chunks.push_back(*filtered->next(kChunk));
  return chunks;
}

Options options_for(int clusters, double memory) {
  Options options;
  options.clusters = clusters;
  options.memory = memory;
  options.threads = 2;
  return options;
}

#ifndef OMVC_SANITIZED  // minutes there; the clusterer's tests run the same code on less
class StreamOf : public testing::TestWithParam<double> {};  // memory: all rows in the sample, or a twentieth
INSTANTIATE_TEST_SUITE_P(Memory, StreamOf, testing::Values(64.0, 0.15));

TEST_P(StreamOf, TwelveChunksKeepsTheNumbersOfItsClusters) {
  const std::vector<Chunk> chunks = chunks_of(13, 0);
  const Chunk probe = chunks.back();
  Clusterer model(options_for(kClusters, GetParam()));
  std::vector<int> last;
  for (int i = 0; i < 12; ++i) {
    model.partial_fit(chunks[static_cast<std::size_t>(i)]);
    const std::vector<int> labels = model.assign(probe).labels;
    if (!last.empty()) {
      Index changed = 0;
      for (std::size_t r = 0; r < labels.size(); ++r) changed += labels[r] != last[r];
      EXPECT_LE(changed, kChunk / 100) << "chunk " << i;
    }
    last = labels;
  }
}

TEST_P(StreamOf, TwelveChunksNoticesAClusterThatComesLate) {
  const PlantedOptions data = planted(0);
  std::vector<Chunk> chunks = chunks_of(6, data.instances, data);
  std::vector<Chunk> later;  // with the late cluster, rows that none of the first chunks has
  const auto source = make_planted_source(data);
  const auto filtered = make_filtered_source(*source, [](Index row) { return row >= 6 * kChunk * 2; });
  while (later.size() < 3) {
    Chunk chunk = *filtered->next(kChunk);
    for (Index& row : chunk.rows) row += 6 * kChunk;
    later.push_back(std::move(chunk));
  }
  Clusterer model(options_for(0, GetParam()));
  for (const Chunk& chunk : chunks) model.partial_fit(chunk);
  model.refresh();
  const std::vector<int> before = model.clusters();
  model.events();
  model.partial_fit(later[0]);
  model.partial_fit(later[1]);
  const std::vector<ClusterEvent> events = model.events();
  const auto born = std::find_if(events.begin(), events.end(), [](const ClusterEvent& event) {
    return event.kind == ClusterEvent::Kind::born || event.kind == ClusterEvent::Kind::split;
  });
  ASSERT_NE(born, events.end()) << "within two chunks";
  EXPECT_EQ(std::find(before.begin(), before.end(), born->cluster), before.end()) << "a number that nobody had";
  // Most instances of the late cluster have that number.
  const std::vector<int> labels = model.assign(later[2]).labels;
  double own = 0;
  double all = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (planted_label(data, later[2].rows[i] - 6 * kChunk + 6 * kChunk * 2) != kClusters - 1) continue;
    all += 1;
    own += labels[i] == born->cluster ? 1 : 0;
  }
  EXPECT_GT(own, 0.8 * all);
}

TEST(Stream, ReadOnceInAnyOrderIsWhatAFileIs) {
  PlantedOptions data = planted();
  data.instances = 1500;
  const Schema schema = make_planted_source(data)->schema();
  std::vector<Index> sorted;  // by class
  for (int k = 0; k < kClusters; ++k) {
    for (Index row = 0; row < data.instances; ++row) {
      if (planted_label(data, row) == k) sorted.push_back(row);
    }
  }
  test::Collected file, pipe;
  Options options = options_for(kClusters, 64);
  Clusterer(options).fit(*make_planted_source(data), file);
  const auto once =
      make_once_source(make_table_source(schema, read_all(*make_planted_source(data)), std::move(sorted)));
  Clusterer(options).fit(*once, pipe);
  EXPECT_EQ(file.labels, pipe.labels) << "numbers too: by size";
}
#endif

TEST(Stream, AHalfLifeForgetsWhereClustersWere) {
  // One feature: two clusters, which move far away after half of the stream.
  const auto chunk_at = [](double shift, Index first) {
    Matrix X(kChunk, 2);
    for (Index i = 0; i < kChunk; ++i)
      X.row(i) << shift + (i % 2 == 0 ? 0.0 : 1.0) + 0.01 * static_cast<double>(i % 7), 1;
    Chunk chunk{test::iota(kChunk, first), {}};
    chunk.views.push_back({test::dense_block<double>(X), test::iota(kChunk)});
    return chunk;
  };
  Options options = options_for(2, 64);
  options.half_life = 200;  // shorter than a chunk
  Clusterer model(options);
  for (int i = 0; i < 6; ++i) model.partial_fit(chunk_at(0, i * kChunk));
  for (int i = 6; i < 12; ++i) model.partial_fit(chunk_at(50, i * kChunk));
  model.refresh();
  const std::vector<int> labels = model.assign(chunk_at(50, 0)).labels;
  for (std::size_t i = 2; i < labels.size(); ++i) ASSERT_EQ(labels[i], labels[i % 2]);
  EXPECT_NE(labels[0], labels[1]) << "the two clusters of today, not those of then and now";
}

TEST(Stream, IdenticalRowsAndViewsSeenLateAreNoErrors) {
  Options options = options_for(3, 64);
  Clusterer model(options);
  Chunk same{test::iota(2000), {}};
  same.views.push_back({test::dense_block<double>(Matrix::Ones(2000, 3)), test::iota(2000)});
  same.views.push_back({test::dense_block<double>(Matrix(0, 4)), {}});
  EXPECT_NO_THROW(model.partial_fit(same));
  Chunk later{test::iota(300, 2000), {}};
  later.views.push_back({test::dense_block<double>(test::random_matrix(300, 3, 1)), test::iota(300)});
  later.views.push_back({test::dense_block<double>(test::random_matrix(300, 4, 2)), test::iota(300)});
  EXPECT_NO_THROW(model.partial_fit(later));
  EXPECT_NO_THROW(model.refresh());
  EXPECT_EQ(model.assign(later).labels.size(), 300u);
}

TEST(Stream, TooFewRowsSaySoAndRowNumbersThatRepeatAreRefused) {
  Clusterer model(options_for(3, 64));
  Chunk few{test::iota(10), {}};
  few.views.push_back({test::dense_block<double>(test::random_matrix(10, 3, 1)), test::iota(10)});
  model.partial_fit(few);
  test::expect_error(ErrorKind::usage, {"too few instances"}, [&] { model.assign(few); });
  const test::TempDir folder;
  model.save(folder.path("model"));
  EXPECT_EQ(Clusterer::load(folder.path("model")).summary().instances, 10) << "it goes on from there";
  few.rows[3] = few.rows[4];
  test::expect_error(ErrorKind::data, {"row number", "twice"}, [&] { model.partial_fit(few); });
}

TEST(Cut, ClustersThatDifferByTheirLevelAloneAreFoundAndCounted) {
  const Index n = 1200;
  Matrix X = test::random_matrix(n, 4, 5);
  for (Index i = 0; i < n; ++i) X.row(i).array() += 20.0 * static_cast<double>(i % 3);
  Chunk table{test::iota(n), {}};
  table.views.push_back({test::dense_block<double>(X), test::iota(n)});
  for (const int asked : {3, 0}) {
    test::Collected found;
    Clusterer model(options_for(asked, 64));
    const Report report = model.fit(*make_table_source(test::schema_of({4}), table), found);
    EXPECT_EQ(report.clusters, 3);
    Contingency counts;
    for (std::size_t i = 0; i < found.labels.size(); ++i) counts.add(found.labels[i], static_cast<int>(i % 3));
    EXPECT_EQ(score(counts).ari, 1);
  }
}

TEST(Cut, OtherClustersComeFromTheSameModelAndATreeShowsHowTheySplit) {
  PlantedOptions data = planted(0);
  data.instances = 2000;
  test::Collected found;
  Clusterer model(options_for(kClusters, 64));
  model.fit(*make_planted_source(data), found);
  const Chunk probe = take_instances(read_all(*make_planted_source(data)), test::iota(500));
  model.cut(3);
  const std::vector<int> three = model.assign(probe).labels;
  EXPECT_EQ(model.clusters().size(), 3u);
  model.cut(kClusters);
  Contingency counts;
  const std::vector<int> six = model.assign(probe).labels;
  for (std::size_t i = 0; i < six.size(); ++i) counts.add(six[i], planted_label(data, static_cast<Index>(i)));
  EXPECT_GT(score(counts).nmi_geometric, 0.9);
  model.cut(0);
  ASSERT_TRUE(model.summary().choice);
  EXPECT_EQ(model.clusters().size(), static_cast<std::size_t>(kClusters));
  const std::vector<CutLevel> levels = cluster_tree(model, 8);
  ASSERT_EQ(levels.size(), 7u);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    ASSERT_EQ(levels[l].sizes.size(), l + 2);
    double sum = 0;
    for (const double size : levels[l].sizes) sum += size;
    EXPECT_NEAR(sum, 2000, 1e-6);
    for (const int parent : levels[l].parents) {
      const auto has = [&](int number) {
        return std::count(levels[l - 1].numbers.begin(), levels[l - 1].numbers.end(), number);
      };
      EXPECT_EQ(l == 0 ? parent : has(parent), l == 0 ? -1 : 1);
    }
    // The same clusters, numbers and sizes as a cut into so many gives.
    Clusterer copy = Clusterer::from_bytes(model.to_bytes());
    copy.cut(static_cast<int>(l) + 2);
    EXPECT_EQ(copy.clusters(), levels[l].numbers);
    EXPECT_EQ(copy.summary().cluster_sizes, levels[l].sizes);
  }
  test::expect_error(ErrorKind::data, {"5000 clusters"}, [&] { model.cut(5000); });
  for (const int none : {1, 0, -5}) {
    test::expect_error(ErrorKind::usage, {"2 clusters", std::to_string(none)}, [&] { cluster_tree(model, none); });
  }
}

}  // namespace
}  // namespace omvc
