#include "source/view_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "chunk/rows.hpp"

namespace omvc {
namespace {

class MemoryReader final : public ViewReader {
 public:
  MemoryReader(std::string path, ViewSchema schema, ChunkView view, Index rows, std::vector<std::string> ids)
      : path_(std::move(path)), schema_(std::move(schema)), table_(std::move(view), rows), ids_(std::move(ids)) {}

  const std::string& path() const override { return path_; }
  const ViewSchema& schema() const override { return schema_; }
  std::optional<Index> rows() const override { return table_.rows(); }

  ViewRows read(Index max_rows) override {
    std::vector<Index> positions(static_cast<std::size_t>(std::min(max_rows, table_.rows() - next_)));
    std::iota(positions.begin(), positions.end(), next_);
    const Index first = std::exchange(next_, next_ + static_cast<Index>(positions.size()));
    std::vector<std::string> ids;
    if (has_ids()) ids.assign(ids_.begin() + first, ids_.begin() + next_);
    return {table_.select(positions), static_cast<Index>(positions.size()), std::move(ids)};
  }

  bool rewind() override {
    next_ = 0;
    return true;
  }

  bool has_ids() const override { return !ids_.empty(); }
  std::vector<std::string> all_ids() override {
    rewind();
    return ids_;
  }

 private:
  std::string path_;
  ViewSchema schema_;
  ViewTable table_;
  std::vector<std::string> ids_;
  Index next_ = 0;
};

}  // namespace

ViewTable::ViewTable(ChunkView view, Index rows)
    : block_(std::move(view.block)), block_row_(static_cast<std::size_t>(rows), -1) {
  for (std::size_t i = 0; i < view.present.size(); ++i) {
    block_row_[static_cast<std::size_t>(view.present[i])] = static_cast<Index>(i);
  }
}

ChunkView ViewTable::select(std::span<const Index> positions) const {
  std::vector<Index> block_rows;
  std::vector<Index> present;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Index row = block_row_[static_cast<std::size_t>(positions[i])];
    if (row < 0) continue;
    block_rows.push_back(row);
    present.push_back(static_cast<Index>(i));
  }
  return {take_rows(block_, block_rows), std::move(present)};
}

std::unique_ptr<ViewReader> make_memory_reader(std::string path, ViewSchema schema, ChunkView view, Index rows,
                                               std::vector<std::string> ids) {
  return std::make_unique<MemoryReader>(std::move(path), std::move(schema), std::move(view), rows, std::move(ids));
}

}  // namespace omvc
