#include "source/mat_file.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/content.hpp"

namespace omvc {

const MatInfo* MatFile::find(std::string_view name) const {
  const auto at = std::find_if(variables_.begin(), variables_.end(), [&](const MatInfo& v) { return v.name == name; });
  return at == variables_.end() ? nullptr : &*at;
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
