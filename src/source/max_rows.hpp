// The one thing every source checks about Source::next.
#pragma once

#include <fmt/core.h>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

namespace omvc {

inline void check_max_rows(Index max_rows) {
  if (max_rows < 1) {
    throw Error(ErrorKind::usage, fmt::format("a chunk must have at least 1 row; {} were asked for", max_rows));
  }
}

}  // namespace omvc
