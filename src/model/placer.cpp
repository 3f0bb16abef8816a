#include "model/placer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace omvc {
namespace {

constexpr double kAlike = 1e-9;  // the distance of a row from a prototype that is equal but for rounding
constexpr double kFar = std::numeric_limits<double>::max();

}  // namespace

Placer::Placer(Parts parts) : parts_(std::move(parts)), ascending_(parts_.numbers) {
  std::sort(ascending_.begin(), ascending_.end());
  for (const int number : parts_.numbers) {
    column_.push_back(std::lower_bound(ascending_.begin(), ascending_.end(), number) - ascending_.begin());
  }
}

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
  Vote out{.distance = earlier.distance};
  out.share = rounded_share(shares(near, instance, earlier).maxCoeff(&out.cluster));
  return out;
}

RowVector Placer::shares(const Near& near, Index instance) const {
  if (parts_.votes) return parts_.votes->of(near, instance);
  RowVector out = RowVector::Zero(clusters());
  for (Index j = 0; j < near.count; ++j) {
    const std::int32_t id = near.id(instance, j);
    if (id >= 0) out(parts_.group[static_cast<std::size_t>(id)]) += near.weight(instance, j);
  }
  return out;
}

RowVector Placer::shares(const Near& near, Index instance, const Vote& earlier) const {
  RowVector out = shares(near, instance);
  if (!parts_.votes || earlier.cluster < 0) return out;
  out(earlier.cluster) += 2 * earlier.share;
  return out / out.sum();
}

std::vector<Vote> Placer::vote(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                               Compute& compute, Matrix* shares) const {
  Voted voted;
  if (parts_.votes) voted = parts_.votes->ask(chunk, near, &products, compute);
  if (shares != nullptr) {
    *shares = parts_.votes ? voted.shares : Matrix::Zero(chunk.size(), clusters());
    for (Index i = 0; !parts_.votes && i < chunk.size(); ++i) shares->row(i) = this->shares(near, i);
  }
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

const Curve& Placer::curve() const {
  const bool alone = parts_.votes && !parts_.votes->has_rows();
  return alone ? parts_.calibration.alone : parts_.calibration.chance;
}

double Placer::confidence(const Vote& vote) const {
  if (vote.cluster < 0 || parts_.calibration.models == 0) return kNan;
  // Labels that are given by chance agree as often as this.
  const double least = std::ceil(kWeightSteps / std::max(1, clusters())) / kWeightSteps;
  return std::max(rounded_share(curve()(vote.share)), least);
}

RowVector Placer::membership(const Vote& vote, const RowVector& shares) const {
  const double sure = confidence(vote);
  RowVector out = RowVector::Constant(clusters(), kNan);
  if (std::isnan(sure)) return out;
  RowVector chances(clusters());
  for (Index k = 0; k < chances.size(); ++k) chances(k) = curve()(drawn(shares(k), vote.distance, clusters()));
  chances = divided(std::move(chances), vote.cluster, sure);
  for (Index k = 0; k < chances.size(); ++k) out(column_[static_cast<std::size_t>(k)]) = chances(k);
  return out;
}

Matrix Placer::membership(const Placed& placed) const {
  Matrix out(placed.shares.rows(), clusters());
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) = membership(placed.votes[static_cast<std::size_t>(i)], placed.shares.row(i));
  }
  return out;
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

Placed Placer::place(const PreparedChunk& chunk, Compute& compute, bool shares) const {
  std::vector<NarrowMatrix> products;
  Matrix all;
  Near found = near(chunk, compute, &products);
  const std::vector<Vote> votes = vote(chunk, found, products, compute, shares ? &all : nullptr);
  Placed out = placed(std::move(found), votes);
  out.shares = std::move(all);
  return out;
}

Placed Placer::lies(const PreparedChunk& chunk, Compute& compute) const {
  std::vector<NarrowMatrix> products;
  Placed out;
  out.near = near(chunk, compute, &products);
  if (by_rows()) out.distance = parts_.votes->distances(chunk, out.near, products, compute);
  out.distance.resize(static_cast<std::size_t>(chunk.size()));
  for (Index i = 0; i < chunk.size(); ++i) {
    double& far = out.distance[static_cast<std::size_t>(i)];
    if (out.near.id(i, 0) < 0) {
      far = kNan;
    } else {
      far = by_rows() ? parts_.calibration.rows(far) : distance(out.near, i);
    }
  }
  return out;
}

Matrix Placer::embed(const PreparedChunk& chunk, Compute& compute) const {
  Matrix rows = parts_.factors->embed(chunk, compute);
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) rows.row(static_cast<Index>(i)).setConstant(kNan);
  }
  return rows;
}

void Placed::set_outside(std::size_t instance, const Ranges::Outside& outside) {
  if (outside.reach > 1) distance[instance] = std::max(distance[instance], outside.widths);
}

Assignment Placer::label(Chunk chunk, Extras extras, Compute& compute) const {
  parts_.intake->admit(chunk);
  std::vector<Ranges::Outside> outside;
  if (parts_.ranges) outside = parts_.ranges->outside(chunk);
  parts_.intake->prepare(chunk);
  const PreparedChunk data(chunk);
  Placed placed = place(data, compute, extras.membership);
  for (std::size_t i = 0; i < outside.size(); ++i) placed.set_outside(i, outside[i]);
  const Matrix chances = membership(placed);
  Assignment out{.labels = std::move(placed.labels),
                 .confidence = std::move(placed.confidence),
                 .distance = std::move(placed.distance),
                 .embedding = {}};
  if (extras.membership) {
    out.membership.assign(chances.data(), chances.data() + chances.size());
    out.clusters = ascending_;
  }
  if (!extras.embedding) return out;
  const Matrix rows = embed(data, compute);
  out.embedding.assign(rows.data(), rows.data() + rows.size());
  return out;
}

}  // namespace omvc
