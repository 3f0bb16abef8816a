// What a Clusterer does beside labelling: filling in views, travelling as bytes, surviving a fork.
#include <cmath>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

class NoSink final : public Sink {
 public:
  void write(const ResultRows&) override {}
  bool wants_embedding() const override { return false; }
};

// Two views of three clusters, far from 0 and of different ranges; the second may be absent.
Chunk planted(Index rows, bool second) {
  const Random random(5, Purpose::planted_data);
  Chunk chunk;
  DenseBlock<double> blocks[2] = {{.rows = rows, .cols = 3, .values = {}}, {.rows = rows, .cols = 2, .values = {}}};
  std::vector<Index> all;
  std::uint64_t drawn = 0;
  for (Index i = 0; i < rows; ++i) {
    chunk.rows.push_back(i);
    all.push_back(i);
    const double kind = static_cast<double>(i % 3);
    for (int j = 0; j < 3; ++j) blocks[0].values.push_back(100 + 10 * kind * (j + 1) + random.uniform(drawn++));
    for (int j = 0; j < 2; ++j) blocks[1].values.push_back(-5 + kind * (1 - 2 * j) + 0.1 * random.uniform(drawn++));
  }
  chunk.views.push_back({blocks[0], all});
  if (!second) blocks[1] = {.rows = 0, .cols = 2, .values = {}};
  chunk.views.push_back({blocks[1], second ? all : std::vector<Index>{}});
  return chunk;
}

Clusterer fitted() {
  Options options;
  options.clusters = 3;
  options.threads = 2;
  Clusterer model(options);
  NoSink sink;
  const auto source = make_table_source({{{"a", 3, {}}, {"b", 2, {}}}}, planted(240, true));
  model.fit(*source, sink);
  return model;
}

TEST(Impute, FillsInTheUnitsOfTheDataAndKeepsWhatWasObserved) {
  const Clusterer model = fitted();
  const Chunk whole = planted(30, true);
  const auto& truth = std::get<DenseBlock<double>>(whole.views[1].block).values;
  const std::vector<double> filled = model.impute(planted(30, false), 1).values;
  ASSERT_EQ(filled.size(), truth.size());
  for (std::size_t i = 0; i < filled.size(); ++i) EXPECT_NEAR(filled[i], truth[i], 0.3);
  Chunk holes = planted(30, true);
  std::get<DenseBlock<double>>(holes.views[1].block).values[4] = std::nan("");
  const std::vector<double> kept = model.impute(holes, 1).values;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i == 4) {
      EXPECT_NEAR(kept[i], truth[i], 0.3);
    } else {
      EXPECT_EQ(kept[i], truth[i]);
    }
  }
  EXPECT_THROW(model.impute(planted(30, true), 2), Error);
}

// A view that follows from another within each cluster: two numbers that turn with the first view, and noise. Rows from
// `first` on; every `hidden`-th lacks the second view, where that is not 0.
struct Turned {
  Chunk chunk;
  std::vector<double> truth;
};
Turned turned(Index first, Index rows, Index hidden) {
  const Random random(11, Purpose::planted_data);
  Turned out;
  DenseBlock<double> one{.rows = rows, .cols = 4, .values = {}};
  DenseBlock<double> two{.rows = 0, .cols = 2, .values = {}};
  std::vector<Index> all;
  std::vector<Index> there;
  for (Index i = 0; i < rows; ++i) {
    auto drawn = static_cast<std::uint64_t>((first + i) * 8);
    out.chunk.rows.push_back(i);
    all.push_back(i);
    const double kind = static_cast<double>((first + i) % 2);
    std::vector<double> x;
    for (int j = 0; j < 4; ++j) x.push_back(6 * kind * (j % 2 == 0 ? 1 : -1) + 2 * random.uniform(drawn++));
    for (const double value : x) one.values.push_back(value);
    const std::vector<double> y{500 + 30 * x[0] - 10 * x[3] + 4 * random.uniform(drawn++),
                                -3 + x[1] + 0.5 * x[2] + 0.1 * random.uniform(drawn++)};
    out.truth.insert(out.truth.end(), y.begin(), y.end());
    if (hidden > 0 && i % hidden == 0) continue;
    there.push_back(i);
    for (const double value : y) two.values.push_back(value);
    ++two.rows;
  }
  out.chunk.views = {{one, all}, {two, there}};
  return out;
}

