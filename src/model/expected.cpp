#include "model/expected.hpp"

#include <array>
#include <cmath>
#include <map>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "model/from_prototypes.hpp"
#include "model/raw_sums.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kDonors = 15;
constexpr std::array kStrengths{1e-3, 1e-2, 1e-1, 1.0, 10.0};
constexpr Index kMostCells = 16'000'000;   // of the view, for regressions
constexpr Index kMostWeights = 8'000'000;  // of one of them
constexpr Index kFewestHidden = 4;         // rows that a regression is judged by
constexpr Index kMostHidden = 400;         // and that the mixture is made by

enum Teller : Index { kAllRows, kClusters, kNeighbours, kFirstView };

// The rows of a chunk without what they have of a view.
Chunk without_view(Chunk chunk, std::size_t view) {
  chunk.views[view] = {.block = take_rows(chunk.views[view].block, {}), .present = {}};
  return chunk;
}

}  // namespace

// What is known of the instances of a chunk.
struct Expectation::Told {
  Near near;
  std::vector<Votes::Donors> donors;
  std::vector<NarrowMatrix> said;         // by the regression on each view, a row for each instance that has it
  std::vector<std::vector<Index>> place;  // of each instance among these; -1: it lacks the view
};

Expectation::~Expectation() = default;

Expectation::Expectation(const Model& model, std::size_t view, Compute& compute)
    : model_(model), view_(view), placer_(model.placer()) {
  if (!placer_->by_rows() || !model.can_learn()) return;
  rows_ = std::make_unique<KnownRows>(model, view, compute);
  const RawSums sums = cluster_sums(model, compute);
  const Index features = model.intake().schema().views[view].features;
  mean_.resize(features);
  means_.resize(model.clusters().count, features);
  variance_.resize(features);
  for (Index j = 0; j < features; ++j) {
    mean_(j) = sums.mean(view, j);
    variance_(j) = sums.variance(view, j);
    for (Index k = 0; k < means_.rows(); ++k) {
      const double own = sums.own(view, j, k);
      means_(k, j) = std::isnan(own) ? mean_(j) : own;
    }
  }
  const std::size_t views = model.intake().schema().views.size();
  views_.resize(views);
  judged_.resize(views);
  mixture_ = std::make_unique<Mixture>(kFirstView + static_cast<Index>(views), variance_);
  // Rows that have the view, as many as regressions take; one in five is hidden while it is found out who knows what.
  const RowTable::View& table = model.clusters().votes->table().views[view];
  for (std::size_t id = 0; id < table.member.size(); ++id) {
    if (table.member[id] >= 0) having_.push_back(static_cast<std::int32_t>(id));
  }
  if (const auto most = static_cast<std::size_t>(kMostCells / std::max<Index>(features, 1)); having_.size() > most) {
    having_.resize(most);
  }
  std::vector<std::int32_t> hidden;
  for (std::size_t i = 0; i < having_.size(); i += Ridge::kFolds) hidden.push_back(having_[i]);
  learn_regressions(having_, variance_, compute);
  learn_mixture(hidden, compute);
}

void Expectation::learn_cells(Compute& compute) {
  if (!rows_ || cells_) return;
  cells_ = std::make_unique<Cells>(Cells::Known{.model = model_,
                                                .view = view_,
                                                .placer = *placer_,
                                                .rows = *rows_,
                                                .mean = mean_,
                                                .means = means_,
                                                .variance = variance_},
                                   having_, judged_, compute);
}

