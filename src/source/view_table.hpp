// A view held in memory, from which instances are picked by position.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

#include "source/view_reader.hpp"

namespace omvc {

class ViewTable {
 public:
  // `rows` is the number of instances, present or not. Positions in view.present may be in any order.
  ViewTable(ChunkView view, Index rows);

  Index rows() const { return static_cast<Index>(block_row_.size()); }

  // The instances at these positions, in this order. The result's positions count from the first of them.
  ChunkView select(std::span<const Index> positions) const;

 private:
  Block block_;
  std::vector<Index> block_row_;  // of each instance; -1 where it is absent
};

// The reader of a format that has to be loaded whole. `ids` are those of the rows, or none.
std::unique_ptr<ViewReader> make_memory_reader(std::string path, ViewSchema schema, ChunkView view, Index rows,
                                               std::vector<std::string> ids = {});

}  // namespace omvc
