#include "model/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "random/philox.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kCandidates = 120;            // rows of the sample that are compared by the cells that both have
constexpr Index kMostColumns = 400;           // told together
constexpr Index kMostProducts = 300'000'000;  // of two columns in a row, when these are learned
constexpr Index kFewestRows = 25;             // from which they are
constexpr std::array kRidges{1e-4, 1e-3, 1e-2, 1e-1, 1.0};
constexpr Index kMostHiddenRows = 400;  // rows in which cells are hidden,
constexpr std::uint64_t kRounds = 4;    // so many times,
constexpr Index kHiddenShare = 20;      // one in so many, at least one

enum CellTeller : Index { kOfAllRows, kOfClusters, kOfNeighbours, kOfAlikeRows, kOfTogether, kOfFirstView };

}  // namespace

// What is known of the instances of a chunk.
struct Cells::Told {
  Chunk rows;                                    // filled
  std::vector<std::vector<std::int32_t>> place;  // in each view, of each instance; -1: it lacks it
  Matrix units;  // the rows of the view, filled, in the data's own units; NaN: nobody can
  Near near;
  NearRows nearest;
  std::vector<NarrowMatrix> said;  // by the regression on each view
};

Cells::Cells(const Known& known, const std::vector<std::int32_t>& having, const Readers& judged, Compute& compute)
    : known_(known),
      donors_(known.model.clusters().votes->table(), known.rows, known.view, having),
      mixture_(kOfFirstView + std::ssize(donors_.sample().views), known.variance) {
  if (is_sparse(donors_.sample().views[known_.view].block)) return;
  learn_joint(having, compute);
  std::vector<std::int32_t> hidden;
  for (std::size_t i = 0; i < having.size() && std::ssize(hidden) < kMostHiddenRows; i += Ridge::kFolds) {
    hidden.push_back(having[i]);
  }
  for (std::uint64_t round = 0; round < kRounds; ++round) learn_mixture(hidden, judged, round, compute);
  judged_joint_.reset();
}

// Rows that are not hidden say which ridge is right for those that are.
void Cells::learn_joint(const std::vector<std::int32_t>& having, Compute& compute) {
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < donors_.sample().views.size(); ++v) {
    if (!is_sparse(donors_.sample().views[v].block) && !donors_.sample().views[v].present.empty()) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (a == known_.view || b == known_.view) return a == known_.view && b != known_.view;
    return block_cols(donors_.sample().views[a].block) < block_cols(donors_.sample().views[b].block);
  });
  begin_ = {0};
  for (const std::size_t v : order) {
    const Index end = begin_.back() + block_cols(donors_.sample().views[v].block);
    if (end > kMostColumns) break;
    views_.push_back(v);
    begin_.push_back(end);
  }
  const Index columns = begin_.back();
  if (columns == 0) return;
  const Index most = std::min(std::ssize(having), kMostProducts / (columns * columns));
  if (most < kFewestRows) return;
  std::vector<Index> hidden;
  std::vector<Index> others;
  for (Index i = 0; i < most; ++i)
    (i % Ridge::kFolds == 0 ? hidden : others).push_back(having[static_cast<std::size_t>(i)]);
  const auto matrix_of = [&](const std::vector<Index>& ids) {
    Holes holes(donors_.sample().views.size());
    for (std::size_t v = 0; v < holes.size(); ++v) {
      for (const Index id : ids) holes[v].push_back(known_.rows.holes(v, static_cast<std::int32_t>(id)));
    }
    return columns_of(take_instances(donors_.sample(), ids), holes);
  };
  const Matrix judging = matrix_of(hidden);
  judged_joint_ = std::make_unique<Joint>(matrix_of(others), begin_, compute);
  const std::vector<Index> all(having.begin(), having.begin() + most);
  joint_ = std::make_unique<Joint>(matrix_of(all), begin_, compute);
  double least = std::numeric_limits<double>::infinity();
  for (const double ridge : kRidges) {
    const double error = judged_joint_->error(judging, ridge, compute);
    if (!(error < least)) continue;
    least = error;
    judged_joint_->set_ridge(ridge);
    joint_->set_ridge(ridge);
  }
}

