#include "kmeans/seeding.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kmeans/distance.hpp"
#include "random/draw.hpp"

namespace omvc {
namespace {

constexpr Index kSeededAtOnce = 256;  // that a thread works on

// Lowers out[i] to the squared distance between row i of some and a new centre. Four rows at a time hide the latency of
// the additions, whose order within a row is fixed.
void lower_to(const RowsView& rows, Index i, Index last, const double* centre, double* out) {
  constexpr Index kAbreast = 4;
  for (; i + kAbreast <= last; i += kAbreast) {
    const double* x = rows.data + i * rows.cols;
    std::array<double, kAbreast> sums{};
    for (Index j = 0; j < rows.cols; ++j) {
      const double c = centre[j];
      const double d0 = x[j] - c;
      const double d1 = x[j + rows.cols] - c;
      const double d2 = x[j + 2 * rows.cols] - c;
      const double d3 = x[j + 3 * rows.cols] - c;
      sums[0] += d0 * d0;
      sums[1] += d1 * d1;
      sums[2] += d2 * d2;
      sums[3] += d3 * d3;
    }
    for (Index k = 0; k < kAbreast; ++k) out[i + k] = std::min(out[i + k], sums[static_cast<std::size_t>(k)]);
  }
  for (; i < last; ++i) {
    out[i] = std::min(out[i], squared_distance(rows.data + i * rows.cols, centre, rows.cols));
  }
}

}  // namespace

std::vector<double> seed_centres(const RowsView& rows, std::span<const double> weights, int clusters,
                                 const Random& random, Compute& compute) {
  std::vector<double> centres;
  centres.reserve(static_cast<std::size_t>(clusters * rows.cols));
  std::vector<double> nearest(static_cast<std::size_t>(rows.rows), std::numeric_limits<double>::infinity());
  std::vector<bool> taken(nearest.size(), false);
  std::vector<double> chances;
  const auto draw_row = [&](std::uint64_t number) {
    if (weights.empty()) return draw(nearest, random.uniform(number));
    chances.assign(weights.begin(), weights.end());
    for (std::size_t i = 0; number > 0 && i < chances.size(); ++i) chances[i] *= nearest[i];
    return draw(chances, random.uniform(number));
  };
  for (int k = 0; k < clusters; ++k) {
    const auto number = static_cast<std::uint64_t>(k);
    Index row = k == 0 && weights.empty()
                    ? static_cast<Index>(random.below(static_cast<std::uint64_t>(rows.rows), number))
                    : draw_row(number);
    if (row < 0) row = std::find(taken.begin(), taken.end(), false) - taken.begin();
    taken[static_cast<std::size_t>(row)] = true;
    const std::span<const double> centre = rows.row(row);
    centres.insert(centres.end(), centre.begin(), centre.end());
    for_blocks(compute, rows.rows, kSeededAtOnce, true,
               [&](Index first, Index last) { lower_to(rows, first, last, centre.data(), nearest.data()); });
  }
  return centres;
}

}  // namespace omvc
