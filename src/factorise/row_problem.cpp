#include "factorise/row_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr double kTask = 1 << 18;  // operations that are worth a task of their own
constexpr double kWorthThreads = 1 << 17;
constexpr double kSigma = 0.01;    // of Eq. (17), (18); Lin (2007), whom the paper follows, uses the same value
constexpr double kEta = 0.1;       // gamma = eta^phi, likewise
constexpr int kTries = 4;          // values of gamma tried before the projected-gradient step
constexpr double kUnused = 1e-13;  // of the largest entry of a diagonal, up to which one is rounding

// to -= share times from, for `count` numbers.
void take_from(double share, const double* from, Index count, double* to) {
  for (Index j = 0; j < count; ++j) to[j] -= share * from[j];
}

// The inverse of G + ridge I by Cholesky's factors, row by row: G is small, and there is one for each step. Nothing
// where it is not positive definite.
std::optional<Matrix> positive_inverse(const Matrix& G, double ridge) {
  const Index r = G.rows();
  Matrix factors = G.transpose();  // the upper triangle becomes L', a row after the other
  factors.diagonal().array() += ridge;
  for (Index k = 0; k < r; ++k) {
    double* const row = factors.data() + k * r;
    if (!(row[k] > 0)) return std::nullopt;
    row[k] = std::sqrt(row[k]);
    for (Index j = k + 1; j < r; ++j) row[j] /= row[k];
    for (Index i = k + 1; i < r; ++i) take_from(row[i], row + i, r - i, factors.data() + i * r + i);
  }
  Matrix X = Matrix::Identity(r, r);  // becomes the inverse of L
  for (Index i = 0; i < r; ++i) {
    double* const row = X.data() + i * r;
    for (Index k = 0; k < i; ++k) take_from(factors(k, i), X.data() + k * r, k + 1, row);
    for (Index j = 0; j <= i; ++j) row[j] /= factors(i, i);
  }
  Matrix inverse = Matrix::Zero(r, r);
  for (Index i = 0; i < r; ++i) {
    double* const row = inverse.data() + i * r;
    for (Index k = i; k < r; ++k) take_from(-X(k, i), X.data() + k * r, i + 1, row);
    for (Index j = 0; j < i; ++j) inverse(j, i) = row[j];
  }
  return inverse;
}

// The inverse of G. A component that no instance uses yet makes G singular, and so do chunks smaller than r; a ridge at
// the level of rounding makes the inverse exist, and the Armijo rule judges the step that comes of it.
Matrix ridged_inverse(const Matrix& G) {
  const double scale = std::max(G.trace() / static_cast<double>(G.rows()), 1e-300);
  for (double ridge = 1e-12 * scale;; ridge *= 100) {
    if (std::optional<Matrix> inverse = positive_inverse(G, ridge)) return std::move(*inverse);
  }
}

Matrix diagonal_inverse(const Matrix& G) {
  Matrix out = Matrix::Zero(G.rows(), G.cols());
  for (Index k = 0; k < G.rows(); ++k) out(k, k) = G(k, k) >= std::numeric_limits<double>::min() ? 1 / G(k, k) : 0;
  return out;
}

// A component that no instance uses has an entry that is rounding and not 0, where the share of a chunk was taken out
// of sums again: divided by it, what is left of its products would be as large as numbers go. It is taken for 0, which
// has no say.
void leave_out_unused(Matrix& G) {
  const double least = kUnused * (G.size() > 0 ? G.diagonal().maxCoeff() : 0);
  for (Index k = 0; k < G.rows(); ++k) {
    if (!(G(k, k) > least)) G(k, k) = 0;
  }
}

// A row with q = 0 and z = 0 is at its minimum for any G, since the gradient there is l >= 0. In sparse views most
// features of a chunk are such rows.
bool at_zero(const double* q, const double* z, Index r) {
  for (Index k = 0; k < r; ++k) {
    if (q[k] != 0 || z[k] != 0) return false;
  }
  return true;
}

}  // namespace

RowProblem::RowProblem(RowSolver solver, Matrix G, double done) : solver_(solver), G_(std::move(G)), done_(done) {
  if (solver_ == RowSolver::newton) inverse_ = ridged_inverse(G_);
  if (solver_ == RowSolver::diagonal) inverse_ = diagonal_inverse(G_);
  if (solver_ == RowSolver::hals) leave_out_unused(G_);
  lipschitz_ = G_.cwiseAbs().rowwise().sum().maxCoeff();
}

