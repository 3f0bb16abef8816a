#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

namespace omvc {

void Contingency::add(int label, int truth, Index count) {
  if (count == 0 || truth == kNoClass) return;
  if (label < 0) {
    unlabelled_ += count;
    return;
  }
  counts_[label][truth] += count;
  scored_ += count;
}

void Contingency::add(std::span<const int> labels, std::span<const int> truth) {
  if (labels.size() != truth.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} labels cannot be compared with {} classes: give one class for every label",
                            labels.size(), truth.size()));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) add(labels[i], truth[i]);
}

std::vector<int> Contingency::labels() const {
  std::vector<int> heads;
  heads.reserve(counts_.size());
  for (const auto& [label, row] : counts_) heads.push_back(label);
  return heads;
}

std::vector<int> Contingency::classes() const {
  std::set<int> heads;
  for (const auto& [label, row] : counts_) {
    for (const auto& [truth, count] : row) heads.insert(truth);
  }
  return {heads.begin(), heads.end()};
}

std::vector<std::vector<double>> Contingency::table() const {
  const std::vector<int> heads = classes();
  std::vector<std::vector<double>> table;
  table.reserve(counts_.size());
  for (const auto& [label, row] : counts_) {
    std::vector<double>& cells = table.emplace_back(heads.size(), 0.0);
    for (const auto& [truth, count] : row) {
      const auto column = std::lower_bound(heads.begin(), heads.end(), truth) - heads.begin();
      cells[static_cast<std::size_t>(column)] = static_cast<double>(count);
    }
  }
  return table;
}

}  // namespace omvc