// The columns that are told together, NaN where nothing is known.
Matrix Cells::columns_of(const Chunk& rows, const Holes& holes) const {
  Matrix out = Matrix::Constant(rows.size(), begin_.back(), kNan);
  for (std::size_t g = 0; g < views_.size(); ++g) {
    const ChunkView& view = rows.views[views_[g]];
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      const Index instance = view.present[i];
      for (Index j = begin_[g]; j < begin_[g + 1]; ++j) {
        out(instance, j) = cell_of(view.block, static_cast<Index>(i), j - begin_[g]);
      }
      for (const Index j : holes[views_[g]][static_cast<std::size_t>(instance)]) out(instance, begin_[g] + j) = kNan;
    }
  }
  return out;
}

// Cells that nobody fills stay at the means of their columns.
Matrix Cells::fill(Chunk& rows, const Holes& holes, const Joint* joint, Compute& compute) const {
  Matrix units = Matrix::Constant(rows.size(), known_.mean.size(), kNan);
  if (joint == nullptr) return units;
  Matrix columns = columns_of(rows, holes);
  joint->fill(columns, compute);
  for (std::size_t g = 0; g < views_.size(); ++g) {
    ChunkView& view = rows.views[views_[g]];
    view.block = as_dense(widened(std::move(view.block)));
    auto& X = std::get<DenseBlock<double>>(view.block);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      const Index instance = view.present[i];
      for (const Index j : holes[views_[g]][static_cast<std::size_t>(instance)]) {
        const double told = columns(instance, begin_[g] + j);
        if (!std::isnan(told)) X.values[i * static_cast<std::size_t>(X.cols) + static_cast<std::size_t>(j)] = told;
      }
    }
  }
  for (Index i = 0; i < rows.size(); ++i) {
    const RowVector own = columns.row(i).head(begin_[1]);
    if (own.array().isNaN().any()) continue;
    const std::vector<double> told =
        unscaled(known_.model.intake().scaling()[known_.view], known_.model.seen().survey().views[known_.view],
                 {own.begin(), own.end()});
    units.row(i) = Eigen::Map<const RowVector>(told.data(), units.cols());
  }
  return units;
}

Cells::Told Cells::told(Chunk rows, const Holes& holes, const Readers& readers, const Joint* joint,
                        Compute& compute) const {
  Told out;
  out.units = fill(rows, holes, joint, compute);
  out.rows = std::move(rows);
  for (const ChunkView& view : out.rows.views) out.place.push_back(rows_by_instance(view, out.rows.rows.size()));
  const PreparedChunk chunk(out.rows);
  std::vector<NarrowMatrix> products;
  out.near = known_.placer.near(chunk, compute, &products);
  out.nearest = known_.model.clusters().votes->nearest(chunk, out.near, products, kCandidates, compute);
  out.said.resize(readers.size());
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (readers[v]) out.said[v] = readers[v]->says(chunk.views[v], compute);
  }
  return out;
}

// Tellers x holes of one instance.
Matrix Cells::says(const Told& told, const Holes& holes, Index instance, std::int32_t own) const {
  const auto at = static_cast<std::size_t>(instance);
  const std::vector<Index>& features = holes[known_.view][at];
  Matrix out = Matrix::Constant(kOfFirstView + std::ssize(told.said), std::ssize(features), kNan);
  out.row(kOfAllRows) = known_.mean(features);
  out.row(kOfClusters) = RowVector(known_.placer.shares(told.near, instance) * known_.means)(features);
  const Donors::Asked asked{.rows = told.rows, .place = told.place, .holes = holes, .instance = instance, .row = own};
  out.row(kOfNeighbours) = donors_.near(asked, told.nearest);
  out.row(kOfAlikeRows) = donors_.alike(asked);
  out.row(kOfTogether) = told.units.row(instance)(features);
  for (std::size_t v = 0; v < told.said.size(); ++v) {
    if (told.said[v].size() == 0 || told.place[v][at] < 0) continue;
    out.row(kOfFirstView + static_cast<Index>(v)) = told.said[v].row(told.place[v][at]).cast<double>()(features);
  }
  return out;
}

