#include "omvc/chunk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

template <class... Parts>
[[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) {
  throw Error(ErrorKind::data, fmt::format(format, std::forward<Parts>(parts)...));
}

// Whether no value is NaN or infinite. By the bits of the exponents, which compilers can check many at a time.
template <class T>
bool all_finite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits special = 0;
  for (const T x : values) special |= static_cast<Bits>((std::bit_cast<Bits>(x) & kExponent) == kExponent);
  return special == 0;
}

// Whether the values are all NaN. Throws for infinite values; `column(i)` is the column of value i.
template <class T, class Column>
bool all_nan(std::span<const T> values, Column column, const std::string& where, Index row) {
  if (all_finite(values)) return false;
  std::size_t nans = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ++nans;
    } else if (std::isinf(values[i])) {
      fail("{}: row {}, column {}: the value is infinite; only finite numbers can be used", where, row, column(i));
    }
  }
  return nans == values.size();
}

template <class T>
std::span<const T> row_values(const CsrBlock<T>& block, Index row) {
  const Index first = block.offsets[static_cast<std::size_t>(row)];
  const Index last = block.offsets[static_cast<std::size_t>(row) + 1];
  return {block.values.data() + first, static_cast<std::size_t>(last - first)};
}

// The block without the rows that are not listed.
template <class B>
ChunkView with_present(B block, std::vector<Index> present) {
  if (static_cast<Index>(present.size()) == block.rows) return {std::move(block), std::move(present)};
  Block kept = take_rows(Block(std::move(block)), present);
  return {std::move(kept), std::move(present)};
}

template <class T>
void check_arrays(const DenseBlock<T>& block, const std::string& view) {
  // A division, because rows * cols of a malformed block may overflow.
  const Index size = static_cast<Index>(block.values.size());
  const bool agree = block.cols == 0 ? size == 0 : size % block.cols == 0 && size / block.cols == block.rows;
  if (!agree) {
    fail("view '{}': the dense block is {} x {} but holds {} values", view, block.rows, block.cols,
         block.values.size());
  }
}

template <class T>
void check_arrays(const CsrBlock<T>& block, const std::string& view) {
  if (block.cols > std::numeric_limits<std::int32_t>::max()) {
    fail("view '{}': a sparse block can have at most {} columns, not {}", view,
         std::numeric_limits<std::int32_t>::max(), block.cols);
  }
  if (static_cast<Index>(block.offsets.size()) != block.rows + 1 || block.offsets.front() != 0) {
    fail("view '{}': a sparse block of {} rows needs {} offsets that start at 0, it has {}", view, block.rows,
         block.rows + 1, block.offsets.size());
  }
  for (std::size_t i = 1; i < block.offsets.size(); ++i) {
    if (block.offsets[i] < block.offsets[i - 1]) fail("view '{}': the offsets descend at block row {}", view, i - 1);
  }
  if (block.values.size() != block.columns.size() || block.offsets.back() != block.nonzeros()) {
    fail("view '{}': the sparse block has {} values and {} column numbers, its offsets say {}", view,
         block.values.size(), block.columns.size(), block.offsets.back());
  }
}

template <class T>
void check_row(const DenseBlock<T>& block, Index i, const std::string& view, Index row) {
  const auto values = block.row(i);
  if (all_finite(values)) return;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (std::isinf(values[j])) fail("view '{}': row {}, column {}: the value is infinite", view, row, j);
  }
}

template <class T>
void check_row(const CsrBlock<T>& block, Index i, const std::string& view, Index row) {
  Index last = -1;
  for (Index k = block.offsets[static_cast<std::size_t>(i)]; k < block.offsets[static_cast<std::size_t>(i) + 1]; ++k) {
    const Index column = block.columns[static_cast<std::size_t>(k)];
    if (column <= last || column >= block.cols) {
      fail("view '{}': row {}: column {} follows column {}; columns must ascend and lie in 0 .. {}", view, row, column,
           last, block.cols - 1);
    }
    if (std::isinf(block.values[static_cast<std::size_t>(k)])) {
      fail("view '{}': row {}, column {}: the value is infinite", view, row, column);
    }
    last = column;
  }
}

