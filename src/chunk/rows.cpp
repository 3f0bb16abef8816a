#include "chunk/rows.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"

namespace omvc {
namespace {

// A row of one of several blocks.
struct RowOf {
  const Block* block;
  Index row;
};

// Rows of blocks of one kind, which is that of `like`.
template <class T>
DenseBlock<T> take(const DenseBlock<T>& like, std::span<const RowOf> rows) {
  DenseBlock<T> out;
  out.rows = static_cast<Index>(rows.size());
  out.cols = like.cols;
  out.values.reserve(rows.size() * static_cast<std::size_t>(like.cols));
  for (const auto& [block, row] : rows) {
    const auto values = std::get<DenseBlock<T>>(*block).row(row);
    out.values.append(values.begin(), values.end());
  }
  return out;
}

template <class T>
CsrBlock<T> take(const CsrBlock<T>& like, std::span<const RowOf> rows) {
  CsrBlock<T> out;
  out.rows = static_cast<Index>(rows.size());
  out.cols = like.cols;
  out.offsets.reserve(rows.size() + 1);
  for (const auto& [block, row] : rows) {
    const std::vector<Index>& offsets = std::get<CsrBlock<T>>(*block).offsets;
    const auto at = static_cast<std::size_t>(row);
    out.offsets.push_back(out.offsets.back() + offsets[at + 1] - offsets[at]);
  }
  out.columns.reserve(static_cast<std::size_t>(out.offsets.back()));
  out.values.reserve(static_cast<std::size_t>(out.offsets.back()));
  for (const auto& [block, row] : rows) {
    const auto& from = std::get<CsrBlock<T>>(*block);
    const Index first = from.offsets[static_cast<std::size_t>(row)];
    const Index last = from.offsets[static_cast<std::size_t>(row) + 1];
    out.columns.insert(out.columns.end(), from.columns.begin() + first, from.columns.begin() + last);
    out.values.append(from.values.begin() + first, from.values.begin() + last);
  }
  return out;
}

Block collect(const Block& like, std::span<const RowOf> rows) {
  return std::visit([&](const auto& typed) -> Block { return take(typed, rows); }, like);
}

template <class T>
void append(DenseBlock<T>& block, const DenseBlock<T>& more) {
  block.values.append(more.values.begin(), more.values.end());
}

template <class T>
void append(CsrBlock<T>& block, const CsrBlock<T>& more) {
  const Index shift = block.offsets.back();
  for (std::size_t i = 1; i < more.offsets.size(); ++i) block.offsets.push_back(shift + more.offsets[i]);
  block.columns.insert(block.columns.end(), more.columns.begin(), more.columns.end());
  block.values.append(more.values.begin(), more.values.end());
}

// Moves the given rows, which ascend, to the front, and forgets the others.
template <class T>
void keep(DenseBlock<T>& block, std::span<const Index> rows) {
  std::vector<T>& values = block.values.own();
  auto to = values.begin();
  for (const Index row : rows) {
    const auto from = values.begin() + row * block.cols;
    to = from == to ? from + block.cols : std::copy(from, from + block.cols, to);
  }
  values.erase(to, values.end());
}

template <class T>
void keep(CsrBlock<T>& block, std::span<const Index> rows) {
  std::vector<T>& values = block.values.own();
  Index end = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index first = block.offsets[static_cast<std::size_t>(rows[i])];
    const Index last = block.offsets[static_cast<std::size_t>(rows[i]) + 1];
    if (first != end) {
      std::copy(block.columns.begin() + first, block.columns.begin() + last, block.columns.begin() + end);
      std::copy(values.begin() + first, values.begin() + last, values.begin() + end);
    }
    end += last - first;
    block.offsets[i + 1] = end;
  }
  block.offsets.resize(rows.size() + 1);
  block.columns.resize(static_cast<std::size_t>(end));
  values.resize(static_cast<std::size_t>(end));
}

}  // namespace

Block take_rows(const Block& block, std::span<const Index> rows) {
  std::vector<RowOf> wanted;
  for (const Index row : rows) wanted.push_back({&block, row});
  return collect(block, wanted);
}

Chunk take_instances(const Chunk& chunk, std::span<const Index> positions) {
  return take_instances(std::span(&chunk, 1), positions);
}

Chunk take_instances(std::span<const Chunk> chunks, std::span<const Index> positions) {
  Chunk out;
  std::vector<Index> ends;
  for (const Chunk& chunk : chunks) ends.push_back((ends.empty() ? 0 : ends.back()) + chunk.size());
  std::vector<std::pair<std::size_t, Index>> places;  // chunk, and position in it
  for (const Index at : positions) {
    const auto chunk = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    places.emplace_back(chunk, at - ends[chunk] + chunks[chunk].size());
    out.rows.push_back(chunks[chunk].rows[static_cast<std::size_t>(places.back().second)]);
  }
  for (std::size_t v = 0; !chunks.empty() && v < chunks[0].views.size(); ++v) {
    std::vector<RowOf> rows;
    std::vector<Index> present;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ChunkView& view = chunks[places[i].first].views[v];
      const auto found = std::lower_bound(view.present.begin(), view.present.end(), places[i].second);
      if (found == view.present.end() || *found != places[i].second) continue;
      rows.push_back({&view.block, found - view.present.begin()});
      present.push_back(static_cast<Index>(i));
    }
    out.views.push_back({collect(rows.empty() ? chunks[0].views[v].block : *rows[0].block, rows), std::move(present)});
  }
  return out;
}

