// What a model explains, against means and neighbours found the plain way.
#include "omvc/explain.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "omvc/error.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr Index kInstances = 300;
constexpr Index kFeatures = 5;  // one for each of three clusters, and two of noise
constexpr Index kTelling = 3;

// Instance i is of cluster i % 3; some cells of noise are missing.
std::vector<double> planted_cells() {
  const Random random(7, Purpose::planted_data);
  std::vector<double> cells;
  for (Index i = 0; i < kInstances; ++i) {
    for (Index j = 0; j < kFeatures; ++j) {
      const auto place = static_cast<std::uint64_t>(i * kFeatures + j);
      const double value = 100 + (i % 3 == j ? 20 : 0) + random.uniform(place);
      cells.push_back(j >= kTelling && i % 11 == 5 ? std::nan("") : value);
    }
  }
  return cells;
}

Chunk planted_chunk() {
  Chunk chunk;
  for (Index i = 0; i < kInstances; ++i) chunk.rows.push_back(i);
  chunk.views.push_back(
      {DenseBlock<double>{.rows = kInstances, .cols = kFeatures, .values = planted_cells()}, chunk.rows});
  return chunk;
}

struct Learned {
  Clusterer model;
  std::vector<int> labels;
};

Learned learned() {
  Options options;
  options.clusters = 3;
  options.threads = 1;
  Clusterer model(options);
  const auto source = make_table_source({{{"a", kFeatures, {}}}}, planted_chunk());
  std::vector<int> labels = model.fit(*source).found.labels;
  return {std::move(model), std::move(labels)};
}

TEST(Explain, MeansAreThoseOfTheCellsThatAreThere) {
  const Learned known = learned();
  const std::vector<double> cells = planted_cells();
  for (const int cluster : known.model.clusters()) {
    const FeatureEffects found = feature_effects(known.model, 0, cluster);
    ASSERT_EQ(found.mean.size(), static_cast<std::size_t>(kFeatures));
    for (std::size_t j = 0; j < kFeatures; ++j) {
      double sums[2] = {0, 0};
      double counts[2] = {0, 0};
      for (std::size_t i = 0; i < kInstances; ++i) {
        const double value = cells[i * kFeatures + j];
        if (std::isnan(value)) continue;
        const int side = known.labels[i] == cluster ? 0 : 1;
        sums[side] += value;
        counts[side] += 1;
      }
      EXPECT_NEAR(found.mean[j], sums[0] / counts[0], 1e-9);
      EXPECT_NEAR(found.others[j], sums[1] / counts[1], 1e-9);
      EXPECT_EQ(found.effect[j] > 0, found.mean[j] > found.others[j]);
    }
  }
}

TEST(Explain, ChanceTellsNoiseFromWhatTheClustersAre) {
  const Learned known = learned();
  for (const int cluster : known.model.clusters()) {
    const FeatureEffects found = feature_effects(known.model, 0, cluster);
    std::vector<Index> told;
    for (const Feature& one : top_features(known.model, 0, cluster, kFeatures)) told.push_back(one.number);
    for (Index j = 0; j < kFeatures; ++j) {
      const auto at = static_cast<std::size_t>(j);
      EXPECT_GE(found.chance[at], 0);
      EXPECT_LE(found.chance[at], 1);
      EXPECT_EQ(found.chance[at] < 0.01, std::find(told.begin(), told.end(), j) != told.end());
      if (j < kTelling) {
        EXPECT_LT(found.chance[at], 1e-9);
      } else {
        EXPECT_GT(found.chance[at], 0.001);
      }
    }
  }
}

TEST(Explain, NeighboursAreOfTheSameClusterAndNotOneself) {
  const Learned known = learned();
  constexpr Index kCount = 7;
  const Neighbours found = neighbours(known.model, planted_chunk(), kCount);
  ASSERT_EQ(found.rows.size(), static_cast<std::size_t>(kInstances * kCount));
  for (std::size_t i = 0; i < kInstances; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kCount; ++j) {
      const Index other = found.rows[i * kCount + j];
      ASSERT_GE(other, 0);
      EXPECT_NE(other, static_cast<Index>(i));
      EXPECT_EQ(other % 3, static_cast<Index>(i) % 3);
      sum += found.weights[i * kCount + j];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Explain, WhatIsNotThereIsRefused) {
  const Learned known = learned();
  EXPECT_THROW(feature_effects(known.model, 1, 0), Error);
  EXPECT_THROW(feature_effects(known.model, 0, 9), Error);
  EXPECT_THROW(neighbours(known.model, planted_chunk(), 0), Error);
  const Clusterer small = Clusterer::from_bytes(known.model.to_bytes(ModelKind::prediction));
  EXPECT_THROW(feature_effects(small, 0, 0), Error);
  EXPECT_THROW(neighbours(small, planted_chunk(), 3), Error);
}

}  // namespace
}  // namespace omvc
