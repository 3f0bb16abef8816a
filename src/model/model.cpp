#include "model/model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

constexpr Index kFirstRows = 100;  // instances from which a stream has a model, at least
constexpr Index kFirstPerCluster = 10;
constexpr double kGrowth = 1.5;          // of the stream, after which prototypes are made again,
constexpr double kSampledGrowth = 4;     // and where the sample is full: what it holds hardly changes then
constexpr double kStrangers = 20;        // instances far from all prototypes that make it happen earlier, at least,
constexpr double kStrangerShare = 0.02;  // and their share of what was learned since

}  // namespace

Model::Model(const Options& options, const Schema& schema)
    : options_(options),
      schema_(schema),
      survey_(schema, wants_totals(options)),
      reservoir_(schema, reservoir_options(options)) {
  const std::size_t views = schema.views.size();
  if (views == 0) throw Error(ErrorKind::data, "the data have no views");
  scaling_.assign(views, {});
  clipped_.assign(views, 0);
  squares_.assign(views, 0);
  quantum_.assign(views, 1);
}

void Model::take(Look look, Workers& workers) {
  look.settle(workers);
  survey_ = look.survey.sum();
  reservoir_ = std::move(look.sample);
  clock_ = static_cast<double>(look.instances);
}

std::vector<Index> Model::scale(Chunk& chunk) const {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (scaling_[v].known) continue;
    chunk.views[v] = keep_instances(std::move(chunk.views[v]), std::vector<bool>(chunk.rows.size(), false));
  }
  std::vector<Index> clipped = apply_scaling(scaling_, schema_, chunk);
  clamp_to_narrow(chunk);
  return clipped;
}

void Model::match_kinds(Chunk& chunk) const {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    Block& block = chunk.views[v].block;
    if (!(survey_.views[v].observed > 0) || is_sparse(block) == survey_.views[v].sparse) continue;
    block = survey_.views[v].sparse ? as_sparse(std::move(block)) : as_dense(std::move(block));
  }
}

void Model::widen(const Schema& wider) {
  if (built()) throw Error(ErrorKind::usage, "a model that has prototypes gets no more views or features");
  schema_ = wider;
  survey_.widen(wider);
  reservoir_.widen(wider);
  const std::size_t views = wider.views.size();
  scaling_.resize(views);
  clipped_.resize(views, 0);
  squares_.resize(views, 0);
  quantum_.resize(views, 1);
}

Model Model::for_placing() const {
  Model out(options_, schema_);
  out.scaling_ = scaling_;
  out.quantum_ = quantum_;
  out.squares_ = squares_;
  out.clusters_ = clusters_;
  out.clock_ = clock_;
  out.survey_ = survey_;
  (clusters_.refined ? out.coarse_ : out.fine_) = placing().for_placing();
  out.predictor_ = true;
  return out;
}

std::optional<Placed> Model::learn(Chunk chunk, Workers& workers) {
  check_magnitudes(chunk, schema_);
  match_kinds(chunk);
  if (options_.half_life > 0) {
    const double factor = std::exp2(-static_cast<double>(chunk.size()) / options_.half_life);
    survey_.decay(factor);
    fine_.decay(factor);
    coarse_.decay(factor);
  }
  survey_.add(chunk, workers);
  reservoir_.offer(chunk, clock_, workers);
  clock_ += static_cast<double>(chunk.size());
  sizes_.clear();
  std::optional<Placed> placed;
  if (built()) {
    const std::vector<Index> negatives = scale(chunk);
    for (std::size_t v = 0; v < negatives.size(); ++v) clipped_[v] += negatives[v];
    const PreparedChunk data(chunk);
    placed = count(data, workers);
    end_pass(workers);
    const auto far = [](double distance) { return distance > kOutlier; };
    strangers_ += static_cast<double>(std::count_if(placed->distance.begin(), placed->distance.end(), far));
  }
  if (time_to_build()) refresh(workers);
  return placed;
}

bool Model::time_to_build() const {
  if (!built()) return reservoir_.size() >= std::max(kFirstRows, kFirstPerCluster * options_.clusters);
  const double since = clock_ - built_at_;
  // What a stream that forgets was made of has given way to other rows by half.
  if (options_.half_life > 0 && since >= std::max(options_.half_life, static_cast<double>(kFirstRows))) return true;
  return clock_ >= (whole() ? kGrowth : kSampledGrowth) * built_at_ ||
         strangers_ >= std::max(kStrangers, kStrangerShare * since);
}

void Model::refresh(Workers& workers) {
  const Before before = remember(workers);
  build(workers);
  // A stream may begin with rows that are all alike: it has as many clusters as there are prototypes until there are
  // more.
  const int most = by_direction() ? options_.clusters : static_cast<int>(fine_.size());
  const int asked = options_.clusters == 0 && fine_.size() < 2 ? 1 : options_.clusters;
  cut_into(std::min(asked, std::max(most, 1)), before, workers);
  rest();
}

void Model::begin_pass() {
  Workers alone;
  (clusters_.refined ? coarse_ : fine_).forget(alone);
}

Placed Model::count(const PreparedChunk& chunk, Workers& workers) {
  Placed placed = place(chunk, workers);
  (clusters_.refined ? coarse_ : fine_).count(chunk, placed.near, options_.seed, workers);
  return placed;
}

void Model::count(std::span<const PreparedChunk> chunks, std::span<const Near> near, Workers& workers,
                  const std::function<void()>& each) {
  (clusters_.refined ? coarse_ : fine_).count(chunks, near, options_.seed, workers, each);
}

void Model::measure_counted() {
  for (std::size_t v = 0; v < squares_.size(); ++v) squares_[v] = placing().mean_square(v);
}

