#include "cut/spectrum.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/kmeans.hpp"

#include "cut/eigenpairs.hpp"

namespace omvc {
namespace {

constexpr Index kNodesAtOnce = 32;  // columns of a graph's matrix that a thread works on

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

// The affinity of these nodes, each by the inverse root of its degree, and symmetric to the bit.
Symmetric normalised(const Matrix& affinity, const std::vector<Index>& used, const Vector& scale, Workers& workers) {
  const auto nodes = static_cast<Index>(used.size());
  Symmetric M(nodes, nodes);
  for_blocks(workers, nodes, kNodesAtOnce, true, [&](Index first, Index last) {
    for (Index i = 0; i < nodes; ++i) {
      const Index a = used[static_cast<std::size_t>(i)];
      for (Index j = first; j < last; ++j) {
        const Index b = used[static_cast<std::size_t>(j)];
        M(i, j) = 0.5 * (scale(i) * affinity(a, b) * scale(j) + scale(j) * affinity(b, a) * scale(i));
      }
    }
  });
  return M;
}

// (I - Q Q') M (I - Q Q') + t t' for orthonormal columns of Q: M without what they span, and with one column of its
// own.
void replace_span(const Symmetric& Q, const Vector& t, Symmetric& M, Workers& workers) {
  Symmetric QM(Q.cols(), M.cols());
  for_blocks(workers, M.cols(), kNodesAtOnce, true, [&](Index first, Index last) {
    QM.middleCols(first, last - first).noalias() = Q.transpose() * M.middleCols(first, last - first);
  });
  const Symmetric QMQ = QM * Q;
  for_blocks(workers, M.cols(), kNodesAtOnce, true, [&](Index first, Index last) {
    const auto own = Q.middleRows(first, last - first).transpose();
    auto columns = M.middleCols(first, last - first);
    columns.noalias() -= Q * (QM.middleCols(first, last - first) - QMQ * own).eval();
    columns.noalias() -= QM.transpose() * own;
    columns += t * t.segment(first, last - first).transpose();
  });
}

}  // namespace

Spectrum spectrum_of(const Matrix& affinity, Index count, Workers& workers) {
  return spectrum_beside(affinity, count, Matrix(), workers);
}

Spectrum spectrum_beside(const Matrix& affinity, Index count, const Matrix& columns, Workers& workers) {
  Spectrum out;
  out.degree = affinity.rowwise().sum();
  const std::vector<Index> used = nodes_of(out.degree);
  const auto nodes = static_cast<Index>(used.size());
  count = std::min(count, nodes);
  out.vectors = Matrix::Zero(affinity.rows(), count);
  if (count == 0) return out;
  const Vector root = out.degree(used).cwiseSqrt();
  const Vector scale = root.cwiseInverse();
  Symmetric M = normalised(affinity, used, scale, workers);
  // The first eigenvector of every graph is the root of its degrees.
  if (columns.cols() > 0) replace_span(spanned(columns, used, root), root.normalized(), M, workers);
  const auto [values, vectors] = largest_eigenpairs(M, count, workers);
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
