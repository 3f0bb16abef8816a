// The smallest of many distances, as a search keeps them.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/row_table.hpp"

namespace omvc::cpu {

// A number that at least `count` of the values do not exceed, and few others: of the smallest values of kGroups groups,
// the `count`th. Where there are fewer values or groups than that, all values are within it.
inline constexpr Index kGroups = 16;
inline double within_reach(const double* values, Index size, Index count) {
  std::array<double, kGroups> least;
  least.fill(std::numeric_limits<double>::infinity());
  if (count > kGroups || size < 2 * kGroups) return least[0];
  for (Index first = 0; first + kGroups <= size; first += kGroups) {
    const double* group = values + first;
    for (std::size_t g = 0; g < kGroups; ++g) least[g] = group[g] < least[g] ? group[g] : least[g];
  }
  std::nth_element(least.begin(), least.begin() + count - 1, least.end());
  return least[static_cast<std::size_t>(count) - 1];
}

// The nearest rows found so far of one instance, ascending.
class Nearest {
 public:
  Nearest(NearRows& out, Index instance, std::int32_t own)
      : own_(own),
        count_(out.count),
        ids_(out.ids.data() + instance * count_),
        distances_(out.distances.data() + instance * count_) {}

  // Nothing farther than this is of use.
  double farthest() const { return distances_[count_ - 1]; }
  // So many values are needed to be sure of all of them, where one may be that of the instance itself.
  Index needed() const { return count_ + (own_ < 0 ? 0 : 1); }

  void offer(std::int32_t row, double distance) {
    if (!(distance <= distances_[count_ - 1])) return;
    const auto before = [&, turn = turn_of(row, own_)](Index j) {
      return distance < distances_[j] || (distance == distances_[j] && turn < order(ids_[j]));
    };
    if (!before(count_ - 1)) return;
    Index at = count_ - 1;
    for (; at > 0 && before(at - 1); --at) {
      ids_[at] = ids_[at - 1];
      distances_[at] = distances_[at - 1];
    }
    ids_[at] = row;
    distances_[at] = distance;
  }

 private:
  std::int64_t order(std::int32_t id) const {
    return id < 0 ? std::numeric_limits<std::int64_t>::max() : turn_of(id, own_);
  }
  std::int32_t own_;  // row of the table that the instance is; -1: none
  Index count_;
  std::int32_t* ids_;
  double* distances_;
};

}  // namespace omvc::cpu
