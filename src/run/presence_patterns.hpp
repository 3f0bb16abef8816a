// Which presence patterns occur, and how their instances spread over the clusters. A clustering that follows what is
// missing instead of what was observed is a failure that the user must see.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "omvc/report.hpp"

#include "file/row_store.hpp"

namespace omvc {

class PresencePatterns {
 public:
  PresencePatterns(std::size_t views, const RowFolder& folder);

  // Remembers the patterns of a chunk, by row, on disk.
  void remember(const Chunk& chunk);

  // Counts the labels of rows [first, first + labels.size()) by pattern.
  void count(Index first, const std::vector<int>& labels);

  // Sizes are in the order of report.cluster_numbers.
  void report(Report& report) const;

  RowStore& store() { return *store_; }

 private:
  std::size_t views_;
  std::unique_ptr<RowStore> store_;                       // the pattern as the bits of a whole number
  std::map<std::uint64_t, std::map<int, Index>> counts_;  // by pattern: instances of each cluster
};

}  // namespace omvc
