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
              const std::vector<std::int32_t>& after, FinePrototypes& prototypes, Compute& compute) {
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
  prototypes.count(leaving, -1, compute);
  prototypes.count(coming, 1, compute);
  return changed;
}

}  // namespace

Assigned assign_sample(const Sample& sample, std::size_t pieces, const PrototypeTable& table, Compute& compute) {
  const Timed timed(compute.profile(), Step::prototypes);
  std::vector<Near> found(pieces);
  for_pieces(pieces, compute,
             [&](std::size_t p, Compute& own) { found[p] = find_near(sample.pieces()[p], table, 1, 0, own); });
  Assigned out;
  for (const Near& near : found) {
    out.labels.insert(out.labels.end(), near.ids.begin(), near.ids.end());
    for (const double distance : near.distances) out.error += std::isnan(distance) ? 0 : distance;
  }
  return out;
}

Refined refine(const Sample& sample, std::size_t pieces, const Schema& schema, int clusters,
               const std::vector<std::int32_t>& labels, const FineRule& rule, int rounds, Compute& compute) {
  Refined out{.prototypes = FinePrototypes(schema, clusters, rule), .labels = {}, .error = 0};
  std::vector<std::int32_t> next = labels;
  for (int round = 0;; ++round) {
    const Index changed = recount(sample, pieces, out.labels, next, out.prototypes, compute);
    out.labels = std::move(next);
    out.prototypes.settle(compute);
    const bool still = round > 0 && changed * kStillRows <= static_cast<Index>(out.labels.size());
    if (round == rounds || still) break;
    Assigned assigned = assign_sample(sample, pieces, *out.prototypes.table(), compute);
    next = std::move(assigned.labels);
    out.error = assigned.error;
  }
  return out;
}

}  // namespace omvc
