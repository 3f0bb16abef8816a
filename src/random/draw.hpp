// One draw with given chances, as k-means++ makes them.
#pragma once

#include <cstdint>
#include <vector>

namespace omvc {

// The place at which the running sum of the weights passes share * total, for a share in [0, 1); -1 if no weight is
// positive.
inline std::int64_t draw(const std::vector<double>& weights, double share) {
  double total = 0;
  for (const double weight : weights) total += weight;
  const double target = share * total;
  double sum = 0;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    sum += weights[i];
    last = static_cast<std::int64_t>(i);
    if (sum > target) break;
  }
  return last;
}

}  // namespace omvc