void Model::end_pass(Workers& workers) { (clusters_.refined ? coarse_ : fine_).settle(workers); }

Placed Model::place(const PreparedChunk& chunk, Workers& workers) const {
  const FinePrototypes& prototypes = placing();
  const Vector usual_distances = prototypes.usual_distances();
  Placed placed;
  placed.near = prototypes.near(chunk, workers);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Index i = 0; i < chunk.size(); ++i) {
    int label = -1;
    double confidence = nan;
    double distance = nan;
    if (placed.near.id(i, 0) >= 0) {
      vote(placed.near, i, label, confidence);
      const double usual = usual_distances(placed.near.id(i, 0));
      const double own = placed.near.distances[static_cast<std::size_t>(i)];
      distance = usual > 0 ? own / usual : (own > 0 ? std::numeric_limits<double>::infinity() : 0.0);
    }
    placed.labels.push_back(label);
    placed.confidence.push_back(confidence);
    placed.distance.push_back(distance);
  }
  return placed;
}

void Model::vote(const Near& near, Index instance, int& label, double& confidence) const {
  std::vector<double> votes(static_cast<std::size_t>(std::max(1, clusters_.count())), 0.0);
  for (Index j = 0; j < near.count; ++j) {
    const std::int32_t id = near.id(instance, j);
    if (id < 0) continue;
    const std::size_t cluster =
        clusters_.group.empty() ? 0 : static_cast<std::size_t>(clusters_.group[static_cast<std::size_t>(id)]);
    votes[cluster] += near.weight(instance, j);
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  label = clusters_.numbers.empty() ? 0 : clusters_.numbers[static_cast<std::size_t>(best - votes.begin())];
  confidence = *best;
}

std::vector<ViewReport> Model::views() const {
  std::vector<ViewReport> reports;
  for (std::size_t v = 0; v < schema_.views.size(); ++v) {
    reports.push_back({.name = schema_.views[v].name,
                       .features = schema_.views[v].features,
                       .observed = static_cast<Index>(built() ? placing().rows(v) : survey_.views[v].observed),
                       .missing = static_cast<Index>(survey_.views[v].cells),
                       .negatives = clipped_[v],
                       .scaling = scaling_[v].known ? scaling_[v].description : "never seen"});
  }
  return reports;
}

Matrix Model::embed_prototypes(Workers& workers) const {
  Chunk chunk;
  const Index m = placing().size();
  std::vector<Index> all(static_cast<std::size_t>(m));
  std::iota(all.begin(), all.end(), Index{0});
  chunk.rows = all;
  for (const NarrowMatrix& columns : placing().table().columns) {
    DenseBlock<double> block{.rows = m, .cols = columns.rows(), .values = {}};
    const Matrix rows = columns.transpose().cast<double>();
    block.values.assign(rows.data(), rows.data() + rows.size());
    chunk.views.push_back({std::move(block), all});
  }
  return embed(PreparedChunk(chunk), workers);
}

Matrix Model::expected(const PreparedChunk& chunk, std::size_t view, Workers& workers) const {
  const FinePrototypes& prototypes = placing();
  const NarrowMatrix& columns = prototypes.table().columns[view];
  Matrix units(prototypes.size(), columns.rows());  // the prototypes, a row each
  for (Index p = 0; p < prototypes.size(); ++p) {
    const Vector scaled = columns.col(p).cast<double>();
    const std::vector<double> row = unscaled(scaling_[view], survey_.views[view], {scaled.begin(), scaled.end()});
    units.row(p) = Eigen::Map<const RowVector>(row.data(), columns.rows());
  }
  const Near near = prototypes.near(chunk, workers);
  Matrix out = Matrix::Zero(chunk.size(), columns.rows());
  for (Index i = 0; i < chunk.size(); ++i) {
    if (near.id(i, 0) < 0) out.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(i, j) >= 0) out.row(i) += near.weight(i, j) * units.row(near.id(i, j));
    }
  }
  return out;
}

std::vector<ClusterEvent> Model::take_events() { return std::exchange(events_, {}); }

Near Model::moved(Near near, Index generation) const {
  for (Index g = generation; g < this->generation(); ++g) {
    const std::vector<std::int32_t>& to = moved_[static_cast<std::size_t>(g)];
    for (std::int32_t& id : near.ids) {
      if (id >= 0) id = to[static_cast<std::size_t>(id)];
    }
  }
  return near;
}

std::vector<double> Model::sizes() const {
  if (static_cast<int>(sizes_.size()) == clusters_.count()) return sizes_;
  std::map<int, double> by_number;
  for (const int number : clusters_.numbers) by_number[number] = 0;
  for (Index p = 0; p < placing().size(); ++p) {
    const auto group = static_cast<std::size_t>(clusters_.group[static_cast<std::size_t>(p)]);
    by_number[clusters_.numbers[group]] += placing().mass()(p);
  }
  std::vector<double> sizes;
  for (const auto& [number, size] : by_number) sizes.push_back(size);
  return sizes;
}

Matrix Model::profiles(std::size_t view) const { return placing().means(view, clusters_.group, clusters_.count()); }

std::vector<double> Model::explained() const {
  // Of the variance of the rows about the mean of the view: between clusters, over all.
  const FinePrototypes& prototypes = placing();
  const std::vector<double> between = prototypes.between(clusters_.group, clusters_.count());
  const std::vector<double> about_mean = prototypes.between(std::vector<int>(clusters_.group.size(), 0), 1);
  std::vector<double> share;
  for (std::size_t v = 0; v < between.size(); ++v) {
    const double total = squares_[v] * prototypes.rows(v) - about_mean[v];
    share.push_back(total > 0 ? std::clamp((between[v] - about_mean[v]) / total, 0.0, 1.0) : 0);
  }
  return share;
}

}  // namespace omvc
