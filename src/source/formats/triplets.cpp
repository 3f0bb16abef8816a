#include "source/formats/triplets.hpp"

#include <algorithm>
#include <numeric>

namespace omvc {

TripletMatrix csr_from_triplets(std::span<const Triplet> entries, Index rows, Index cols) {
  TripletMatrix out;
  CsrBlock<double>& block = out.block;
  block.rows = rows;
  block.cols = cols;
  block.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const Triplet& entry : entries) ++block.offsets[static_cast<std::size_t>(entry.row) + 1];
  std::partial_sum(block.offsets.begin(), block.offsets.end(), block.offsets.begin());

  std::vector<std::size_t> by_row(entries.size());  // numbers of entries, row after row
  std::vector<Index> next(block.offsets.begin(), block.offsets.end() - 1);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    by_row[static_cast<std::size_t>(next[static_cast<std::size_t>(entries[k].row)]++)] = k;
  }
  const auto by_column = [&](std::size_t a, std::size_t b) {
    return entries[a].column != entries[b].column ? entries[a].column < entries[b].column : a < b;
  };
  for (Index row = 0; row < rows; ++row) {
    const auto first = by_row.begin() + block.offsets[static_cast<std::size_t>(row)];
    const auto last = by_row.begin() + block.offsets[static_cast<std::size_t>(row) + 1];
    if (!std::is_sorted(first, last, by_column)) std::sort(first, last, by_column);
    const auto same = std::adjacent_find(
        first, last, [&](std::size_t a, std::size_t b) { return entries[a].column == entries[b].column; });
    if (same != last) {
      out.repeated = &entries[*(same + 1)];
      return out;
    }
  }
  block.columns.reserve(entries.size());
  block.values.reserve(entries.size());
  for (const std::size_t k : by_row) {
    block.columns.push_back(entries[k].column);
    block.values.push_back(entries[k].value);
  }
  return out;
}

}  // namespace omvc
