#include "cut/refine.hpp"

#include <algorithm>

namespace omvc {
namespace {

// Labels of one piece, out of those of the sample.
std::vector<std::int32_t> part_of(const std::vector<std::int32_t>& labels, Index first, Index count) {
  std::vector<std::int32_t> part(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < part.size() && static_cast<std::size_t>(first) + i < labels.size(); ++i) {
    part[i] = labels[static_cast<std::size_t>(first) + i];
  }
  return part;
}

double error_of(const FinePrototypes& prototypes) {
  std::vector<int> each;
  for (Index k = 0; k < prototypes.size(); ++k) each.push_back(static_cast<int>(k));
  double error = 0;
  for (const double between : prototypes.between(each, static_cast<int>(prototypes.size()))) error -= between;
  return error;
}

}  // namespace

Refined refine(const Sample& sample, std::size_t pieces, const Schema& schema, int clusters,
               const std::vector<std::int32_t>& labels, const FineRule& rule, int rounds, Workers& workers) {
  Refined out{.prototypes = FinePrototypes(schema, clusters, rule), .labels = labels, .error = 0};
  for (int round = 0;; ++round) {
    out.prototypes.forget();
    for (std::size_t p = 0; p < pieces; ++p) {
      const PreparedChunk& piece = sample.pieces()[p];
      out.prototypes.count(piece, part_of(out.labels, sample.first(p), piece.size()), workers);
    }
    out.prototypes.settle(workers);
    if (round == rounds) break;
    std::vector<std::int32_t> next;
    for (std::size_t p = 0; p < pieces; ++p) {
      const Near near = find_near(sample.pieces()[p], out.prototypes.table(), 1, 0, workers);
      next.insert(next.end(), near.ids.begin(), near.ids.end());
    }
    if (next == out.labels) break;
    out.labels = std::move(next);
  }
  out.error = error_of(out.prototypes);
  return out;
}

double normalised_cut(const std::vector<Near>& near, const std::vector<std::int32_t>& labels, int clusters,
                      Index fine) {
  Matrix sums = Matrix::Zero(clusters, fine);
  Vector sizes = Vector::Zero(clusters);
  std::size_t at = 0;
  for (const Near& piece : near) {
    for (std::size_t i = 0; i < piece.distances.size(); ++i, ++at) {
      if (at >= labels.size() || labels[at] < 0 || piece.id(static_cast<Index>(i), 0) < 0) continue;
      sizes(labels[at]) += 1;
      for (Index j = 0; j < piece.count; ++j) {
        sums(labels[at], piece.id(static_cast<Index>(i), j)) += piece.weight(static_cast<Index>(i), j);
      }
    }
  }
  const RowVector degree = sums.colwise().sum().cwiseMax(1e-300);
  double kept = 0;
  double used = 0;
  for (int k = 0; k < clusters; ++k) {
    if (!(sizes(k) > 0)) continue;
    kept += (sums.row(k).array().square() / degree.array()).sum() / sizes(k);
    used += 1;
  }
  return used > 0 ? 1 - kept / used : 1;
}

}  // namespace omvc
