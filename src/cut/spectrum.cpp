#include "cut/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "omvc/kmeans.hpp"

namespace omvc {
namespace {

// Nodes up to which all eigenpairs are computed. Clusters that are well apart give the eigenvalue 1 once each, and
// Lanczos' method may find such a value only once: beyond, graphs must hang together (row_graph.hpp sees to it).
constexpr Index kAllAtOnce = 1200;

constexpr double kFewOfAll = 0.25;  // eigenvectors, up to which it pays to make them alone

using Symmetric = Eigen::MatrixXd;

// A rotation in the plane of coordinates at and at + 1.
struct Rotation {
  Index at;
  double c;
  double s;
};

// The eigenvalues of a symmetric tridiagonal matrix by implicit QR steps with Wilkinson's shift (Golub and Van Loan,
// Matrix Computations, section 8.3), and the rotations that brought them about, in their order. False where it does not
// come to an end.
bool diagonalise(Vector& diagonal, Vector& below, std::vector<Rotation>& rotations) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const Index n = diagonal.size();
  Index end = n - 1;
  for (Index steps = 0; end > 0; ++steps) {
    for (Index i = 0; i < end; ++i) {
      if (std::abs(below(i)) <= kEpsilon * (std::abs(diagonal(i)) + std::abs(diagonal(i + 1)))) below(i) = 0;
    }
    while (end > 0 && below(end - 1) == 0) --end;
    if (end == 0) return true;
    if (steps > 60 * n) return false;
    Index start = end - 1;
    while (start > 0 && below(start - 1) != 0) --start;
    const double d = (diagonal(end - 1) - diagonal(end)) / 2;
    const double b = below(end - 1);
    const double shift = diagonal(end) - b * b / (d + std::copysign(std::hypot(d, b), d));
    double x = diagonal(start) - shift;
    double z = below(start);
    for (Index k = start; k < end; ++k) {
      const double r = std::hypot(x, z);
      const double c = r > 0 ? x / r : 1;
      const double s = r > 0 ? z / r : 0;
      rotations.push_back({k, c, s});
      if (k > start) below(k - 1) = r;
      const double p = diagonal(k);
      const double q = diagonal(k + 1);
      const double o = below(k);
      diagonal(k) = c * c * p + 2 * c * s * o + s * s * q;
      diagonal(k + 1) = s * s * p - 2 * c * s * o + c * c * q;
      below(k) = c * s * (q - p) + (c * c - s * s) * o;
      if (k + 1 < end) {
        x = below(k);
        z = s * below(k + 1);
        below(k + 1) *= c;
      }
    }
  }
  return true;
}

// A few of the largest eigenpairs, ascending. All rotations make the matrix diagonal; of the product of all of them
// only the columns that are wanted are made, by applying them backwards to unit vectors.
std::optional<std::pair<Vector, Symmetric>> few_largest(const Symmetric& M, Index count) {
  const Eigen::Tridiagonalization<Symmetric> reduced(M);
  Vector values = reduced.diagonal();
  Vector below = reduced.subDiagonal();
  std::vector<Rotation> rotations;
  if (!diagonalise(values, below, rotations)) return std::nullopt;
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values(a) < values(b); });
  order.erase(order.begin(), order.end() - count);
  Matrix rows = Matrix::Zero(values.size(), count);  // row-major: a rotation mixes two rows
  for (Index j = 0; j < count; ++j) rows(order[static_cast<std::size_t>(j)], j) = 1;
  RowVector upper(count);
  for (auto rotation = rotations.rbegin(); rotation != rotations.rend(); ++rotation) {
    const auto [at, c, s] = *rotation;
    upper = rows.row(at);
    rows.row(at) = c * upper - s * rows.row(at + 1);
    rows.row(at + 1) = s * upper + c * rows.row(at + 1);
  }
  Symmetric vectors = rows;
  vectors = reduced.matrixQ() * vectors;
  return std::pair{Vector(values(order)), std::move(vectors)};
}

