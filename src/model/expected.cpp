#include "model/expected.hpp"

#include <cmath>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "model/raw_sums.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kDonors = 15;

// The prototypes in the data's own units, a row each.
Matrix prototypes_in_units(const Model& model, std::size_t view) {
  const NarrowMatrix& columns = model.placing().table()->columns[view];
  Matrix units(columns.cols(), columns.rows());
  for (Index p = 0; p < columns.cols(); ++p) {
    const Vector scaled = columns.col(p).cast<double>();
    const std::vector<double> row =
        unscaled(model.intake().scaling()[view], model.seen().survey().views[view], {scaled.begin(), scaled.end()});
    units.row(p) = Eigen::Map<const RowVector>(row.data(), columns.rows());
  }
  return units;
}

Matrix from_prototypes(const Model& model, const Near& near, std::size_t view) {
  const Matrix units = prototypes_in_units(model, view);
  const auto instances = static_cast<Index>(near.distances.size());
  Matrix out = Matrix::Zero(instances, units.cols());
  for (Index i = 0; i < instances; ++i) {
    if (near.id(i, 0) < 0) out.row(i).setConstant(kNan);
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(i, j) >= 0) out.row(i) += near.weight(i, j) * units.row(near.id(i, j));
    }
  }
  return out;
}

// The rows that votes know, in the data's own units; cells that are missing are NaN.
class KnownRows {
 public:
  KnownRows(const Model& model, std::size_t view, Compute& compute) : model_(model), view_(view) {
    chunks_ = model.rows_as_they_came(compute);
    scaled_ = chunks_.empty();
    if (scaled_) chunks_.push_back(rows_of(model.clusters().votes->table()));
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      place_.resize(place_.size() + chunks_[c].rows.size(), {c, -1});
      const std::size_t first = place_.size() - chunks_[c].rows.size();
      const std::vector<Index>& present = chunks_[c].views[view].present;
      for (std::size_t i = 0; i < present.size(); ++i) {
        place_[first + static_cast<std::size_t>(present[i])].row = static_cast<Index>(i);
      }
    }
  }

  RowVector row(std::int32_t id) const {
    const Place& place = place_[static_cast<std::size_t>(id)];
    const std::vector<Index> one{place.row};
    const Block dense = as_dense(widened(take_rows(chunks_[place.chunk].views[view_].block, one)));
    const auto& cells = std::get<DenseBlock<double>>(dense).values;
    std::vector<double> values(cells.begin(), cells.end());
    if (scaled_)
      values = unscaled(model_.intake().scaling()[view_], model_.seen().survey().views[view_], std::move(values));
    return Eigen::Map<const RowVector>(values.data(), static_cast<Index>(values.size()));
  }

 private:
  struct Place {
    std::size_t chunk;
    Index row;  // of the view
  };
  const Model& model_;
  std::size_t view_;
  std::vector<Chunk> chunks_;
  bool scaled_ = false;
  std::vector<Place> place_;
};

// What the rows of a cluster are like: means of a view, features x clusters, and the variance of each feature.
struct ClusterMeans {
  ClusterMeans(const Model& model, std::size_t view, Compute& compute) {
    const RawSums sums = cluster_sums(model, compute);
    const Index features = model.intake().schema().views[view].features;
    means.resize(features, model.clusters().count);
    variance.resize(features);
    for (Index j = 0; j < features; ++j) {
      variance(j) = sums.variance(view, j);
      for (Index k = 0; k < means.cols(); ++k) means(j, k) = sums.own(view, j, k);
    }
  }
  Matrix means;
  Vector variance;
};

// The weighted mean of rows, over the cells that are there. A mean of few rows is noise in part: it is drawn to the
// mean of the cluster, by as much as what the two differ by is explained by the spread of the rows (James, Stein 1961).
// What none of the rows has stays.
void take_mean(const KnownRows& rows, const Votes::Donors& donors, const ClusterMeans& profile, int cluster,
               Eigen::Ref<RowVector> out) {
  RowVector weights = RowVector::Zero(out.size());
  RowVector sum = weights;
  RowVector squares = weights;
  double rest = 0;  // of the weights' squares: the mean counts as one of 1 / rest rows
  for (std::size_t d = 0; d < donors.rows.size(); ++d) {
    const RowVector row = rows.row(donors.rows[d]);
    rest += donors.weights[d] * donors.weights[d];
    for (Index j = 0; j < row.size(); ++j) {
      if (std::isnan(row(j))) continue;
      const double differ = row(j) - profile.means(j, cluster);
      weights(j) += donors.weights[d];
      sum(j) += donors.weights[d] * differ;
      squares(j) += donors.weights[d] * differ * differ;
    }
  }
  double differs = 0;
  double noise = 0;
  for (Index j = 0; j < out.size(); ++j) {
    if (!(weights(j) > 0 && profile.variance(j) > 0) || std::isnan(sum(j))) continue;
    const double mean = sum(j) / weights(j);
    differs += mean * mean / profile.variance(j);
    noise += rest * std::max(squares(j) / weights(j) - mean * mean, 0.0) / profile.variance(j);
  }
  const double kept = differs > 0 && rest < 1 ? std::max(1 - noise / (1 - rest) / differs, 0.0) : 1;
  for (Index j = 0; j < out.size(); ++j) {
    if (weights(j) > 0 && !std::isnan(sum(j))) out(j) = profile.means(j, cluster) + kept * sum(j) / weights(j);
  }
}

}  // namespace

Matrix expected(const Model& model, const PreparedChunk& chunk, std::size_t view, Compute& compute) {
  const std::shared_ptr<const Placer> placer = model.placer();
  std::vector<NarrowMatrix> products;
  const Near near = placer->near(chunk, compute, &products);
  Matrix out = from_prototypes(model, near, view);
  if (!placer->by_rows() || !model.can_learn()) return out;
  const std::vector<Vote> votes = placer->vote(chunk, near, products, compute);
  const std::vector<Votes::Donors> donors =
      model.clusters().votes->donors(chunk, near, products, view, kDonors, compute);
  const KnownRows rows(model, view, compute);
  const ClusterMeans means(model, view, compute);
  for_blocks(compute, chunk.size(), 1, true, [&](Index i, Index) {
    const auto at = static_cast<std::size_t>(i);
    if (votes[at].cluster >= 0) take_mean(rows, donors[at], means, votes[at].cluster, out.row(i));
  });
  return out;
}

}  // namespace omvc
