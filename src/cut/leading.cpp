#include "cut/leading.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/simd.hpp"
#include "kernels/tall.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

using Square = Eigen::MatrixXd;

constexpr Index kExtra = 6;          // vectors beyond those wanted, which make the last of them come sooner
constexpr int kMostDegree = 12;      // of the polynomial between two restarts
constexpr double kMostGrowth = 1e4;  // by it, of one vector beside another: beyond, they could not be told apart
constexpr int kBoundSteps = 12;      // of Lanczos' method, for the bounds of the spectrum
constexpr double kNothing = 1e-10;   // of a unit vector, which is rounding
constexpr Index kSmall = 100;        // rows up to which the operator is written out,
constexpr Index kDense = 4;          // and rows for each vector

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

// An orthonormal basis of the columns; what they have in common is left out.
Matrix orthonormal(Matrix X, Compute& compute) {
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

Leading written_out(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count) {
  const Matrix A = times(Matrix::Identity(rows, rows));
  const Eigen::SelfAdjointEigenSolver<Square> solver(0.5 * (A + A.transpose()));
  Leading out{.values = {}, .vectors = solver.eigenvectors().rightCols(count).rowwise().reverse()};
  for (Index j = 0; j < count; ++j) out.values.push_back(solver.eigenvalues()(rows - 1 - j));
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

// Bounds of the spectrum: the outermost values that Lanczos' method finds in some steps, and as much beyond them as its
// last step says is left (Zhou, Saad 2007).
std::pair<double, double> bounds(const std::function<Matrix(const Matrix&)>& times, Matrix x, Compute& compute) {
  const int steps = static_cast<int>(std::min<Index>(kBoundSteps, x.rows()));
  Square T = Square::Zero(steps, steps);
  Matrix before = Matrix::Zero(x.rows(), 1);
  double rest = 0;
  int taken = 0;
  x /= std::sqrt(inner_product(x, x, compute));
  while (taken < steps) {
    Matrix next = times(x) - rest * before;
    T(taken, taken) = inner_product(x, next, compute);
    next -= T(taken, taken) * x;
    rest = std::sqrt(inner_product(next, next, compute));
    if (++taken == steps || rest < kNothing) break;
    T(taken, taken - 1) = T(taken - 1, taken) = rest;
    before = std::exchange(x, next / rest);
  }
  const Square found = T.topLeftCorner(taken, taken);
  const Eigen::SelfAdjointEigenSolver<Square> solver(found, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues()(0) - rest, solver.eigenvalues()(taken - 1) + rest};
}

// What is left of an operator beside eigenvectors that are known: their eigenvalues become `centre`.
std::function<Matrix(const Matrix&)> beside(const std::function<Matrix(const Matrix&)>& times, const Matrix& known,
                                            const Vector& values, double centre, Compute& compute) {
  if (known.cols() == 0) return times;
  return [&times, &known, &compute, change = Vector(values.array() - centre)](const Matrix& X) -> Matrix {
    return times(X) - combined(known, change.asDiagonal() * product(known, X, compute), compute);
  };
}

// A polynomial of the operator that is small from `low` to `cut` and grows beyond (Chebyshev's, scaled to 1 at the
// largest value): of Ritz vectors X it leaves what belongs to eigenvalues above `cut`, which is the last of their
// values. The first of them, `known`, are there already, and are left alone. AX is the operator times X.
Matrix filtered(const std::function<Matrix(const Matrix&)>& times, const Matrix& X, const Matrix& AX,
                const Vector& values, Index known, double low, double top, Compute& compute) {
  const Index others = X.cols() - known;
  const double cut = values(values.size() - 1);
  const double half = std::max((cut - low) / 2, 1e-3 * std::abs(top));
  const double centre = cut - half;
  const double reach = std::max((top - centre) / half, 1 + 1e-6);
  const int degree = std::clamp(static_cast<int>(std::acosh(kMostGrowth) / std::acosh(reach)), 2, kMostDegree);
  const Matrix first = X.leftCols(known);
  const auto rest = beside(times, first, values.head(known), centre, compute);
  double sigma = 1 / reach;
  Matrix before = X.rightCols(others);
  Matrix Y = (AX.rightCols(others) - centre * before) * (sigma / half);
  for (int step = 2; step <= degree; ++step) {
    const double next = 1 / (2 * reach - sigma);
    Matrix Z = (rest(Y) - centre * Y) * (2 * next / half) - sigma * next * before;
    before = std::exchange(Y, std::move(Z));
    sigma = next;
  }
  Matrix out(X.rows(), X.cols());
  out << first, Y;
  return out;
}

}  // namespace

Leading leading_eigenvectors(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count,
                             const Matrix& start, std::uint64_t seed, const LeadingRule& rule, Compute& compute) {
  const Timed timed(compute.profile(), Step::eigenvectors);
  count = std::min(count, rows);
  const Index width = count + kExtra;
  if (rows <= std::max(kSmall, kDense * width)) {
    Leading out = written_out(times, rows, count);
    fix_signs(out.vectors);
    return out;
  }
  Matrix X = begun(rows, width, start, seed);
  const auto [low, high] = bounds(times, X.rightCols(1), compute);
  X = orthonormal(std::move(X), compute);
  Vector values;
  for (int restart = 0;; ++restart) {
    compute.poll();
    Matrix AX = times(X);
    const Matrix T = product(X, AX, compute);
    const Eigen::SelfAdjointEigenSolver<Square> solver(0.5 * (T + T.transpose()));
    const Matrix turn = solver.eigenvectors().rowwise().reverse();
    X = combined(X, turn, compute);
    AX = combined(AX, turn, compute);
    values = solver.eigenvalues().reverse();
    const Matrix residual = AX.leftCols(count) - X.leftCols(count) * values.head(count).asDiagonal();
    Index known = 0;
    while (known < count && residual.col(known).norm() < rule.residual) ++known;
    if (known == count || restart == rule.restarts) break;
    const double top = known > 0 ? values(known) : high;
    X = orthonormal(filtered(times, X, AX, values, known, low, top, compute), compute);
    if (X.cols() < width) X = orthonormal(begun(rows, width, X, seed + static_cast<std::uint64_t>(restart)), compute);
  }
  Leading out{.values = {}, .vectors = X.leftCols(count)};
  out.values.assign(values.data(), values.data() + count);
  fix_signs(out.vectors);
  return out;
}

}  // namespace omvc
