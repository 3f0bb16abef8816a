// The chances of all clusters: what they add up to, where they come from, and what they mean.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/planted.hpp"

#include "cut/calibration.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

// Rows of overlapping clusters, some of which lack a view.
PlantedOptions blurred(Index instances) {
  return {.instances = instances,
          .features = {8, 6},
          .density = {},
          .clusters = 4,
          .missing = 0.2,
          .separation = 0.6,
          .noise = 1.6,
          .seed = 3};
}

Options four_clusters(std::vector<std::string> recipe = {}) {
  Options options;
  options.clusters = 4;
  options.threads = 2;
  options.recipe = std::move(recipe);
  return options;
}

struct Told {
  Clusterer model;
  Assignment found;
};

Told fitted(const PlantedOptions& data, const Options& options) {
  const std::unique_ptr<Source> source = make_planted_source(data);
  Told out{Clusterer(options), {}};
  MemorySink sink({.embedding = false, .membership = true});
  out.model.fit(*source, sink);
  out.found = sink.take();
  return out;
}

void expect_chances(const Assignment& found) {
  const std::size_t clusters = found.clusters.size();
  ASSERT_GT(clusters, 1U);
  EXPECT_TRUE(std::is_sorted(found.clusters.begin(), found.clusters.end()));
  ASSERT_EQ(found.membership.size(), found.labels.size() * clusters);
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    const double* row = found.membership.data() + i * clusters;
    if (found.labels[i] < 0) {
      for (std::size_t k = 0; k < clusters; ++k) EXPECT_TRUE(std::isnan(row[k]));
      continue;
    }
    EXPECT_NEAR(std::accumulate(row, row + clusters, 0.0), 1, 1e-12);
    EXPECT_GE(*std::min_element(row, row + clusters), 0);
    const auto own = std::find(found.clusters.begin(), found.clusters.end(), found.labels[i]) - found.clusters.begin();
    EXPECT_EQ(row[own], found.confidence[i]);
    EXPECT_LE(*std::max_element(row, row + clusters), row[own]);
  }
}

// All that is left goes to the others in proportion, up to a level that none may pass: by halving that level's factor.
TEST(Divided, IsInProportionBelowTheChanceOfTheLabel) {
  const Random random(8, Purpose::planted_data);
  std::uint64_t drawn = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const auto clusters = static_cast<Index>(2 + random.uniform(drawn++) * 6);
    RowVector chances(clusters);
    for (double& chance : chances) chance = std::max(0.0, random.uniform(drawn++) - 0.3);
    const int cluster = static_cast<int>(random.uniform(drawn++) * static_cast<double>(clusters));
    const double least = 1.0 / static_cast<double>(clusters);
    const double sure = least + (1 - least) * random.uniform(drawn++) * (trial % 2 == 0 ? 0.2 : 1);
    const RowVector out = divided(chances, cluster, sure);
    EXPECT_EQ(out(cluster), sure);
    EXPECT_NEAR(out.sum(), 1, 1e-12);
    const auto filled = [&](double factor) {
      double sum = 0;
      for (Index k = 0; k < clusters; ++k) sum += k == cluster ? 0 : std::min(sure, factor * chances(k));
      return sum;
    };
    double low = 0;
    double high = 1e6;
    for (int step = 0; step < 200; ++step) {
      const double middle = (low + high) / 2;
      (filled(middle) < 1 - sure ? low : high) = middle;
    }
    for (Index k = 0; k < clusters; ++k) {
      if (k == cluster || high > 9e5) continue;  // where those of some chance are full the others share the rest
      EXPECT_NEAR(out(k), std::min(sure, high * chances(k)), 1e-6);
    }
  }
  EXPECT_EQ(divided(RowVector::Zero(3), 1, 0.5), RowVector::Map(std::vector<double>{0.25, 0.5, 0.25}.data(), 3));
  EXPECT_EQ(divided(RowVector::Ones(1), 0, 1), RowVector::Ones(1));
}

