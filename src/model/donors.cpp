#include "model/donors.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "chunk/kinds.hpp"
#include "cut/row_graph.hpp"

namespace omvc {
namespace {

constexpr Index kCellDonors = 15;
constexpr double kLittle = 0.03;          // of what a row is compared by, that may be missing before all are looked at
constexpr Index kMostCompared = 200'000;  // numbers of these
constexpr Index kMostKept = 480;          // of them
constexpr double kNothingLeft = 1e-9;

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
      const double x = cell_of(block, i, j);
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

std::vector<std::int32_t> rows_by_instance(const ChunkView& view, std::size_t instances) {
  std::vector<std::int32_t> out(instances, -1);
  for (std::size_t i = 0; i < view.present.size(); ++i) {
    out[static_cast<std::size_t>(view.present[i])] = static_cast<std::int32_t>(i);
  }
  return out;
}

double cell_of(const Block& block, Index row, Index column) {
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

Donors::Donors(const RowTable& table, const KnownRows& rows, std::size_t view, std::vector<std::int32_t> having)
    : rows_(rows), view_(view), having_(std::move(having)), sample_(rows_of(table)) {
  for (std::size_t v = 0; v < sample_.views.size(); ++v) {
    const ChunkView& of_view = sample_.views[v];
    place_.push_back(rows_by_instance(of_view, sample_.rows.size()));
    RowVector means;
    if (is_sparse(of_view.block)) {
      const std::vector<double>& squares = table.views[v].squares;
      variances_.emplace_back();
      totals_.push_back(Vector::Map(squares.data(), std::ssize(squares)).sum() /
                        std::max(1.0, static_cast<double>(squares.size())));
    } else {
      variances_.push_back(variances_of(of_view.block, of_view.present, rows_, v, means));
      totals_.push_back(variances_.back().sum());
    }
    if (v == view_) means_ = means;
  }
}

// How an instance is compared: what a row of the sample is farther off by cells that one of the two lacks does not
// count, and what is usual of the rest stands for it.
class Donors::Comparison {
 public:
  Comparison(const Donors& donors, const Asked& asked)
      : donors_(donors), asked_(asked), at_(static_cast<std::size_t>(asked.instance)) {
    for (std::size_t v = 0; v < asked.place.size(); ++v) {
      if (asked.place[v][at_] < 0) continue;
      views_.push_back(v);
      all_ += donors.totals_[v];
      numbers_ += block_cols(asked.rows.views[v].block);
      dense_ = dense_ && !is_sparse(asked.rows.views[v].block);
      for (const Index j : asked.holes[v][at_]) missing_ += dense_ ? donors.variances_[v](j) : 0;
    }
  }

  double views() const { return static_cast<double>(views_.size()); }
  // Whether so much of it is missing that rows near it where it is filled in may be others than those near it.
  bool lacks_much() const { return dense_ && missing_ > kLittle * all_; }
  Index most_rows() const { return kMostCompared / std::max<Index>(numbers_, 1); }

  // `distance` is that of all cells; NaN where they have nothing in common.
  double without_holes(std::int32_t id, double distance, double lost = 0) const {
    for (const std::size_t v : views_) {
      const std::int32_t other = donors_.place_[v][static_cast<std::size_t>(id)];
      if (other < 0 || donors_.variances_[v].size() == 0) continue;
      const std::vector<Index>& own = asked_.holes[v][at_];
      const auto leave = [&](Index j) {
        const double off = cell_of(asked_.rows.views[v].block, asked_.place[v][at_], j) -
                           cell_of(donors_.sample_.views[v].block, other, j);
        distance -= off * off;
        lost += donors_.variances_[v](j);
      };
      for (const Index j : own) leave(j);
      for (const Index j : donors_.rows_.holes(v, id)) {
        if (!std::binary_search(own.begin(), own.end(), j)) leave(j);
      }
    }
    return all_ - lost > kNothingLeft * all_ ? std::max(0.0, distance) * all_ / (all_ - lost) : kNan;
  }

  // Of all cells of the views that both have; for those that the row lacks stands what is usual of the rest.
  double with_row(std::int32_t id) const {
    double distance = 0;
    double lost = 0;
    for (const std::size_t v : views_) {
      const std::int32_t other = donors_.place_[v][static_cast<std::size_t>(id)];
      if (other < 0) {
        lost += donors_.totals_[v];
        continue;
      }
      const auto y = std::get<DenseBlock<float>>(donors_.sample_.views[v].block).row(other);
      std::visit(
          [&](const auto& X) {
            if constexpr (!requires { X.offsets; }) {
              const auto x = X.row(asked_.place[v][at_]);
              for (std::size_t j = 0; j < y.size(); ++j) {
                const double off = static_cast<double>(x[j]) - double{y[j]};
                distance += off * off;
              }
            }
          },
          asked_.rows.views[v].block);
    }
    return without_holes(id, distance, lost);
  }

 private:
  const Donors& donors_;
  const Asked& asked_;
  std::size_t at_;
  std::vector<std::size_t> views_;  // that the instance has
  double all_ = 0;                  // variance of all of them
  double missing_ = 0;
  Index numbers_ = 0;
  bool dense_ = true;
};

// The nearest that have each hole say it. A row is no donor to itself.
RowVector Donors::say(std::vector<Donor> donors, const Asked& asked) const {
  std::erase_if(donors, [&](const Donor& donor) {
    const bool has = place_[view_][static_cast<std::size_t>(donor.row)] >= 0;
    return donor.row == asked.row || !has || std::isnan(donor.distance);
  });
  const auto kept = donors.begin() + std::min(std::ssize(donors), kMostKept);
  std::partial_sort(donors.begin(), kept, donors.end(), [](const Donor& a, const Donor& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
  });
  donors.erase(kept, donors.end());
  const std::vector<Index>& features = asked.holes[view_][static_cast<std::size_t>(asked.instance)];
  std::map<std::int32_t, RowVector> known;
  RowVector out = RowVector::Constant(std::ssize(features), kNan);
  for (std::size_t h = 0; h < features.size(); ++h) {
    std::vector<double> distances;
    std::vector<double> values;
    for (const Donor& donor : donors) {
      if (std::ssize(values) == kCellDonors) break;
      const std::vector<Index>& holes = rows_.holes(view_, donor.row);
      if (std::binary_search(holes.begin(), holes.end(), features[h])) continue;
      const auto [found, fresh] = known.try_emplace(donor.row);
      if (fresh) found->second = rows_.row(donor.row);
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

RowVector Donors::near(const Asked& asked, const NearRows& nearest) const {
  const Comparison comparison(*this, asked);
  std::vector<Donor> donors;
  for (Index c = 0; c < nearest.count && nearest.id(asked.instance, c) >= 0; ++c) {
    const std::int32_t id = nearest.id(asked.instance, c);
    const double distance = comparison.views() * nearest.distance(asked.instance, c);
    donors.push_back({.row = id, .distance = comparison.without_holes(id, distance)});
  }
  return say(std::move(donors), asked);
}

RowVector Donors::alike(const Asked& asked) const {
  const Comparison comparison(*this, asked);
  std::vector<Donor> donors;
  const Index most = comparison.lacks_much() ? comparison.most_rows() : 0;
  for (Index i = 0; i < std::min(std::ssize(having_), most); ++i) {
    const std::int32_t id = having_[static_cast<std::size_t>(i)];
    donors.push_back({.row = id, .distance = comparison.with_row(id)});
  }
  return say(std::move(donors), asked);
}

}  // namespace omvc
