#include "report/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "chunk/presence.hpp"
#include "cut/spectrum.hpp"
#include "model/facts.hpp"
#include "model/raw_sums.hpp"
#include "report/layout.hpp"
#include "tally/pattern_counts.hpp"
#include "tally/tally.hpp"

namespace omvc {
namespace {

constexpr Index kPiece = 500;  // rows of the sample placed at a time
constexpr std::size_t kEdgesPerNode = 4;
constexpr std::size_t kFeaturesPerView = 6;
constexpr Index kEigenvalues = 40;  // shown, at least where there are so many

// The strongest edges of every node, relative to what lies within the two nodes.
std::vector<PictureEdge> edges_of(const Matrix& affinity) {
  const Index m = affinity.rows();
  std::map<std::pair<Index, Index>, double> kept;
  for (Index i = 0; i < m; ++i) {
    std::vector<std::pair<double, Index>> row;
    for (Index j = 0; j < m; ++j) {
      if (j != i && affinity(i, j) > 0) row.emplace_back(-affinity(i, j), j);
    }
    const std::size_t count = std::min(row.size(), kEdgesPerNode);
    std::partial_sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count), row.end());
    for (std::size_t e = 0; e < count; ++e) {
      const Index j = row[e].second;
      const double within = std::sqrt(affinity(i, i) * affinity(j, j));
      kept[std::minmax(i, j)] = within > 0 ? std::min(1.0, affinity(i, j) / within) : 1;
    }
  }
  std::vector<PictureEdge> out;
  for (const auto& [nodes, weight] : kept) out.push_back({nodes.first, nodes.second, weight});
  return out;
}

// Everything that takes a look at the rows of the sample.
class Rows {
 public:
  Rows(const Model& model, const PictureLimits& limits)
      : model_(model),
        limits_(limits),
        placer_(model.placer()),
        fine_sums_(model.intake().schema(), model.prototypes().size()),
        tally_(model.names().numbers(), kOutlier) {}

  void look(Picture& out, Compute& compute) {
    for (Chunk& chunk : model_.seen().reservoir().pieces(kPiece, compute, limits_.rows)) {
      compute.poll();
      add(std::move(chunk), out, compute);
    }
    for (const auto& [present, number] : pattern_of_) out.patterns[static_cast<std::size_t>(number)] = present;
    out.sampled.instances = out.rows;
    tally_.report(out.sampled);
    patterns_.report(out.sampled);
  }

  const RawSums& fine_sums() const { return fine_sums_; }

 private:
  void add(Chunk chunk, Picture& out, Compute& compute) {
    const Chunk raw = chunk;
    model_.intake().prepare(chunk);
    const PreparedChunk data(chunk);
    const Placed placed = placer_->place(data, compute);
    const Near near = model_.clusters().round ? model_.prototypes().fine.near(data, compute) : placed.near;
    const std::vector<std::vector<bool>> present = presence_of(raw);
    std::vector<std::int32_t> nodes(raw.rows.size(), -1);
    for (std::size_t i = 0; i < raw.rows.size(); ++i) {
      nodes[i] = near.id(static_cast<Index>(i), 0);
      tally_.add(raw.rows[i], placed.labels[i], placed.confidence[i], placed.distance[i]);
      patterns_.add(present[i], placed.labels[i]);
      ++out.rows;
      if (static_cast<Index>(out.points.size()) >= limits_.points || nodes[i] < 0) continue;
      const auto [found, fresh] = pattern_of_.try_emplace(present[i], static_cast<int>(pattern_of_.size()));
      if (fresh) out.patterns.emplace_back();
      PicturePoint point{.row = raw.rows[i],
                         .pattern = found->second,
                         .label = placed.labels[i],
                         .confidence = placed.confidence[i],
                         .distance = placed.distance[i],
                         .near = {},
                         .weights = {}};
      for (Index j = 0; j < near.count; ++j) {
        if (!(near.weight(static_cast<Index>(i), j) > 0)) continue;
        point.near.push_back(near.id(static_cast<Index>(i), j));
        point.weights.push_back(near.weight(static_cast<Index>(i), j));
      }
      out.points.push_back(std::move(point));
    }
    fine_sums_.add(raw, nodes);
  }

  const Model& model_;
  const PictureLimits& limits_;
  std::shared_ptr<const Placer> placer_;
  RawSums fine_sums_;
  ClusterTally tally_;
  PatternCounts patterns_;
  std::map<std::vector<bool>, int> pattern_of_;
};

