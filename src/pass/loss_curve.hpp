// The loss after every chunk, thinned so that any number of chunks leaves a bounded number of points: every stride-th
// value is kept, and the stride doubles when they are too many.
#pragma once

#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class LossCurve {
 public:
  void add(double value) {
    last_ = value;
    if (count_++ % stride_ == 0) points_.push_back(value);
    if (points_.size() < kPoints) return;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize(points_.size() / 2);
    stride_ *= 2;
  }

  // At most 256, the last value among them.
  std::vector<double> points() const {
    std::vector<double> all = points_;
    if (count_ > 0 && (count_ - 1) % stride_ != 0) all.push_back(last_);
    return all;
  }

  // Everything there is to know, for a checkpoint: {stride, count, last, points ...}; and back.
  std::vector<double> state() const {
    std::vector<double> out{static_cast<double>(stride_), static_cast<double>(count_), last_};
    out.insert(out.end(), points_.begin(), points_.end());
    return out;
  }
  bool restore(const std::vector<double>& state) {
    constexpr double kMost = 1LL << 53;
    const bool counts = state.size() >= 3 && state[0] >= 1 && state[0] <= kMost && state[1] >= 0 && state[1] <= kMost;
    if (!counts || state.size() > 3 + kPoints) return false;
    stride_ = static_cast<Index>(state[0]);
    count_ = static_cast<Index>(state[1]);
    last_ = state[2];
    points_.assign(state.begin() + 3, state.end());
    return true;
  }

 private:
  static constexpr std::size_t kPoints = 256;

  std::vector<double> points_;
  Index stride_ = 1;
  Index count_ = 0;
  double last_ = 0;
};

}  // namespace omvc