// The noise has a deviation of 4 / sqrt(12) and 0.1 / sqrt(12); the rest can be known. Neighbours alone are off by
// more.
TEST(Impute, KnowsWhatFollowsFromAnotherViewAndHowFarItMayBeOff) {
  Options options;
  options.clusters = 2;
  Clusterer model(options);
  NoSink sink;
  const auto source = make_table_source({{{"a", 4, {}}, {"b", 2, {}}}}, turned(0, 600, 4).chunk);
  model.fit(*source, sink);
  const Turned fresh = turned(600, 200, 1);
  const Imputed found = model.impute(fresh.chunk, 1);
  for (const std::size_t j : {0, 1}) {
    double error = 0;
    double told = 0;
    for (std::size_t i = j; i < fresh.truth.size(); i += 2) {
      error += (found.values[i] - fresh.truth[i]) * (found.values[i] - fresh.truth[i]) / 200;
      told += found.spread[i] * found.spread[i] / 200;
    }
    EXPECT_LT(std::sqrt(error), 1.15 * (j == 0 ? 4 : 0.1) / std::sqrt(12));
    EXPECT_NEAR(std::sqrt(told) / std::sqrt(error), 1, 0.2);
  }
  const Turned partly = turned(600, 60, 2);
  const Imputed kept = model.impute(partly.chunk, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    const bool observed = i % 2 != 0;
    EXPECT_EQ(kept.spread[2 * i] == 0, observed);
    EXPECT_EQ(kept.values[2 * i] == partly.truth[2 * i], observed);
  }
}

// The data that were learned had every value.
TEST(Impute, NewInstancesMayLackSingleValues) {
  const Clusterer model = fitted();
  Chunk holes = planted(30, true);
  std::get<DenseBlock<double>>(holes.views[0].block).values[0] = std::nan("");
  const Assignment found = model.assign(holes);
  EXPECT_EQ(found.labels, model.assign(planted(30, true)).labels);
  for (const double distance : found.distance) EXPECT_TRUE(std::isfinite(distance));
}

// Rows of a cluster that the model has never seen: their neighbours agree, and are far away.
TEST(Confidence, FallsForRowsOfNoClusterKnown) {
  const Clusterer model = fitted();
  const Assignment known = model.assign(planted(240, true));
  Chunk strange = planted(60, true);
  auto& values = std::get<DenseBlock<double>>(strange.views[0].block).values;
  for (auto& value : values) value = 2 * value + 40;
  const Assignment found = model.assign(strange);
  const auto mean = [](const std::vector<double>& of) {
    double sum = 0;
    for (const double x : of) sum += x;
    return sum / static_cast<double>(of.size());
  };
  EXPECT_GT(mean(known.confidence), 0.95);
  EXPECT_LT(mean(found.confidence), mean(known.confidence) - 0.3);
  for (const double distance : found.distance) EXPECT_GT(distance, 3);
}

TEST(Bytes, HoldTheWholeModel) {
  Clusterer model = fitted();
  const std::string bytes = model.to_bytes();
  Clusterer again = Clusterer::from_bytes(bytes);
  EXPECT_EQ(again.to_bytes(), bytes);
  EXPECT_EQ(again.assign(planted(30, false)).labels, model.assign(planted(30, false)).labels);
  for (const std::size_t size : {std::size_t{0}, std::size_t{9}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THROW(Clusterer::from_bytes(std::string_view(bytes).substr(0, size)), Error);
  }
}

TEST(Fork, AChildUsesTheModelOfItsParent) {
  const Clusterer model = fitted();
  const std::vector<int> labels = model.assign(planted(240, true)).labels;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(model.assign(planted(240, true)).labels == labels ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace omvc
