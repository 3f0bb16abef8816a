#include "scale/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

Chunk one_view(Block block) {
  Chunk chunk{test::iota(block_rows(block)), {}};
  chunk.views.push_back({std::move(block), chunk.rows});
  return chunk;
}

// Surveys a chunk, chooses a scaling and applies it.
Chunk scaled(Scaling scaling, const Block& block, Index* clipped = nullptr) {
  Chunk chunk = one_view(block);
  const Schema schema = test::schema_of({block_cols(block)});
  Survey survey(schema);
  Compute compute;
  survey.add(chunk, compute);
  const auto counts = apply_scaling({choose_scaling(scaling, survey.views[0], {"view1", 0, {}})}, schema, chunk);
  if (clipped != nullptr) *clipped = counts[0];
  return chunk;
}

TEST(Scaling, TotalMassIsOneAndNegativesAreCountedAndGone) {
  const Matrix X{{1, -2, 3}, {0, 4, -5}, {2, 0, 0}};
  for (const Block& block : {Block(test::dense_block<double>(X)), Block(test::csr_block<double>(X))}) {
    Index clipped = 0;
    const Chunk chunk = scaled(Scaling::total, block, &clipped);
    EXPECT_EQ(clipped, 2);
    EXPECT_NEAR(test::sum(chunk.views[0].block), 1, 1e-15);
    EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{0.1, 0, 3 * 0.1}));
  }
}

// Parts of a whole count by their ratios. Rows of different totals, and counts, are no compositions.
TEST(Scaling, RowsOfOneTotalAreACompositionAndBecomeLogarithms) {
  const Matrix parts = test::random_matrix(60, 5, 4).cwiseAbs().array() + 0.01;
  const auto chosen = [](const Matrix& X) {
    const Chunk chunk = one_view(test::dense_block<double>(X));
    const Schema schema = test::schema_of({X.cols()});
    Survey survey(schema);
    Compute compute;
    survey.add(chunk, compute);
    return choose_scalings({Scaling::automatic}, schema, survey, std::span(&chunk, 1), {ViewScaling{}})[0];
  };
  Matrix shares = parts;
  for (Index i = 0; i < parts.rows(); ++i) shares.row(i) *= 100 / parts.row(i).sum();
  const ViewScaling found = chosen(shares);
  EXPECT_EQ(found.description.rfind("composition: logarithms", 0), 0U) << found.description;
  EXPECT_NE(found.reason.find("sum to 100"), std::string::npos) << found.reason;
  EXPECT_EQ(std::count(found.unit.begin(), found.unit.end(), 0.0), 0);
  EXPECT_EQ(chosen(parts).description.find("composition"), std::string::npos);
  shares.row(7) *= 1.1;
  EXPECT_EQ(chosen(shares).description.find("composition"), std::string::npos);
  Matrix whole = Matrix::Constant(60, 5, 2);
  whole.col(1).setConstant(7);
  for (Index i = 0; i < 60; ++i) whole(i, i % 2 == 0 ? 0 : 2) += 1;
  EXPECT_EQ(chosen(whole).description.find("composition"), std::string::npos);
}

// Numbers of single precision are rounded once, however they are stored.
TEST(Scaling, DenseAndSparseFloatsComeOutTheSame) {
  const Matrix X = test::random_sparse(40, 30, 0.8, 3);
  for (const Scaling scaling : {Scaling::total, Scaling::l2, Scaling::automatic}) {
    Block dense = test::dense_block<float>(X);
    Block sparse = test::csr_block<float>(X);
    const Schema schema = test::schema_of({30});
    Survey survey(schema);
    Compute compute;
    survey.add(one_view(dense), compute);
    const std::vector<ViewScaling> chosen{choose_scaling(scaling, survey.views[0], {"view1", 0, {}})};
    if (!chosen[0].shift.empty() &&
        std::any_of(chosen[0].shift.begin(), chosen[0].shift.end(), [](double shift) { return shift != 0; })) {
      continue;  // the zeros of a sparse view would fill
    }
    Chunk left = one_view(dense);
    Chunk right = one_view(sparse);
    apply_scaling(chosen, schema, left);
    apply_scaling(chosen, schema, right);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_EQ(test::dense_row(left.views[0].block, i), test::dense_row(right.views[0].block, i)) << "row " << i;
    }
  }
}

