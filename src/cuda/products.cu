#include "cuda/products.cuh"
#include "cuda/tiles.cuh"

namespace omvc::cuda {
namespace {

// The product that most work is in: 128 x 128 sums by 256 threads, a warp 64 x 32 of them, a thread 8 x 8 in four
// squares of 4 x 4, so that what a warp reads of shared memory lies side by side. The next factors come while these are
// multiplied.
constexpr int kM = 128;
constexpr int kN = 128;
constexpr int kK = 16;
constexpr int kThreads = 256;

template <class T, bool kVector>
__device__ void load_left(const T* X, std::int64_t stride, std::int64_t rows, std::int64_t row, std::int64_t depth,
                          std::int64_t k, float (&to)[8]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t i = row + static_cast<int>(threadIdx.x) / 4 + half * 64;
    const std::int64_t d = k + static_cast<int>(threadIdx.x) % 4 * 4;
    if constexpr (kVector) {
      const float4 some = i < rows && d < depth ? *reinterpret_cast<const float4*>(X + i * stride + d)
                                                : make_float4(0, 0, 0, 0);
      to[half * 4] = some.x;
      to[half * 4 + 1] = some.y;
      to[half * 4 + 2] = some.z;
      to[half * 4 + 3] = some.w;
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        to[half * 4 + e] = i < rows && d + e < depth ? static_cast<float>(X[i * stride + d + e]) : 0.0F;
      }
    }
  }
}

__device__ void load_right(const float* M, std::int64_t stride, std::int64_t column, std::int64_t columns,
                           std::int64_t depth, std::int64_t k, float (&to)[8]) {
  const std::int64_t j = column + static_cast<int>(threadIdx.x) % 32 * 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t d = k + static_cast<int>(threadIdx.x) / 32 + half * 8;
    const bool inside = d < depth && j < columns;  // columns come in fours
    const float4 some = inside ? *reinterpret_cast<const float4*>(M + d * stride + j) : make_float4(0, 0, 0, 0);
    to[half * 4] = some.x;
    to[half * 4 + 1] = some.y;
    to[half * 4 + 2] = some.z;
    to[half * 4 + 3] = some.w;
  }
}

__device__ void store_factors(const float (&a)[8], const float (&b)[8], float (*left)[kM + 4], float (*right)[kN]) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int e = 0; e < 4; ++e) left[thread % 4 * 4 + e][thread / 4 + half * 64] = a[half * 4 + e];
    *reinterpret_cast<float4*>(&right[thread / 32 + half * 8][thread % 32 * 4]) =
        make_float4(b[half * 4], b[half * 4 + 1], b[half * 4 + 2], b[half * 4 + 3]);
  }
}

__device__ void multiply_depth(const float* left, const float* right, int y, int x, float (&sum)[8][8]) {
  float a[8];
  float b[8];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 l = *reinterpret_cast<const float4*>(left + y + half * 32);
    const float4 r = *reinterpret_cast<const float4*>(right + x + half * 16);
    a[half * 4] = l.x, a[half * 4 + 1] = l.y, a[half * 4 + 2] = l.z, a[half * 4 + 3] = l.w;
    b[half * 4] = r.x, b[half * 4 + 1] = r.y, b[half * 4 + 2] = r.z, b[half * 4 + 3] = r.w;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[i][j] = __fmaf_rn(a[i], b[j], sum[i][j]);
  }
}

