#include "kernels/simd.hpp"

#include <algorithm>
#include <array>

// Vectors of a size not known at compile time (SVE, RVV) cannot be held in arrays; Arm machines run the NEON code.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once for each instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Full = hn::ScalableTag<double>;
constexpr Index kWidest = static_cast<Index>(hn::MaxLanes(Full()));
constexpr int kTileRows = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;  // as many as registers allow
constexpr int kTileVectors = 3;
constexpr Index kDepth = 256;           // of a packed panel: it stays in the first cache
constexpr Index kPanel = kDepth + 8;    // distance of its rows, no power of two
using Columns = std::array<Index, 4>;   // first column of each vector of a tile

// Calls body(tag) with the longest vectors that are not longer than a row of r.
template <class Body>
HWY_INLINE void with_lanes(Index r, const Body& body) {
  if (r >= kWidest) return body(Full());
  if constexpr (kWidest > 4) {
    if (r >= 4) return body(hn::CappedTag<double, 4>());
  }
  if constexpr (kWidest > 2) {
    if (r >= 2) return body(hn::CappedTag<double, 2>());
  }
  body(hn::CappedTag<double, 1>());
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
      case 1: body(std::integral_constant<int, 1>(), at); break;
      case 2: body(std::integral_constant<int, 2>(), at); break;
      case 3: body(std::integral_constant<int, 3>(), at); break;
      default: body(std::integral_constant<int, 4>(), at); break;
    }
    v += take;
  }
}

// c += a b for kRows rows of c; entry (i, j) of a lies at a[i * kRowStep + j * kDepthStep].
template <class D, int kRows, int kVectors, Index kRowStep, Index kDepthStep>
HWY_INLINE void multiply_tile(D d, Index depth, const double* HWY_RESTRICT a, ConstRows b, const Columns& at, Rows c) {
  using V = hn::Vec<D>;
  V sum[kRows][kVectors];
  const double* HWY_RESTRICT row[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    row[v] = b.data + at[static_cast<std::size_t>(v)];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][v] = hn::LoadU(d, c.data + i * c.stride + at[static_cast<std::size_t>(v)]);
  }
  for (Index j = 0; j < depth; ++j) {
    V right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      right[v] = hn::LoadU(d, row[v]);
      row[v] += b.stride;
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V left = hn::Set(d, a[i * kRowStep + j * kDepthStep]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) hn::StoreU(sum[i][v], d, c.data + i * c.stride + at[static_cast<std::size_t>(v)]);
  }
}

// Calls body(number of rows, first row) for tiles that cover `rows`.
template <class Body>
HWY_INLINE void for_row_tiles(Index rows, const Body& body) {
  Index i = 0;
  for (; i + kTileRows <= rows; i += kTileRows) body(std::integral_constant<int, kTileRows>(), i);
  if constexpr (kTileRows > 4) {
    if (i + 4 <= rows) {
      body(std::integral_constant<int, 4>(), i);
      i += 4;
    }
  }
  if (i + 2 <= rows) {
    body(std::integral_constant<int, 2>(), i);
    i += 2;
  }
  if (i < rows) body(std::integral_constant<int, 1>(), i);
}

template <class T>
HWY_INLINE void product(const T* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_ALIGN double panel[kTileRows * kPanel];
  for (Index j = 0; j < depth; j += kDepth) {
    const Index deep = std::min(kDepth, depth - j);
    for_row_tiles(rows, [&]<int kRows>(std::integral_constant<int, kRows>, Index first) HWY_ATTR {
      for (int i = 0; i < kRows; ++i) {
        const T* HWY_RESTRICT from = X + (first + i) * x_stride + j;
        for (Index e = 0; e < deep; ++e) panel[i * kPanel + e] = static_cast<double>(from[e]);
      }
      with_lanes(r, [&](auto d) HWY_ATTR {
        for_column_tiles<kTileVectors>(
            d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
              multiply_tile<decltype(d), kRows, kVectors, kPanel, 1>(
                  d, deep, panel, {M.data + j * M.stride, M.stride}, at, {out.data + first * out.stride, out.stride});
            });
      });
    });
  }
}

