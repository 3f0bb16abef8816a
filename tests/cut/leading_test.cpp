#include "cut/leading.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "support/random_data.hpp"

namespace omvc {
namespace {

using Dense = Eigen::MatrixXd;

std::function<Matrix(const Matrix&)> product_of(const Matrix& A) {
  return [&A](const Matrix& X) { return Matrix(A * X); };
}

Matrix random_symmetric(Index n, std::uint64_t seed) {
  const Matrix X = test::random_matrix(n, n, seed).array() - 0.5;
  return (X + X.transpose()) / std::sqrt(static_cast<double>(n));
}

// A symmetric matrix with these leading eigenvalues, and others below the half of the least.
Matrix with_leading(Index n, const std::vector<double>& values, std::uint64_t seed) {
  const Eigen::SelfAdjointEigenSolver<Dense> solver(random_symmetric(n, seed));
  Vector all = test::random_matrix(n, 1, seed + 1) * (values.back() / 2);
  for (std::size_t j = 0; j < values.size(); ++j) all(static_cast<Index>(j)) = values[j];
  return solver.eigenvectors() * all.asDiagonal() * solver.eigenvectors().transpose();
}

// The sine of the largest angle between two spaces, given by orthonormal bases.
double sine(const Matrix& A, const Matrix& B) { return (B - A * (A.transpose() * B)).norm(); }

void expect_orthonormal(const Matrix& X) {
  EXPECT_LT((X.transpose() * X - Matrix::Identity(X.cols(), X.cols())).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Leading, EigenvectorsAreThoseOfADenseSolver) {
  Compute compute(2);
  for (const Index n : {1, 2, 40, 300, 301, 700}) {
    const std::vector<double> values{1, 0.97, 0.9, 0.9, 0.8};
    const Index count = std::min<Index>(5, n);
    const Matrix A = n < 5 ? random_symmetric(n, 3) : with_leading(n, values, 3);
    const Eigen::SelfAdjointEigenSolver<Dense> solver(A);
    const Leading found = leading_eigenvectors(product_of(A), n, 5, Matrix(), 1, kToBeGrouped, compute);
    ASSERT_EQ(found.vectors.rows(), n);
    ASSERT_EQ(found.vectors.cols(), count);
    ASSERT_EQ(static_cast<Index>(found.values.size()), count);
    expect_orthonormal(found.vectors);
    for (Index j = 0; j < count; ++j) {
      EXPECT_NEAR(found.values[static_cast<std::size_t>(j)], solver.eigenvalues()(n - 1 - j), 1e-5) << n << " rows";
      Index at = 0;
      found.vectors.col(j).cwiseAbs().maxCoeff(&at);
      EXPECT_GT(found.vectors(at, j), 0) << "the largest entry is positive";
    }
    EXPECT_LT(sine(solver.eigenvectors().rightCols(count), found.vectors), 1e-2) << n << " rows";
  }
}

// Without any gap in the spectrum vectors are no better than their residuals say, and neither are values.
TEST(Leading, ValuesOfAnyOperatorAreAsGoodAsTheirResiduals) {
  Compute compute(2);
  const Matrix A = random_symmetric(500, 8);
  const Eigen::SelfAdjointEigenSolver<Dense> solver(A);
  const Leading found = leading_eigenvectors(product_of(A), 500, 6, Matrix(), 1, kToBeGrouped, compute);
  expect_orthonormal(found.vectors);
  for (Index j = 0; j < 6; ++j) {
    const double value = found.values[static_cast<std::size_t>(j)];
    EXPECT_LT((A * found.vectors.col(j) - value * found.vectors.col(j)).norm(), 2e-2);
    EXPECT_NEAR(value, solver.eigenvalues()(499 - j), 1e-3);
  }
}

// A balanced graph of components, rows of all of which are mixed; the eigenvalue 1 is there once for each.
struct Components {
  Components(Index n, Index count, std::uint64_t seed) : A(Matrix::Zero(n, n)), indicator(Matrix::Zero(n, count)) {
    const Matrix weights = test::random_matrix(n, n, seed);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (i % count == j % count) A(i, j) = A(j, i) = weights(i, j);
      }
    }
    const Vector degree = A.rowwise().sum();
    const Vector scale = degree.cwiseSqrt().cwiseInverse();
    A = (scale.asDiagonal() * A * scale.asDiagonal()).eval();
    for (Index i = 0; i < n; ++i) indicator(i, i % count) = std::sqrt(degree(i));
    indicator.colwise().normalize();
  }
  Matrix A;
  Matrix indicator;
};

TEST(Leading, AnEigenvalueIsFoundAsOftenAsItIsThere) {
  Compute compute(2);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Components graph(600, 9, seed);
    for (const bool begun : {false, true}) {
      // A start that knows but one of the vectors keeps nobody from finding the others.
      const Matrix start = begun ? Matrix(graph.indicator.leftCols(1)) : Matrix();
      const Leading found = leading_eigenvectors(product_of(graph.A), 600, 9, start, seed, kToBeGrouped, compute);
      for (const double value : found.values) EXPECT_NEAR(value, 1, 1e-5) << "seed " << seed;
      EXPECT_LT(sine(graph.indicator, found.vectors), 1e-2) << "seed " << seed;
    }
  }
}

TEST(Leading, ThreadsChangeNoBit) {
  const Matrix A = with_leading(900, {1, 0.9, 0.85}, 5);
  const auto found = [&](int threads) {
    Compute compute(threads);
    return leading_eigenvectors(product_of(A), 900, 3, test::random_matrix(900, 2, 7), 4, kToBeGrouped, compute);
  };
  const Leading alone = found(1);
  for (const int threads : {2, 4}) {
    const Leading shared = found(threads);
    EXPECT_EQ(shared.values, alone.values);
    EXPECT_TRUE(shared.vectors == alone.vectors) << threads;
  }
}

}  // namespace
}  // namespace omvc
