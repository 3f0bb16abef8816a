// Inner loops of searches for what is nearest, compiled for several instruction sets like those of simd.hpp. They give
// the same bits on every one of them.
#pragma once

#include <cstdint>

#include "omvc/chunk.hpp"

namespace omvc::simd {

// Squared distances of one row from `count` members, by its square, theirs, and their products:
// out[i] = max(0, square + squares[i] - 2 dots[i]).
void squared_distances(double square, const double* squares, const float* dots, Index count, double* out);
// sums[i] += norms[i] - 2 dots[i]: the same short of the square of the row, added up over views.
void add_short_distances(const double* norms, const float* dots, Index count, double* sums);
// sums[i] += values[i].
void add_values(const double* values, Index count, double* sums);
// The places of the values that are no larger than `bound`, ascending, and how many they are. `places` has room for
// `count`.
Index places_up_to(const double* values, Index count, double bound, std::int32_t* places);

}  // namespace omvc::simd
