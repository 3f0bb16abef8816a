// What every order of rows must be.
#pragma once

#include <fmt/core.h>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

namespace omvc {

// Throws ErrorKind::data unless the order lists each of 0 .. size-1 once.
inline void check_permutation(const std::vector<Index>& order, Index size) {
  if (static_cast<Index>(order.size()) != size) {
    throw Error(ErrorKind::data,
                fmt::format("the order lists {} rows, the data have {}; it must list each once", order.size(), size));
  }
  std::vector<bool> seen(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || order[i] >= size) {
      throw Error(ErrorKind::data,
                  fmt::format("the order's entry {} is row {}; rows are numbered 0 .. {}", i, order[i], size - 1));
    }
    if (seen[static_cast<std::size_t>(order[i])]) {
      throw Error(ErrorKind::data, fmt::format("the order lists row {} twice (again as entry {})", order[i], i));
    }
    seen[static_cast<std::size_t>(order[i])] = true;
  }
}

}  // namespace omvc
