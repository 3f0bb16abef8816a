#include "cut/eigenpairs.hpp"

#include <Eigen/Eigenvalues>
#include <Spectra/SymEigsSolver.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace omvc {
namespace {

// Nodes up to which all eigenpairs are computed. Clusters that are well apart give the eigenvalue 1 once each, and
// Lanczos' method may find such a value only once: beyond, graphs must hang together (row_graph.hpp sees to it).
constexpr Index kAllAtOnce = 1200;

constexpr double kFewOfAll = 0.25;   // eigenvectors, up to which it pays to make them alone
constexpr Index kColumnsAtOnce = 8;  // of the matrix, that a thread works on, at least
constexpr Index kVectorsAtOnce = 2;  // eigenvectors, likewise

// M = Q T Q' with T tridiagonal, by Householder reflections (Golub and Van Loan, Matrix Computations, section 8.3).
struct Reduced {
  Vector diagonal;
  Vector below;
  Symmetric reflectors;  // column k below the diagonal: v of the reflection I - factor v v'
  Vector factors;
};

Reduced reduce(Symmetric M, Compute& compute) {
  const Index n = M.rows();
  Reduced out{Vector(n), Vector::Zero(std::max<Index>(n - 1, 0)), {}, Vector::Zero(n)};
  Vector v;  // of the last reflection, and w: M - v w' - w v' is what it leaves; of rows from k on
  Vector w;
  const auto catch_up = [&](Index column, Index from) {
    if (v.size() == 0) return;
    const Index rest = n - from;
    M.col(column).tail(rest) -= v.tail(rest) * w(column - n + w.size()) + w.tail(rest) * v(column - n + v.size());
  };
  for (Index k = 0; k + 2 < n; ++k) {
    const Index rest = n - k - 1;
    catch_up(k, k);
    out.diagonal(k) = M(k, k);
    Vector next = M.col(k).tail(rest);
    double factor = 0;
    double beta = 0;
    next.makeHouseholderInPlace(factor, beta);
    next(0) = 1;
    out.below(k) = beta;
    out.factors(k) = factor;
    Vector p(rest);
    // Each column takes the last reflection in, and is multiplied with the next one while it is at hand.
    const Index share = std::max(kColumnsAtOnce, (rest + compute.threads() - 1) / compute.threads());
    for_blocks(compute, rest, share, rest > 4 * kColumnsAtOnce, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) {
        catch_up(k + 1 + j, k + 1);
        p(j) = factor * M.col(k + 1 + j).tail(rest).dot(next);
      }
    });
    w = p - (factor / 2 * p.dot(next)) * next;
    v = std::move(next);
    M.col(k).tail(rest) = v;
  }
  for (Index k = std::max<Index>(n - 2, 0); k < n; ++k) {
    catch_up(k, k);
    out.diagonal(k) = M(k, k);
    if (k + 1 < n) out.below(k) = M(k + 1, k);
  }
  out.reflectors = std::move(M);
  return out;
}

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
      const double r = std::sqrt(x * x + z * z);  // numbers are about 1 here: no square is lost
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
// only the columns that are wanted are made, by applying them, and the reflections, backwards to unit vectors.
std::optional<std::pair<Vector, Symmetric>> few_largest(const Symmetric& M, Index count, Compute& compute) {
  const Reduced reduced = reduce(M, compute);
  Vector values = reduced.diagonal;
  Vector below = reduced.below;
  std::vector<Rotation> rotations;
  if (!diagonalise(values, below, rotations)) return std::nullopt;
  const Index n = values.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values(a) < values(b); });
  order.erase(order.begin(), order.end() - count);
  Symmetric vectors(n, count);
  const Index share = std::max(kVectorsAtOnce, (count + compute.threads() - 1) / compute.threads());
  for_blocks(compute, count, share, true, [&](Index first, Index last) {
    Matrix rows = Matrix::Zero(n, last - first);  // row-major: a rotation mixes two rows
    for (Index j = first; j < last; ++j) rows(order[static_cast<std::size_t>(j)], j - first) = 1;
    RowVector upper(last - first);
    for (auto rotation = rotations.rbegin(); rotation != rotations.rend(); ++rotation) {
      const auto [at, c, s] = *rotation;
      upper = rows.row(at);
      rows.row(at) = c * upper - s * rows.row(at + 1);
      rows.row(at + 1) = s * upper + c * rows.row(at + 1);
    }
    auto own = vectors.middleCols(first, last - first);
    own = rows;
    for (Index k = n - 3; k >= 0; --k) {
      const auto v = reduced.reflectors.col(k).tail(n - k - 1);
      for (Index j = 0; j < own.cols(); ++j) {
        auto x = own.col(j).tail(n - k - 1);
        x -= reduced.factors(k) * v.dot(x) * v;
      }
    }
  });
  return std::pair{Vector(values(order)), std::move(vectors)};
}

// M x for Spectra, on several threads: every number is one sum in one order.
class Products {
 public:
  using Scalar = double;
  Products(const Symmetric& M, Compute& compute) : M_(M), compute_(compute) {}
  Index rows() const { return M_.rows(); }
  Index cols() const { return M_.cols(); }
  void perform_op(const double* x, double* y) const {
    constexpr Index kAtOnce = 64;
    const Eigen::Map<const Vector> in(x, M_.cols());
    for_blocks(compute_, M_.rows(), kAtOnce, true, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) y[i] = M_.col(i).dot(in);
    });
  }

 private:
  const Symmetric& M_;
  Compute& compute_;
};

}  // namespace

std::pair<Vector, Symmetric> largest_eigenpairs(const Symmetric& M, Index count, Compute& compute) {
  if (M.rows() > kAllAtOnce && 4 * count < M.rows()) {
    Products product(M, compute);
    const Index basis = std::min(M.rows(), std::max<Index>(2 * count + 1, 40));
    Spectra::SymEigsSolver<Products> solver(product, count, basis);
    solver.init();
    const Index found = solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-10, Spectra::SortRule::SmallestAlge);
    if (found == count) return {solver.eigenvalues(), solver.eigenvectors()};
  }
  if (static_cast<double>(count) <= kFewOfAll * static_cast<double>(M.rows())) {
    if (auto few = few_largest(M, count, compute)) return *few;
  }
  const Eigen::SelfAdjointEigenSolver<Symmetric> solver(M);
  return {solver.eigenvalues().tail(count), solver.eigenvectors().rightCols(count)};
}

}  // namespace omvc
