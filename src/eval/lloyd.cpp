#include "eval/lloyd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "eval/distance.hpp"

namespace omvc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squares of smaller numbers lose precision to underflow, which a relative error does not cover.
constexpr double kTiny = 1e-150;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

}  // namespace

Lloyd::Lloyd(const RowsView& rows, std::vector<double> centres, std::span<const double> weights)
    : rows_(rows),
      weights_(weights),
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
  bool changed = false;
  for (Index row = 0; row < rows_.rows; ++row) changed = assign_row(row) || changed;
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
  std::vector<double> weights(size(clusters_), 0.0);
  for (Index k = 0; k < clusters_; ++k) {
    if (counts[size(k)] > 0) std::fill_n(centres_.begin() + k * rows_.cols, rows_.cols, 0.0);
  }
  for (Index i = 0; i < rows_.rows; ++i) {
    const double* x = rows_.data + i * rows_.cols;
    double* sum = centres_.data() + labels_[size(i)] * rows_.cols;
    const double weight = this->weight(i);
    weights[size(labels_[size(i)])] += weight;
    for (Index j = 0; j < rows_.cols; ++j) sum[j] += weight * x[j];
  }
  for (Index k = 0; k < clusters_; ++k) {
    if (counts[size(k)] == 0) continue;
    const double mass = std::max(weights[size(k)], kTiny);
    for (Index j = 0; j < rows_.cols; ++j) centres_[size(k * rows_.cols + j)] /= mass;
  }
  pack();
  move_bounds(before);
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
  for (Index i = 0; i < rows_.rows; ++i) {
    upper_[size(i)] = above(upper_[size(i)] + drift[size(labels_[size(i)])]);
    double* lower = lower_.data() + i * groups_;
    for (Index group = 0; group < groups_; ++group) lower[group] = below(lower[group] - group_drift[size(group)]);
  }
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