void Cells::learn_mixture(const std::vector<std::int32_t>& hidden, const Readers& judged, std::uint64_t round,
                          Compute& compute) {
  const Random random(0, Purpose::cells, static_cast<std::uint32_t>(round));
  const Index features = known_.mean.size();
  const Index count = std::max<Index>(1, features / kHiddenShare);
  Holes holes(donors_.sample().views.size());
  std::vector<std::vector<Index>> asked;
  for (const std::int32_t id : hidden) {
    for (std::size_t v = 0; v < holes.size(); ++v) holes[v].push_back(known_.rows.holes(v, id));
    std::vector<Index>& of_row = holes[known_.view].back();
    std::vector<Index>& of_us = asked.emplace_back();
    for (Index c = 0; c < count && std::ssize(of_row) + 1 < features; ++c) {
      const auto place = static_cast<std::uint64_t>(id * features + c);
      const auto j = static_cast<Index>(random.below(static_cast<std::uint64_t>(features), place));
      const auto before = std::lower_bound(of_row.begin(), of_row.end(), j);
      if (before != of_row.end() && *before == j) continue;
      of_row.insert(before, j);
      of_us.push_back(j);
    }
  }
  const std::vector<Index> positions(hidden.begin(), hidden.end());
  Chunk rows = take_instances(donors_.sample(), positions);
  auto& X = std::get<DenseBlock<float>>(rows.views[known_.view].block);  // a row for each: all have the view
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const Index j : asked[i])
      X.values[i * static_cast<std::size_t>(features) + static_cast<std::size_t>(j)] =
          static_cast<float>(donors_.means()(j));
  }
  const Told told_of = told(std::move(rows), holes, judged, judged_joint_.get(), compute);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (asked[i].empty()) continue;
    const std::vector<Index>& of_row = holes[known_.view][i];
    const Matrix says_of = says(told_of, holes, static_cast<Index>(i), hidden[i]);
    const RowVector row = known_.rows.row(hidden[i]);
    Matrix all = Matrix::Constant(says_of.rows(), features, kNan);
    all(Eigen::all, of_row) = says_of;
    RowVector truth = RowVector::Constant(features, kNan);
    truth(asked[i]) = row(asked[i]);
    mixture_.add(all, truth);
  }
}

void Cells::tell(Chunk rows, const Holes& holes, const Readers& readers, const std::vector<Index>& into, Matrix& values,
                 Matrix& spread, Compute& compute) const {
  const Index count = rows.size();
  const Told told_of = told(std::move(rows), holes, readers, joint_.get(), compute);
  std::vector<Matrix> says_of(static_cast<std::size_t>(count));
  for_blocks(compute, count, 1, true,
             [&](Index i, Index) { says_of[static_cast<std::size_t>(i)] = says(told_of, holes, i, -1); });
  // Those who can tell are the same for many cells.
  std::map<std::vector<bool>, std::pair<RowVector, RowVector>> mixtures;
  for (std::size_t i = 0; i < says_of.size(); ++i) {
    const std::vector<Index>& features = holes[known_.view][i];
    for (std::size_t h = 0; h < features.size(); ++h) {
      const Vector told_of_cell = says_of[i].col(static_cast<Index>(h));
      std::vector<bool> who;
      for (const double x : told_of_cell) who.push_back(!std::isnan(x));
      const auto [found, fresh] = mixtures.try_emplace(who);
      if (fresh) {
        const Index best = who[kOfNeighbours] ? kOfNeighbours : kOfClusters;  // where nothing could be tried
        found->second.first =
            mixture_.tried() ? mixture_.weights(who) : RowVector(RowVector::Unit(std::ssize(who), best));
        found->second.second = mixture_.spread(found->second.first);
      }
      const auto& [weights, off] = found->second;
      double value = 0;
      for (Index t = 0; t < weights.size(); ++t) value += weights(t) > 0 ? weights(t) * told_of_cell(t) : 0;
      values(into[i], features[h]) = value;
      spread(into[i], features[h]) = off(features[h]);
    }
  }
}

}  // namespace omvc
