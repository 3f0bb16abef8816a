#include "cut/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "omvc/kmeans.hpp"

#include "cut/leading.hpp"
#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kNodesAtOnce = 32;  // of a graph's matrix, that a thread works on

// The nodes that some instance is near to.
std::vector<Index> nodes_of(const Vector& degree) {
  std::vector<Index> used;
  for (Index k = 0; k < degree.size(); ++k) {
    if (degree(k) > 0) used.push_back(k);
  }
  return used;
}

// The affinity of these nodes, each by the inverse root of its degree, and symmetric to the bit.
Matrix normalised(const Matrix& affinity, const std::vector<Index>& used, const Vector& scale, Compute& compute) {
  const auto nodes = static_cast<Index>(used.size());
  Matrix M(nodes, nodes);
  for_blocks(compute, nodes, kNodesAtOnce, true, [&](Index first, Index last) {
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

}  // namespace

Spectrum spectrum_of(const Matrix& affinity, Index count, Compute& compute) {
  const Timed timed(compute.profile(), Step::eigenvectors);
  Spectrum out;
  out.degree = affinity.rowwise().sum();
  const std::vector<Index> used = nodes_of(out.degree);
  const auto nodes = static_cast<Index>(used.size());
  count = std::min(count, nodes);
  out.vectors = Matrix::Zero(affinity.rows(), count);
  if (count == 0) return out;
  const Vector scale = out.degree(used).cwiseSqrt().cwiseInverse();
  const Matrix M = normalised(affinity, used, scale, compute);
  const auto times = [&](const Matrix& X) {
    Matrix product = Matrix::Zero(nodes, X.cols());
    for_blocks(compute, nodes, kNodesAtOnce, true, [&](Index first, Index last) {
      simd::add_product(M.row(first).data(), nodes, last - first, nodes, {X.data(), X.cols()}, X.cols(),
                        {product.row(first).data(), X.cols()});
    });
    return product;
  };
  Leading leading = leading_eigenvectors(times, nodes, count, Matrix(), 0, kExact, compute);
  out.values = std::move(leading.values);
  out.vectors(used, Eigen::all) = leading.vectors;
  return out;
}

std::vector<int> cut_spectrum(const Spectrum& spectrum, int clusters, std::uint64_t seed, Index starts,
                              Compute& compute) {
  const Timed timed(compute.profile(), Step::kmeans);
  const std::vector<Index> used = nodes_of(spectrum.degree);
  const auto nodes = static_cast<Index>(used.size());
  const Index k = std::min({Index{clusters}, nodes, spectrum.vectors.cols()});
  std::vector<int> groups(static_cast<std::size_t>(spectrum.degree.size()), 0);
  if (k < 2) return groups;
  Matrix rows = spectrum.vectors(used, Eigen::seqN(0, k));
  to_unit_length(rows.data(), nodes, k);
  const Vector weights = spectrum.degree(used);
  const KMeansResult found = kmeans({rows.data(), nodes, k}, {.clusters = static_cast<int>(k),
                                                              .starts = static_cast<int>(starts),
                                                              .seed = seed,
                                                              .threads = compute.threads(),
                                                              .executor = compute.executor(),
                                                              .weights = {weights.data(), used.size()}});
  for (std::size_t i = 0; i < used.size(); ++i) groups[static_cast<std::size_t>(used[i])] = found.labels[i];
  return groups;
}

}  // namespace omvc
