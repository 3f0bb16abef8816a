#include "run/waiting_rows.hpp"

#include <algorithm>
#include <utility>

#include "chunk/rows.hpp"

namespace omvc {

double WaitingRows::seconds() const { return std::chrono::duration<double>(Clock::now() - since_).count(); }

bool WaitingRows::fits(const Chunk& chunk) const {
  for (std::size_t v = 0; v < rows_.views.size(); ++v) {
    const bool both = !rows_.views[v].present.empty() && !chunk.views[v].present.empty();
    if (both && rows_.views[v].block.index() != chunk.views[v].block.index()) return false;
  }
  return true;
}

void WaitingRows::add(const Chunk& chunk, std::span<const std::string> ids, Index first, const Schema& schema) {
  if (size() == 0) since_ = Clock::now();
  try {
    if (size() == 0) {
      rows_ = chunk;
    } else {
      append_chunk(rows_, chunk, schema);
    }
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  } catch (...) {
    rows_ = {};  // rather than rows of which some views are lacking
    ids_.clear();
    bytes_ = 0;
    throw;
  }
  bytes_ += bytes_of(chunk);
  for (auto row = rows_.rows.end() - chunk.size(); row != rows_.rows.end(); ++row) *row = first++;
}

// The new features are those that came with these rows, and no later ones: what is learned must not depend on how many
// rows were read at once. Names are numbered in the order in which rows bring them.
WaitingRows::Batch WaitingRows::take(const Schema& schema) {
  std::vector<std::vector<std::string>> names(schema.views.size());
  bool any = false;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    std::visit(
        [&](auto& X) {
          if constexpr (requires { X.offsets; }) {
            Index last = -1;
            for (const std::int32_t column : X.columns) last = std::max<Index>(last, column);
            if (last >= known_[v]) {
              const auto first = schema.views[v].feature_names.begin();
              names[v].assign(first + known_[v], first + last + 1);
              known_[v] = last + 1;
              any = true;
            }
            X.cols = known_[v];
          }
        },
        rows_.views[v].block);
  }
  if (!any) names.clear();
  bytes_ = 0;
  return {.rows = std::exchange(rows_, {}), .ids = std::exchange(ids_, {}), .features = std::move(names)};
}

void WaitingRows::know(const Schema& schema) {
  known_.clear();
  for (const ViewSchema& view : schema.views) known_.push_back(view.features);
}

void WaitingRows::widen(const Schema& schema) {
  for (std::size_t v = 0; v < rows_.views.size(); ++v) {
    std::visit([&](auto& X) { X.cols = schema.views[v].features; }, rows_.views[v].block);
  }
}

}  // namespace omvc
