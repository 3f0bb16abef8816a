// How far rows lie outside of what views have shown.
#include "scale/ranges.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using test::csr_block;
using test::dense_block;

const Schema kSchema{{{"dense", 4, {}}, {"sparse", 6, {}}}};

// Forty rows with values 0 .. 1 in both views, the second mostly zeros.
Matrix usual(Index rows, Index features, bool zeros) {
  Matrix X(rows, features);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < features; ++j) {
      X(i, j) = zeros && (i + j) % 3 != 0 ? 0.0 : static_cast<double>((7 * i + 3 * j) % 11) / 10;
    }
  }
  return X;
}

Chunk chunk_of(const Matrix& dense, const Matrix& sparse) {
  Chunk out{test::iota(dense.rows()), {}};
  out.views.push_back({dense_block<double>(dense), test::iota(dense.rows())});
  out.views.push_back({csr_block<double>(sparse), test::iota(dense.rows())});
  return out;
}

Survey survey_of(const Chunk& chunk) {
  Compute compute;
  Survey survey(kSchema);
  survey.add(chunk, compute);
  return survey;
}

TEST(Ranges, SayByHowManyWidthsARowIsBeyondInTheMeanOfItsFeatures) {
  const Ranges ranges(survey_of(chunk_of(usual(40, 4, false), usual(40, 6, true))), {false, false});
  Matrix dense = usual(3, 4, false);
  Matrix sparse = usual(3, 6, true);
  dense(1, 0) = 1 + 30;  // widths of 1
  dense(1, 2) = 0 - 40;
  sparse(2, 3) = 1 + 60;
  const std::vector<Ranges::Outside> found = ranges.outside(chunk_of(dense, sparse));
  EXPECT_EQ(found[0].widths, 0);
  EXPECT_EQ(found[1].view, 0u);
  EXPECT_NEAR(found[1].widths, std::sqrt((30.0 * 30 + 40 * 40) / 4), 1e-12);
  EXPECT_NEAR(found[1].reach, found[1].widths / kReach, 1e-12);
  EXPECT_EQ(found[2].view, 1u);
  EXPECT_NEAR(found[2].widths, 60 / std::sqrt(6.0), 1e-12);
}

TEST(Ranges, OfMostRowsAreNotThoseOfAFew) {
  Matrix dense = usual(40, 4, false);
  Matrix sparse = usual(40, 6, true);
  dense.row(7).setConstant(1e18);
  sparse(9, 1) = -1e9;
  const std::vector<Chunk> rows{chunk_of(dense, sparse)};
  const std::vector<Ranges::Outside> found = Ranges(rows, kSchema, {false, false}).outside(rows[0]);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].reach > 1, i == 7 || i == 9) << i;
  const std::vector<Ranges::Outside> by_all = Ranges(survey_of(rows[0]), {false, false}).outside(rows[0]);
  for (const Ranges::Outside& row : by_all) EXPECT_EQ(row.widths, 0) << "a survey has seen all of its rows";
}

TEST(Ranges, OfMostRowsAreNotThoseOfAThirdThatMakesNoSense) {
  for (const double value : {1e9, -1e9, 1e18}) {
    Matrix dense = usual(40, 4, false);
    Matrix sparse = usual(40, 6, true);
    for (Index i = 0; i < 12; ++i) dense.row(3 * i).setConstant(value);
    for (Index i = 0; i < 12; ++i) sparse.row(3 * i).setConstant(i % 2 == 0 ? value : -value);
    const std::vector<Chunk> rows{chunk_of(dense, sparse)};
    const std::vector<Ranges::Outside> found = Ranges(rows, kSchema, {false, false}).outside(rows[0]);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].reach > 1, i % 3 == 0 && i < 36) << i;
  }
}

TEST(Ranges, OfMostRowsHoldAClusterFarAwayThatIsNotAbsurd) {
  Matrix dense = usual(40, 4, false);
  for (Index i = 0; i < 12; ++i) dense.row(3 * i).array() += 200;
  const std::vector<Chunk> rows{chunk_of(dense, usual(40, 6, true))};
  for (const Ranges::Outside& row : Ranges(rows, kSchema, {false, false}).outside(rows[0])) EXPECT_LE(row.reach, 1);
}

TEST(Ranges, SayNothingWhereLittleWasShown) {
  const Ranges few(survey_of(chunk_of(usual(19, 4, false), usual(19, 6, true))), {false, false});
  const Chunk far = chunk_of(Matrix::Constant(1, 4, 1e18), Matrix::Constant(1, 6, 1e18));
  EXPECT_EQ(few.outside(far)[0].reach, 0);
  // Rows that are all alike tell no width, only how large their values are.
  const Ranges alike(survey_of(chunk_of(Matrix::Constant(40, 4, 2), Matrix::Zero(40, 6))), {false, false});
  EXPECT_GT(alike.outside(chunk_of(Matrix::Constant(1, 4, 1e9), Matrix::Zero(1, 6)))[0].reach, 1);
  EXPECT_EQ(alike.outside(chunk_of(Matrix::Constant(1, 4, 2), Matrix::Constant(1, 6, 1e9)))[0].reach, 0);
}

TEST(Ranges, RowsAgreeThatLieOutsideInTheSamePlace) {
  const Ranges ranges(survey_of(chunk_of(usual(40, 4, false), usual(40, 6, true))), {false, false});
  const auto excess = [&](double first, double second) {
    Matrix dense = Matrix::Constant(1, 4, 0.5);
    dense(0, 0) = first;
    dense(0, 1) = second;
    return ranges.excess(chunk_of(dense, Matrix::Zero(1, 6)), 0);
  };
  EXPECT_TRUE(agree(excess(1e9, 0.5), excess(1.2e9, 0.5)));
  EXPECT_TRUE(agree(excess(100, -100), excess(110, -90)));
  EXPECT_FALSE(agree(excess(1e9, 0.5), excess(-1e9, 0.5)));
  EXPECT_FALSE(agree(excess(1e9, 0.5), excess(0.5, 1e9)));
  EXPECT_FALSE(agree(excess(1e9, 0.5), excess(1e12, 0.5)));
}

}  // namespace
}  // namespace omvc
