#include "source/formats/mat_file.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/formats/content.hpp"

namespace omvc {

const MatInfo* MatFile::find(std::string_view name) const {
  const auto at = std::find_if(variables_.begin(), variables_.end(), [&](const MatInfo& v) { return v.name == name; });
  return at == variables_.end() ? nullptr : &*at;
}

MatSparse make_mat_sparse(Index rows, std::vector<Index> offsets, std::vector<Index> row_of, std::vector<double> values,
                          const std::string& where) {
  const auto fail = [&](const std::string& what) { throw Error(ErrorKind::data, where + ": " + what); };
  for (std::size_t j = 1; j < offsets.size(); ++j) {
    if (offsets[j] < offsets[j - 1]) fail(fmt::format("column {} of the sparse matrix is damaged", j));
  }
  if (offsets.empty() || offsets.front() != 0 || offsets.back() > static_cast<Index>(row_of.size()) ||
      offsets.back() > static_cast<Index>(values.size()) || rows > std::numeric_limits<std::int32_t>::max()) {
    fail("the sparse matrix is damaged: its arrays do not agree");
  }
  const auto entries = static_cast<std::size_t>(offsets.back());
  for (std::size_t k = 0; k < entries; ++k) {
    if (row_of[k] < 0 || row_of[k] >= rows) {
      fail(fmt::format("entry {} of the sparse matrix is in row {} of {}", k + 1, row_of[k] + 1, rows));
    }
  }
  values.resize(entries);
  return {
      std::move(offsets), {row_of.begin(), row_of.begin() + static_cast<std::ptrdiff_t>(entries)}, std::move(values)};
}

std::unique_ptr<MatFile> open_mat_file(const std::string& path) {
  return first_bytes(path).starts_with("MATLAB 7.3") ? open_mat73(path) : open_mat5(path);
}

std::vector<double> dense_values(const MatMatrix& matrix) {
  if (const auto* values = std::get_if<std::vector<double>>(&matrix.values)) return *values;
  const auto& values = std::get<std::vector<float>>(matrix.values);
  return {values.begin(), values.end()};
}

DenseBlock<double> block_from_mat(const MatMatrix& matrix, const std::string& where) {
  if (std::holds_alternative<MatSparse>(matrix.values)) {
    throw Error(ErrorKind::data, fmt::format("{}: is sparse; in MATLAB save full() of it", where));
  }
  const std::vector<double> by_column = dense_values(matrix);
  DenseBlock<double> block{matrix.rows, matrix.cols, std::vector<double>(by_column.size())};
  for (Index j = 0; j < matrix.cols; ++j) {
    for (Index i = 0; i < matrix.rows; ++i) {
      block.values[static_cast<std::size_t>(i * matrix.cols + j)] =
          by_column[static_cast<std::size_t>(j * matrix.rows + i)];
    }
  }
  return block;
}

}  // namespace omvc
