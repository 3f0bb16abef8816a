// Which views every instance has, by row number, on disk.
#pragma once

#include <memory>
#include <vector>

#include "file/row_store.hpp"

namespace omvc {

class PresencePatterns {
 public:
  PresencePatterns(std::size_t views, const RowFolder& folder);

  void remember(const Chunk& chunk);
  // Of rows [first, first + count), as bits (chunk/presence.hpp); NaN for those that were never remembered.
  std::vector<double> read(Index first, Index count) const;

  RowStore& store() { return *store_; }
  const RowStore& store() const { return *store_; }

 private:
  std::size_t views_;
  std::unique_ptr<RowStore> store_;
};

}  // namespace omvc
