#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <span>

#include "omvc/error.hpp"
#include "omvc/source.hpp"

#include "chunk/rows.hpp"
#include "source/max_rows.hpp"
#include "source/order/permutation.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

// Rows at a time while a source of unknown size is read whole.
constexpr Index kReadRows = 1 << 16;

class TableSource final : public Source {
 public:
  TableSource(Schema schema, Chunk table, std::vector<Index> order, std::vector<std::string> ids)
      : schema_(std::move(schema)), rows_(std::move(table.rows)), order_(std::move(order)), ids_(std::move(ids)) {
    const Index size = static_cast<Index>(rows_.size());
    if (order_.empty()) {
      order_.resize(rows_.size());
      std::iota(order_.begin(), order_.end(), Index{0});
    }
    check_permutation(order_, size);
    for (ChunkView& view : table.views) views_.emplace_back(std::move(view), size);
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return static_cast<Index>(rows_.size()); }
  std::vector<std::string> ids(Index first, Index count) override {
    const Index known = static_cast<Index>(ids_.size());
    return {ids_.begin() + std::min(first, known), ids_.begin() + std::min(first + count, known)};
  }

  std::optional<Chunk> next(Index max_rows) override {
    check_max_rows(max_rows);
    const Index count = std::min(max_rows, static_cast<Index>(order_.size()) - next_);
    if (count == 0) return std::nullopt;
    const std::span<const Index> positions(order_.data() + next_, static_cast<std::size_t>(count));
    next_ += count;
    Chunk chunk;
    for (const Index position : positions) chunk.rows.push_back(rows_[static_cast<std::size_t>(position)]);
    for (const ViewTable& view : views_) chunk.views.push_back(view.select(positions));
    return chunk;
  }

  void skip(Index rows) override { next_ += std::min(rows, static_cast<Index>(order_.size()) - next_); }

  bool rewind() override {
    next_ = 0;
    return true;
  }

 private:
  Schema schema_;
  std::vector<Index> rows_;
  std::vector<ViewTable> views_;
  std::vector<Index> order_;
  std::vector<std::string> ids_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_table_source(Schema schema, Chunk table, std::vector<Index> order,
                                          std::vector<std::string> ids) {
  check_chunk(table, schema);
  return std::make_unique<TableSource>(std::move(schema), std::move(table), std::move(order), std::move(ids));
}

Chunk read_all(Source& source) {
  const Schema& schema = source.schema();
  const Index rows_at_once = std::max<Index>(source.size().value_or(kReadRows), 1);
  Chunk whole;
  if (auto first = source.next(rows_at_once)) {
    whole = std::move(*first);
  } else {
    for (const ViewSchema& view : schema.views) {
      DenseBlock<double> empty;
      empty.cols = view.features;
      whole.views.push_back({std::move(empty), {}});
    }
  }
  while (const auto chunk = source.next(rows_at_once)) {
    if (chunk->views.size() != whole.views.size()) {
      throw Error(ErrorKind::data,
                  fmt::format("a chunk has {} views, the first had {}", chunk->views.size(), whole.views.size()));
    }
    append_chunk(whole, *chunk, schema);
  }
  return whole;
}

}  // namespace omvc
