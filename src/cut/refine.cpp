#include "cut/refine.hpp"

#include <algorithm>
#include <cmath>

namespace omvc {
namespace {

constexpr Index kStillRows = 1000;  // prototypes are at rest where fewer than one row in so many changes its label

// Labels of one piece, out of those of the sample.
std::vector<std::int32_t> part_of(const std::vector<std::int32_t>& labels, Index first, Index count) {
  std::vector<std::int32_t> part(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < part.size() && static_cast<std::size_t>(first) + i < labels.size(); ++i) {
    part[i] = labels[static_cast<std::size_t>(first) + i];
  }
  return part;
}

// Moves the instances whose label has changed from one prototype to another; returns how many there are.
Index recount(const Sample& sample, std::size_t pieces, const std::vector<std::int32_t>& before,
              const std::vector<std::int32_t>& after, FinePrototypes& prototypes, Workers& workers) {
  Index changed = 0;
  std::vector<std::vector<std::int32_t>> from(pieces);
  std::vector<std::vector<std::int32_t>> to(pieces);
  std::vector<Members> leaving;
  std::vector<Members> coming;
  for (std::size_t p = 0; p < pieces; ++p) {
    const PreparedChunk& piece = sample.pieces()[p];
    from[p] = part_of(before, sample.first(p), piece.size());
    to[p] = part_of(after, sample.first(p), piece.size());
    Index moved = 0;
    for (std::size_t i = 0; i < from[p].size(); ++i) {
      if (from[p][i] == to[p][i]) {
        from[p][i] = to[p][i] = -1;
      } else {
        ++moved;
      }
    }
    if (moved == 0) continue;
    leaving.push_back({&piece, &from[p]});
    coming.push_back({&piece, &to[p]});
    changed += moved;
  }
  prototypes.take_out(leaving, workers);
  prototypes.count(coming, workers);
  return changed;
}

}  // namespace

Assigned assign_sample(const Sample& sample, std::size_t pieces, const PrototypeTable& table, Workers& workers) {
  const Timed timed(workers.profile(), Step::prototypes);
  std::vector<Near> found(pieces);
  for_pieces(pieces, workers,
             [&](std::size_t p, Workers& own) { found[p] = find_near(sample.pieces()[p], table, 1, 0, own); });
  Assigned out;
  for (const Near& near : found) {
    out.labels.insert(out.labels.end(), near.ids.begin(), near.ids.end());
    for (const double distance : near.distances) out.error += std::isnan(distance) ? 0 : distance;
  }
  return out;
}

Refined refine(const Sample& sample, std::size_t pieces, const Schema& schema, int clusters,
               const std::vector<std::int32_t>& labels, const FineRule& rule, int rounds, Workers& workers) {
  Refined out{.prototypes = FinePrototypes(schema, clusters, rule), .labels = {}, .error = 0};
  std::vector<std::int32_t> next = labels;
  for (int round = 0;; ++round) {
    const Index changed = recount(sample, pieces, out.labels, next, out.prototypes, workers);
    out.labels = std::move(next);
    out.prototypes.settle(workers);
    const bool still = round > 0 && changed * kStillRows <= static_cast<Index>(out.labels.size());
    if (round == rounds || still) break;
    Assigned assigned = assign_sample(sample, pieces, out.prototypes.table(), workers);
    next = std::move(assigned.labels);
    out.error = assigned.error;
  }
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