// The largest eigenpairs, ascending, as Eigen has them.
std::pair<Vector, Symmetric> largest(const Symmetric& M, Index count) {
  if (M.rows() > kAllAtOnce && 4 * count < M.rows()) {
    Spectra::DenseSymMatProd<double> product(M);
    const Index basis = std::min(M.rows(), std::max<Index>(2 * count + 1, 40));
    Spectra::SymEigsSolver<Spectra::DenseSymMatProd<double>> solver(product, count, basis);
    solver.init();
    const Index found = solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-10, Spectra::SortRule::SmallestAlge);
    if (found == count) return {solver.eigenvalues(), solver.eigenvectors()};
  }
  if (static_cast<double>(count) <= kFewOfAll * static_cast<double>(M.rows())) {
    if (auto few = few_largest(M, count)) return *few;
  }
  const Eigen::SelfAdjointEigenSolver<Symmetric> solver(M);
  return {solver.eigenvalues().tail(count), solver.eigenvectors().rightCols(count)};
}

// The nodes that some instance is near to.
std::vector<Index> nodes_of(const Vector& degree) {
  std::vector<Index> used;
  for (Index k = 0; k < degree.size(); ++k) {
    if (degree(k) > 0) used.push_back(k);
  }
  return used;
}

// Orthonormal columns that span those given, each node by the root of its degree; what adds nothing is left out.
Symmetric spanned(const Matrix& columns, const std::vector<Index>& used, const Vector& root) {
  constexpr double kNothing = 1e-6;
  Symmetric Q(root.size(), columns.cols());
  Index kept = 0;
  for (Index c = 0; c < columns.cols(); ++c) {
    Vector q = root.cwiseProduct(Vector(columns(used, c)));
    const double length = q.norm();
    for (int twice = 0; twice < 2; ++twice) q -= Q.leftCols(kept) * (Q.leftCols(kept).transpose() * q).eval();
    if (!(q.norm() > kNothing * length)) continue;
    Q.col(kept++) = q.normalized();
  }
  return Q.leftCols(kept);
}

}  // namespace

Spectrum spectrum_of(const Matrix& affinity, Index count) { return spectrum_beside(affinity, count, Matrix()); }

Spectrum spectrum_beside(const Matrix& affinity, Index count, const Matrix& columns) {
  Spectrum out;
  out.degree = affinity.rowwise().sum();
  const std::vector<Index> used = nodes_of(out.degree);
  const auto nodes = static_cast<Index>(used.size());
  count = std::min(count, nodes);
  out.vectors = Matrix::Zero(affinity.rows(), count);
  if (count == 0) return out;
  const Vector root = out.degree(used).cwiseSqrt();
  const Vector scale = root.cwiseInverse();
  Symmetric M = affinity(used, used);
  M = scale.asDiagonal() * M * scale.asDiagonal();
  M = (0.5 * (M + M.transpose())).eval();
  if (columns.cols() > 0) {
    const Symmetric Q = spanned(columns, used, root);
    const Symmetric QM = Q.transpose() * M;
    M -= Q * QM + QM.transpose() * Q.transpose() - Q * (QM * Q) * Q.transpose();
    const Vector trivial = root.normalized();
    M += trivial * trivial.transpose();  // the first eigenvector of every graph
  }
  const auto [values, vectors] = largest(M, count);
  for (Index j = 0; j < count; ++j) {
    out.values.push_back(values(count - 1 - j));
    // An eigenvector has no sign of its own: its largest entry is made positive.
    Vector column = vectors.col(count - 1 - j);
    Index at = 0;
    column.cwiseAbs().maxCoeff(&at);
    if (column(at) < 0) column = -column;
    for (Index k = 0; k < nodes; ++k) out.vectors(used[static_cast<std::size_t>(k)], j) = column(k);
  }
  return out;
}

std::vector<int> cut_spectrum(const Spectrum& spectrum, int clusters, std::uint64_t seed, int threads, int starts) {
  const std::vector<Index> used = nodes_of(spectrum.degree);
  const auto nodes = static_cast<Index>(used.size());
  const Index k = std::min({Index{clusters}, nodes, spectrum.vectors.cols()});
  std::vector<int> groups(static_cast<std::size_t>(spectrum.degree.size()), 0);
  if (k < 2) return groups;
  Matrix rows = spectrum.vectors(used, Eigen::seqN(0, k));
  to_unit_length(rows.data(), nodes, k);
  const Vector weights = spectrum.degree(used);
  const KMeansResult found = kmeans({rows.data(), nodes, k}, {.clusters = static_cast<int>(k),
                                                              .starts = starts,
                                                              .seed = seed,
                                                              .threads = threads,
                                                              .weights = {weights.data(), used.size()}});
  for (std::size_t i = 0; i < used.size(); ++i) groups[static_cast<std::size_t>(used[i])] = found.labels[i];
  return groups;
}

}  // namespace omvc