template <class T>
HWY_INLINE void transpose_product(const T* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_ALIGN double panel[kTileRows * kDepth];
  for (Index j = 0; j < depth; j += kDepth) {
    const Index deep = std::min(kDepth, depth - j);
    for_row_tiles(rows, [&]<int kRows>(std::integral_constant<int, kRows>, Index first) HWY_ATTR {
      const T* HWY_RESTRICT from = X + j * x_stride + first;
      for (Index e = 0; e < deep; ++e, from += x_stride) {
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) panel[e * kRows + i] = static_cast<double>(from[i]);
      }
      with_lanes(r, [&](auto d) HWY_ATTR {
        for_column_tiles<kTileVectors>(
            d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
              multiply_tile<decltype(d), kRows, kVectors, 1, kRows>(
                  d, deep, panel, {M.data + j * M.stride, M.stride}, at, {out.data + first * out.stride, out.stride});
            });
      });
    });
  }
}

template <class T>
HWY_INLINE void sparse_rows(const SparseRows<T>& X, ConstRows M, Index r, Rows out) {
  with_lanes(r, [&](auto d) HWY_ATTR {
    for_column_tiles<4>(d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      for (Index i = X.first; i < X.last; ++i) {
        V sum[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
        for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
          const double* row = M.data + X.columns[e] * M.stride;
          const V x = hn::Set(d, static_cast<double>(X.values[e]));
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v) {
            sum[v] = hn::MulAdd(x, hn::LoadU(d, row + at[static_cast<std::size_t>(v)]), sum[v]);
          }
        }
        double* to = out.data + (i - X.first) * out.stride;
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, to + at[static_cast<std::size_t>(v)]);
      }
    });
  });
}

template <class T>
HWY_INLINE void sparse_transpose(const SparseRows<T>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  with_lanes(r, [&](auto d) HWY_ATTR {
    for_column_tiles<4>(d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      for (Index i = X.first; i < X.last; ++i) {
        V right[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          right[v] = hn::LoadU(d, M.data + i * M.stride + at[static_cast<std::size_t>(v)]);
        }
        const std::int32_t* last = X.columns + X.offsets[i + 1];
        const std::int32_t* column = std::lower_bound(X.columns + X.offsets[i], last, begin);
        for (const T* value = X.values + (column - X.columns); column != last && *column < end; ++column, ++value) {
          double* to = out.data + (*column - begin) * out.stride;
          const V x = hn::Set(d, static_cast<double>(*value));
          V sum[kVectors];
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v) {
            sum[v] = hn::MulAdd(x, right[v], hn::LoadU(d, to + at[static_cast<std::size_t>(v)]));
          }
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, to + at[static_cast<std::size_t>(v)]);
        }
      }
    });
  });
}

// Eight chains whatever the length of vectors, added in one order.
template <class T>
HWY_INLINE double squares(const T* values, Index count) {
  double chain[8] = {};
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      const auto x = static_cast<double>(values[i + c]);
      chain[c] += x * x;
    }
  }
  for (int c = 0; i < count; ++i, ++c) chain[c] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return ((chain[0] + chain[1]) + (chain[2] + chain[3])) + ((chain[4] + chain[5]) + (chain[6] + chain[7]));
}

int descend(const double* HWY_RESTRICT G, Index r, const double* HWY_RESTRICT q, const double* HWY_RESTRICT l, int sweeps,
            double tolerance, double* HWY_RESTRICT z) {
  const Full d;
  using V = hn::Vec<Full>;
  constexpr int kVectors = static_cast<int>(kLane / kWidest);
  const V zero = hn::Zero(d);
  const V half = hn::Set(d, 0.5);
  const V limit = hn::Set(d, tolerance);
  V active[kVectors];  // 1 for a problem that still moves, 0 for one that is done
  V lasso[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    active[v] = hn::Set(d, 1.0);
    lasso[v] = hn::Mul(half, hn::LoadU(d, l + v * kWidest));
  }
  for (int sweep = 1; sweep <= sweeps; ++sweep) {
    V change[kVectors];
    V largest[kVectors];
    for (int v = 0; v < kVectors; ++v) change[v] = largest[v] = zero;
    for (Index k = 0; k < r; ++k) {
      V gradient[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) gradient[v] = hn::Sub(lasso[v], hn::LoadU(d, q + k * kLane + v * kWidest));
      const double* HWY_RESTRICT row = G + k * r;
      for (Index j = 0; j < r; ++j) {
        const V g = hn::Set(d, row[j]);
        const double* HWY_RESTRICT from = z + j * kLane;
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) gradient[v] = hn::MulAdd(g, hn::LoadU(d, from + v * kWidest), gradient[v]);
      }
      // A component that nothing uses has no say: its entry is 0.
      const bool used = row[k] > 0;
      const V scale = hn::Set(d, used ? 1 / row[k] : 0.0);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        double* at = z + k * kLane + v * kWidest;
        const V old = hn::LoadU(d, at);
        const V best = used ? hn::Max(hn::NegMulAdd(gradient[v], scale, old), zero) : zero;
        const V next = hn::IfThenElse(hn::Gt(active[v], zero), best, old);
        hn::StoreU(next, d, at);
        change[v] = hn::Max(change[v], hn::Abs(hn::Sub(next, old)));
        largest[v] = hn::Max(largest[v], next);
      }
    }
    bool moving = false;
    for (int v = 0; v < kVectors; ++v) {
      const auto more = hn::Gt(change[v], hn::Mul(limit, largest[v]));
      active[v] = hn::IfThenElseZero(more, active[v]);
      moving |= !hn::AllFalse(d, hn::Gt(active[v], zero));
    }
    if (!moving) return sweep;
  }
  return sweeps;
}

