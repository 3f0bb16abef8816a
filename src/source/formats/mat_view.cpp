#include "source/formats/mat_view.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/formats/sizes.hpp"
#include "source/formats/triplets.hpp"

namespace omvc {
namespace {

// Below this share of nonzero values CSR takes less time and memory than a dense block.
constexpr double kSparseShare = 0.1;

template <class T>
DenseBlock<T> dense_rows(std::vector<T> by_column, Index rows, Index cols, bool instances_in_columns) {
  if (instances_in_columns) return {cols, rows, std::move(by_column)};
  DenseBlock<T> block{rows, cols, std::vector<T>(by_column.size())};
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      block.values[static_cast<std::size_t>(i * cols + j)] = by_column[static_cast<std::size_t>(j * rows + i)];
    }
  }
  return block;
}

template <class T>
CsrBlock<T> compressed(const DenseBlock<T>& dense) {
  CsrBlock<T> block;
  block.rows = dense.rows;
  block.cols = dense.cols;
  for (Index i = 0; i < dense.rows; ++i) {
    const auto row = dense.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == T{0}) continue;
      block.columns.push_back(static_cast<std::int32_t>(j));
      block.values.push_back(row[j]);
    }
    block.offsets.push_back(block.nonzeros());
  }
  return block;
}

template <class T>
ChunkView dense_view(DenseBlock<T> rows, const std::vector<bool>* present, const std::string& where) {
  ChunkView view = view_from_rows(std::move(rows), where);
  if (present != nullptr) view = keep_instances(std::move(view), *present);
  const auto& block = std::get<DenseBlock<T>>(view.block);
  const auto nonzero = std::count_if(block.values.begin(), block.values.end(), [](T value) { return value != T{0}; });
  const bool sparse = static_cast<double>(nonzero) < kSparseShare * static_cast<double>(block.values.size());
  if (sparse && block.cols <= std::numeric_limits<std::int32_t>::max()) view.block = Block(compressed(block));
  return view;
}

// MATLAB's columns are CSR's rows once the matrix is turned; otherwise the entries are sorted into rows.
ChunkView sparse_view(const MatMatrix& matrix, bool instances_in_columns, const std::vector<bool>* present,
                      const std::string& where) {
  const MatSparse& sparse = std::get<MatSparse>(matrix.values);
  std::vector<Triplet> entries;
  entries.reserve(sparse.values.size());
  for (Index j = 0; j < matrix.cols; ++j) {
    for (Index k = sparse.offsets[static_cast<std::size_t>(j)]; k < sparse.offsets[static_cast<std::size_t>(j) + 1];
         ++k) {
      const std::int32_t i = sparse.row_of[static_cast<std::size_t>(k)];
      const double value = sparse.values[static_cast<std::size_t>(k)];
      if (instances_in_columns) {
        entries.push_back({j, i, 0, value});
      } else {
        entries.push_back({i, static_cast<std::int32_t>(j), 0, value});
      }
    }
  }
  const Index rows = instances_in_columns ? matrix.cols : matrix.rows;
  const Index cols = instances_in_columns ? matrix.rows : matrix.cols;
  check_sparse_shape(where, rows, cols, static_cast<Index>(entries.size()));
  TripletMatrix turned = csr_from_triplets(entries, rows, cols);
  if (turned.repeated != nullptr) throw Error(ErrorKind::data, where + ": the sparse matrix holds an entry twice");
  ChunkView view = view_from_rows(std::move(turned.block), where);
  return present != nullptr ? keep_instances(std::move(view), *present) : view;
}

bool is_position(double value) {
  return value >= 1.0 && value <= std::numeric_limits<std::int32_t>::max() && value == std::floor(value);
}

}  // namespace

ChunkView view_from_mat(MatMatrix matrix, bool instances_in_columns, const std::vector<bool>* present,
                        const std::string& where) {
  if (matrix.rows == 0 || matrix.cols == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: the matrix is {} x {}; a view needs rows and columns", where,
                                             matrix.rows, matrix.cols));
  }
  if (auto* values = std::get_if<std::vector<double>>(&matrix.values)) {
    return dense_view(dense_rows(std::move(*values), matrix.rows, matrix.cols, instances_in_columns), present, where);
  }
  if (auto* values = std::get_if<std::vector<float>>(&matrix.values)) {
    return dense_view(dense_rows(std::move(*values), matrix.rows, matrix.cols, instances_in_columns), present, where);
  }
  return sparse_view(matrix, instances_in_columns, present, where);
}

TripletExtent triplet_extent(const std::vector<double>& triplets, const std::string& where) {
  const std::size_t entries = triplets.size() / 3;
  TripletExtent extent;
  for (std::size_t k = 0; k < entries; ++k) {
    const double row = triplets[k];
    const double col = triplets[entries + k];
    if (!is_position(row) || !is_position(col)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: entry {} is at row {}, column {}; both must be whole numbers from 1", where, k + 1,
                              row, col));
    }
    extent.rows = std::max(extent.rows, static_cast<Index>(row));
    extent.cols = std::max(extent.cols, static_cast<Index>(col));
  }
  return extent;
}

ChunkView view_from_triplets(const std::vector<double>& triplets, Index rows, const std::string& where) {
  const TripletExtent extent = triplet_extent(triplets, where);
  const std::size_t count = triplets.size() / 3;
  if (extent.rows > rows) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there is an entry in row {}, but there are {} labels", where, extent.rows, rows));
  }
  check_sparse_shape(where, rows, extent.cols, static_cast<Index>(count));
  std::vector<Triplet> entries;
  entries.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    entries.push_back({static_cast<Index>(triplets[k]) - 1, static_cast<std::int32_t>(triplets[count + k]) - 1,
                       static_cast<std::uint32_t>(k + 1), triplets[2 * count + k]});
  }
  TripletMatrix matrix = csr_from_triplets(entries, rows, extent.cols);
  if (matrix.repeated != nullptr) {
    throw Error(ErrorKind::data, fmt::format("{}: entry {} repeats row {}, column {}", where, matrix.repeated->place,
                                             matrix.repeated->row + 1, matrix.repeated->column + 1));
  }
  return view_from_rows(std::move(matrix.block), where);
}

}  // namespace omvc
