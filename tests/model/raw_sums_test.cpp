// Means over the cells that are there, and the features that tell groups, beside plain loops.
#include "model/raw_sums.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Index kRows = 300;
constexpr Index kFeatures = 6;

// Feature 0 is higher in group 1, feature 1 is lower there, the others are noise; a third of the cells is missing.
struct Made {
  Made() {
    const Random random(9, Purpose::planted_data);
    DenseBlock<double> block{.rows = kRows, .cols = kFeatures, .values = {}};
    std::uint64_t drawn = 0;
    std::vector<Index> all;
    for (Index i = 0; i < kRows; ++i) {
      chunk.rows.push_back(i);
      all.push_back(i);
      group.push_back(static_cast<std::int32_t>(i % 3));
      for (Index j = 0; j < kFeatures; ++j) {
        double x = 10 + random.uniform(drawn++);
        if (group.back() == 1 && j == 0) x += 5;
        if (group.back() == 1 && j == 1) x -= 3;
        block.values.push_back(random.uniform(drawn++) < 1.0 / 3 ? kNan : x);
      }
    }
    values = {block.values.begin(), block.values.end()};
    chunk.views.push_back({std::move(block), all});
  }

  // Mean of a feature over the rows of a group, or (`rest`) of all others.
  double mean(Index feature, std::int32_t of, bool rest) const {
    double sum = 0;
    double count = 0;
    for (Index i = 0; i < kRows; ++i) {
      const double x = values[static_cast<std::size_t>(i * kFeatures + feature)];
      if (std::isnan(x) || (group[static_cast<std::size_t>(i)] == of) == rest) continue;
      sum += x;
      count += 1;
    }
    return sum / count;
  }

  // The same with so much added to every value.
  Made above(double offset) const {
    Made out = *this;
    auto& block = std::get<DenseBlock<double>>(out.chunk.views[0].block);
    for (double& x : block.values.own()) x += offset;
    for (double& x : out.values) x += offset;
    return out;
  }

  RawSums sums() const {
    RawSums out({{{"a", kFeatures, {}}}}, 3);
    out.add(chunk, group);
    return out;
  }

  Chunk chunk;
  std::vector<std::int32_t> group;
  std::vector<double> values;
};

TEST(RawSums, MeansAreThoseOfTheCellsThatAreThere) {
  const Made made;
  const RawSums sums = made.sums();
  for (Index j = 0; j < kFeatures; ++j) {
    for (std::int32_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(sums.own(0, j, k), made.mean(j, k, false), 1e-12);
      EXPECT_NEAR(sums.rest(0, j, k), made.mean(j, k, true), 1e-12);
    }
  }
  const RawSums joined = sums.grouped({0, 1, 0}, 2);
  EXPECT_NEAR(joined.own(0, 0, 0), made.mean(0, 1, true), 1e-12);
  EXPECT_NEAR(joined.own(0, 0, 1), made.mean(0, 1, false), 1e-12);
}

TEST(RawSums, OnlyWhatChanceDoesNotExplainTellsAGroup) {
  const Made made;
  const std::vector<Telling> found = made.sums().telling(0, 1, 10);
  ASSERT_EQ(found.size(), 2u) << "noise is not listed";
  EXPECT_EQ(found[0].feature, 0);
  EXPECT_TRUE(found[0].high());
  EXPECT_EQ(found[1].feature, 1);
  EXPECT_FALSE(found[1].high());
  EXPECT_NEAR(found[0].own, made.mean(0, 1, false), 1e-12);
  EXPECT_NEAR(found[0].others, made.mean(0, 1, true), 1e-12);
  EXPECT_EQ(made.sums().telling(0, 1, 1).size(), 1u);
  for (const Index other : {0, 2}) {
    for (const Telling& one : made.sums().telling(0, other, 10)) EXPECT_LT(one.feature, 2);
  }
}

