#include "source/formats/anndata_matrix.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <utility>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "source/formats/sizes.hpp"

namespace omvc {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::data, where + ": " + what);
}

void check_shape(const std::string& where, Index rows, Index cols, Index expected_rows, Index expected_cols) {
  if (rows == expected_rows && cols == expected_cols) return;
  refuse(where, fmt::format("the matrix is {} x {}, but obs names {} samples and var {} features", rows, cols,
                            expected_rows, expected_cols));
}

template <class T>
class DenseMatrix final : public StoredMatrix {
 public:
  explicit DenseMatrix(h5::Dataset dataset) : dataset_(std::move(dataset)) {}
  Block read(Index first, Index count) const override {
    return DenseBlock<T>{count, dataset_.cols(), dataset_.read<T>(first, count)};
  }

 private:
  h5::Dataset dataset_;
};

// The three arrays of a compressed matrix of `major` rows (CSR) or columns (CSC), of `minor` elements each.
class Compressed {
 public:
  Compressed(const h5::Group& group, Index major, Index minor)
      : data_(group.dataset("data")),
        indices_(group.dataset("indices")),
        indptr_(group.dataset("indptr")),
        where_(group.where()),
        minor_(minor) {
    if (indptr_.shape().size() != 1 || indptr_.rows() - 1 != major) {
      refuse(where_, fmt::format("indptr has {} entries, and one more than {} is needed", indptr_.rows(), major));
    }
    if (data_.shape().size() != 1 || data_.shape() != indices_.shape()) {
      refuse(where_, fmt::format("data has {} entries and indices has {}", data_.rows(), indices_.rows()));
    }
    if (indices_.elements() != h5::Elements::integer || indptr_.elements() != h5::Elements::integer) {
      refuse(where_, "indices and indptr must hold whole numbers");
    }
  }

  const std::string& where() const { return where_; }
  bool is_float() const { return data_.elements() == h5::Elements::float32; }

  // Where the entries of [first, first + count) begin, and where the last of them end.
  std::vector<Index> offsets(Index first, Index count) const {
    std::vector<Index> offsets = indptr_.read<Index>(first, count + 1);
    Index last = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < last || offsets[i] > data_.rows()) {
        refuse(where_, fmt::format("indptr[{}] is {}, which is not between the one before it ({}) and the {} entries",
                                   first + static_cast<Index>(i), offsets[i], last, data_.rows()));
      }
      last = offsets[i];
    }
    const bool to_end = first + count + 1 == indptr_.rows();
    if ((first == 0 && offsets.front() != 0) || (to_end && offsets.back() != data_.rows())) {
      refuse(where_, fmt::format("indptr runs from {} to {}; it must run from 0 to the {} entries",
                                 first == 0 ? offsets.front() : 0, offsets.back(), data_.rows()));
    }
    return offsets;
  }

  std::vector<std::int32_t> indices(Index first, Index count) const {
    // Numbers too large for 32 bits come as the largest of them, which is too large for any matrix.
    std::vector<std::int32_t> numbers = indices_.read<std::int32_t>(first, count);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (numbers[k] >= 0 && numbers[k] < minor_) continue;
      refuse(where_,
             fmt::format("indices[{}] is {}, outside 0 .. {}", first + static_cast<Index>(k), numbers[k], minor_ - 1));
    }
    return numbers;
  }

  template <class T>
  std::vector<T> values(Index first, Index count) const {
    return data_.read<T>(first, count);
  }

 private:
  h5::Dataset data_;
  h5::Dataset indices_;
  h5::Dataset indptr_;
  std::string where_;
  Index minor_;
};

[[noreturn]] void refuse_twice(const std::string& where, Index row, Index column) {
  refuse(where, fmt::format("row {} holds column {} twice; add the entries up (sum_duplicates) first", row, column));
}