template <class T, bool kVector>
__global__ void __launch_bounds__(kThreads, 2)
    dense_product(const T* X, std::int64_t rows, std::int64_t depth, const float* M, std::int64_t M_stride,
                  std::int64_t columns, float* out, std::int64_t out_stride) {
  __shared__ __align__(16) float left[2][kK][kM + 4];
  __shared__ __align__(16) float right[2][kK][kN];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kM;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kN;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int y = warp / 4 * 64 + lane / 4 * 4;
  const int x = warp % 4 * 32 + lane % 4 * 4;
  float sum[8][8] = {};
  float a[8];
  float b[8];
  load_left<T, kVector>(X, depth, rows, row, depth, 0, a);
  load_right(M, M_stride, column, columns, depth, 0, b);
  store_factors(a, b, left[0], right[0]);
  __syncthreads();
  int now = 0;
  for (std::int64_t k = 0; k < depth; k += kK) {
    const bool more = k + kK < depth;
    if (more) {
      load_left<T, kVector>(X, depth, rows, row, depth, k + kK, a);
      load_right(M, M_stride, column, columns, depth, k + kK, b);
    }
    if (depth - k >= kK) {
#pragma unroll
      for (int d = 0; d < kK; ++d) multiply_depth(left[now][d], right[now][d], y, x, sum);
    } else {
      for (int d = 0; d < depth - k; ++d) multiply_depth(left[now][d], right[now][d], y, x, sum);
    }
    if (more) store_factors(a, b, left[now ^ 1], right[now ^ 1]);
    __syncthreads();
    now ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::int64_t r = row + y + i / 4 * 32 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t c = column + x + half * 16;
      if (r < rows && c < columns) {
        *reinterpret_cast<float4*>(out + r * out_stride + c) =
            make_float4(sum[i][half * 4], sum[i][half * 4 + 1], sum[i][half * 4 + 2], sum[i][half * 4 + 3]);
      }
    }
  }
}

// The same on tensor cores: factors rounded to TF32, sums of eight at a time.
__device__ unsigned as_tf32(float x) {
  unsigned out;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out) : "f"(x));
  return out;
}

template <class T, bool kVector>
__global__ void __launch_bounds__(kThreads, 2)
    fast_product(const T* X, std::int64_t rows, std::int64_t depth, const float* M, std::int64_t M_stride,
                 std::int64_t columns, float* out, std::int64_t out_stride) {
  __shared__ __align__(16) float left[2][kK][kM + 8];
  __shared__ __align__(16) float right[2][kK][kN + 8];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kM;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kN;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int y = warp / 4 * 64;
  const int x = warp % 4 * 32;
  float sum[4][4][4] = {};  // of 16 rows by 8 columns each
  float a[8];
  float b[8];
  const auto store = [&](int at) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        left[at][thread % 4 * 4 + e][thread / 4 + half * 64] = __uint_as_float(as_tf32(a[half * 4 + e]));
        right[at][thread / 32 + half * 8][thread % 32 * 4 + e] = __uint_as_float(as_tf32(b[half * 4 + e]));
      }
    }
  };
  load_left<T, kVector>(X, depth, rows, row, depth, 0, a);
  load_right(M, M_stride, column, columns, depth, 0, b);
  store(0);
  __syncthreads();
  int now = 0;
  for (std::int64_t k = 0; k < depth; k += kK) {
    const bool more = k + kK < depth;
    if (more) {
      load_left<T, kVector>(X, depth, rows, row, depth, k + kK, a);
      load_right(M, M_stride, column, columns, depth, k + kK, b);
    }
#pragma unroll
    for (int d = 0; d < kK; d += 8) {
      unsigned u[4][4];
      unsigned w[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = y + i * 16 + lane / 4;
        u[i][0] = __float_as_uint(left[now][d + lane % 4][r]);
        u[i][1] = __float_as_uint(left[now][d + lane % 4][r + 8]);
        u[i][2] = __float_as_uint(left[now][d + lane % 4 + 4][r]);
        u[i][3] = __float_as_uint(left[now][d + lane % 4 + 4][r + 8]);
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int c = x + j * 8 + lane / 4;
        w[j][0] = __float_as_uint(right[now][d + lane % 4][c]);
        w[j][1] = __float_as_uint(right[now][d + lane % 4 + 4][c]);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
              "{%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(u[i][0]), "r"(u[i][1]), "r"(u[i][2]), "r"(u[i][3]), "r"(w[j][0]), "r"(w[j][1]));
        }
      }
    }
    if (more) store(now ^ 1);
    __syncthreads();
    now ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::int64_t c = column + x + j * 8 + lane % 4 * 2;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t r = row + y + i * 16 + lane / 4 + half * 8;
        if (r < rows && c < columns) {
          *reinterpret_cast<float2*>(out + r * out_stride + c) =
              make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
        }
      }
    }
  }
}

