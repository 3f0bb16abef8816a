#include "kmeans/lloyd.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kmeans/distance.hpp"

namespace omvc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squares of smaller numbers lose precision to underflow, which a relative error does not cover.
constexpr double kTiny = 1e-150;

constexpr Index kRowsAtOnce = 64;     // that a thread works on
constexpr Index kCentresAtOnce = 16;  // likewise

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

}  // namespace

Lloyd::Lloyd(const RowsView& rows, std::vector<double> centres, std::span<const double> weights, Compute& compute)
    : rows_(rows),
      weights_(weights),
      compute_(compute),
      clusters_(rows.cols == 0 ? 1 : static_cast<Index>(centres.size()) / rows.cols),
      groups_((clusters_ + kGroup - 1) / kGroup),
      // A computed distance is off by at most (cols + 4) / 4 epsilons: this leaves a margin of 4 on each side.
      slack_(static_cast<double>(rows.cols + 8) * std::numeric_limits<double>::epsilon()),
      centres_(std::move(centres)),
      packed_(size(groups_ * rows.cols * kGroup), kInfinity),
      labels_(size(rows.rows), -1),
      upper_(size(rows.rows), kInfinity),
      lower_(size(rows.rows * groups_), 0.0) {
  pack();
}

template <class Body>
void Lloyd::for_rows(const Body& body) {
  for_blocks(compute_, rows_.rows, kRowsAtOnce, true, body);
}

double Lloyd::above(double distance) const { return distance * (1 + slack_) + kTiny; }

double Lloyd::below(double distance) const { return std::max(0.0, distance * (1 - slack_) - kTiny); }

void Lloyd::pack() {
  for (Index k = 0; k < clusters_; ++k) {
    double* lane = packed_.data() + k / kGroup * rows_.cols * kGroup + k % kGroup;
    for (Index j = 0; j < rows_.cols; ++j) lane[j * kGroup] = centres_[size(k * rows_.cols + j)];
  }
}

Lloyd::Lanes Lloyd::group_distances(const double* x, Index group) const {
  const double* centres = packed_.data() + group * rows_.cols * kGroup;
  Lanes sum = Lanes::Zero();
  for (Index j = 0; j < rows_.cols; ++j) {
    const Lanes difference = x[j] - Eigen::Map<const Lanes>(centres + j * kGroup);
    sum += difference * difference;
  }
  return sum;
}

bool Lloyd::assign_row(Index row) {
  const int old = labels_[size(row)];
  double* lower = lower_.data() + row * groups_;
  if (old >= 0 && upper_[size(row)] < *std::min_element(lower, lower + groups_)) return false;

  const double* x = rows_.data + row * rows_.cols;
  double best = kInfinity;
  double runner_up = kInfinity;  // within the group of the best
  Index label = clusters_;
  double upper = kInfinity;
  const auto scan = [&](Index group) {
    Lanes distances = group_distances(x, group);
    const double first = distances.minCoeff();
    lower[group] = below(std::sqrt(first));
    if (first > best) return;
    const Index lane = std::find(distances.begin(), distances.end(), first) - distances.begin();
    const Index candidate = group * kGroup + lane;
    if (first == best && candidate > label) return;
    best = first;
    label = candidate;
    upper = above(std::sqrt(first));
    distances[lane] = kInfinity;
    runner_up = distances.minCoeff();
  };
  // The group of the old centre comes first: it makes the others easy to rule out.
  const Index home = std::max(old, 0) / kGroup;
  scan(home);
  for (Index group = 0; group < groups_; ++group) {
    if (group != home && !(upper < lower[group])) scan(group);
  }
  lower[label / kGroup] = below(std::sqrt(runner_up));
  upper_[size(row)] = upper;
  labels_[size(row)] = static_cast<int>(label);
  return label != old;
}

bool Lloyd::assign() {
  std::atomic<bool> changed = false;
  for_rows([&](Index first, Index last) {
    bool any = false;
    for (Index row = first; row < last; ++row) any = assign_row(row) || any;
    if (any) changed = true;
  });
  return changed;
}