// Brings the entries of each row into the order of their columns.
template <class T>
void sort_rows(CsrBlock<T>& block, const std::string& where, Index first_row) {
  std::vector<std::pair<std::int32_t, T>> entries;
  for (Index i = 0; i < block.rows; ++i) {
    const Index begin = block.offsets[static_cast<std::size_t>(i)];
    const Index end = block.offsets[static_cast<std::size_t>(i) + 1];
    const auto columns = block.columns.begin() + begin;
    const auto last = block.columns.begin() + end;
    if (!std::is_sorted(columns, last)) {
      entries.clear();
      for (Index k = begin; k < end; ++k) {
        entries.emplace_back(block.columns[static_cast<std::size_t>(k)], block.values[static_cast<std::size_t>(k)]);
      }
      std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < entries.size(); ++k) {
        block.columns[static_cast<std::size_t>(begin) + k] = entries[k].first;
        block.values[static_cast<std::size_t>(begin) + k] = entries[k].second;
      }
    }
    const auto twice = std::adjacent_find(columns, last);
    if (twice != last) refuse_twice(where, first_row + i, *twice);
  }
}

template <class T>
class CsrMatrix final : public StoredMatrix {
 public:
  CsrMatrix(Compressed arrays, Index cols) : arrays_(std::move(arrays)), cols_(cols) {}

  Block read(Index first, Index count) const override {
    CsrBlock<T> block;
    block.rows = count;
    block.cols = cols_;
    block.offsets = arrays_.offsets(first, count);
    const Index begin = block.offsets.front();
    const Index entries = block.offsets.back() - begin;
    for (Index& offset : block.offsets) offset -= begin;
    block.columns = arrays_.indices(begin, entries);
    block.values = arrays_.values<T>(begin, entries);
    sort_rows(block, arrays_.where(), first);
    return block;
  }

 private:
  Compressed arrays_;
  Index cols_;
};

// Columns are visited in ascending order, so those of every row come out ascending.
template <class T>
CsrBlock<T> turned(const Compressed& arrays, Index rows, Index cols) {
  const std::vector<Index> columns = arrays.offsets(0, cols);
  const Index begin = columns.front();
  const Index entries = columns.back() - begin;
  const std::vector<std::int32_t> row_of = arrays.indices(begin, entries);
  const std::vector<T> values = arrays.values<T>(begin, entries);
  CsrBlock<T> block;
  block.rows = rows;
  block.cols = cols;
  block.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const std::int32_t row : row_of) ++block.offsets[static_cast<std::size_t>(row) + 1];
  std::partial_sum(block.offsets.begin(), block.offsets.end(), block.offsets.begin());
  block.columns.resize(row_of.size());
  block.values.resize(row_of.size());
  std::vector<Index> next(block.offsets.begin(), block.offsets.end() - 1);
  for (Index j = 0; j < cols; ++j) {
    for (Index k = columns[static_cast<std::size_t>(j)]; k < columns[static_cast<std::size_t>(j) + 1]; ++k) {
      const std::int32_t row = row_of[static_cast<std::size_t>(k - begin)];
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
      const bool first_of_row = to == static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(row)]);
      if (!first_of_row && block.columns[to - 1] == j) refuse_twice(arrays.where(), row, j);
      block.columns[to] = static_cast<std::int32_t>(j);
      block.values[to] = values[static_cast<std::size_t>(k - begin)];
    }
  }
  return block;
}

class LoadedMatrix final : public StoredMatrix {
 public:
  explicit LoadedMatrix(Block block) : block_(std::move(block)) {}
  Block read(Index first, Index count) const override {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    return take_rows(block_, rows);
  }

 private:
  Block block_;
};

std::unique_ptr<StoredMatrix> open_dense(h5::Dataset dataset, Index rows, Index cols) {
  if (dataset.shape().size() != 2) {
    refuse(dataset.where(), fmt::format("the matrix has {} dimensions, and 2 are needed", dataset.shape().size()));
  }
  check_shape(dataset.where(), dataset.rows(), dataset.cols(), rows, cols);
  if (dataset.elements() == h5::Elements::float32) return std::make_unique<DenseMatrix<float>>(std::move(dataset));
  return std::make_unique<DenseMatrix<double>>(std::move(dataset));
}