// By definition: the difference of the means over the root of the pooled variance.
TEST(RawSums, AnEffectIsTheDifferenceOverTheDeviationWithin) {
  const Made made;
  const Telling first = made.sums().telling(0, 1, 1).front();
  double squares = 0;
  double count = 0;
  for (Index i = 0; i < kRows; ++i) {
    const double x = made.values[static_cast<std::size_t>(i * kFeatures)];
    if (std::isnan(x)) continue;
    const double differ = x - made.mean(0, 1, made.group[static_cast<std::size_t>(i)] != 1);
    squares += differ * differ;
    count += 1;
  }
  EXPECT_NEAR(first.effect, (first.own - first.others) / std::sqrt(squares / (count - 2)), 1e-9);
}

// What the scaling takes for missing, and a glitch that it has named, changes no mean.
TEST(RawSums, WordsForMissingValuesAndGlitchesCountForNothing) {
  ViewScaling scaling{.known = true};
  scaling.shift = {0};
  scaling.gain = {1};
  scaling.ceiling = {10};
  scaling.missing_below = {-999};
  scaling.missing_above = {kLargestValue};
  scaling.notes = {{.kind = ColumnNote::Kind::glitches, .feature = 0, .cells = 1, .value = 1e6}};
  Chunk chunk{{0, 1, 2, 3, 4, 5}, {}};
  chunk.views.push_back({DenseBlock<double>{.rows = 6, .cols = 1, .values = {1, -999, 3, 1e6, 5, 7}}, chunk.rows});
  RawSums sums({{{"a", 1, {}}}}, 2, {scaling});
  sums.add(chunk, {0, 0, 0, 1, 1, 1});
  EXPECT_EQ(sums.own(0, 0, 0), 2);
  EXPECT_EQ(sums.own(0, 0, 1), 6);
  EXPECT_EQ(sums.mean(0, 0), 4);
}

TEST(RawSums, GroupsThatAreTheValuesExplainThemAllAndAFeatureOfOneValueTellsNothing) {
  Chunk chunk;
  DenseBlock<double> block{.rows = 40, .cols = 2, .values = {}};
  std::vector<std::int32_t> group;
  std::vector<Index> all;
  for (Index i = 0; i < 40; ++i) {
    chunk.rows.push_back(i);
    all.push_back(i);
    group.push_back(static_cast<std::int32_t>(i % 2));
    block.values.push_back(i % 4 < 2 && i % 3 == 0 ? kNan : static_cast<double>(7 * (i % 2)));
    block.values.push_back(3);
  }
  chunk.views.push_back({std::move(block), all});
  RawSums sums({{{"a", 2, {}}}}, 2);
  sums.add(chunk, group);
  EXPECT_NEAR(sums.explained(0, {1, 1}), 1, 1e-12);
  const std::vector<Telling> found = sums.telling(0, 1, 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].feature, 0);
  EXPECT_TRUE(std::isfinite(found[0].effect));
}

// Times in seconds, coordinates: what is far from zero has the same effects and shares.
TEST(RawSums, ValuesFarFromZeroLoseNothing) {
  const Made made;
  const RawSums near = made.sums();
  const RawSums far = made.above(1.7e9).sums();
  const std::vector<double> weights(kFeatures, 1.0);
  EXPECT_NEAR(far.explained(0, weights), near.explained(0, weights), 1e-5);
  for (Index j = 0; j < kFeatures; ++j) {
    EXPECT_NEAR(far.variance(0, j) / near.variance(0, j), 1, 1e-5);
    EXPECT_NEAR(far.mean(0, j) - 1.7e9, near.mean(0, j), 1e-5);
    for (Index k = 0; k < 3; ++k) {
      EXPECT_NEAR(far.own(0, j, k) - 1.7e9, near.own(0, j, k), 1e-5);
      EXPECT_NEAR(far.rest(0, j, k) - 1.7e9, near.rest(0, j, k), 1e-5);
      EXPECT_NEAR(far.compare(0, j, k).effect, near.compare(0, j, k).effect, 1e-4);
    }
  }
}

}  // namespace
}  // namespace omvc