// A warp for each row, and 128 columns of the product.
template <class T, class S>
__global__ void sparse_product(const std::int64_t* offsets, const std::int32_t* columns_of, const T* values,
                               std::int64_t rows, const S* M, std::int64_t M_stride, std::int64_t columns, S* out,
                               std::int64_t out_stride) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * 128 + threadIdx.x % 32;
  if (row >= rows) return;
  S sum[4] = {};
  for (std::int64_t e = offsets[row]; e < offsets[row + 1]; ++e) {
    const S x = static_cast<S>(values[e]);
    const S* from = M + columns_of[e] * M_stride + first;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (first + 32 * j < columns) sum[j] = fused(x, from[32 * j], sum[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (first + 32 * j < columns) out[row * out_stride + first + 32 * j] = sum[j];
  }
}

template <class T>
__global__ void __launch_bounds__(256)
    wide_product(const T* X, std::int64_t rows, std::int64_t depth, const double* M, std::int64_t M_stride,
                 std::int64_t columns, double* out, std::int64_t out_stride) {
  multiply_tile<double, 64, 64, 4, 4, true>(
      static_cast<std::int64_t>(blockIdx.y) * 64, rows, static_cast<std::int64_t>(blockIdx.x) * 64, columns, depth,
      [&](std::int64_t i, std::int64_t k) { return static_cast<double>(X[i * depth + k]); },
      [&](std::int64_t k, std::int64_t j) { return M[k * M_stride + j]; }, [](std::int64_t, std::int64_t) { return 0.0; },
      [&](std::int64_t i, std::int64_t j, double sum) { out[i * out_stride + j] = sum; });
}

// out += X' V: the depth is that of the rows.
template <class T>
__global__ void __launch_bounds__(256)
    transpose_product(const T* X, std::int64_t rows, std::int64_t cols, const double* V, std::int64_t V_stride,
                      std::int64_t columns, double* out, std::int64_t out_stride) {
  multiply_tile<double, 32, 64, 2, 4, false>(
      static_cast<std::int64_t>(blockIdx.x) * 32, cols, static_cast<std::int64_t>(blockIdx.y) * 64, columns, rows,
      [&](std::int64_t j, std::int64_t k) { return static_cast<double>(X[k * cols + j]); },
      [&](std::int64_t k, std::int64_t c) { return V[k * V_stride + c]; },
      [&](std::int64_t j, std::int64_t c) { return out[j * out_stride + c]; },
      [&](std::int64_t j, std::int64_t c, double sum) { out[j * out_stride + c] = sum; });
}

// A thread for each of 32 rows, whose values come through shared memory.
template <class T, bool kSingle>
__global__ void dense_squares(const T* X, std::int64_t rows, std::int64_t cols, double* squares) {
  __shared__ T tile[32][33];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * 32;
  const int lane = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (std::int64_t j = 0; j < cols; j += 32) {
    for (int i = 0; i < 32; ++i) {
      if (first + i < rows && j + lane < cols) tile[i][lane] = X[(first + i) * cols + j + lane];
    }
    __syncwarp();
    const int deep = static_cast<int>(cols - j < 32 ? cols - j : 32);
    if (first + lane < rows) {
      for (int d = 0; d < deep; ++d) {
        const double x =
            kSingle ? static_cast<double>(static_cast<float>(tile[lane][d])) : static_cast<double>(tile[lane][d]);
        sum = __dadd_rn(sum, __dmul_rn(x, x));
      }
    }
    __syncwarp();
  }
  if (first + lane < rows) squares[first + lane] = sum;
}

template <class T, bool kSingle>
__global__ void sparse_squares(const std::int64_t* offsets, const T* values, std::int64_t rows, double* squares) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) squares[row] = square_of<T, kSingle>(values + offsets[row], offsets[row + 1] - offsets[row]);
}

