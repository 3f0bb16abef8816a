#include "report/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cut/names.hpp"
#include "cut/spectrum.hpp"
#include "model/telling.hpp"
#include "report/layout.hpp"
#include "report/pattern_counts.hpp"
#include "report/raw_means.hpp"
#include "report/tally.hpp"

namespace omvc {
namespace {

constexpr Index kPiece = 500;  // rows of the sample placed at a time
constexpr int kStarts = 4;     // of k-means for each of many cuts: a picture need not have the very best
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
  Rows(Model& model, const PictureLimits& limits)
      : model_(model),
        limits_(limits),
        fine_sums_(model.schema(), model.fine().size()),
        own_sums_(model.schema(), model.clusters().count()),
        votes_(Matrix::Zero(model.fine().size(), model.clusters().count())),
        tally_(model.clusters().numbers, kOutlier) {
    const std::vector<int>& numbers = model.clusters().numbers;
    for (std::size_t k = 0; k < numbers.size(); ++k) place_of_[numbers[k]] = static_cast<std::int32_t>(k);
  }

  void look(Picture& out, Workers& workers) {
    for (Chunk& chunk : model_.reservoir().pieces(kPiece, workers, limits_.rows)) {
      workers.poll();
      add(std::move(chunk), out, workers);
    }
    for (const auto& [present, number] : pattern_of_) out.patterns[static_cast<std::size_t>(number)] = present;
    out.sampled.instances = out.rows;
    tally_.report(out.sampled);
    patterns_.report(out.sampled);
  }

  // Of each prototype: the cluster that most of its instances are in.
  std::vector<int> majority() const {
    std::vector<int> group(static_cast<std::size_t>(votes_.rows()), 0);
    for (Index p = 0; p < votes_.rows(); ++p) {
      if (votes_.row(p).sum() > 0) votes_.row(p).maxCoeff(&group[static_cast<std::size_t>(p)]);
    }
    return group;
  }
  const RawSums& fine_sums() const { return fine_sums_; }
  const RawSums& own_sums() const { return own_sums_; }

