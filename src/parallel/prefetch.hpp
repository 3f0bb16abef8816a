// Rows that another core has just written come from its cache, line by line, and a stripe of columns is too short for
// the processor to guess the next one: it is asked for some rows ahead.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omvc {

inline constexpr std::int64_t kRowsAhead = 4;

// Columns [first, last) of the row that comes kRowsAhead rows after this one, where there is one.
template <class T>
void prefetch_stripe(const T* row, std::int64_t rows_left, std::int64_t cols, std::int64_t first, std::int64_t last) {
  if (rows_left <= kRowsAhead) return;
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  const T* ahead = row + kRowsAhead * cols;
  for (std::int64_t j = first; j < last; j += kLine) __builtin_prefetch(ahead + j);
}

}  // namespace omvc