void ProductFloat(const float* X, Index s, Index n, Index k, ConstRows M, Index r, Rows o) { product(X, s, n, k, M, r, o); }
void ProductDouble(const double* X, Index s, Index n, Index k, ConstRows M, Index r, Rows o) {
  product(X, s, n, k, M, r, o);
}
void TransposeFloat(const float* X, Index s, Index n, Index k, ConstRows M, Index r, Rows o) {
  transpose_product(X, s, n, k, M, r, o);
}
void TransposeDouble(const double* X, Index s, Index n, Index k, ConstRows M, Index r, Rows o) {
  transpose_product(X, s, n, k, M, r, o);
}
void SparseFloat(const SparseRows<float>& X, ConstRows M, Index r, Rows o) { sparse_rows(X, M, r, o); }
void SparseDouble(const SparseRows<double>& X, ConstRows M, Index r, Rows o) { sparse_rows(X, M, r, o); }
void SparseTransposeFloat(const SparseRows<float>& X, Index b, Index e, ConstRows M, Index r, Rows o) {
  sparse_transpose(X, b, e, M, r, o);
}
void SparseTransposeDouble(const SparseRows<double>& X, Index b, Index e, ConstRows M, Index r, Rows o) {
  sparse_transpose(X, b, e, M, r, o);
}
double SquaresFloat(const float* values, Index count) { return squares(values, count); }
double SquaresDouble(const double* values, Index count) { return squares(values, count); }
const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(ProductFloat);
HWY_EXPORT(ProductDouble);
HWY_EXPORT(TransposeFloat);
HWY_EXPORT(TransposeDouble);
HWY_EXPORT(SparseFloat);
HWY_EXPORT(SparseDouble);
HWY_EXPORT(SparseTransposeFloat);
HWY_EXPORT(SparseTransposeDouble);
HWY_EXPORT(SquaresFloat);
HWY_EXPORT(SquaresDouble);
HWY_EXPORT(descend);
HWY_EXPORT(Target);

template <>
void add_product(const float* X, Index s, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(ProductFloat)(X, s, rows, depth, M, r, out);
}
template <>
void add_product(const double* X, Index s, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(ProductDouble)(X, s, rows, depth, M, r, out);
}
template <>
void add_transpose_product(const float* X, Index s, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(TransposeFloat)(X, s, rows, depth, M, r, out);
}
template <>
void add_transpose_product(const double* X, Index s, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(TransposeDouble)(X, s, rows, depth, M, r, out);
}
template <>
void sparse_product(const SparseRows<float>& X, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(SparseFloat)(X, M, r, out);
}
template <>
void sparse_product(const SparseRows<double>& X, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(SparseDouble)(X, M, r, out);
}
template <>
void add_sparse_transpose_product(const SparseRows<float>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(SparseTransposeFloat)(X, begin, end, M, r, out);
}
template <>
void add_sparse_transpose_product(const SparseRows<double>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(SparseTransposeDouble)(X, begin, end, M, r, out);
}
template <>
double sum_of_squares(const float* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(SquaresFloat)(values, count);
}
template <>
double sum_of_squares(const double* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(SquaresDouble)(values, count);
}

int coordinate_descent(const double* G, Index r, const double* q, const double* l, int sweeps, double tolerance,
                       double* z) {
  return HWY_DYNAMIC_DISPATCH(descend)(G, r, q, l, sweeps, tolerance, z);
}

const char* target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace omvc::simd
#endif