 private:
  void add(Chunk chunk, Picture& out, Workers& workers) {
    const Chunk raw = chunk;
    model_.scale(chunk);
    const PreparedChunk data(chunk);
    const Placed placed = model_.place(data, workers);
    const Near near = model_.clusters().refined ? model_.fine().near(data, workers) : placed.near;
    std::vector<std::vector<bool>> present(raw.rows.size(), std::vector<bool>(raw.views.size(), false));
    for (std::size_t v = 0; v < raw.views.size(); ++v) {
      for (const Index at : raw.views[v].present) present[static_cast<std::size_t>(at)][v] = true;
    }
    std::vector<std::int32_t> nodes(raw.rows.size(), -1);
    std::vector<std::int32_t> clusters(raw.rows.size(), -1);
    for (std::size_t i = 0; i < raw.rows.size(); ++i) {
      nodes[i] = near.id(static_cast<Index>(i), 0);
      if (placed.labels[i] >= 0) clusters[i] = place_of_.at(placed.labels[i]);
      if (nodes[i] >= 0 && clusters[i] >= 0) votes_(nodes[i], clusters[i]) += 1;
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
    fine_sums_.add(raw, nodes, model_.survey());
    own_sums_.add(raw, clusters, model_.survey());
  }

  Model& model_;
  const PictureLimits& limits_;
  RawSums fine_sums_;
  RawSums own_sums_;
  Matrix votes_;  // prototypes x clusters
  Tally tally_;
  PatternCounts patterns_;
  std::map<int, std::int32_t> place_of_;
  std::map<std::vector<bool>, int> pattern_of_;
};

std::vector<std::vector<PictureFeature>> features_of(const std::vector<Matrix>& profiles, const RawSums& sums,
                                                     Index clusters, std::size_t most) {
  std::vector<std::vector<PictureFeature>> out;
  for (Index k = 0; k < clusters; ++k) {
    std::vector<std::pair<double, PictureFeature>> all;
    for (std::size_t v = 0; v < profiles.size(); ++v) {
      for (const Telling& telling : telling_features(profiles[v], k, static_cast<Index>(kFeaturesPerView))) {
        const PictureFeature feature{v, telling.feature, sums.own(v, telling.feature, k),
                                     sums.rest(v, telling.feature, k)};
        if (std::isnan(feature.own) || std::isnan(feature.rest)) continue;
        all.emplace_back(-std::abs(telling.own - telling.others), feature);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (all.size() > most) all.resize(most);
    out.emplace_back();
    for (const auto& [size, feature] : all) out.back().push_back(feature);
  }
  return out;
}

std::vector<double> sizes_of(const Vector& mass, const std::vector<int>& group, std::size_t clusters) {
  std::vector<double> sizes(clusters, 0.0);
  for (std::size_t p = 0; p < group.size(); ++p)
    sizes[static_cast<std::size_t>(group[p])] += mass(static_cast<Index>(p));
  return sizes;
}

// Gives the clusters of a level the numbers of those of another that they share most mass with.
void name_after(PictureLevel& level, const PictureLevel& other, const Vector& mass, int& next) {
  Matrix shared = Matrix::Zero(static_cast<Index>(other.numbers.size()), static_cast<Index>(level.sizes.size()));
  for (std::size_t p = 0; p < level.group.size(); ++p)
    shared(other.group[p], level.group[p]) += mass(static_cast<Index>(p));
  const Naming naming = match_names(shared, Vector::Zero(shared.cols()), other.numbers, next);
  level.numbers = naming.numbers;
  next = naming.next;
}

PictureLevel cut_level(const Model& model, const Spectrum& spectrum, int clusters, const RawSums& sums,
                       const PictureLimits& limits) {
  PictureLevel level;
  level.group = cut_spectrum(spectrum, clusters, model.options().seed, 1, kStarts);  // too little work for threads
  level.sizes = sizes_of(model.fine().mass(), level.group, static_cast<std::size_t>(clusters));
  std::vector<Matrix> profiles;
  for (std::size_t v = 0; v < model.schema().views.size(); ++v)
    profiles.push_back(model.fine().means(v, level.group, clusters));
  level.features = features_of(profiles, sums.grouped(level.group, clusters), clusters, limits.features);
  return level;
}

PictureLevel own_level(const Model& model, std::vector<int> group) {
  PictureLevel level;
  level.own = true;
  level.numbers = model.clusters().numbers;
  level.group = std::move(group);
  level.sizes = sizes_of(model.fine().mass(), level.group, level.numbers.size());
  return level;
}

void add_levels(Picture& out, const Model& model, const Spectrum& spectrum, const Rows& rows,
                const PictureLimits& limits, Workers& workers) {
  PictureLevel own = own_level(model, model.clusters().refined ? rows.majority() : model.clusters().group);
  std::vector<Matrix> profiles;
  for (std::size_t v = 0; v < model.schema().views.size(); ++v) profiles.push_back(model.profiles(v));
  const auto count = static_cast<Index>(own.numbers.size());
  own.features = features_of(profiles, rows.own_sums(), count, limits.own_features);
  const int most = static_cast<int>(std::min<Index>(limits.levels, spectrum.vectors.cols()));
  int next = model.clusters().next;
  std::vector<PictureLevel> below;
  std::vector<PictureLevel> above;
  const auto level_of = [&](int clusters, const PictureLevel& neighbour) {
    workers.poll();
    PictureLevel level = cut_level(model, spectrum, clusters, rows.fine_sums(), limits);
    name_after(level, neighbour, out.mass, next);
    return level;
  };
  for (int k = std::min<int>(most, static_cast<int>(count) - 1); k >= 2; --k)
    below.push_back(level_of(k, below.empty() ? own : below.back()));
  for (int k = std::max(2, static_cast<int>(count) + 1); k <= most; ++k)
    above.push_back(level_of(k, above.empty() ? own : above.back()));
  std::reverse(below.begin(), below.end());
  out.levels = std::move(below);
  out.levels.push_back(std::move(own));
  out.levels.insert(out.levels.end(), std::make_move_iterator(above.begin()), std::make_move_iterator(above.end()));
}

Spectrum look_at_graph(Picture& out, const Model& model, int levels, Workers& workers) {
  const Matrix affinity = model.fine().affinity();
  const Index wanted = std::max<Index>({kEigenvalues, Index{levels}, Index{model.clusters().count()} + 10});
  Spectrum spectrum = spectrum_of(affinity, wanted, workers);
  out.eigenvalues = spectrum.values;
  out.mass = model.fine().mass();
  out.at = lay_out(affinity, spectrum, workers);
  out.edges = edges_of(affinity);
  return spectrum;
}

}  // namespace

Picture picture_of(Model& model, const PictureLimits& limits, Workers& workers) {
  Picture out;
  const Spectrum spectrum = look_at_graph(out, model, limits.levels, workers);
  Rows rows(model, limits);
  rows.look(out, workers);
  add_levels(out, model, spectrum, rows, limits, workers);
  return out;
}

Picture sketch_of(Model& model, Workers& workers) {
  Picture out;
  look_at_graph(out, model, 0, workers);
  std::vector<int> group = model.clusters().group;
  if (model.clusters().refined) {
    const PictureLimits limits{.points = 0, .levels = 0, .own_features = 0, .features = 0, .rows = 2000};
    Rows rows(model, limits);
    rows.look(out, workers);
    group = rows.majority();
  }
  out.levels.push_back(own_level(model, std::move(group)));
  return out;
}

}  // namespace omvc