// Rows are laid so that those that are hidden are the first fold.
void Expectation::learn_regressions(const std::vector<std::int32_t>& rows, const Vector& variance, Compute& compute) {
  const RowTable& table = model_.clusters().votes->table();
  const Chunk chunk = rows_of(table);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const Index features = block_cols(chunk.views[v].block);
    if (v == view_ || features * mean_.size() > kMostWeights) continue;
    std::vector<std::int32_t> hidden;
    std::vector<std::int32_t> others;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (table.views[v].member[static_cast<std::size_t>(rows[i])] < 0) continue;
      (i % Ridge::kFolds == 0 ? hidden : others).push_back(rows[i]);
    }
    const auto count = std::min<Index>(std::ssize(hidden), std::ssize(others) / (Ridge::kFolds - 1));
    if (count < kFewestHidden) continue;
    std::vector<Index> members;
    Matrix Y(count * Ridge::kFolds, mean_.size());
    for (Index i = 0; i < Y.rows(); ++i) {
      const Index group = i / Ridge::kFolds;
      const Index other = (Ridge::kFolds - 1) * group + i % Ridge::kFolds - 1;
      const std::int32_t id =
          i % Ridge::kFolds == 0 ? hidden[static_cast<std::size_t>(group)] : others[static_cast<std::size_t>(other)];
      members.push_back(table.views[v].member[static_cast<std::size_t>(id)]);
      const RowVector row = rows_->row(id);
      for (Index j = 0; j < row.size(); ++j) Y(i, j) = std::isnan(row(j)) ? mean_(j) : row(j);
    }
    learn_regression(v, take_rows(chunk.views[v].block, members), MatrixTargets(std::move(Y)), variance, compute);
  }
}

void Expectation::learn_regression(std::size_t v, const Block& rows, const MatrixTargets& targets,
                                   const Vector& variance, Compute& compute) {
  compute.poll();
  const std::unique_ptr<Ridge> ridge = Ridge::make({&rows}, block_cols(rows), targets, compute);
  const auto reader = [&](Index fold, double strength) {
    Reader out = reader_of(ridge->solve(fold, strength, compute), ridge->mean());
    out.offset -= ridge->prior();
    return out;
  };
  std::vector<Index> first;
  for (Index i = 0; i < targets.rows(); i += Ridge::kFolds) first.push_back(i);
  const Block hidden = take_rows(rows, first);
  double least = 0;
  double best = 0;
  for (const double strength : kStrengths) {
    Reader tried = reader(0, strength);
    const NarrowMatrix said = tried.says(DataBlock(hidden), compute);
    double error = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (Index j = 0; j < said.cols(); ++j) {
        if (!(variance(j) > 0)) continue;
        const double off = said(static_cast<Index>(i), j) - targets.matrix()(first[i], j);
        error += off * off / variance(j);
      }
    }
    if (judged_[v] && !(error < least)) continue;
    least = error;
    best = strength;
    judged_[v] = std::make_unique<Reader>(std::move(tried));
  }
  views_[v] = std::make_unique<Reader>(reader(Ridge::kAll, best));
}

void Expectation::learn_mixture(std::vector<std::int32_t> hidden, Compute& compute) {
  if (std::ssize(hidden) > kMostHidden) hidden.resize(kMostHidden);
  const std::vector<Index> positions(hidden.begin(), hidden.end());
  const Chunk rows = without_view(take_instances(rows_of(model_.clusters().votes->table()), positions), view_);
  const Told told = tell(PreparedChunk(rows), judged_, compute, &hidden);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (told.near.id(static_cast<Index>(i), 0) < 0) continue;  // it has no other view
    mixture_->add(told_of(told, static_cast<Index>(i)), rows_->row(hidden[i]));
  }
}

Expectation::Told Expectation::tell(const PreparedChunk& chunk, const std::vector<std::unique_ptr<Reader>>& readers,
                                    Compute& compute, const std::vector<std::int32_t>* own) const {
  std::vector<NarrowMatrix> products;
  Told out;
  out.near = placer_->near(chunk, compute, &products);
  out.donors = model_.clusters().votes->donors(chunk, out.near, products, view_, kDonors, compute, own);
  out.said.resize(readers.size());
  out.place.assign(readers.size(), std::vector<Index>(static_cast<std::size_t>(chunk.size()), -1));
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (!readers[v]) continue;
    out.said[v] = readers[v]->says(chunk.views[v], compute);
    for (std::size_t row = 0; row < chunk.present(v).size(); ++row) {
      out.place[v][static_cast<std::size_t>(chunk.present(v)[row])] = static_cast<Index>(row);
    }
  }
  return out;
}

