#include "model/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "cut/row_graph.hpp"
#include "random/philox.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kDonors = 15;
constexpr double kLittle =
    0.03;  // of what a row is compared by, that may be missing where others near it are looked for
constexpr Index kMostCompared = 200'000;      // numbers of the rows that it is compared with where more is
constexpr Index kMostKept = 480;              // of these
constexpr Index kCandidates = 120;            // rows of the sample that are compared by the cells that both have
constexpr Index kMostColumns = 400;           // told together
constexpr Index kMostProducts = 300'000'000;  // of two columns in a row, when these are learned
constexpr Index kFewestRows = 25;             // from which they are
constexpr std::array kRidges{1e-4, 1e-3, 1e-2, 1e-1, 1.0};
constexpr Index kMostHidden = 400;    // rows in which cells are hidden,
constexpr std::uint64_t kRounds = 4;  // so many times,
constexpr Index kHiddenShare = 20;    // one in so many, at least one
constexpr double kNothing = 1e-9;

enum Teller : Index { kAllRows, kClusters, kNeighbours, kAlike, kTogether, kFirstView };

std::vector<std::int32_t> rows_by_instance(const ChunkView& view, std::size_t instances) {
  std::vector<std::int32_t> out(instances, -1);
  for (std::size_t i = 0; i < view.present.size(); ++i) {
    out[static_cast<std::size_t>(view.present[i])] = static_cast<std::int32_t>(i);
  }
  return out;
}

// A cell of a dense block.
double cell(const Block& block, Index row, Index column) {
  return std::visit(
      [&](const auto& X) -> double {
        if constexpr (requires { X.offsets; }) {
          return kNan;
        } else {
          return static_cast<double>(X.row(row)[static_cast<std::size_t>(column)]);
        }
      },
      block);
}

// Variance and mean of each feature over the cells that are there.
Vector variances_of(const Block& block, const std::vector<Index>& present, const KnownRows& rows, std::size_t view,
                    RowVector& mean) {
  const Index features = block_cols(block);
  Vector count = Vector::Zero(features);
  Vector sum = count;
  Vector squares = count;
  for (Index i = 0; i < std::ssize(present); ++i) {
    const std::vector<Index>& holes = rows.holes(view, static_cast<std::int32_t>(present[static_cast<std::size_t>(i)]));
    for (Index j = 0; j < features; ++j) {
      if (std::binary_search(holes.begin(), holes.end(), j)) continue;
      const double x = cell(block, i, j);
      count(j) += 1;
      sum(j) += x;
      squares(j) += x * x;
    }
  }
  const Eigen::ArrayXd n = count.array().max(1);
  mean = (sum.array() / n).matrix().transpose();
  return (squares.array() / n - (sum.array() / n).square()).max(0);
}

}  // namespace

// What is known of the instances of a chunk.
struct Cells::Told {
  Chunk rows;                                  // filled
  std::vector<std::vector<std::int32_t>> row;  // in each view, of each instance; -1: it lacks it
  Matrix units;                                // the rows of the view, filled, in the data's own units; NaN: nobody can
  Near near;
  NearRows nearest;
  std::vector<NarrowMatrix> said;  // by the regression on each view
};

Cells::Cells(const Known& known, const std::vector<std::int32_t>& having, const Readers& judged, Compute& compute)
    : known_(known),
      having_(having),
      sample_(rows_of(known.model.clusters().votes->table())),
      mixture_(kFirstView + std::ssize(sample_.views), known.variance) {
  const RowTable& table = known_.model.clusters().votes->table();
  for (std::size_t v = 0; v < sample_.views.size(); ++v) {
    const ChunkView& view = sample_.views[v];
    RowVector mean;
    row_.push_back(rows_by_instance(view, sample_.rows.size()));
    const std::vector<double>& squares = table.views[v].squares;
    const double members = std::max(1.0, static_cast<double>(squares.size()));
    if (is_sparse(view.block)) {
      variances_.emplace_back();
      totals_.push_back(Vector::Map(squares.data(), std::ssize(squares)).sum() / members);
    } else {
      variances_.push_back(variances_of(view.block, view.present, known_.rows, v, mean));
      totals_.push_back(variances_.back().sum());
    }
    if (v == known_.view) middle_ = mean;
  }
  if (is_sparse(sample_.views[known_.view].block)) return;
  learn_joint(having, compute);
  std::vector<std::int32_t> hidden;
  for (std::size_t i = 0; i < having.size() && std::ssize(hidden) < kMostHidden; i += Ridge::kFolds) {
    hidden.push_back(having[i]);
  }
  for (std::uint64_t round = 0; round < kRounds; ++round) learn_mixture(hidden, judged, round, compute);
  judged_joint_.reset();
}