TEST(Scaling, NoneRefusesNegativesAndNamesTheRow) {
  const Block block = test::dense_block<double>(Matrix{{1, 2}, {3, -4}});
  test::expect_error(ErrorKind::data, {"view1", "row 1", "negative"}, [&] { scaled(Scaling::none, block); });
  const Chunk kept = scaled(Scaling::none, test::dense_block<double>(Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(test::dense_row(kept.views[0].block, 1), (std::vector<double>{3, 4}));
}

TEST(Scaling, AutomaticBringsDenseViewsToTotalVarianceOne) {
  const Matrix X = test::random_matrix(200, 5, 1) * 70 - Matrix::Constant(200, 5, 30);
  const Chunk chunk = scaled(Scaling::automatic, test::dense_block<double>(X));
  const auto& block = std::get<DenseBlock<double>>(chunk.views[0].block);
  const Eigen::Map<const Matrix> Y(block.values.data(), 200, 5);
  EXPECT_NEAR(Y.minCoeff(), 0, 1e-12);
  double variance = 0;
  for (Index j = 0; j < 5; ++j) variance += (Y.col(j).array() - Y.col(j).mean()).square().mean();
  EXPECT_NEAR(variance, 1, 1e-10);
}

// A panel of which most people have had few tests is a table with gaps, not one of zeros.
TEST(Scaling, CellsThatAreMissingAreNotTakenForZeros) {
  Matrix X = test::random_matrix(200, 40, 1) * 70;
  const Matrix gone = test::random_matrix(200, 40, 2);
  for (Index i = 0; i < X.size(); ++i) {
    if (gone.data()[i] < 0.95) X.data()[i] = std::numeric_limits<double>::quiet_NaN();
  }
  Survey survey(test::schema_of({40}));
  Compute compute;
  survey.add(one_view(test::dense_block<double>(X)), compute);
  const ViewScaling chosen = choose_scaling(Scaling::automatic, survey.views[0], {"view1", 0, {}});
  EXPECT_FALSE(chosen.unit_rows) << chosen.description;
  EXPECT_NE(chosen.reason.find("0 % of its numbers are zero"), std::string::npos) << chosen.reason;
}

TEST(Scaling, AutomaticGivesSparseCountsTfIdfRowsOfLengthOne) {
  Matrix X = test::random_sparse(50, 90, 0.05, 2);
  X = X.unaryExpr([](double x) { return std::ceil(5 * x); });
  X.row(7).setZero();
  const Chunk chunk = scaled(Scaling::automatic, test::csr_block<double>(X));
  for (Index i = 0; i < 50; ++i) {
    const auto row = test::dense_row(chunk.views[0].block, i);
    double squares = 0;
    for (const double x : row) squares += x * x;
    EXPECT_NEAR(squares, X.row(i).sum() > 0 ? 1 : 0, 1e-12) << i;
  }
}

TEST(Scaling, ANewInstanceBelowTheRangeStaysNonnegative) {
  const Schema schema = test::schema_of({1});
  Survey survey(schema);
  Compute compute;
  survey.add(one_view(test::dense_block<double>(Matrix{{5}, {9}})), compute);
  const ViewScaling scaling = choose_scaling(Scaling::automatic, survey.views[0], {"view1", 0, {}});
  Chunk chunk = one_view(test::dense_block<double>(Matrix{{1}}));
  apply_scaling({scaling}, schema, chunk);
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0)[0], 0);
}

// Columns of the scaled block, as a matrix.
Matrix scaled_matrix(Scaling scaling, const Matrix& X) {
  const Chunk chunk = scaled(scaling, test::dense_block<double>(X));
  const auto& block = std::get<DenseBlock<double>>(chunk.views[0].block);
  return Eigen::Map<const Matrix>(block.values.data(), X.rows(), X.cols());
}