TEST(Membership, RowsSumToOneAndTheLargestIsTheConfidence) {
  const Told told = fitted(blurred(1200), four_clusters());
  expect_chances(told.found);
  double unsure = 0;
  for (const double confidence : told.found.confidence) unsure += confidence < 0.9 ? 1 : 0;
  EXPECT_GT(unsure, 100);  // so that there is something to divide
}

// From the sample, from rows kept in a pass, from a stream, and of new rows: one way to tell.
TEST(Membership, AFitTellsWhatAssignTells) {
  for (const bool all : {true, false}) {
    SCOPED_TRACE(all);
    const std::vector<std::string> recipe{all ? "calibrate=1" : "sample_rows=400"};
    const PlantedOptions data = blurred(1200);
    const Told told = fitted(data, four_clusters(recipe));
    expect_chances(told.found);
    MemorySink again({.embedding = false, .membership = true});
    Observer silent;
    const std::unique_ptr<Source> source = make_planted_source(data);
    told.model.assign(*source, again, silent);
    const Assignment found = again.take();
    expect_chances(found);
    EXPECT_EQ(found.labels, told.found.labels);
    EXPECT_EQ(found.confidence, told.found.confidence);
    for (std::size_t i = 0; i < found.membership.size(); ++i) {
      EXPECT_NEAR(found.membership[i], told.found.membership[i], 1e-6);
    }
  }
}

TEST(Membership, HoldsForTextPredictorsStreamsAndThreads) {
  PlantedOptions words = blurred(600);
  words.features = {300, 200};
  words.density = {0.05, 0.05};
  expect_chances(fitted(words, four_clusters()).found);

  Options once = four_clusters();
  once.half_life = 400;
  expect_chances(fitted(blurred(1500), once).found);

  const PlantedOptions data = blurred(900);
  const Told told = fitted(data, four_clusters());
  const Clusterer small = Clusterer::from_bytes(told.model.to_bytes(ModelKind::prediction));
  Chunk rows = *make_planted_source(data)->next(200);
  expect_chances(small.assign(rows, {.embedding = false, .membership = true}));
  EXPECT_TRUE(small.assign(rows).membership.empty());

  Options alone = four_clusters();
  alone.threads = 1;
  EXPECT_EQ(fitted(data, alone).found.membership, told.found.membership);
}

// Among rows that are given a chance of about p for a cluster, a model of other rows gives it to about a share p.
TEST(Membership, IsTheChanceThatAModelOfOtherRowsGivesTheCluster) {
  const PlantedOptions data = blurred(6000);
  const std::unique_ptr<Source> source = make_planted_source(data);
  const auto learned = [&] {
    Chunk rows = *source->next(3000);
    std::iota(rows.rows.begin(), rows.rows.end(), Index{0});
    Told out{Clusterer(four_clusters()), {}};
    MemorySink sink({.embedding = false, .membership = true});
    out.model.fit(*make_table_source(source->schema(), rows), sink);
    out.found = sink.take();
    return std::pair(std::move(out), std::move(rows));
  };
  const auto [own, rows] = learned();
  const auto [other, theirs] = learned();
  const std::vector<int> labels = other.model.assign(rows).labels;
  const std::size_t clusters = own.found.clusters.size();
  std::vector<std::vector<double>> shared(clusters, std::vector<double>(clusters, 0.0));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    shared[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(own.found.labels[i])] += 1;
  }
  const std::vector<int> is = best_matching(shared);
  std::vector<double> expected(10, 0.0);
  std::vector<double> seen(10, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t k = 0; k < clusters; ++k) {
      const double chance = own.found.membership[i * clusters + k];
      const auto bin = std::min<std::size_t>(9, static_cast<std::size_t>(chance * 10));
      expected[bin] += chance;
      seen[bin] += is[static_cast<std::size_t>(labels[i])] == static_cast<int>(k) ? 1 : 0;
    }
  }
  double error = 0;
  for (std::size_t bin = 0; bin < 10; ++bin) error += std::abs(expected[bin] - seen[bin]);
  EXPECT_LT(error / static_cast<double>(labels.size() * clusters), 0.03);
}

}  // namespace
}  // namespace omvc
