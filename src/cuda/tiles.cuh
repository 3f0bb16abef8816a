// Products by tiles. Every number of a result is one chain of fused multiply-adds in the order of the data, as on a
// processor (kernels/simd.hpp): a thread has whole sums, never parts of one, so the shape of tiles changes no bit.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace omvc::cuda {

__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

// A tile of BM x BN sums of type S by (BM / TM) (BN / TN) threads, a thread TM x TN of them. a(i, k) and b(k, j) give
// factors (rows, columns and depths outside are not asked for), begin(i, j) what a sum begins with, end(i, j, sum) takes
// it. kByDepth says that neighbours of a in memory differ in k, else in i.
template <class S, int BM, int BN, int TM, int TN, bool kByDepth, class A, class B, class Begin, class End>
__device__ void multiply_tile(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
                              std::int64_t depth, const A& a, const B& b, const Begin& begin, const End& end) {
  constexpr int BK = 16;
  constexpr int kThreads = (BM / TM) * (BN / TN);
  __shared__ S left[BK][BM + 4];
  __shared__ S right[BK][BN];
  const int thread = static_cast<int>(threadIdx.x);
  const int ty = thread / (BN / TN);
  const int tx = thread % (BN / TN);
  S sum[TM][TN];
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const std::int64_t r = row + ty * TM + i;
      const std::int64_t c = column + tx + j * (BN / TN);
      sum[i][j] = r < rows && c < columns ? begin(r, c) : S(0);
    }
  }
  for (std::int64_t k = 0; k < depth; k += BK) {
    const int deep = static_cast<int>(depth - k < BK ? depth - k : BK);
    for (int e = thread; e < BM * BK; e += kThreads) {
      const int i = kByDepth ? e / BK : e % BM;
      const int d = kByDepth ? e % BK : e / BM;
      if (d < deep && row + i < rows) left[d][i] = a(row + i, k + d);
    }
    for (int e = thread; e < BN * BK; e += kThreads) {
      const int j = e % BN;
      const int d = e / BN;
      if (d < deep && column + j < columns) right[d][j] = b(k + d, column + j);
    }
    __syncthreads();
#pragma unroll 4
    for (int d = 0; d < deep; ++d) {
      S x[TM];
      S y[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = left[d][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) y[j] = right[d][tx + j * (BN / TN)];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] = fused(x[i], y[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const std::int64_t r = row + ty * TM + i;
      const std::int64_t c = column + tx + j * (BN / TN);
      if (r < rows && c < columns) end(r, c, sum[i][j]);
    }
  }
}

// The first `count` of what was offered, ascending, held by the lanes of a warp: entry r * 32 + lane lies in place r of
// the lane. Of equal distances the one of lower turn comes first.
template <int kPlaces>
struct WarpList {
  double distance[kPlaces];
  std::int64_t turn[kPlaces];
  std::int32_t id[kPlaces];

  __device__ WarpList() {
#pragma unroll
    for (int r = 0; r < kPlaces; ++r) {
      distance[r] = __longlong_as_double(0x7ff0000000000000LL);
      turn[r] = 0x7fffffffffffffffLL;
      id[r] = -1;
    }
  }

  // The entry of a place, in all lanes.
  __device__ double distance_at(int at) const {
    double out = 0;
#pragma unroll
    for (int r = 0; r < kPlaces; ++r) {
      const double here = __shfl_sync(0xffffffffU, distance[r], at & 31);
      if (at >> 5 == r) out = here;
    }
    return out;
  }
  __device__ std::int64_t turn_at(int at) const {
    std::int64_t out = 0;
#pragma unroll
    for (int r = 0; r < kPlaces; ++r) {
      const std::int64_t here = __shfl_sync(0xffffffffU, static_cast<long long>(turn[r]), at & 31);
      if (at >> 5 == r) out = here;
    }
    return out;
  }

  // Offers what each lane has, if `some`; all lanes call it.
  __device__ void offer(bool some, double far, std::int64_t when, std::int32_t what, int count) {
    const double last = distance_at(count - 1);
    const std::int64_t last_turn = turn_at(count - 1);
    unsigned waiting = __ballot_sync(0xffffffffU, some && (far < last || (far == last && when < last_turn)));
    while (waiting != 0) {
      const int from = __ffs(static_cast<int>(waiting)) - 1;
      waiting &= waiting - 1;
      insert(__shfl_sync(0xffffffffU, far, from), __shfl_sync(0xffffffffU, static_cast<long long>(when), from),
             __shfl_sync(0xffffffffU, what, from));
    }
  }

 private:
  __device__ void insert(double far, std::int64_t when, std::int32_t what) {
    const int lane = static_cast<int>(threadIdx.x & 31);
    int place = 0;
#pragma unroll
    for (int r = 0; r < kPlaces; ++r) {
      place += __popc(__ballot_sync(0xffffffffU, distance[r] < far || (distance[r] == far && turn[r] < when)));
    }
#pragma unroll
    for (int r = kPlaces - 1; r >= 0; --r) {
      double before = __shfl_up_sync(0xffffffffU, distance[r], 1);
      std::int64_t before_turn = __shfl_up_sync(0xffffffffU, static_cast<long long>(turn[r]), 1);
      std::int32_t before_id = __shfl_up_sync(0xffffffffU, id[r], 1);
      if (r > 0) {
        const double last = __shfl_sync(0xffffffffU, distance[r > 0 ? r - 1 : 0], 31);
        const std::int64_t last_turn = __shfl_sync(0xffffffffU, static_cast<long long>(turn[r > 0 ? r - 1 : 0]), 31);
        const std::int32_t last_id = __shfl_sync(0xffffffffU, id[r > 0 ? r - 1 : 0], 31);
        if (lane == 0) {
          before = last;
          before_turn = last_turn;
          before_id = last_id;
        }
      }
      const int own = r * 32 + lane;
      if (own > place) {
        distance[r] = before;
        turn[r] = before_turn;
        id[r] = before_id;
      } else if (own == place) {
        distance[r] = far;
        turn[r] = when;
        id[r] = what;
      }
    }
  }
};

// ||x||^2 of a row, multiplied and added in the order of its values. The second as on rows that are compared: single.
template <class T, bool kSingle = false>
__device__ double square_of(const T* values, std::int64_t count) {
  double sum = 0;
  for (std::int64_t e = 0; e < count; ++e) {
    const double x = kSingle ? static_cast<double>(static_cast<float>(values[e])) : static_cast<double>(values[e]);
    sum = __dadd_rn(sum, __dmul_rn(x, x));
  }
  return sum;
}

}  // namespace omvc::cuda
