#include "source/table/presence.hpp"

#include <fmt/core.h>

#include "omvc/error.hpp"

namespace omvc {

std::vector<bool> presence_from_matrix(const DenseBlock<double>& matrix, Index views, const std::string& where) {
  if (matrix.cols != views && matrix.rows != views) {
    throw Error(ErrorKind::data, fmt::format("{}: is {} x {}; it needs a row for each instance and a column for each "
                                             "of the {} views",
                                             where, matrix.rows, matrix.cols, views));
  }
  const bool turned = matrix.cols != views;
  const Index instances = turned ? matrix.cols : matrix.rows;
  std::vector<bool> present;
  present.reserve(matrix.values.size());
  for (Index i = 0; i < instances; ++i) {
    for (Index v = 0; v < views; ++v) {
      const double value =
          turned ? matrix.row(v)[static_cast<std::size_t>(i)] : matrix.row(i)[static_cast<std::size_t>(v)];
      if (value != 0.0 && value != 1.0) {
        throw Error(ErrorKind::data, fmt::format("{}: the entry of instance {} (from 0) and view {} is {}; it must be "
                                                 "1 where the instance is present and 0 where it is not",
                                                 where, i, v + 1, value));
      }
      present.push_back(value == 1.0);
    }
  }
  return present;
}

}  // namespace omvc
