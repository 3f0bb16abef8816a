#include "kmeans/row_sample.hpp"

#include <algorithm>
#include <cmath>

#include "random/philox.hpp"

namespace omvc {

void RowSample::offer(Index row, std::span<const double> values) {
  if (!values.empty() && std::isnan(values[0])) return;
  const std::uint64_t priority = Random(seed_, Purpose::sample).bits(static_cast<std::uint64_t>(row));
  const std::pair key{priority, row};
  if (size() >= limit_ && key > kept_.rbegin()->first) return;
  kept_[key] = {row, {values.begin(), values.end()}};
  if (size() > limit_) kept_.erase(std::prev(kept_.end()));
}

std::vector<const RowSample::Kept*> RowSample::by_row() const {
  std::vector<const Kept*> order;
  for (const auto& [key, kept] : kept_) order.push_back(&kept);
  std::sort(order.begin(), order.end(), [](const Kept* a, const Kept* b) { return a->row < b->row; });
  return order;
}

std::vector<double> RowSample::values() const {
  std::vector<double> all;
  for (const Kept* kept : by_row()) all.insert(all.end(), kept->values.begin(), kept->values.end());
  return all;
}

std::vector<Index> RowSample::rows() const {
  std::vector<Index> all;
  for (const Kept* kept : by_row()) all.push_back(kept->row);
  return all;
}

}  // namespace omvc
