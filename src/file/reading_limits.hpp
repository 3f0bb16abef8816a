// How carefully and how coarsely files are read. Fuzzers, which read thousands of small files a second, set other
// values before they begin; nobody else does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omvc {

struct ReadingLimits {
  std::size_t text_buffer = std::size_t{1} << 18;  // bytes of a text file read at a time
  std::int64_t unpacked = std::int64_t{1} << 29;   // bytes that may come of next to nothing
  std::int64_t empty_rows = 1'000'000;             // rows or columns that a sparse file may announce whatever it holds
};

inline ReadingLimits& reading_limits() {
  static ReadingLimits limits;
  return limits;
}

}  // namespace omvc
