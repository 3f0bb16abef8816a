// Rows for the tests of k-means.
#pragma once

#include <span>
#include <vector>

#include "omvc/kmeans.hpp"

#include "random/philox.hpp"

namespace omvc {

struct Points {
  std::vector<double> values;
  Index cols = 1;
  RowsView view() const { return {values.data(), static_cast<Index>(values.size()) / cols, cols}; }
};

inline Points random_points(Index rows, Index cols, std::uint32_t stream = 0) {
  Points points{{}, cols};
  const Random random(17, Purpose::sample, stream);
  for (Index i = 0; i < rows * cols; ++i) points.values.push_back(random.uniform(static_cast<std::uint64_t>(i)));
  return points;
}

// Whole numbers from a small range: duplicates, and many rows at equal distance from several centres.
inline Points lattice_points(Index rows, Index cols, std::uint64_t range) {
  Points points{{}, cols};
  const Random random(18, Purpose::sample);
  for (Index i = 0; i < rows * cols; ++i) {
    points.values.push_back(static_cast<double>(random.below(range, static_cast<std::uint64_t>(i))));
  }
  return points;
}

inline double distance(std::span<const double> a, const double* b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace omvc
