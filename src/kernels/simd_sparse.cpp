#include <algorithm>

#include "kernels/simd.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_sparse.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd_columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {

template <class T, class S>
HWY_INLINE void sparse_rows(const SparseRows<T>& X, ConstRowsOf<S> M, Index r, RowsOf<S> out) {
  if (r == 1) {
    for (Index i = X.first; i < X.last; ++i) {
      S sum = 0;
      for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
        sum += static_cast<S>(X.values[e]) * M.data[X.columns[e] * M.stride];
      }
      out.data[(i - X.first) * out.stride] = sum;
    }
    return;
  }
  with_lanes<S>(r, [&](auto d) HWY_ATTR {
    for_column_tiles<4>(d, r, [&]<int kVectors>(std::integral_constant<int, kVectors>, const Columns& at) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      for (Index i = X.first; i < X.last; ++i) {
        V sum[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
        for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
          const S* row = M.data + X.columns[e] * M.stride;
          const V x = hn::Set(d, static_cast<S>(X.values[e]));
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v) {
            sum[v] = hn::MulAdd(x, hn::LoadU(d, row + at[static_cast<std::size_t>(v)]), sum[v]);
          }
        }
        S* to = out.data + (i - X.first) * out.stride;
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, to + at[static_cast<std::size_t>(v)]);
      }
    });
  });
}

template <class T>
HWY_INLINE void sparse_transpose(const SparseRows<T>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  if (r == 1) {
    for (Index i = X.first; i < X.last; ++i) {
      const std::int32_t* last = X.columns + X.offsets[i + 1];
      const std::int32_t* column = std::lower_bound(X.columns + X.offsets[i], last, begin);
      for (const T* value = X.values + (column - X.columns); column != last && *column < end; ++column, ++value) {
        out.data[(*column - begin) * out.stride] += static_cast<double>(*value) * M.data[i * M.stride];
      }
    }
    return;
  }
  with_lanes<double>(r, [&](auto d) HWY_ATTR {
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

void sparse_float(const SparseRows<float>& X, ConstRows M, Index r, Rows out) { sparse_rows(X, M, r, out); }
void sparse_double(const SparseRows<double>& X, ConstRows M, Index r, Rows out) { sparse_rows(X, M, r, out); }
void sparse_float_narrow(const SparseRows<float>& X, NarrowConstRows M, Index r, NarrowRows out) {
  sparse_rows(X, M, r, out);
}
void sparse_double_narrow(const SparseRows<double>& X, NarrowConstRows M, Index r, NarrowRows out) {
  sparse_rows(X, M, r, out);
}
void sparse_transpose_float(const SparseRows<float>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  sparse_transpose(X, begin, end, M, r, out);
}
void sparse_transpose_double(const SparseRows<double>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  sparse_transpose(X, begin, end, M, r, out);
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(sparse_float);
HWY_EXPORT(sparse_double);
HWY_EXPORT(sparse_float_narrow);
HWY_EXPORT(sparse_double_narrow);
HWY_EXPORT(sparse_transpose_float);
HWY_EXPORT(sparse_transpose_double);

void sparse_product(const SparseRows<float>& X, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(sparse_float)(X, M, r, out);
}
void sparse_product(const SparseRows<double>& X, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(sparse_double)(X, M, r, out);
}
void sparse_product(const SparseRows<float>& X, NarrowConstRows M, Index r, NarrowRows out) {
  HWY_DYNAMIC_DISPATCH(sparse_float_narrow)(X, M, r, out);
}
void sparse_product(const SparseRows<double>& X, NarrowConstRows M, Index r, NarrowRows out) {
  HWY_DYNAMIC_DISPATCH(sparse_double_narrow)(X, M, r, out);
}

void add_sparse_transpose_product(const SparseRows<float>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(sparse_transpose_float)(X, begin, end, M, r, out);
}
void add_sparse_transpose_product(const SparseRows<double>& X, Index begin, Index end, ConstRows M, Index r, Rows out) {
  HWY_DYNAMIC_DISPATCH(sparse_transpose_double)(X, begin, end, M, r, out);
}

}  // namespace omvc::simd
#endif
