#include "model/placer.hpp"

#include <limits>

namespace omvc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Vote Placer::vote(const Near& near, Index instance) const {
  if (!parts_.votes) return vote_of(near, instance, parts_.group, static_cast<int>(parts_.numbers.size()));
  return vote_of(parts_.votes->of(near, instance));
}

Vote Placer::vote(const Near& near, Index instance, const Vote& earlier) const {
  if (!parts_.votes || earlier.cluster < 0) return vote(near, instance);
  RowVector votes = parts_.votes->of(near, instance);
  votes(earlier.cluster) += 2 * earlier.share;
  return vote_of(votes / votes.sum());
}

std::vector<Vote> Placer::vote(const PreparedChunk& chunk, const Near& near, Compute& compute) const {
  Matrix votes;
  if (parts_.votes) votes = parts_.votes->of(chunk, near, compute);
  std::vector<Vote> out;
  for (Index i = 0; i < chunk.size(); ++i) {
    if (near.id(i, 0) < 0) {
      out.push_back({.cluster = -1, .share = kNan});
    } else {
      out.push_back(parts_.votes ? vote_of(votes.row(i)) : vote(near, i));
    }
  }
  return out;
}

double Placer::relative(std::int32_t prototype, double distance) const {
  const double usual = parts_.usual(prototype);
  return usual > 0 ? distance / usual : (distance > 0 ? std::numeric_limits<double>::infinity() : 0.0);
}

Placed Placer::placed(Near near, std::span<const Vote> votes) const {
  Placed out;
  for (std::size_t i = 0; i < near.distances.size(); ++i) {
    const bool known = votes[i].cluster >= 0;
    out.clusters.push_back(votes[i].cluster);
    out.labels.push_back(known ? number(votes[i].cluster) : -1);
    out.confidence.push_back(votes[i].share);
    out.distance.push_back(known ? relative(near.id(static_cast<Index>(i), 0), near.distances[i]) : kNan);
  }
  out.near = std::move(near);
  return out;
}

Placed Placer::place(const PreparedChunk& chunk, Compute& compute) const {
  Near found = near(chunk, compute);
  const std::vector<Vote> votes = vote(chunk, found, compute);
  return placed(std::move(found), votes);
}

Matrix Placer::embed(const PreparedChunk& chunk, Compute& compute) const {
  Matrix rows = parts_.factors->embed(chunk, compute);
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) rows.row(static_cast<Index>(i)).setConstant(kNan);
  }
  return rows;
}

Assignment Placer::label(Chunk chunk, bool embedding, Compute& compute) const {
  parts_.intake->take(chunk);
  const PreparedChunk data(chunk);
  Placed placed = place(data, compute);
  Assignment out{.labels = std::move(placed.labels),
                 .confidence = std::move(placed.confidence),
                 .distance = std::move(placed.distance),
                 .embedding = {}};
  if (!embedding) return out;
  const Matrix rows = embed(data, compute);
  out.embedding.assign(rows.data(), rows.data() + rows.size());
  return out;
}

}  // namespace omvc