Matrix Expectation::told_of(const Told& told, Index instance) const {
  const auto at = static_cast<std::size_t>(instance);
  Matrix out = Matrix::Constant(kFirstView + std::ssize(told.said), mean_.size(), kNan);
  out.row(kAllRows) = mean_;
  out.row(kClusters) = placer_->shares(told.near, instance) * means_;
  const Votes::Donors& donors = told.donors[at];
  RowVector weights = RowVector::Zero(mean_.size());
  RowVector sum = weights;
  for (std::size_t d = 0; d < donors.rows.size(); ++d) {
    const RowVector row = rows_->row(donors.rows[d]);
    for (Index j = 0; j < row.size(); ++j) {
      if (std::isnan(row(j))) continue;
      weights(j) += donors.weights[d];
      sum(j) += donors.weights[d] * row(j);
    }
  }
  for (Index j = 0; j < sum.size(); ++j) {
    if (weights(j) > 0) out(kNeighbours, j) = sum(j) / weights(j);
  }
  for (std::size_t v = 0; v < told.said.size(); ++v) {
    if (told.place[v][at] < 0) continue;
    out.row(kFirstView + static_cast<Index>(v)) = told.said[v].row(told.place[v][at]).cast<double>();
  }
  return out;
}

std::vector<bool> Expectation::who_tells(const Told& told, Index instance) {
  const auto at = static_cast<std::size_t>(instance);
  std::vector<bool> out(static_cast<std::size_t>(kFirstView), true);
  out[kNeighbours] = !told.donors[at].rows.empty();
  for (const std::vector<Index>& place : told.place) out.push_back(place[at] >= 0);
  return out;
}

Expectation::Found Expectation::of(const Chunk& rows, const Holes& holes, Compute& compute) const {
  if (!rows_) {
    Matrix values = from_prototypes(model_, *placer_, view_, rows, holes, compute);
    return {.values = values, .spread = Matrix::Constant(values.rows(), values.cols(), kNan)};
  }
  Found out{.values = Matrix::Constant(rows.size(), mean_.size(), kNan), .spread = {}};
  out.spread = out.values;
  std::vector<Index> without;
  std::vector<Index> with;
  std::vector<bool> has(rows.rows.size(), false);
  for (const Index i : rows.views[view_].present) has[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < rows.size(); ++i) (has[static_cast<std::size_t>(i)] ? with : without).push_back(i);
  if (!without.empty()) tell_view(take_instances(rows, without), without, out, compute);
  if (with.empty()) return out;
  Holes of_these(holes.size());
  for (std::size_t v = 0; v < holes.size(); ++v) {
    for (const Index i : with) of_these[v].push_back(holes[v][static_cast<std::size_t>(i)]);
  }
  cells_->tell(take_instances(rows, with), of_these, views_, with, out.values, out.spread, compute);
  return out;
}

// Of instances without the view, each of which has a row in what was found.
void Expectation::tell_view(const Chunk& rows, const std::vector<Index>& into, Found& out, Compute& compute) const {
  const PreparedChunk chunk(rows);
  const Told told = tell(chunk, views_, compute, nullptr);
  // Those who can tell are the same for many instances.
  std::map<std::vector<bool>, std::pair<RowVector, RowVector>> mixtures;
  for (Index i = 0; i < chunk.size(); ++i) {
    const auto [found, fresh] = mixtures.try_emplace(who_tells(told, i));
    if (!fresh) continue;
    const Index best = found->first[kNeighbours] ? kNeighbours : kClusters;  // where nothing could be tried
    found->second.first = mixture_->tried() ? mixture_->weights(found->first)
                                            : RowVector(RowVector::Unit(std::ssize(found->first), best));
    found->second.second = mixture_->spread(found->second.first);
  }
  for_blocks(compute, chunk.size(), 1, true, [&](Index i, Index) {
    if (told.near.id(i, 0) < 0) return;
    const Index at = into[static_cast<std::size_t>(i)];
    const Matrix says = told_of(told, i);
    const auto& [weights, spread] = mixtures.at(who_tells(told, i));
    out.spread.row(at) = spread;
    for (Index j = 0; j < says.cols(); ++j) {
      double sum = 0;
      double value = 0;
      for (Index t = 0; t < says.rows(); ++t) {
        if (!(weights(t) > 0) || std::isnan(says(t, j))) continue;
        sum += weights(t);
        value += weights(t) * says(t, j);
      }
      out.values(at, j) = sum > 0 ? value / sum : says(kClusters, j);
    }
  });
}

}  // namespace omvc