void check_view(const ChunkView& view, const ViewSchema& schema, const std::vector<Index>& rows) {
  const Index size = static_cast<Index>(rows.size());
  if (schema.features < 0 || block_cols(view.block) != schema.features) {
    fail("view '{}': the chunk has {} features, the stream has {}", schema.name, block_cols(view.block),
         schema.features);
  }
  if (block_rows(view.block) != static_cast<Index>(view.present.size())) {
    fail("view '{}': the block has {} rows for {} present instances", schema.name, block_rows(view.block),
         view.present.size());
  }
  Index last = -1;
  for (const Index position : view.present) {
    if (position <= last || position >= size) {
      fail("view '{}': position {} follows {}; positions must ascend and lie in 0 .. {}", schema.name, position, last,
           size - 1);
    }
    last = position;
  }
  std::visit(
      [&](const auto& block) {
        check_arrays(block, schema.name);
        for (Index i = 0; i < block.rows; ++i) {
          const Index position = view.present[static_cast<std::size_t>(i)];
          check_row(block, i, schema.name, rows[static_cast<std::size_t>(position)]);
        }
      },
      view.block);
}

}  // namespace

Index block_rows(const Block& block) {
  return std::visit([](const auto& typed) { return typed.rows; }, block);
}

Index block_cols(const Block& block) {
  return std::visit([](const auto& typed) { return typed.cols; }, block);
}

template <class T>
ChunkView view_from_rows(DenseBlock<T> block, const std::string& where, Index first_row) {
  std::vector<Index> present;
  for (Index i = 0; i < block.rows; ++i) {
    const auto column = [](std::size_t k) { return static_cast<Index>(k); };
    if (!all_nan(block.row(i), column, where, first_row + i)) present.push_back(i);
  }
  return with_present(std::move(block), std::move(present));
}

template <class T>
ChunkView view_from_rows(CsrBlock<T> block, const std::string& where, Index first_row) {
  std::vector<Index> present;
  for (Index i = 0; i < block.rows; ++i) {
    const Index first = block.offsets[static_cast<std::size_t>(i)];
    const auto column = [&](std::size_t k) { return block.columns[static_cast<std::size_t>(first) + k]; };
    if (!all_nan(row_values(block, i), column, where, first_row + i)) present.push_back(i);
  }
  return with_present(std::move(block), std::move(present));
}

template ChunkView view_from_rows(DenseBlock<float>, const std::string&, Index);
template ChunkView view_from_rows(DenseBlock<double>, const std::string&, Index);
template ChunkView view_from_rows(CsrBlock<float>, const std::string&, Index);
template ChunkView view_from_rows(CsrBlock<double>, const std::string&, Index);

ChunkView keep_instances(ChunkView view, const std::vector<bool>& keep) {
  std::vector<Index> kept_rows;
  std::vector<Index> present;
  for (std::size_t i = 0; i < view.present.size(); ++i) {
    const Index position = view.present[i];
    if (position < 0 || static_cast<std::size_t>(position) >= keep.size()) {
      fail("the view holds an instance at position {}, but only {} instances are said to be kept or not", position,
           keep.size());
    }
    if (!keep[static_cast<std::size_t>(position)]) continue;
    kept_rows.push_back(static_cast<Index>(i));
    present.push_back(position);
  }
  if (present.size() == view.present.size()) return view;
  return {take_rows(view.block, kept_rows), std::move(present)};
}

void check_chunk(const Chunk& chunk, const Schema& schema) {
  if (chunk.views.size() != schema.views.size()) {
    fail("the chunk has {} views, the stream has {}", chunk.views.size(), schema.views.size());
  }
  for (const Index row : chunk.rows) {
    if (row < 0) fail("the chunk has an instance with row number {}; row numbers start at 0", row);
  }
  if (!std::is_sorted(chunk.rows.begin(), chunk.rows.end(), std::less_equal<>())) {
    std::vector<Index> rows = chunk.rows;
    std::sort(rows.begin(), rows.end());
    const auto twice = std::adjacent_find(rows.begin(), rows.end());
    if (twice != rows.end()) fail("the chunk has row number {} twice; every instance has a number of its own", *twice);
  }
  for (std::size_t v = 0; v < chunk.views.size(); ++v) check_view(chunk.views[v], schema.views[v], chunk.rows);
}

}  // namespace omvc
