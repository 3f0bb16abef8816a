#include "report/layout.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "random/philox.hpp"

namespace omvc {
namespace {

constexpr int kMoves = 200;
constexpr int kEarly = 80;             // of them, with attraction exaggerated
constexpr double kExaggeration = 6;    // of attraction, early
constexpr double kGravity = 2e-3;      // towards the centre, so that parts with nothing between them stay in sight
constexpr double kFirstSpread = 0.05;  // of the start
constexpr double kJitter = 0.002;      // that tells nodes apart which start at one place
constexpr Index kBlock = 64;           // nodes moved by one task
constexpr Index kParallelNodes = 600;  // from which waking threads pays

struct Pull {
  Index other;
  double weight;
};

// Attraction of every node, adding up to 1 over all pairs.
std::vector<std::vector<Pull>> pulls_of(const Matrix& affinity) {
  const Index m = affinity.rows();
  Vector degree = affinity.rowwise().sum() - affinity.diagonal();
  std::vector<std::vector<Pull>> pulls(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      if (i == j || !(affinity(i, j) > 0)) continue;
      const double share = affinity(i, j) / degree(i) + affinity(i, j) / degree(j);
      pulls[static_cast<std::size_t>(i)].push_back({j, share / (2 * static_cast<double>(m))});
    }
  }
  return pulls;
}

Matrix start_of(const Spectrum& spectrum) {
  const Index m = spectrum.degree.size();
  Matrix at = Matrix::Zero(m, 2);
  for (Index axis = 0; axis < 2 && axis + 1 < spectrum.vectors.cols(); ++axis) {
    for (Index i = 0; i < m; ++i) {
      if (spectrum.degree(i) > 0) at(i, axis) = spectrum.vectors(i, axis + 1) / std::sqrt(spectrum.degree(i));
    }
    const double spread = std::sqrt(at.col(axis).squaredNorm() / static_cast<double>(m));
    if (spread > 0) at.col(axis) *= kFirstSpread / spread;
  }
  const Random random(0, Purpose::sample);
  for (Index i = 0; i < m; ++i) {
    for (Index axis = 0; axis < 2; ++axis)
      at(i, axis) += kJitter * (random.uniform(static_cast<std::uint64_t>(2 * i + axis)) - 0.5);
  }
  return at;
}

// The long side of the picture lies across.
void turn_and_fit(Matrix& at) {
  at.rowwise() -= at.colwise().mean().eval();
  const Eigen::Matrix2d spread = at.transpose() * at;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(spread);
  Eigen::Matrix2d axes = solver.eigenvectors().rowwise().reverse();
  for (Index axis = 0; axis < 2; ++axis) {
    Index largest = 0;
    axes.col(axis).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, axis) < 0) axes.col(axis) *= -1;
  }
  at = (at * axes).eval();
  const RowVector low = at.colwise().minCoeff();
  const RowVector high = at.colwise().maxCoeff();
  const double side = std::max((high - low).maxCoeff() / 2, 1e-12);
  at.rowwise() -= (low + high) / 2;
  at /= side;
}

}  // namespace

Matrix lay_out(const Matrix& affinity, const Spectrum& spectrum, Compute& compute) {
  const Index m = affinity.rows();
  Matrix at = start_of(spectrum);
  if (m < 2) return Matrix::Zero(m, 2);
  const std::vector<std::vector<Pull>> pulls = pulls_of(affinity);
  Matrix speed = Matrix::Zero(m, 2);
  Matrix gain = Matrix::Ones(m, 2);
  Matrix push(m, 2);
  Matrix force(m, 2);
  Vector closeness(m);
  Vector xs(m);
  Vector ys(m);
  const double rate = std::max(static_cast<double>(m) / kExaggeration, 20.0);
  for (int step = 0; step < kMoves; ++step) {
    compute.poll();
    xs = at.col(0);
    ys = at.col(1);
    const double pull_by = step < kEarly ? kExaggeration : 1;
    const double momentum = step < kEarly ? 0.5 : 0.8;
    for_blocks(compute, m, kBlock, m >= kParallelNodes, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const auto dx = (xs(i) - xs.array());
        const auto dy = (ys(i) - ys.array());
        const Eigen::ArrayXd q = (1 + dx.square() + dy.square()).inverse();
        closeness(i) = q.sum() - 1;
        push(i, 0) = (q.square() * dx).sum();
        push(i, 1) = (q.square() * dy).sum();
        double fx = 0;
        double fy = 0;
        for (const Pull& pull : pulls[static_cast<std::size_t>(i)]) {
          const double by = pull.weight * q(pull.other);
          fx += by * (xs(i) - xs(pull.other));
          fy += by * (ys(i) - ys(pull.other));
        }
        force(i, 0) = pull_by * fx;
        force(i, 1) = pull_by * fy;
      }
    });
    const double all = std::max(closeness.sum(), 1e-12);
    force -= push / all;
    force += kGravity / static_cast<double>(m) * at;
    force *= 4;
    for (Index i = 0; i < m; ++i) {
      for (Index axis = 0; axis < 2; ++axis) {
        const bool against = force(i, axis) * speed(i, axis) > 0;
        gain(i, axis) = against ? std::max(0.8 * gain(i, axis), 0.01) : gain(i, axis) + 0.2;
        speed(i, axis) = momentum * speed(i, axis) - rate * gain(i, axis) * force(i, axis);
      }
    }
    at += speed;
    at.rowwise() -= at.colwise().mean().eval();
  }
  turn_and_fit(at);
  return at;
}

}  // namespace omvc