void Lloyd::fill_empty_clusters(std::vector<Index>& counts) {
  if (std::find(counts.begin(), counts.end(), 0) == counts.end()) return;
  std::vector<double> distances(size(rows_.rows));
  for (Index i = 0; i < rows_.rows; ++i) {
    distances[size(i)] =
        squared_distance(rows_.data + i * rows_.cols, centres_.data() + labels_[size(i)] * rows_.cols, rows_.cols);
  }
  for (std::size_t empty = 0; empty < counts.size(); ++empty) {
    if (counts[empty] > 0) continue;
    Index farthest = -1;
    double distance = 0;
    for (Index i = 0; i < rows_.rows; ++i) {
      if (distances[size(i)] > distance && counts[size(labels_[size(i)])] > 1) {
        farthest = i;
        distance = distances[size(i)];
      }
    }
    if (farthest < 0) return;
    --counts[size(labels_[size(farthest)])];
    counts[empty] = 1;
    labels_[size(farthest)] = static_cast<int>(empty);
    distances[size(farthest)] = 0;
    upper_[size(farthest)] = kInfinity;
    std::fill_n(lower_.begin() + farthest * groups_, groups_, 0.0);
  }
}

void Lloyd::update() {
  std::vector<Index> counts(size(clusters_), 0);
  for (const int label : labels_) ++counts[size(label)];
  fill_empty_clusters(counts);
  std::vector<double> before = centres_;
  move_centres(counts);
  pack();
  move_bounds(before);
}

// The rows of a centre are added in their order, whichever thread does it.
void Lloyd::move_centres(const std::vector<Index>& counts) {
  std::vector<Index> end(size(clusters_));  // of the members of each centre, in a list of all
  std::partial_sum(counts.begin(), counts.end(), end.begin());
  std::vector<Index> next = end;
  for (std::size_t k = 0; k < next.size(); ++k) next[k] -= counts[k];
  std::vector<Index> members(size(rows_.rows));
  for (Index i = 0; i < rows_.rows; ++i) members[size(next[size(labels_[size(i)])]++)] = i;
  for_blocks(compute_, clusters_, kCentresAtOnce, true, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      if (counts[size(k)] == 0) continue;
      double* centre = centres_.data() + k * rows_.cols;
      std::fill_n(centre, rows_.cols, 0.0);
      double mass = 0;
      for (Index m = end[size(k)] - counts[size(k)]; m < end[size(k)]; ++m) {
        const double* x = rows_.data + members[size(m)] * rows_.cols;
        const double weight = this->weight(members[size(m)]);
        mass += weight;
        for (Index j = 0; j < rows_.cols; ++j) centre[j] += weight * x[j];
      }
      mass = std::max(mass, kTiny);
      for (Index j = 0; j < rows_.cols; ++j) centre[j] /= mass;
    }
  });
}

void Lloyd::move_bounds(const std::vector<double>& before) {
  std::vector<double> drift(size(clusters_));
  std::vector<double> group_drift(size(groups_), 0.0);
  for (Index k = 0; k < clusters_; ++k) {
    const Index at = k * rows_.cols;
    const double squared = squared_distance(centres_.data() + at, before.data() + at, rows_.cols);
    drift[size(k)] = above(std::sqrt(squared));
    group_drift[size(k / kGroup)] = std::max(group_drift[size(k / kGroup)], drift[size(k)]);
  }
  for_rows([&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      upper_[size(i)] = above(upper_[size(i)] + drift[size(labels_[size(i)])]);
      double* lower = lower_.data() + i * groups_;
      for (Index group = 0; group < groups_; ++group) lower[group] = below(lower[group] - group_drift[size(group)]);
    }
  });
}

KMeansResult Lloyd::take() {
  KMeansResult result;
  for (Index i = 0; i < rows_.rows; ++i) {
    result.inertia += weight(i) * squared_distance(rows_.data + i * rows_.cols,
                                                   centres_.data() + labels_[size(i)] * rows_.cols, rows_.cols);
  }
  result.centres = std::move(centres_);
  result.labels = std::move(labels_);
  return result;
}

}  // namespace omvc