void RowProblem::improve(const MatrixIn& Q, const TwoRuns& l, int steps, MatrixOut Z, Compute& compute) const {
  improve_some(Q, l, steps, {0, Z.rows(), nullptr}, Z, compute);
}

void RowProblem::improve(const MatrixIn& Q, int steps, std::span<const Index> rows, MatrixOut Z,
                         Compute& compute) const {
  improve_some(Q, {}, steps, {0, static_cast<Index>(rows.size()), rows.data()}, Z, compute);
}

void RowProblem::improve_some(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z,
                              Compute& compute) const {
  const Timed timed(compute.profile(), Step::row_solver);
  if (!(lipschitz_ > 0)) return;  // G = 0: nothing was observed, and every z is as good as another
  const Index r = G_.rows();
  const double work = static_cast<double>(r * r) * steps;  // of a row
  const Index block = simd::kLane * static_cast<Index>(1 + kTask / (work * static_cast<double>(simd::kLane)));
  for_blocks(compute, some.size(), block, work * static_cast<double>(some.size()) > kWorthThreads,
             [&](Index first, Index last) {
               const Some part{some.first + first, some.first + last, some.rows};
               if (solver_ == RowSolver::hals) {
                 descend(Q, l, steps, part, Z);
               } else {
                 newton(Q, l, steps, part, Z);
               }
             });
}

template <class Solve>
void RowProblem::in_lanes(const MatrixIn& Q, const TwoRuns& l, const Some& some, MatrixOut Z,
                          const Solve& solve) const {
  const Index r = G_.rows();
  thread_local simd::Buffer buffer;
  double* const q = buffer.of_size(5 * r * simd::kLane);
  double* const z = q + r * simd::kLane;
  double* const room = z + r * simd::kLane;
  std::array<double, simd::kLane> lasso{};
  std::array<const double*, simd::kLane> q_rows{};
  std::array<double*, simd::kLane> z_rows{};
  Index count = 0;
  const auto flush = [&] {
    simd::to_lanes(q_rows.data(), count, r, q);
    simd::to_lanes(z_rows.data(), count, r, z);
    solve(q, lasso.data(), count, room, z);
    simd::from_lanes(z, count, r, z_rows.data());
    count = 0;
  };
  for (Index i = 0; i < some.size(); ++i) {
    const Index row = some[i];
    const double* const q_row = Q.data() + row * Q.outerStride();
    double* const z_row = Z.data() + row * Z.outerStride();
    if (at_zero(q_row, z_row, r)) continue;
    const auto lane = static_cast<std::size_t>(count);
    q_rows[lane] = q_row;
    z_rows[lane] = z_row;
    lasso[lane] = l[row];
    if (++count == simd::kLane) flush();
  }
  if (count > 0) flush();
}

void RowProblem::newton(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const {
  const simd::NewtonRule rule{.lipschitz = lipschitz_, .sigma = kSigma, .eta = kEta, .tries = kTries};
  in_lanes(Q, l, some, Z, [&](const double* q, const double* lasso, Index count, double* room, double* z) {
    auto moving = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
    for (int step = 0; step < steps && moving != 0; ++step) {
      moving = simd::newton_step(G_.data(), inverse_.data(), G_.rows(), rule, q, lasso, moving, room, z);
    }
  });
}

void RowProblem::descend(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const {
  in_lanes(Q, l, some, Z, [&](const double* q, const double* lasso, Index, double*, double* z) {
    simd::coordinate_descent(G_.data(), G_.rows(), q, lasso, steps, done_, z);
  });
}

double RowProblem::objective(const RowVector& z, const RowVector& q, double l) const {
  return (z * G_).dot(z) - 2 * z.dot(q) + l * z.sum();
}

double RowProblem::kkt_residual(const RowVector& z, const RowVector& q, double l) const {
  const RowVector gradient = 2 * (z * G_ - q) + RowVector::Constant(z.size(), l);
  return z.cwiseMin(gradient).cwiseAbs().maxCoeff();
}

}  // namespace omvc
