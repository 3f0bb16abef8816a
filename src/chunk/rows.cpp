#include "chunk/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

namespace omvc {
namespace {

template <class T>
DenseBlock<T> take(const DenseBlock<T>& block, std::span<const Index> rows) {
  DenseBlock<T> out;
  out.rows = static_cast<Index>(rows.size());
  out.cols = block.cols;
  out.values.reserve(rows.size() * static_cast<std::size_t>(block.cols));
  for (const Index row : rows) {
    const auto values = block.row(row);
    out.values.append(values.begin(), values.end());
  }
  return out;
}

template <class T>
CsrBlock<T> take(const CsrBlock<T>& block, std::span<const Index> rows) {
  CsrBlock<T> out;
  out.rows = static_cast<Index>(rows.size());
  out.cols = block.cols;
  out.offsets.reserve(rows.size() + 1);
  for (const Index row : rows) {
    const auto at = static_cast<std::size_t>(row);
    out.offsets.push_back(out.offsets.back() + block.offsets[at + 1] - block.offsets[at]);
  }
  out.columns.reserve(static_cast<std::size_t>(out.offsets.back()));
  out.values.reserve(static_cast<std::size_t>(out.offsets.back()));
  for (const Index row : rows) {
    const Index first = block.offsets[static_cast<std::size_t>(row)];
    const Index last = block.offsets[static_cast<std::size_t>(row) + 1];
    out.columns.insert(out.columns.end(), block.columns.begin() + first, block.columns.begin() + last);
    out.values.append(block.values.begin() + first, block.values.begin() + last);
  }
  return out;
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

template <class To, class From>
std::vector<To> converted(const Buffer<From>& values) {
  std::vector<To> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<To>(values[i]);
  return out;
}

bool fits_float(const Buffer<double>& values) { return std::all_of(values.begin(), values.end(), fits_single); }

}  // namespace

bool fits_single(double x) {
  return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max()) &&
         static_cast<double>(static_cast<float>(x)) == x;
}

Block narrowed(Block block) {
  if (auto* dense = std::get_if<DenseBlock<double>>(&block); dense != nullptr && fits_float(dense->values)) {
    return DenseBlock<float>{dense->rows, dense->cols, converted<float>(dense->values)};
  }
  if (auto* sparse = std::get_if<CsrBlock<double>>(&block); sparse != nullptr && fits_float(sparse->values)) {
    return CsrBlock<float>{sparse->rows, sparse->cols, std::move(sparse->offsets), std::move(sparse->columns),
                           converted<float>(sparse->values)};
  }
  return block;
}

Block widened(Block block) {
  if (auto* dense = std::get_if<DenseBlock<float>>(&block)) {
    return DenseBlock<double>{dense->rows, dense->cols, converted<double>(dense->values)};
  }
  if (auto* sparse = std::get_if<CsrBlock<float>>(&block)) {
    return CsrBlock<double>{sparse->rows, sparse->cols, std::move(sparse->offsets), std::move(sparse->columns),
                            converted<double>(sparse->values)};
  }
  return block;
}

Block take_rows(const Block& block, std::span<const Index> rows) {
  return std::visit([&](const auto& typed) -> Block { return take(typed, rows); }, block);
}

Chunk take_instances(const Chunk& chunk, std::span<const Index> positions) {
  Chunk out;
  for (const Index at : positions) out.rows.push_back(chunk.rows[static_cast<std::size_t>(at)]);
  std::vector<Index> row_of(chunk.rows.size());
  for (const ChunkView& view : chunk.views) {
    row_of.assign(chunk.rows.size(), -1);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      row_of[static_cast<std::size_t>(view.present[i])] = static_cast<Index>(i);
    }
    std::vector<Index> rows;
    std::vector<Index> present;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Index row = row_of[static_cast<std::size_t>(positions[i])];
      if (row < 0) continue;
      rows.push_back(row);
      present.push_back(static_cast<Index>(i));
    }
    out.views.push_back({take_rows(view.block, rows), std::move(present)});
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

bool is_sparse(const Block& block) {
  return std::holds_alternative<CsrBlock<float>>(block) || std::holds_alternative<CsrBlock<double>>(block);
}

Block as_dense(Block block) {
  return std::visit(
      [](auto& typed) -> Block {
        if constexpr (requires { typed.offsets; }) {
          using T = typename std::decay_t<decltype(typed)>::Scalar;
          DenseBlock<T> out{typed.rows, typed.cols, std::vector<T>(static_cast<std::size_t>(typed.rows * typed.cols))};
          for (std::size_t i = 0; i < static_cast<std::size_t>(typed.rows); ++i) {
            for (auto k = static_cast<std::size_t>(typed.offsets[i]);
                 k < static_cast<std::size_t>(typed.offsets[i + 1]); ++k) {
              out.values[i * static_cast<std::size_t>(typed.cols) + static_cast<std::size_t>(typed.columns[k])] =
                  typed.values[k];
            }
          }
          return out;
        } else {
          return std::move(typed);
        }
      },
      block);
}

Block as_sparse(Block block) {
  return std::visit(
      [](auto& typed) -> Block {
        if constexpr (requires { typed.offsets; }) {
          return std::move(typed);
        } else {
          CsrBlock<typename std::decay_t<decltype(typed)>::Scalar> out;
          out.rows = typed.rows;
          out.cols = typed.cols;
          for (Index i = 0; i < typed.rows; ++i) {
            const auto row = typed.row(i);
            for (std::size_t j = 0; j < row.size(); ++j) {
              if (row[j] == 0) continue;
              out.columns.push_back(static_cast<std::int32_t>(j));
              out.values.push_back(row[j]);
            }
            out.offsets.push_back(out.nonzeros());
          }
          return out;
        }
      },
      block);
}

void append_rows(Block& block, const Block& more, const std::string& where) {
  if (block_rows(more) == 0) return;
  if (block_rows(block) == 0) {
    block = more;
    return;
  }
  if (block.index() != more.index()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a later chunk stores the view in another way (dense or sparse, float or double) than "
                            "the first; a source must keep to one",
                            where));
  }
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