// Rows that are not hidden say which ridge is right for those that are.
void Cells::learn_joint(const std::vector<std::int32_t>& having, Compute& compute) {
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < sample_.views.size(); ++v) {
    if (!is_sparse(sample_.views[v].block) && !sample_.views[v].present.empty()) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (a == known_.view || b == known_.view) return a == known_.view && b != known_.view;
    return block_cols(sample_.views[a].block) < block_cols(sample_.views[b].block);
  });
  begin_ = {0};
  for (const std::size_t v : order) {
    const Index end = begin_.back() + block_cols(sample_.views[v].block);
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
    Holes holes(sample_.views.size());
    for (std::size_t v = 0; v < holes.size(); ++v) {
      for (const Index id : ids) holes[v].push_back(known_.rows.holes(v, static_cast<std::int32_t>(id)));
    }
    return columns_of(take_instances(sample_, ids), holes);
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
        out(instance, j) = cell(view.block, static_cast<Index>(i), j - begin_[g]);
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
  for (const ChunkView& view : out.rows.views) out.row.push_back(rows_by_instance(view, out.rows.rows.size()));
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

// How an instance is compared: what a row of the sample is farther off by cells that one of the two lacks does not
// count, and what is usual of the rest stands for it.
class Cells::Comparison {
 public:
  Comparison(const Cells& cells, const Told& told, const Holes& holes, Index instance)
      : cells_(cells), told_(told), holes_(holes), at_(static_cast<std::size_t>(instance)) {
    for (std::size_t v = 0; v < told.row.size(); ++v) {
      if (told.row[v][at_] < 0) continue;
      views_.push_back(v);
      all_ += cells.totals_[v];
      numbers_ += block_cols(told.rows.views[v].block);
      dense_ = dense_ && !is_sparse(told.rows.views[v].block);
      for (const Index j : holes[v][at_]) missing_ += dense_ ? cells.variances_[v](j) : 0;
    }
  }

  double views() const { return static_cast<double>(views_.size()); }
  // Whether so much of it is missing that rows near it where it is filled in may be others than those near it.
  bool lacks_much() const { return dense_ && missing_ > kLittle * all_; }
  Index most_rows() const { return kMostCompared / std::max<Index>(numbers_, 1); }

  // `distance` is that of all cells; NaN where they have nothing in common.
  double without_holes(std::int32_t id, double distance, double lost = 0) const {
    for (const std::size_t v : views_) {
      const std::int32_t other = cells_.row_[v][static_cast<std::size_t>(id)];
      if (other < 0 || cells_.variances_[v].size() == 0) continue;
      const std::vector<Index>& own = holes_[v][at_];
      const auto leave = [&](Index j) {
        const double off =
            cell(told_.rows.views[v].block, told_.row[v][at_], j) - cell(cells_.sample_.views[v].block, other, j);
        distance -= off * off;
        lost += cells_.variances_[v](j);
      };
      for (const Index j : own) leave(j);
      for (const Index j : cells_.known_.rows.holes(v, id)) {
        if (!std::binary_search(own.begin(), own.end(), j)) leave(j);
      }
    }
    return all_ - lost > kNothing * all_ ? std::max(0.0, distance) * all_ / (all_ - lost) : kNan;
  }

  // Of all cells of the views that both have; for those that the row lacks stands what is usual of the rest.
  double with_row(std::int32_t id) const {
    double distance = 0;
    double lost = 0;
    for (const std::size_t v : views_) {
      const std::int32_t other = cells_.row_[v][static_cast<std::size_t>(id)];
      if (other < 0) {
        lost += cells_.totals_[v];
        continue;
      }
      const auto y = std::get<DenseBlock<float>>(cells_.sample_.views[v].block).row(other);
      std::visit(
          [&](const auto& X) {
            if constexpr (!requires { X.offsets; }) {
              const auto x = X.row(told_.row[v][at_]);
              for (std::size_t j = 0; j < y.size(); ++j) {
                const double off = static_cast<double>(x[j]) - double{y[j]};
                distance += off * off;
              }
            }
          },
          told_.rows.views[v].block);
    }
    return without_holes(id, distance, lost);
  }

 private:
  const Cells& cells_;
  const Told& told_;
  const Holes& holes_;
  std::size_t at_;
  std::vector<std::size_t> views_;  // that the instance has
  double all_ = 0;                  // variance of all of them
  double missing_ = 0;
  Index numbers_ = 0;
  bool dense_ = true;
};

// Those of some rows of the sample that have the view, the nearest first. A row is no donor to itself.
std::vector<Cells::Donor> Cells::nearest_first(std::vector<Donor> donors, std::int32_t own) const {
  std::erase_if(donors, [&](const Donor& donor) {
    const bool has = row_[known_.view][static_cast<std::size_t>(donor.row)] >= 0;
    return donor.row == own || !has || std::isnan(donor.distance);
  });
  const auto kept = donors.begin() + std::min(std::ssize(donors), kMostKept);
  std::partial_sort(donors.begin(), kept, donors.end(), [](const Donor& a, const Donor& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
  });
  donors.erase(kept, donors.end());
  return donors;
}

// What the nearest rows that have each hole say of it.
RowVector Cells::by_neighbours(const std::vector<Donor>& donors, const std::vector<Index>& features) const {
  std::map<std::int32_t, RowVector> rows;
  RowVector out = RowVector::Constant(std::ssize(features), kNan);
  for (std::size_t h = 0; h < features.size(); ++h) {
    std::vector<double> distances;
    std::vector<double> values;
    for (const Donor& donor : donors) {
      if (std::ssize(values) == kDonors) break;
      const std::vector<Index>& holes = known_.rows.holes(known_.view, donor.row);
      if (std::binary_search(holes.begin(), holes.end(), features[h])) continue;
      const auto [found, fresh] = rows.try_emplace(donor.row);
      if (fresh) found->second = known_.rows.row(donor.row);
      distances.push_back(donor.distance);
      values.push_back(found->second(features[h]));
    }
    if (values.empty()) continue;
    std::vector<double> weights(values.size());
    outside_weights(distances.data(), std::ssize(distances), weights.data());
    double sum = 0;
    double value = 0;
    for (std::size_t d = 0; d < values.size(); ++d) {
      sum += weights[d];
      value += weights[d] * values[d];
    }
    if (sum > 0) out(static_cast<Index>(h)) = value / sum;
  }
  return out;
}

// Tellers x holes of one instance.
Matrix Cells::says(const Told& told, const Holes& holes, Index instance, std::int32_t own) const {
  const auto at = static_cast<std::size_t>(instance);
  const std::vector<Index>& features = holes[known_.view][at];
  Matrix out = Matrix::Constant(kFirstView + std::ssize(told.said), std::ssize(features), kNan);
  out.row(kAllRows) = known_.mean(features);
  out.row(kClusters) = RowVector(known_.placer.shares(told.near, instance) * known_.means)(features);
  const Comparison comparison(*this, told, holes, instance);
  std::vector<Donor> donors;
  for (Index c = 0; c < told.nearest.count && told.nearest.id(instance, c) >= 0; ++c) {
    const std::int32_t id = told.nearest.id(instance, c);
    const double distance = comparison.views() * told.nearest.distance(instance, c);
    donors.push_back({.row = id, .distance = comparison.without_holes(id, distance)});
  }
  out.row(kNeighbours) = by_neighbours(nearest_first(std::move(donors), own), features);
  if (comparison.lacks_much()) {
    donors.clear();
    for (Index i = 0; i < std::min(std::ssize(having_), comparison.most_rows()); ++i) {
      const std::int32_t id = having_[static_cast<std::size_t>(i)];
      donors.push_back({.row = id, .distance = comparison.with_row(id)});
    }
    out.row(kAlike) = by_neighbours(nearest_first(std::move(donors), own), features);
  }
  out.row(kTogether) = told.units.row(instance)(features);
  for (std::size_t v = 0; v < told.said.size(); ++v) {
    if (told.said[v].size() == 0 || told.row[v][at] < 0) continue;
    out.row(kFirstView + static_cast<Index>(v)) = told.said[v].row(told.row[v][at]).cast<double>()(features);
  }
  return out;
}

void Cells::learn_mixture(const std::vector<std::int32_t>& hidden, const Readers& judged, std::uint64_t round,
                          Compute& compute) {
  const Random random(0, Purpose::cells, static_cast<std::uint32_t>(round));
  const Index features = known_.mean.size();
  const Index count = std::max<Index>(1, features / kHiddenShare);
  Holes holes(sample_.views.size());
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
  Chunk rows = take_instances(sample_, positions);
  auto& X = std::get<DenseBlock<float>>(rows.views[known_.view].block);  // a row for each: all have the view
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const Index j : asked[i])
      X.values[i * static_cast<std::size_t>(features) + static_cast<std::size_t>(j)] = static_cast<float>(middle_(j));
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
        const Index best = who[kNeighbours] ? kNeighbours : kClusters;  // where nothing could be tried
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