void keep_in_place(Chunk& chunk, const std::vector<bool>& kept) {
  std::vector<Index> place(kept.size());  // of the instances that stay
  Index count = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    place[i] = count;
    if (!kept[i]) continue;
    chunk.rows[static_cast<std::size_t>(count++)] = chunk.rows[i];
  }
  chunk.rows.resize(static_cast<std::size_t>(count));
  for (ChunkView& view : chunk.views) {
    std::vector<Index> rows;
    std::vector<Index> present;
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      const auto at = static_cast<std::size_t>(view.present[i]);
      if (!kept[at]) continue;
      rows.push_back(static_cast<Index>(i));
      present.push_back(place[at]);
    }
    std::visit(
        [&](auto& block) {
          keep(block, rows);
          block.rows = static_cast<Index>(rows.size());
        },
        view.block);
    view.present = std::move(present);
  }
}

namespace {

// Entries of the first `features` columns; `lost` and `empty` say of each row whether it has lost half of its entries,
// or all.
template <class T>
void keep_features(CsrBlock<T>& X, Index features, std::vector<bool>& lost, std::vector<bool>& empty) {
  CsrBlock<T> out{.rows = X.rows, .cols = features, .offsets = {0}, .columns = {}, .values = {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(X.rows); ++i) {
    const Index before = X.offsets[i + 1] - X.offsets[i];
    for (auto e = static_cast<std::size_t>(X.offsets[i]); e < static_cast<std::size_t>(X.offsets[i + 1]); ++e) {
      if (X.columns[e] >= features) break;
      out.columns.push_back(X.columns[e]);
      out.values.push_back(X.values[e]);
    }
    const Index kept = out.nonzeros() - out.offsets.back();
    lost.push_back(kept < before && 2 * kept <= before);
    empty.push_back(kept == 0 && before > 0);
    out.offsets.push_back(out.nonzeros());
  }
  X = std::move(out);
}

}  // namespace

Index drop_features(Chunk& chunk, const Schema& schema) {
  std::vector<bool> strange(chunk.rows.size(), false);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    ChunkView& view = chunk.views[v];
    const Index features = schema.views[v].features;
    if (!is_sparse(view.block) || block_cols(view.block) <= features) continue;
    std::vector<bool> lost;
    std::vector<bool> empty;
    std::visit(
        [&](auto& X) {
          if constexpr (requires { X.offsets; }) keep_features(X, features, lost, empty);
        },
        view.block);
    std::vector<bool> keep(chunk.rows.size(), true);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      if (lost[i]) strange[static_cast<std::size_t>(view.present[i])] = true;
      if (empty[i]) keep[static_cast<std::size_t>(view.present[i])] = false;
    }
    view = keep_instances(std::move(view), keep);
  }
  return std::count(strange.begin(), strange.end(), true);
}

void append_rows(Block& block, const Block& more, const std::string& where) {
  if (block_rows(more) == 0) return;
  if (block_rows(block) == 0) {
    block = more;
    return;
  }
  check_same_kind(block, more, where);
  if (block_cols(block) != block_cols(more)) {
    throw Error(ErrorKind::data, fmt::format("{}: a later chunk has {} columns, the first has {}", where,
                                             block_cols(more), block_cols(block)));
  }
  std::visit(
      [&](auto& typed) {
        const auto& rows = std::get<std::decay_t<decltype(typed)>>(more);
        append(typed, rows);
        typed.rows += rows.rows;
      },
      block);
}

double bytes_of(const Chunk& chunk) {
  double bytes = 0;
  for (const ChunkView& view : chunk.views) {
    bytes += std::visit(
        [](const auto& X) {
          auto size = static_cast<double>(X.values.size() * sizeof(X.values[0]));
          if constexpr (requires { X.offsets; }) size += 4.0 * static_cast<double>(X.columns.size());
          return size;
        },
        view.block);
  }
  return bytes;
}

void append_chunk(Chunk& whole, const Chunk& more, const Schema& schema) {
  const Index shift = whole.size();
  whole.rows.insert(whole.rows.end(), more.rows.begin(), more.rows.end());
  for (std::size_t v = 0; v < whole.views.size(); ++v) {
    ChunkView& view = whole.views[v];
    append_rows(view.block, more.views[v].block, fmt::format("view '{}'", schema.views[v].name));
    for (const Index position : more.views[v].present) view.present.push_back(shift + position);
  }
}

}  // namespace omvc
