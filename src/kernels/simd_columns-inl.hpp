// How the columns of a result are covered by vectors. Included once for each instruction set, so there is a guard that
// foreach_target flips in the place of `#pragma once`.
#if defined(OMVC_KERNELS_SIMD_COLUMNS) == defined(HWY_TARGET_TOGGLE)
#ifdef OMVC_KERNELS_SIMD_COLUMNS
#undef OMVC_KERNELS_SIMD_COLUMNS
#else
#define OMVC_KERNELS_SIMD_COLUMNS
#endif

#include <algorithm>
#include <array>
#include <hwy/highway.h>
#include <type_traits>

#include "omvc/chunk.hpp"

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class S>
using Full = hn::ScalableTag<S>;
template <class S>
constexpr Index kWidest = static_cast<Index>(hn::MaxLanes(Full<S>()));
using Columns = std::array<Index, 4>;  // first column of each vector of a tile

// Calls body(tag) with the longest vectors that are not longer than a row of r. One column is no work for vectors and
// is done without them.
template <class S, class Body>
HWY_INLINE void with_lanes(Index r, const Body& body) {
  if (r >= kWidest<S>) return body(Full<S>());
  if constexpr (kWidest < S >> 8) {
    if (r >= 8) return body(hn::CappedTag<S, 8>());
  }
  if constexpr (kWidest < S >> 4) {
    if (r >= 4) return body(hn::CappedTag<S, 4>());
  }
  if constexpr (kWidest < S >> 2) {
    if (r >= 2) return body(hn::CappedTag<S, 2>());
  }
}

// Covers r columns by tiles of at most kMost vectors, and calls body(number of vectors, their first columns). The last
// vector ends with the last column and so may overlap the one before it, which is always in the same tile: both compute
// the same numbers from the same input before either is stored.
template <int kMost, class D, class Body>
HWY_INLINE void for_column_tiles(D /*tag*/, Index r, const Body& body) {
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
  const Index vectors = (r + kLanes - 1) / kLanes;
  for (Index v = 0; v < vectors;) {
    const Index left = vectors - v;
    const Index take = left == kMost + 1 ? kMost - 1 : std::min<Index>(kMost, left);
    Columns at{};
    for (Index i = 0; i < take; ++i) at[static_cast<std::size_t>(i)] = std::min((v + i) * kLanes, r - kLanes);
    switch (take) {
      case 1:
        body(std::integral_constant<int, 1>(), at);
        break;
      case 2:
        body(std::integral_constant<int, 2>(), at);
        break;
      case 3:
        body(std::integral_constant<int, 3>(), at);
        break;
      default:
        body(std::integral_constant<int, 4>(), at);
        break;
    }
    v += take;
  }
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
