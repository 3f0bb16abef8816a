#include <algorithm>

#include "kernels/simd.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_dense.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd_columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {

constexpr int kTileRows = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;  // as many as registers allow
constexpr int kTileVectors = 3;
constexpr Index kDepth = 256;         // of a packed panel: it stays in the first cache
constexpr Index kPanel = kDepth + 8;  // distance of its rows, no power of two

// Where the entries of a factor lie: entry (i, j) at data[i * row_step + j * depth_step].
template <class S>
struct Strided {
  const S* data;
  Index row_step;
  Index depth_step;
};

// c += a b for kRows rows of c.
template <class D, int kRows, int kVectors>
HWY_INLINE void multiply_tile(D d, Index depth, const Strided<hn::TFromD<D>>& a, ConstRowsOf<hn::TFromD<D>> b,
                              const Columns& at, RowsOf<hn::TFromD<D>> c) {
  using V = hn::Vec<D>;
  V sum[kRows][kVectors];
  const hn::TFromD<D>* HWY_RESTRICT row[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    row[v] = b.data + at[static_cast<std::size_t>(v)];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][v] = hn::LoadU(d, c.data + i * c.stride + at[static_cast<std::size_t>(v)]);
  }
  const hn::TFromD<D>* HWY_RESTRICT from[kRows];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) from[i] = a.data + i * a.row_step;
  for (Index j = 0; j < depth; ++j) {
    V right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      right[v] = hn::LoadU(d, row[v]);
      row[v] += b.stride;
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V left = hn::Set(d, from[i][j * a.depth_step]);
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

// out += X m for one column, entry (i, j) of X at i * row_step + j * depth_step; four rows at a time, since a sum waits
// for itself.
template <class T, class S>
HWY_INLINE void one_column(const T* X, Index row_step, Index depth_step, Index rows, Index depth, ConstRowsOf<S> m,
                           RowsOf<S> out) {
  for (Index first = 0; first < rows; first += 4) {
    const Index count = std::min<Index>(4, rows - first);
    S sum[4] = {};
    for (Index i = 0; i < count; ++i) sum[i] = out.data[(first + i) * out.stride];
    const T* from = X + first * row_step;
    for (Index j = 0; j < depth; ++j, from += depth_step) {
      for (Index i = 0; i < count; ++i) sum[i] += static_cast<S>(from[i * row_step]) * m.data[j * m.stride];
    }
    for (Index i = 0; i < count; ++i) out.data[(first + i) * out.stride] = sum[i];
  }
}

// c += a b for kRows rows of c and all r columns.
template <int kRows, class S>
HWY_INLINE void multiply_rows(Index depth, const Strided<S>& a, ConstRowsOf<S> b, Index r, RowsOf<S> c) {
  with_lanes<S>(r, [&](auto d) HWY_ATTR {
    for_column_tiles<kTileVectors>(
        d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
          multiply_tile<decltype(d), kRows, kVectors>(d, depth, a, b, at, c);
        });
  });
}

// Entries of X that are not of the type of the sums are widened into a panel first; others are taken from where they
// lie.
template <class T, class S>
HWY_INLINE void product(const T* X, Index x_stride, Index rows, Index depth, ConstRowsOf<S> M, Index r, RowsOf<S> out) {
  if (r == 1) return one_column(X, x_stride, 1, rows, depth, M, out);
  HWY_ALIGN S panel[kTileRows * kPanel];
  for (Index j = 0; j < depth; j += kDepth) {
    const Index deep = std::min(kDepth, depth - j);
    for_row_tiles(rows, [&]<int kRows>(std::integral_constant<int, kRows>, Index first) HWY_ATTR {
      const ConstRowsOf<S> right{M.data + j * M.stride, M.stride};
      const RowsOf<S> to{out.data + first * out.stride, out.stride};
      if constexpr (std::is_same_v<T, S>) {
        multiply_rows<kRows, S>(deep, {X + first * x_stride + j, x_stride, 1}, right, r, to);
      } else {
        for (int i = 0; i < kRows; ++i) {
          const T* HWY_RESTRICT from = X + (first + i) * x_stride + j;
          for (Index e = 0; e < deep; ++e) panel[i * kPanel + e] = static_cast<S>(from[e]);
        }
        multiply_rows<kRows, S>(deep, {panel, kPanel, 1}, right, r, to);
      }
    });
  }
}