RowVector variances(const Matrix& X) {
  RowVector out(X.cols());
  for (Index j = 0; j < X.cols(); ++j) out(j) = (X.col(j).array() - X.col(j).mean()).square().mean();
  return out;
}

TEST(Scaling, ShiftingScalingsDoWhatTheirNamesSay) {
  const Matrix X = test::random_matrix(60, 4, 3) * 20 - Matrix::Constant(60, 4, 7);
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard, Scaling::variance}) {
    const Matrix Y = scaled_matrix(scaling, X);
    EXPECT_LT(Y.colwise().minCoeff().cwiseAbs().maxCoeff(), 1e-12);
    if (scaling == Scaling::minmax) {
      EXPECT_LT((Y.colwise().maxCoeff().array() - 1).abs().maxCoeff(), 1e-12);
    } else if (scaling == Scaling::standard) {
      EXPECT_LT((variances(Y).array() - 1).abs().maxCoeff(), 1e-10);
    } else {
      EXPECT_NEAR(variances(Y).sum(), 1, 1e-10);
    }
  }
  // Equal variance keeps the proportions of the features; standardising does not.
  const RowVector before = variances(X), after = variances(scaled_matrix(Scaling::variance, X));
  EXPECT_NEAR(after(0) / after(1), before(0) / before(1), 1e-9);
}

TEST(Scaling, ShiftingRefusesNegativesInAViewStoredSparse) {
  const Matrix X{{1, 0, 3}, {0, -4, 0}};
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard, Scaling::variance}) {
    test::expect_error(ErrorKind::data, {"row 1", "negative", "l2"},
                       [&] { scaled(scaling, test::csr_block<double>(X)); });
  }
}

TEST(Scaling, UnitRowsWithAndWithoutDocumentFrequencies) {
  const Matrix X{{3, 4, 0}, {0, 5, -2}, {1, 1, 1}};
  const Chunk plain = scaled(Scaling::l2, test::csr_block<double>(X));
  EXPECT_NEAR(test::dense_row(plain.views[0].block, 0)[0], 3.0 / 5, 1e-15);
  EXPECT_NEAR(test::dense_row(plain.views[0].block, 0)[1], 4.0 / 5, 1e-15);
  EXPECT_EQ(test::dense_row(plain.views[0].block, 1), (std::vector<double>{0, 1, 0}));
  const Chunk weighted = scaled(Scaling::tfidf, test::csr_block<double>(X));
  const double often = std::log(4.0 / 4) + 1, rare = std::log(4.0 / 3) + 1;  // in 3 and in 2 of 3 instances
  const double length = std::hypot(3 * rare, 4 * often);
  EXPECT_NEAR(test::dense_row(weighted.views[0].block, 0)[0], 3 * rare / length, 1e-15);
  EXPECT_NEAR(test::dense_row(weighted.views[0].block, 0)[1], 4 * often / length, 1e-15);
}

// The chunk as it is lent by somebody who keeps `values`.
template <class T>
Chunk lent(const std::vector<T>& values, Index cols) {
  const auto rows = static_cast<Index>(values.size()) / cols;
  return one_view(DenseBlock<T>{.rows = rows, .cols = cols, .values = Buffer<T>::borrow(values, nullptr)});
}

TEST(Scaling, OrdinaryValuesThatAreLentAreNotCopiedByClamping) {
  const std::vector<double> values{1, -2, 3e14, 0, 1e15, -1e15};
  Chunk chunk = lent(values, 3);
  clamp_to_narrow(chunk);
  const auto& block = std::get<DenseBlock<double>>(chunk.views[0].block);
  EXPECT_TRUE(block.values.borrowed());
  EXPECT_EQ(block.values.data(), values.data());
}

TEST(Scaling, FarValuesAreClampedInACopy) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{1, -2, 3e20F, -infinity};
  const std::vector<float> before = values;
  Chunk chunk = lent(values, 2);
  clamp_to_narrow(chunk);
  EXPECT_EQ(values, before) << "what is lent stays as it is";
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{1, -2}));
  const auto far = static_cast<double>(static_cast<float>(kNarrowValue));
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 1), (std::vector<double>{far, -far}));
}

}  // namespace
}  // namespace omvc
