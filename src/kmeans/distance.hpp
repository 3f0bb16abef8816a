// Squared Euclidean distances, always as sums of squared differences in the order of the columns: no cancellation, and
// every routine of this folder gets the same bits for the same pair of points.
#pragma once

#include "omvc/chunk.hpp"

namespace omvc {

inline double squared_distance(const double* a, const double* b, Index cols) {
  double sum = 0;
  for (Index j = 0; j < cols; ++j) {
    const double difference = a[j] - b[j];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace omvc