std::unique_ptr<StoredMatrix> open_compressed(const h5::Group& group, bool by_rows, Index rows, Index cols) {
  std::vector<Index> shape = group.integer_attribute("shape");
  if (shape.empty()) shape = group.integer_attribute("h5sparse_shape");
  if (shape.size() != 2) refuse(group.where(), "the sparse matrix has no attribute 'shape' of two numbers");
  check_shape(group.where(), shape[0], shape[1], rows, cols);
  check_sparse_shape(group.where(), std::max<Index>(by_rows ? 1 : rows, 1), cols, group.dataset("data").rows());
  Compressed arrays(group, by_rows ? rows : cols, by_rows ? cols : rows);
  const bool is_float = arrays.is_float();
  if (!by_rows) {
    return std::make_unique<LoadedMatrix>(is_float ? Block(turned<float>(arrays, rows, cols))
                                                   : Block(turned<double>(arrays, rows, cols)));
  }
  if (is_float) return std::make_unique<CsrMatrix<float>>(std::move(arrays), cols);
  return std::make_unique<CsrMatrix<double>>(std::move(arrays), cols);
}

}  // namespace

std::unique_ptr<StoredMatrix> open_stored_matrix(h5::Object object, Index rows, Index cols) {
  if (object.is_dataset()) return open_dense(h5::Dataset(std::move(object)), rows, cols);
  std::string encoding = object.text_attribute("encoding-type");
  if (encoding.empty()) encoding = object.text_attribute("h5sparse_format") + "_matrix";
  if (encoding != "csr_matrix" && encoding != "csc_matrix") {
    refuse(object.where(), fmt::format("the matrix is stored as '{}'; arrays, csr_matrix and csc_matrix can be read",
                                       object.text_attribute("encoding-type")));
  }
  return open_compressed(h5::Group(std::move(object)), encoding == "csr_matrix", rows, cols);
}

ChunkView read_instances(const StoredMatrix& matrix, const std::vector<Index>& rows, const std::string& where) {
  std::vector<std::size_t> order(rows.size());  // positions by ascending row
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_row = [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; };
  const bool in_order = std::is_sorted(order.begin(), order.end(), by_row);
  if (!in_order) std::sort(order.begin(), order.end(), by_row);

  ChunkView view{matrix.read(0, 0), {}};
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && rows[order[end]] == rows[order[end - 1]] + 1) ++end;
    if (end < order.size() && rows[order[end]] == rows[order[end - 1]]) {
      refuse(where, fmt::format("row {} is said to belong to two instances", rows[order[end]]));
    }
    const Index first = rows[order[begin]];
    Block block = matrix.read(first, static_cast<Index>(end - begin));
    ChunkView run = std::visit([&](auto& typed) { return view_from_rows(std::move(typed), where, first); }, block);
    if (block_rows(view.block) == 0) {
      view.block = std::move(run.block);
    } else {
      append_rows(view.block, run.block, where);
    }
    for (const Index position : run.present) {
      view.present.push_back(static_cast<Index>(order[begin + static_cast<std::size_t>(position)]));
    }
    begin = end;
  }
  if (in_order) return view;
  std::vector<Index> back(view.present.size());  // block rows by ascending position
  std::iota(back.begin(), back.end(), Index{0});
  std::sort(back.begin(), back.end(), [&](Index a, Index b) {
    return view.present[static_cast<std::size_t>(a)] < view.present[static_cast<std::size_t>(b)];
  });
  std::sort(view.present.begin(), view.present.end());
  return {take_rows(view.block, back), std::move(view.present)};
}

}  // namespace omvc