template <class T>
void dense(const T* X, const DeviceBlock& block, const float* M, std::int64_t M_stride, std::int64_t columns, float* out,
           std::int64_t out_stride, bool fast, cudaStream_t stream) {
  const dim3 grid(blocks_for(columns, kN), blocks_for(block.rows, kM));
  const bool aligned = sizeof(T) == 4 && block.cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(X) % 16 == 0;
  const auto launch = [&](auto kernel) {
    kernel<<<grid, kThreads, 0, stream>>>(X, block.rows, block.cols, M, M_stride, columns, out, out_stride);
  };
  if constexpr (sizeof(T) == 4) {
    if (aligned) return fast ? launch(fast_product<T, true>) : launch(dense_product<T, true>);
  }
  fast ? launch(fast_product<T, false>) : launch(dense_product<T, false>);
}

}  // namespace

void narrow_product(const DeviceBlock& X, const float* M, std::int64_t M_stride, std::int64_t columns, float* out,
                    std::int64_t out_stride, bool fast, cudaStream_t stream) {
  if (X.rows == 0 || columns == 0) return;
  with_values(X, [&](auto* values) {
    if (X.sparse) {
      sparse_product<<<dim3(blocks_for(X.rows, 8), blocks_for(columns, 128)), 256, 0, stream>>>(
          X.offsets, X.columns, values, X.rows, M, M_stride, columns, out, out_stride);
    } else {
      dense(values, X, M, M_stride, columns, out, out_stride, fast, stream);
    }
  });
  check(cudaGetLastError(), "a product");
}

void squares_of_rows(const DeviceBlock& X, double* squares, bool single, cudaStream_t stream) {
  if (X.rows == 0) return;
  with_values(X, [&]<class T>(const T* values) {
    const auto launch = [&](auto dense_kernel, auto sparse_kernel) {
      if (X.sparse) {
        sparse_kernel<<<blocks_for(X.rows, 128), 128, 0, stream>>>(X.offsets, values, X.rows, squares);
      } else {
        dense_kernel<<<blocks_for(X.rows, 32), 32, 0, stream>>>(values, X.rows, X.cols, squares);
      }
    };
    single ? launch(dense_squares<T, true>, sparse_squares<T, true>)
           : launch(dense_squares<T, false>, sparse_squares<T, false>);
  });
  check(cudaGetLastError(), "squares of rows");
}

