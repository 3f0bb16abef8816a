#include "model/placer.hpp"

#include <algorithm>
#include <limits>

namespace omvc {
namespace {

constexpr double kAlike = 1e-9;  // the distance of a row from a prototype that is equal but for rounding
constexpr double kFar = std::numeric_limits<double>::max();

}  // namespace

// How unusual the distance from the nearest prototype is, relative to that of its members.
double Placer::distance(const Near& near, Index instance) const {
  const double distance = near.distances[static_cast<std::size_t>(instance)];
  const double usual = parts_.usual(near.id(instance, 0));
  if (!(usual > 0)) return distance > kAlike ? parts_.calibration.prototypes(kFar) : 0;
  return parts_.calibration.prototypes(distance / usual);
}

Vote Placer::vote(const Near& near, Index instance) const {
  Vote out;
  if (parts_.votes) {
    out.share = parts_.votes->of(near, instance).maxCoeff(&out.cluster);
  } else {
    out = vote_of(near, instance, parts_.group, clusters());
  }
  out.distance = distance(near, instance);
  out.share = rounded_share(drawn(out.share, out.distance, std::max(1, clusters())));
  return out;
}

Vote Placer::vote(const Near& near, Index instance, const Vote& earlier) const {
  if (!parts_.votes || earlier.cluster < 0) return vote(near, instance);
  RowVector votes = parts_.votes->of(near, instance);
  votes(earlier.cluster) += 2 * earlier.share;
  Vote out{.distance = earlier.distance};
  out.share = rounded_share(votes.maxCoeff(&out.cluster) / votes.sum());
  return out;
}

std::vector<Vote> Placer::vote(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                               Compute& compute) const {
  Voted voted;
  if (parts_.votes) voted = parts_.votes->ask(chunk, near, &products, compute);
  std::vector<Vote> out;
  for (Index i = 0; i < chunk.size(); ++i) {
    if (near.id(i, 0) < 0) {
      out.push_back({.cluster = -1, .share = kNan, .distance = kNan});
    } else if (by_rows()) {
      out.push_back(vote_of(voted, i, parts_.calibration));
    } else if (parts_.votes) {
      const int cluster = voted.clusters[static_cast<std::size_t>(i)];
      const double far = distance(near, i);
      out.push_back({cluster, rounded_share(drawn(voted.shares(i, cluster), far, clusters())), far});
    } else {
      out.push_back(vote(near, i));
    }
  }
  return out;
}

double Placer::confidence(const Vote& vote) const {
  const Calibration& known = parts_.calibration;
  if (vote.cluster < 0 || known.models == 0) return kNan;
  const bool alone = parts_.votes && !parts_.votes->has_rows();
  return rounded_share((alone ? known.alone : known.chance)(vote.share));
}

Placed Placer::placed(Near near, std::span<const Vote> votes) const {
  Placed out;
  for (std::size_t i = 0; i < near.distances.size(); ++i) {
    out.votes.push_back(votes[i]);
    out.clusters.push_back(votes[i].cluster);
    out.labels.push_back(votes[i].cluster >= 0 ? number(votes[i].cluster) : -1);
    out.confidence.push_back(confidence(votes[i]));
    out.distance.push_back(votes[i].distance);
  }
  out.near = std::move(near);
  return out;
}

Placed Placer::place(const PreparedChunk& chunk, Compute& compute) const {
  std::vector<NarrowMatrix> products;
  Near found = near(chunk, compute, &products);
  const std::vector<Vote> votes = vote(chunk, found, products, compute);
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
