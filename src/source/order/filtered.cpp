#include <algorithm>
#include <utility>

#include "omvc/source.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

// The instances of a chunk at these positions, and no others.
Chunk take_instances(const Chunk& chunk, const std::vector<Index>& positions) {
  Chunk out;
  std::vector<Index> place(chunk.rows.size(), -1);
  for (const Index position : positions) {
    place[static_cast<std::size_t>(position)] = out.size();
    out.rows.push_back(chunk.rows[static_cast<std::size_t>(position)]);
  }
  for (const ChunkView& view : chunk.views) {
    std::vector<Index> kept;
    std::vector<Index> present;
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      const Index to = place[static_cast<std::size_t>(view.present[i])];
      if (to < 0) continue;
      kept.push_back(static_cast<Index>(i));
      present.push_back(to);
    }
    out.views.push_back({take_rows(view.block, kept), std::move(present)});
  }
  return out;
}

class FilteredSource final : public Source {
 public:
  FilteredSource(Source& source, std::function<bool(Index)> keep) : source_(source), keep_(std::move(keep)) {}

  const Schema& schema() const override { return source_.schema(); }
  bool rewind() override {
    delivered_ = 0;
    return source_.rewind();
  }

  std::optional<Chunk> next(Index max_rows) override {
    while (std::optional<Chunk> chunk = source_.next(max_rows)) {
      std::vector<Index> positions;
      for (Index i = 0; i < chunk->size(); ++i) {
        if (keep_(chunk->rows[static_cast<std::size_t>(i)])) positions.push_back(i);
      }
      if (positions.empty()) continue;
      Chunk taken = take_instances(*chunk, positions);
      for (Index& row : taken.rows) row = delivered_++;
      return taken;
    }
    return std::nullopt;
  }

 private:
  Source& source_;
  std::function<bool(Index)> keep_;
  Index delivered_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_filtered_source(Source& source, std::function<bool(Index)> keep) {
  return std::make_unique<FilteredSource>(source, std::move(keep));
}

}  // namespace omvc