std::vector<std::vector<PictureFeature>> features_of(const RawSums& sums, std::size_t views, Index clusters,
                                                     std::size_t most) {
  std::vector<std::vector<PictureFeature>> out;
  for (Index k = 0; k < clusters; ++k) {
    std::vector<std::pair<double, PictureFeature>> all;
    for (std::size_t v = 0; v < views; ++v) {
      for (const Telling& telling : sums.telling(v, k, static_cast<Index>(kFeaturesPerView))) {
        all.emplace_back(-std::abs(telling.effect), PictureFeature{v, telling.feature, telling.own, telling.others});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (all.size() > most) all.resize(most);
    out.emplace_back();
    for (const auto& [size, feature] : all) out.back().push_back(feature);
  }
  return out;
}

// Sizes of the clusters that the model has, as it tells them everywhere: in the order of the clusters of the cut.
std::vector<double> own_sizes(const Model& model) {
  const std::vector<int>& numbers = model.names().numbers();
  const std::vector<double> sizes = cluster_sizes(model);  // in the order of their numbers
  std::vector<double> out;
  for (const int number : numbers) {
    const auto before = std::count_if(numbers.begin(), numbers.end(), [&](int other) { return other < number; });
    out.push_back(sizes[static_cast<std::size_t>(before)]);
  }
  return out;
}

// The clusters of a cut, and what tells them apart: of the clusters that the model has by all their rows, of others by
// the prototypes that they are made of.
PictureLevel level_of(const Model& model, const NamedCut& named, bool own, const Rows& rows, const RawSums& sums,
                      const PictureLimits& limits) {
  PictureLevel level{.own = own, .numbers = named.numbers, .sizes = named.sizes, .group = named.fine, .features = {}};
  if (own) level.sizes = own_sizes(model);
  const std::size_t views = model.intake().schema().views.size();
  const int count = named.cut.count;
  level.features = own ? features_of(sums, views, count, limits.own_features)
                       : features_of(rows.fine_sums().grouped(level.group, count), views, count, limits.features);
  return level;
}

// The features that tell each cluster, one after the other, until there are enough.
PictureHeat heat_of(const PictureLevel& level, const RawSums& sums, std::size_t most) {
  PictureHeat out;
  std::set<std::pair<std::size_t, Index>> seen;
  for (std::size_t rank = 0; rank < kFeaturesPerView; ++rank) {
    for (const std::vector<PictureFeature>& cluster : level.features) {
      if (rank >= cluster.size() || out.rows.size() >= most) continue;
      const PictureFeature& one = cluster[rank];
      if (!seen.emplace(one.view, one.feature).second) continue;
      PictureHeat::Row& row = out.rows.emplace_back();
      row.view = one.view;
      row.feature = one.feature;
      row.mean = sums.mean(one.view, one.feature);
      row.deviation = std::sqrt(sums.variance(one.view, one.feature));
      for (std::size_t k = 0; k < level.numbers.size(); ++k) {
        row.means.push_back(sums.own(one.view, one.feature, static_cast<Index>(k)));
      }
    }
  }
  return out;
}

void add_levels(Picture& out, Model& model, const Rows& rows, const PictureLimits& limits, Compute& compute) {
  const int own = model.clusters().count;
  std::vector<int> numbers;
  for (int k = 2; k <= std::min<Index>(limits.levels, model.prototypes().size()); ++k) numbers.push_back(k);
  if (std::find(numbers.begin(), numbers.end(), own) == numbers.end()) numbers.push_back(own);
  std::sort(numbers.begin(), numbers.end());
  const RawSums sums = cluster_sums(model, compute);
  for (const NamedCut& named : model.cuts(numbers, compute)) {
    out.levels.push_back(level_of(model, named, named.cut.count == own, rows, sums, limits));
    if (named.cut.count == own) out.heat = heat_of(out.levels.back(), sums, limits.heat);
  }
  model.rest();
}

double cell(const Block& block, Index row, Index feature) {
  return std::visit(
      [&](const auto& X) -> double {
        if constexpr (requires { X.offsets; }) {
          const auto first = X.columns.begin() + X.offsets[static_cast<std::size_t>(row)];
          const auto last = X.columns.begin() + X.offsets[static_cast<std::size_t>(row) + 1];
          const auto found = std::lower_bound(first, last, feature);
          if (found == last || *found != feature) return 0;
          return X.values[static_cast<std::size_t>(found - X.columns.begin())];
        } else {
          return X.row(row)[static_cast<std::size_t>(feature)];
        }
      },
      block);
}

// Points are instances of the sample in its order, some of which are left out.
void add_values(Picture& out, const Model& model, const PictureLimits& limits, Compute& compute) {
  for (const PictureHeat::Row& row : out.heat.rows) out.values.push_back({row.view, row.feature, {}});
  std::size_t point = 0;
  for (const Chunk& chunk : model.seen().reservoir().pieces(kPiece, compute, limits.rows)) {
    std::vector<Index> positions;
    for (std::size_t i = 0; i < chunk.rows.size() && point < out.points.size(); ++i) {
      if (chunk.rows[i] != out.points[point].row) continue;
      positions.push_back(static_cast<Index>(i));
      ++point;
    }
    for (PictureValues& values : out.values) {
      const ChunkView& view = chunk.views[values.view];
      for (const Index at : positions) {
        const auto found = std::lower_bound(view.present.begin(), view.present.end(), at);
        const bool there = found != view.present.end() && *found == at;
        values.of_point.push_back(there ? cell(view.block, found - view.present.begin(), values.feature) : kNan);
      }
    }
  }
}

void look_at_graph(Picture& out, const Model& model, int levels, Compute& compute) {
  const Matrix affinity = model.prototypes().fine.sums().affinity_of_both();
  const Index wanted = std::max<Index>({kEigenvalues, Index{levels}, Index{model.clusters().count} + 10});
  const Spectrum spectrum = spectrum_of(affinity, wanted, compute);
  out.eigenvalues = spectrum.values;
  out.mass = model.prototypes().fine.sums().mass;
  out.at = lay_out(affinity, spectrum, compute);
  out.edges = edges_of(affinity);
}

}  // namespace

Picture picture_of(Model& model, const PictureLimits& limits, Compute& compute) {
  Picture out;
  look_at_graph(out, model, limits.levels, compute);
  Rows rows(model, limits);
  rows.look(out, compute);
  add_levels(out, model, rows, limits, compute);
  add_values(out, model, limits, compute);
  return out;
}

Picture sketch_of(Model& model, Compute& compute) {
  Picture out;
  look_at_graph(out, model, 0, compute);
  const NamedCut own = model.cuts({model.clusters().count}, compute).front();
  model.rest();
  out.levels.push_back({.own = true, .numbers = own.numbers, .sizes = own.sizes, .group = own.fine, .features = {}});
  return out;
}

}  // namespace omvc
