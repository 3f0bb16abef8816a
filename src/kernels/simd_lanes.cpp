#include "kernels/simd.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_lanes.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<double, 4>;  // or fewer, where vectors are that short
constexpr Index kSide = static_cast<Index>(hn::MaxLanes(Four()));
using Square = hn::Vec<Four>[4];

// Turns rows of a square of kSide entries into its columns.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void turn(Square& /*square*/) {}
#else
HWY_INLINE void turn(Square& square) {
  const Four d;
  if constexpr (kSide == 4) {
    const auto even = hn::InterleaveLower(d, square[0], square[1]);
    const auto odd = hn::InterleaveUpper(d, square[0], square[1]);
    const auto even_below = hn::InterleaveLower(d, square[2], square[3]);
    const auto odd_below = hn::InterleaveUpper(d, square[2], square[3]);
    square[0] = hn::ConcatLowerLower(d, even_below, even);
    square[1] = hn::ConcatLowerLower(d, odd_below, odd);
    square[2] = hn::ConcatUpperUpper(d, even_below, even);
    square[3] = hn::ConcatUpperUpper(d, odd_below, odd);
  } else {
    const auto first = square[0];
    square[0] = hn::InterleaveLower(d, first, square[1]);
    square[1] = hn::InterleaveUpper(d, first, square[1]);
  }
}
#endif

void spread_rows(const double* const* HWY_RESTRICT rows, Index count, Index r, double* HWY_RESTRICT lanes) {
  const Four d;
  Index i = 0;
  for (; i + kSide <= count; i += kSide) {
    Index k = 0;
    for (; k + kSide <= r; k += kSide) {
      Square square;
      for (Index a = 0; a < kSide; ++a) square[a] = hn::LoadU(d, rows[i + a] + k);
      turn(square);
      for (Index a = 0; a < kSide; ++a) hn::StoreU(square[a], d, lanes + (k + a) * kLane + i);
    }
    for (; k < r; ++k) {
      for (Index a = 0; a < kSide; ++a) lanes[k * kLane + i + a] = rows[i + a][k];
    }
  }
  for (; i < count; ++i) {
    for (Index k = 0; k < r; ++k) lanes[k * kLane + i] = rows[i][k];
  }
}

void collect_rows(const double* HWY_RESTRICT lanes, Index count, Index r, double* const* HWY_RESTRICT rows) {
  const Four d;
  Index i = 0;
  for (; i + kSide <= count; i += kSide) {
    Index k = 0;
    for (; k + kSide <= r; k += kSide) {
      Square square;
      for (Index a = 0; a < kSide; ++a) square[a] = hn::LoadU(d, lanes + (k + a) * kLane + i);
      turn(square);
      for (Index a = 0; a < kSide; ++a) hn::StoreU(square[a], d, rows[i + a] + k);
    }
    for (; k < r; ++k) {
      for (Index a = 0; a < kSide; ++a) rows[i + a][k] = lanes[k * kLane + i + a];
    }
  }
  for (; i < count; ++i) {
    for (Index k = 0; k < r; ++k) rows[i][k] = lanes[k * kLane + i];
  }
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(spread_rows);
HWY_EXPORT(collect_rows);

void to_lanes(const double* const* rows, Index count, Index r, double* lanes) {
  HWY_DYNAMIC_DISPATCH(spread_rows)(rows, count, r, lanes);
}
void from_lanes(const double* lanes, Index count, Index r, double* const* rows) {
  HWY_DYNAMIC_DISPATCH(collect_rows)(lanes, count, r, rows);
}

}  // namespace omvc::simd
#endif
