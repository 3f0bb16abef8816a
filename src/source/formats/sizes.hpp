// Guards against sizes that a file announces but does not hold.
#pragma once

#include <fmt/core.h>
#include <limits>
#include <optional>
#include <string>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

#include "file/reading_limits.hpp"

namespace omvc {

// The product of two sizes, or nothing if either is negative or the product is too large for an Index.
inline std::optional<Index> size_product(Index a, Index b) {
  if (a < 0 || b < 0 || (b != 0 && a > std::numeric_limits<Index>::max() / b)) return std::nullopt;
  return a * b;
}

// Sparse formats announce their numbers of rows and columns in a few bytes, whereas we need memory for each. Throws
// ErrorKind::data if there are absurdly many for the entries that were found, no rows or columns at all, or too many
// columns.
inline void check_sparse_shape(const std::string& where, Index rows, Index cols, Index entries) {
  const Index always = reading_limits().empty_rows;
  constexpr Index kPerEntry = 100;
  if (rows < 1 || cols < 1) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the matrix is {} x {}; a view needs rows and columns", where, rows, cols));
  }
  if (cols > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::data, fmt::format("{}: the matrix has {} columns; at most {} are possible", where, cols,
                                             std::numeric_limits<std::int32_t>::max()));
  }
  if (cols > always && (cols - always) / kPerEntry > entries) {
    throw Error(ErrorKind::data, fmt::format("{}: there are {} columns for {} entries, so nearly all columns would be "
                                             "empty; the size is probably wrong",
                                             where, cols, entries));
  }
  if (rows > always && (rows - always) / kPerEntry > entries) {
    throw Error(ErrorKind::data, fmt::format("{}: {} rows are announced for {} entries, so nearly all rows would be "
                                             "empty; the size is probably wrong",
                                             where, rows, entries));
  }
}

}  // namespace omvc
