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
constexpr double kSigma = 0.01;  // of Eq. (17), (18); Lin (2007), whom the paper follows, uses the same value
constexpr double kEta = 0.1;     // gamma = eta^phi, likewise
constexpr int kTries = 4;        // values of gamma tried before the projected-gradient step

// The inverse of G + ridge I by Cholesky's factors, row by row: G is small, and there is one for each step. Nothing
// where it is not positive definite.
std::optional<Matrix> positive_inverse(const Matrix& G, double ridge) {
  const Index r = G.rows();
  Matrix L = Matrix::Zero(r, r);
  Matrix X = Matrix::Zero(r, r);  // the inverse of L
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double left = G(i, j) + (i == j ? ridge : 0);
      for (Index k = 0; k < j; ++k) left -= L(i, k) * L(j, k);
      if (i == j && !(left > 0)) return std::nullopt;
      L(i, j) = i == j ? std::sqrt(left) : left / L(j, j);
    }
    for (Index k = 0; k < i; ++k) X.row(i).head(k + 1) -= L(i, k) * X.row(k).head(k + 1);
    X(i, i) += 1;
    X.row(i).head(i + 1) /= L(i, i);
  }
  Matrix inverse = Matrix::Zero(r, r);
  for (Index k = 0; k < r; ++k) {
    for (Index i = 0; i <= k; ++i) inverse.row(i).head(k + 1) += X(k, i) * X.row(k).head(k + 1);
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

// At most kLane rows, by where they begin.
template <class T>
struct LaneRows {
  std::array<T*, simd::kLane> begin{};
  Index count = 0;
  Index r = 0;

  T* operator[](Index i) const { return begin[static_cast<std::size_t>(i)]; }
};

// Rows to problems side by side; two at a time, so that pairs of numbers are written.
void to_lanes(const LaneRows<const double>& rows, double* lanes) {
  Index i = 0;
  for (; i + 2 <= rows.count; i += 2) {
    const double* one = rows[i];
    const double* other = rows[i + 1];
    double* to = lanes + i;
    for (Index k = 0; k < rows.r; ++k, to += simd::kLane) {
      to[0] = one[k];
      to[1] = other[k];
    }
  }
  if (i == rows.count) return;
  for (Index k = 0; k < rows.r; ++k) lanes[k * simd::kLane + i] = rows[i][k];
}

// And back, two entries at a time.
void from_lanes(const double* lanes, const LaneRows<double>& rows) {
  for (Index i = 0; i < rows.count; ++i) {
    const double* from = lanes + i;
    double* to = rows[i];
    Index k = 0;
    for (; k + 2 <= rows.r; k += 2, from += 2 * simd::kLane) {
      to[k] = from[0];
      to[k + 1] = from[simd::kLane];
    }
    if (k < rows.r) to[k] = from[0];
  }
}

// A row with q = 0 and z = 0 is at its minimum for any G, since the gradient there is l >= 0. In sparse views most
// features of a chunk are such rows.
bool at_zero(const MatrixIn& Q, const MatrixOut& Z, Index row) {
  return (Q.row(row).array() == 0).all() && (Z.row(row).array() == 0).all();
}

}  // namespace

RowProblem::RowProblem(RowSolver solver, Matrix G, double done) : solver_(solver), G_(std::move(G)), done_(done) {
  if (solver_ == RowSolver::newton) inverse_ = ridged_inverse(G_);
  if (solver_ == RowSolver::diagonal) inverse_ = diagonal_inverse(G_);
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
  LaneRows<const double> q_rows{.r = r};
  LaneRows<const double> before{.r = r};
  LaneRows<double> after{.r = r};
  const auto flush = [&] {
    before.count = after.count = q_rows.count;
    to_lanes(q_rows, q);
    to_lanes(before, z);
    solve(q, lasso.data(), q_rows.count, room, z);
    from_lanes(z, after);
    q_rows.count = 0;
  };
  for (Index i = 0; i < some.size(); ++i) {
    const Index row = some[i];
    if (at_zero(Q, Z, row)) continue;
    const auto lane = static_cast<std::size_t>(q_rows.count);
    q_rows.begin[lane] = Q.row(row).data();
    before.begin[lane] = after.begin[lane] = Z.row(row).data();
    lasso[lane] = l[row];
    if (++q_rows.count == simd::kLane) flush();
  }
  if (q_rows.count > 0) flush();
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
