#include "factorise/row_problem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simd.hpp"

namespace omvc {
namespace {

using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

constexpr double kTask = 1 << 18;  // operations that are worth a task of their own
constexpr double kWorthThreads = 1 << 17;
constexpr double kSigma = 0.01;  // of Eq. (17), (18); Lin (2007), whom the paper follows, uses the same value
constexpr double kEta = 0.1;     // gamma = eta^phi, likewise
constexpr int kTries = 4;        // values of gamma tried before the projected-gradient step

// The inverse of G. A component that no instance uses yet makes G singular, and so do chunks smaller than r; a ridge at
// the level of rounding makes the inverse exist, and the Armijo rule judges the step that comes of it.
Matrix ridged_inverse(const Matrix& G) {
  const Index r = G.rows();
  const double scale = std::max(G.trace() / static_cast<double>(r), 1e-300);
  for (double ridge = 1e-12 * scale;; ridge *= 100) {
    const Eigen::LLT<Eigen::MatrixXd> cholesky(Eigen::MatrixXd(G) + ridge * Eigen::MatrixXd::Identity(r, r));
    if (cholesky.info() != Eigen::Success) continue;
    return cholesky.solve(Eigen::MatrixXd::Identity(r, r));
  }
}

Matrix diagonal_inverse(const Matrix& G) {
  Matrix out = Matrix::Zero(G.rows(), G.cols());
  for (Index k = 0; k < G.rows(); ++k) out(k, k) = G(k, k) >= std::numeric_limits<double>::min() ? 1 / G(k, k) : 0;
  return out;
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

void RowProblem::newton(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const {
  const Index n = some.size();
  const Index r = G_.rows();
  Matrix z(n, r);
  for (Index i = 0; i < n; ++i) z.row(i) = Z.row(some[i]);
  Matrix half_gradient(n, r);  // z G - q + l / 2
  Matrix direction(n, r);      // - grad H^-1, before any projection
  const auto multiply = [&](const Matrix& left, const Matrix& right, Matrix& out) {
    simd::add_product(left.data(), r, n, r, {right.data(), r}, r, {out.data(), r});
  };
  for (int step = 0; step < steps; ++step) {
    for (Index i = 0; i < n; ++i) half_gradient.row(i) = (l[some[i]] / 2 - Q.row(some[i]).array()).matrix();
    multiply(z, G_, half_gradient);
    direction.setZero();
    multiply(half_gradient, inverse_, direction);
    direction = -direction;
    bool moved = false;
    for (Index i = 0; i < n; ++i) {
      moved |= search(direction.row(i).data(), half_gradient.row(i).data(), z.row(i).data());
    }
    if (!moved) break;
  }
  for (Index i = 0; i < n; ++i) Z.row(some[i]) = z.row(i);
}

// One step of one row by Eq. (18) along the projection; returns whether the row moved.
bool RowProblem::search(const double* direction, const double* half_gradient, double* z) const {
  const Index r = G_.rows();
  const auto row = [r](double* data) { return Eigen::Map<RowVector>(data, r); };
  const Eigen::Map<const RowVector> h(half_gradient, r);
  const Eigen::Map<const RowVector> d(direction, r);
  RowVector difference(r);
  double gamma = 1;
  for (int attempt = 0; attempt < kTries; ++attempt, gamma *= kEta) {
    difference = (row(z) + gamma * d).cwiseMax(0.0) - row(z);
    const double slope = 2 * h.dot(difference);                  // <grad, z' - z>
    const double curvature = (difference * G_).dot(difference);  // 1/2 <z' - z, H (z' - z)>
    if (slope < 0 && (1 - kSigma) * slope + curvature <= 0) {    // Eq. (18)
      row(z) += difference;
      row(z) = row(z).cwiseMax(0.0);  // z + (z' - z) may round to just below zero
      return true;
    }
  }
  difference = (row(z) - h / lipschitz_).cwiseMax(0.0) - row(z);
  if (!(h.dot(difference) < 0)) return false;
  row(z) = (row(z) + difference).cwiseMax(0.0);
  return true;
}

// The rows lie side by side, so that the lanes of a vector are rows.
void RowProblem::descend(const MatrixIn& Q, const TwoRuns& l, int steps, const Some& some, MatrixOut Z) const {
  const Index r = G_.rows();
  thread_local simd::Buffer lanes;
  double* const room = lanes.of_size(2 * r * simd::kLane);
  Eigen::Map<Lanes> q(room, simd::kLane, r);
  Eigen::Map<Lanes> z(room + r * simd::kLane, simd::kLane, r);
  q.setZero();
  z.setZero();
  std::array<double, simd::kLane> lasso{};
  for (Index from = 0; from < some.size(); from += simd::kLane) {
    const Index n = std::min(simd::kLane, some.size() - from);
    // A row with q = 0 and z = 0 is at its minimum for any G, since the gradient there is l >= 0. In sparse views most
    // features of a chunk are such rows.
    bool at_zero = true;
    for (Index i = 0; i < n; ++i) {
      const Index row = some[from + i];
      q.row(i) = Q.row(row);
      z.row(i) = Z.row(row);
      lasso[static_cast<std::size_t>(i)] = l[row];
      at_zero = at_zero && (Q.row(row).array() == 0).all() && (Z.row(row).array() == 0).all();
    }
    if (at_zero) continue;
    simd::coordinate_descent(G_.data(), r, q.data(), lasso.data(), steps, done_, z.data());
    for (Index i = 0; i < n; ++i) Z.row(some[from + i]) = z.row(i);
  }
}

double RowProblem::objective(const RowVector& z, const RowVector& q, double l) const {
  return (z * G_).dot(z) - 2 * z.dot(q) + l * z.sum();
}

double RowProblem::kkt_residual(const RowVector& z, const RowVector& q, double l) const {
  const RowVector gradient = 2 * (z * G_ - q) + RowVector::Constant(z.size(), l);
  return z.cwiseMin(gradient).cwiseAbs().maxCoeff();
}

}  // namespace omvc
