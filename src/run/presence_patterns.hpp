// Which presence patterns occur, and how their instances spread over the clusters. A clustering that follows what is
// missing instead of what was observed is a failure that the user must see.
#pragma once

#include <memory>
#include <vector>

#include "file/row_store.hpp"
#include "report/pattern_counts.hpp"

namespace omvc {

class PresencePatterns {
 public:
  PresencePatterns(std::size_t views, const RowFolder& folder);

  // Remembers the patterns of a chunk, by row, on disk.
  void remember(const Chunk& chunk);

  // Counts the labels of rows [first, first + labels.size()) by pattern.
  void count(Index first, const std::vector<int>& labels, PatternCounts& counts) const;

  RowStore& store() { return *store_; }

 private:
  std::size_t views_;
  std::unique_ptr<RowStore> store_;  // the pattern as the bits of a whole number
};

}  // namespace omvc
