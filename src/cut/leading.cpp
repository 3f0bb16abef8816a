#include "cut/leading.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "cut/eigenpairs.hpp"
#include "kernels/simd.hpp"
#include "kernels/tall.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

using Square = Eigen::MatrixXd;

constexpr Index kExtra = 6;         // vectors beyond those wanted, which make the last of them come sooner
constexpr Index kBlocks = 4;        // of vectors in the space
constexpr int kRestarts = 6;        // at most
constexpr double kResidual = 1e-3;  // ||A x - value x|| of unit vectors that are good enough to be grouped
constexpr Index kSmall = 100;       // rows up to which the operator is written out

// A' B
Matrix product(const Matrix& A, const Matrix& B, Compute& compute) {
  return sum_of_tall_blocks(
      compute, A.rows(), A.cols() + B.cols(), Matrix(Matrix::Zero(A.cols(), B.cols())), [&](Index first, Index count) {
        Matrix part = Matrix::Zero(A.cols(), B.cols());
        simd::add_transpose_product(A.data() + first * A.cols(), A.cols(), A.cols(), count,
                                    {B.data() + first * B.cols(), B.cols()}, B.cols(), {part.data(), B.cols()});
        return part;
      });
}

// A S
Matrix combined(const Matrix& A, const Matrix& S, Compute& compute) {
  Matrix out = Matrix::Zero(A.rows(), S.cols());
  for_tall_blocks(compute, A.rows(), A.cols() + S.cols(), [&](Index first, Index count) {
    simd::add_product(A.data() + first * A.cols(), A.cols(), count, A.cols(), {S.data(), S.cols()}, S.cols(),
                      {out.data() + first * S.cols(), S.cols()});
  });
  return out;
}

// The same basis by Cholesky factors, which cost a tenth of eigenvectors where there are many columns; nothing where
// columns have next to everything in common.
std::optional<Matrix> by_cholesky(const Matrix& X, Compute& compute) {
  constexpr double kDependent = 1e-5;
  Matrix Q = X;
  for (int twice = 0; twice < 2; ++twice) {
    const Eigen::LLT<Square> factor(product(Q, Q, compute));
    if (factor.info() != Eigen::Success) return std::nullopt;
    const Square L = factor.matrixL();
    if (!(L.diagonal().minCoeff() > kDependent * L.diagonal().maxCoeff())) return std::nullopt;
    Square inverse = Square::Identity(L.rows(), L.cols());
    L.triangularView<Eigen::Lower>().solveInPlace(inverse);
    Q = combined(Q, inverse.transpose(), compute);
  }
  return Q;
}

// An orthonormal basis of the columns; what they have in common is left out.
Matrix orthonormal(Matrix X, Compute& compute) {
  constexpr double kNothing = 1e-10;
  constexpr Index kMany = 64;  // columns
  if (X.cols() >= kMany) {
    if (std::optional<Matrix> Q = by_cholesky(X, compute)) return std::move(*Q);
  }
  for (int twice = 0; twice < 2; ++twice) {
    const Eigen::SelfAdjointEigenSolver<Square> solver(product(X, X, compute));
    const Vector& values = solver.eigenvalues();
    const double least = kNothing * std::max(values.size() > 0 ? values(values.size() - 1) : 0.0, 1e-300);
    Index none = 0;
    while (none < values.size() && !(values(none) > least)) ++none;
    const Index kept = values.size() - none;
    X = combined(X, solver.eigenvectors().rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal(),
                 compute);
  }
  return X;
}

Matrix joined(const Matrix& A, const Matrix& B) {
  Matrix out(A.rows(), A.cols() + B.cols());
  out << A, B;
  return out;
}

Matrix begun(Index rows, Index count, const Matrix& start, std::uint64_t seed) {
  Matrix out(rows, count);
  const Index given = std::min(start.cols(), count);
  if (given > 0) out.leftCols(given) = start.leftCols(given);
  const Random random(seed, Purpose::eigenvectors);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = given; j < count; ++j) out(i, j) = random.uniform(static_cast<std::uint64_t>(i * count + j)) - 0.5;
  }
  return out;
}

Leading written_out(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count, Compute& compute) {
  const Matrix A = times(Matrix::Identity(rows, rows));
  const auto [values, vectors] = largest_eigenpairs(0.5 * (A + A.transpose()), count, compute);
  Leading out{.values = {}, .vectors = vectors.rowwise().reverse()};
  for (Index j = 0; j < count; ++j) out.values.push_back(values(count - 1 - j));
  return out;
}

// An eigenvector has no sign of its own: its largest entry is made positive.
void fix_signs(Matrix& vectors) {
  for (Index j = 0; j < vectors.cols(); ++j) {
    Index at = 0;
    vectors.col(j).cwiseAbs().maxCoeff(&at);
    if (vectors(at, j) < 0) vectors.col(j) = -vectors.col(j);
  }
}

}  // namespace

Leading leading_eigenvectors(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count,
                             const Matrix& start, std::uint64_t seed, Compute& compute) {
  const Timed timed(compute.profile(), Step::eigenvectors);
  count = std::min(count, rows);
  const Index width = count + kExtra;
  if (rows <= std::max(kSmall, kBlocks * width)) {
    Leading out = written_out(times, rows, count, compute);
    fix_signs(out.vectors);
    return out;
  }
  Matrix X = orthonormal(begun(rows, width, start, seed), compute);
  Matrix AX = times(X);
  Vector values;
  for (int restart = 0; restart < kRestarts; ++restart) {
    compute.poll();
    Matrix V = X;
    Matrix last = AX;  // the operator times the last block
    Matrix T = product(V, last, compute);
    for (Index block = 1; block < kBlocks; ++block) {
      Matrix next = last;
      for (int twice = 0; twice < 2; ++twice) next -= combined(V, product(V, next, compute), compute);
      next = orthonormal(std::move(next), compute);
      if (next.cols() == 0) break;
      V = joined(V, next);
      last = times(next);
      const Matrix side = product(V, last, compute);
      Matrix wider(V.cols(), V.cols());
      wider << T, side.topRows(T.rows()), side.topRows(T.rows()).transpose(), side.bottomRows(next.cols());
      T = std::move(wider);
    }
    const Index kept = std::min(width, T.cols());
    const auto [ascending, vectors] = largest_eigenpairs(0.5 * (T + T.transpose()), kept, compute);
    X = combined(V, vectors.rowwise().reverse(), compute);
    values = ascending.reverse();
    AX = times(X);
    const Matrix residual = AX - X * values.asDiagonal();
    if (residual.leftCols(count).colwise().norm().maxCoeff() < kResidual) break;
  }
  Leading out{.values = {}, .vectors = X.leftCols(count)};
  out.values.assign(values.data(), values.data() + count);
  fix_signs(out.vectors);
  return out;
}

}  // namespace omvc