template <class T>
HWY_INLINE void transpose_product(const T* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  if (r == 1) return one_column(X, 1, x_stride, rows, depth, M, out);
  HWY_ALIGN double panel[kTileRows * kDepth];
  for (Index j = 0; j < depth; j += kDepth) {
    const Index deep = std::min(kDepth, depth - j);
    for_row_tiles(rows, [&]<int kRows>(std::integral_constant<int, kRows>, Index first) HWY_ATTR {
      const ConstRows right{M.data + j * M.stride, M.stride};
      const Rows to{out.data + first * out.stride, out.stride};
      const T* HWY_RESTRICT from = X + j * x_stride + first;
      if constexpr (std::is_same_v<T, double>) {
        multiply_rows<kRows, double>(deep, {from, 1, x_stride}, right, r, to);
      } else {
        for (Index e = 0; e < deep; ++e, from += x_stride) {
#pragma GCC unroll 8
          for (int i = 0; i < kRows; ++i) panel[e * kRows + i] = static_cast<double>(from[i]);
        }
        multiply_rows<kRows, double>(deep, {panel, 1, kRows}, right, r, to);
      }
    });
  }
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

void product_float(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  product(X, x_stride, rows, depth, M, r, out);
}
void product_double(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  product(X, x_stride, rows, depth, M, r, out);
}
void product_float_narrow(const float* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r,
                          NarrowRows out) {
  product(X, x_stride, rows, depth, M, r, out);
}
void product_double_narrow(const double* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r,
                           NarrowRows out) {
  product(X, x_stride, rows, depth, M, r, out);
}
void transpose_float(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  transpose_product(X, x_stride, rows, depth, M, r, out);
}
void transpose_double(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  transpose_product(X, x_stride, rows, depth, M, r, out);
}
double squares_float(const float* values, Index count) { return squares(values, count); }
double squares_double(const double* values, Index count) { return squares(values, count); }
const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);
HWY_EXPORT(product_float_narrow);
HWY_EXPORT(product_double_narrow);
HWY_EXPORT(transpose_float);
HWY_EXPORT(transpose_double);
HWY_EXPORT(squares_float);
HWY_EXPORT(squares_double);
HWY_EXPORT(name_of_target);

void add_product(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(product_float)(X, x_stride, rows, depth, M, r, out);
}
void add_product(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(product_double)(X, x_stride, rows, depth, M, r, out);
}
void add_product(const float* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r, NarrowRows out) {
  HWY_DYNAMIC_DISPATCH(product_float_narrow)(X, x_stride, rows, depth, M, r, out);
}
void add_product(const double* X, Index x_stride, Index rows, Index depth, NarrowConstRows M, Index r, NarrowRows out) {
  HWY_DYNAMIC_DISPATCH(product_double_narrow)(X, x_stride, rows, depth, M, r, out);
}

void add_transpose_product(const float* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(transpose_float)(X, x_stride, rows, depth, M, r, out);
}
void add_transpose_product(const double* X, Index x_stride, Index rows, Index depth, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(transpose_double)(X, x_stride, rows, depth, M, r, out);
}

double sum_of_squares(const float* values, Index count) { return HWY_DYNAMIC_DISPATCH(squares_float)(values, count); }
double sum_of_squares(const double* values, Index count) { return HWY_DYNAMIC_DISPATCH(squares_double)(values, count); }

const char* target() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace omvc::simd
#endif