// Rows are taken in parts, so that a large block needs no more memory than a small one.
void times(Lane& lane, Device& device, const OmvcCudaBlock& X, const Factor& U, bool doubles, bool fast, void* out,
           std::int64_t out_stride) {
  constexpr std::int64_t kRowsAtOnce = 1 << 16;
  const std::size_t size = doubles ? 8 : 4;
  const std::int64_t columns = doubles ? U.columns : (U.columns + 3) / 4 * 4;
  const auto row = static_cast<std::size_t>(columns) * size;
  const auto used = static_cast<std::size_t>(U.columns) * size;
  std::vector<char> packed(static_cast<std::size_t>(X.cols) * row);
  for (std::int64_t j = 0; j < X.cols; ++j) {
    std::memcpy(packed.data() + static_cast<std::size_t>(j) * row,
                static_cast<const char*>(U.data) + static_cast<std::size_t>(j * U.stride) * size, used);
  }
  char* factor = lane.upload(packed);
  const Lane::Mark mark = lane.mark();
  for (std::int64_t first = 0; first < X.rows; first += kRowsAtOnce) {
    const std::int64_t last = first + kRowsAtOnce < X.rows ? first + kRowsAtOnce : X.rows;
    const DeviceBlock block = block_on_device(lane, device, X, first, last);
    char* product = lane.take<char>(static_cast<std::size_t>((last - first) * columns) * size);
    if (!doubles) {
      narrow_product(block, reinterpret_cast<const float*>(factor), columns, columns, reinterpret_cast<float*>(product),
                     columns, fast, lane.stream());
    } else {
      with_values(block, [&](auto* values) {
        const auto* M = reinterpret_cast<const double*>(factor);
        auto* to = reinterpret_cast<double*>(product);
        if (block.sparse) {
          sparse_product<<<dim3(blocks_for(block.rows, 8), blocks_for(columns, 128)), 256, 0, lane.stream()>>>(
              block.offsets, block.columns, values, block.rows, M, columns, columns, to, columns);
        } else {
          wide_product<<<dim3(blocks_for(columns, 64), blocks_for(block.rows, 64)), 256, 0, lane.stream()>>>(
              values, block.rows, block.cols, M, columns, columns, to, columns);
        }
      });
      check(cudaGetLastError(), "a product");
    }
    char* to = static_cast<char*>(out) + static_cast<std::size_t>(first * out_stride) * size;
    const bool as_it_is = columns == U.columns && out_stride == columns;
    if (!as_it_is) packed.resize(static_cast<std::size_t>(last - first) * row);
    lane.copy_out(as_it_is ? to : packed.data(), product, static_cast<std::size_t>(last - first) * row);
    lane.finish();
    for (std::int64_t i = 0; !as_it_is && i < last - first; ++i) {
      std::memcpy(to + static_cast<std::size_t>(i * out_stride) * size, packed.data() + static_cast<std::size_t>(i) * row,
                  used);
    }
    lane.rewind(mark);
  }
}

void transpose_times(Lane& lane, Device& device, const OmvcCudaBlock& X, const Factor& V, double* out,
                     std::int64_t out_stride) {
  constexpr std::int64_t kRowsAtOnce = 1 << 16;
  const std::int64_t columns = V.columns;
  std::vector<double> sums(static_cast<std::size_t>(X.cols * columns));
  for (std::int64_t j = 0; j < X.cols; ++j) {
    std::memcpy(sums.data() + j * columns, out + j * out_stride, static_cast<std::size_t>(columns) * 8);
  }
  double* to = lane.upload(sums);
  const Lane::Mark mark = lane.mark();
  for (std::int64_t first = 0; first < X.rows; first += kRowsAtOnce) {
    const std::int64_t last = first + kRowsAtOnce < X.rows ? first + kRowsAtOnce : X.rows;
    const DeviceBlock block = block_on_device(lane, device, X, first, last);
    const auto* from = static_cast<const double*>(V.data) + first * V.stride;
    std::vector<double> packed;
    if (V.stride != columns) {
      for (std::int64_t i = 0; i < last - first; ++i) {
        packed.insert(packed.end(), from + i * V.stride, from + i * V.stride + columns);
      }
      from = packed.data();
    }
    const double* factor = lane.upload(from, static_cast<std::size_t>((last - first) * columns));
    with_values(block, [&](auto* values) {
      transpose_product<<<dim3(blocks_for(X.cols, 32), blocks_for(columns, 64)), 256, 0, lane.stream()>>>(
          values, block.rows, block.cols, factor, columns, columns, to, columns);
    });
    check(cudaGetLastError(), "a product");
    check(cudaStreamSynchronize(lane.stream()), "a product");
    lane.rewind(mark);
  }
  lane.copy_out(sums.data(), to, sums.size() * 8);
  lane.finish();
  for (std::int64_t j = 0; j < X.cols; ++j) {
    std::memcpy(out + j * out_stride, sums.data() + j * columns, static_cast<std::size_t>(columns) * 8);
  }
}

}  // namespace omvc::cuda
