// What this machine can do at best, measured in the same run as the benchmarks, so that every time can be put beside
// the time it could not fall below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace omvc::bench {

// What a call must do, however it is written.
struct Work {
  double operations = 0;  // additions and multiplications, a multiply-add counting as two
  double bytes = 0;       // read plus written, everything once
};

struct CopySpeed {
  double working_set = 0;       // bytes, source and destination together
  double bytes_per_second = 0;  // read plus written
};

struct Limits {
  double operations_per_second = 0;  // double multiply-adds in registers, two operations each
  std::string instructions;          // the vector instructions they used, by Highway's name
  std::vector<CopySpeed> copies;     // from the first-level cache to main memory, sizes ascending

  // The speed of a copy whose working set has this size, interpolated over the logarithm of the size. A call that is
  // repeated on data that fit into a cache finds them there, and so does the copy it is compared with.
  double copy_speed(double working_set) const;

  double memory_seconds(const Work& work) const { return work.bytes / copy_speed(work.bytes); }
  double arithmetic_seconds(const Work& work) const { return work.operations / operations_per_second; }

  // No call can be quicker than both the moving of its bytes and its arithmetic. A call that mostly reads can beat the
  // first of them by a little, since half of a copy is writing.
  double bound_seconds(const Work& work) const;
};

// The limits of this many threads together; measured when first asked for.
const Limits& limits(int threads);

struct MultiplyAdds {
  double operations = 0;
  const char* instructions = nullptr;
  double result = 0;  // keeps the compiler from leaving the work out
};

// Independent chains of double multiply-adds in registers, with the widest vectors this processor has.
MultiplyAdds multiply_adds(std::int64_t rounds);

}  // namespace omvc::bench
