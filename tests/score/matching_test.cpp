#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

using Table = std::vector<std::vector<double>>;

// Tries every order of the longer side.
double best_gain(const Table& gain) {
  const std::size_t rows = gain.size();
  const std::size_t columns = gain.front().size();
  std::vector<std::size_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), std::size_t{0});
  double best = -std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(rows, columns); ++i)
      sum += rows <= columns ? gain[i][order[i]] : gain[order[i]][i];
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// The gain of a matching; checks that it is one, and that it leaves out no more rows than it must.
double gain_of(const Table& gain, const std::vector<int>& columns) {
  EXPECT_EQ(columns.size(), gain.size());
  double sum = 0;
  std::set<int> used;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) {
      EXPECT_EQ(columns[i], -1);
      continue;
    }
    EXPECT_TRUE(used.insert(columns[i]).second) << "column " << columns[i] << " is used twice";
    sum += gain[i].at(static_cast<std::size_t>(columns[i]));
  }
  EXPECT_EQ(used.size(), std::min(gain.size(), gain.front().size()));
  return sum;
}

TEST(BestMatching, EqualsTheBestOfAllPermutations) {
  const Random random(1, Purpose::sample);
  std::uint64_t counter = 0;
  for (std::size_t rows = 1; rows <= 7; ++rows) {
    for (std::size_t columns = 1; columns <= 7; ++columns) {
      // Few different whole numbers, some negative: many ties, and sums without rounding.
      for (const std::uint64_t range : {2u, 5u, 100u}) {
        Table gain(rows, std::vector<double>(columns));
        for (auto& row : gain) {
          for (double& cell : row) cell = static_cast<double>(random.below(range, counter++)) - 1;
        }
        ASSERT_EQ(gain_of(gain, best_matching(gain)), best_gain(gain)) << rows << " x " << columns;
      }
    }
  }
}

TEST(BestMatching, GivesUpTheLargestCellWhereThatPays) {
  EXPECT_EQ(best_matching({{10, 9}, {9, 1}}), (std::vector<int>{1, 0}));
}

TEST(BestMatching, AssignsAsManyRowsAsPossibleEvenAtALoss) {
  EXPECT_EQ(best_matching({{-5, -1, -3}}), (std::vector<int>{1}));
  EXPECT_EQ(best_matching({{-5}, {-1}, {-3}}), (std::vector<int>{-1, 0, -1}));
}

TEST(BestMatching, UndoesAPermutationOfALargeDiagonal) {
  constexpr std::size_t kSize = 200;
  Table gain(kSize, std::vector<double>(kSize, 1.0));
  for (std::size_t i = 0; i < kSize; ++i) gain[i][(i * 77 + 13) % kSize] = 2;
  const std::vector<int> columns = best_matching(gain);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_EQ(columns[i], static_cast<int>((i * 77 + 13) % kSize));
}

TEST(BestMatching, TakesTablesWithoutCells) {
  EXPECT_TRUE(best_matching({}).empty());
  EXPECT_EQ(best_matching({{}, {}}), (std::vector<int>{-1, -1}));
}

TEST(BestMatching, RefusesRaggedAndNonFiniteTables) {
  EXPECT_THROW(best_matching({{1, 2}, {1}}), Error);
  EXPECT_THROW(best_matching({{1, std::numeric_limits<double>::quiet_NaN()}}), Error);
  EXPECT_THROW(best_matching({{std::numeric_limits<double>::infinity()}}), Error);
}

}  // namespace
}  // namespace omvc
