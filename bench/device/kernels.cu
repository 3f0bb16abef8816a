// The nearest prototypes of rows that lie on the card, as libomvc_cuda finds them, without what is copied: how much of
// the card's arithmetic they reach. What bench/device.py runs.
//
//     kernels ROWS FEATURES PROTOTYPES SHARE-MISSING FAST [REPEAT]      prints one line of JSON
//
// Times are between events, the median of REPEAT runs after one that warms up.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda/near.cuh"
#include "cuda/products.cuh"

using namespace omvc::cuda;

namespace {

__global__ void fill(float* to, std::int64_t count, unsigned seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    unsigned long long x = (static_cast<unsigned long long>(i) + 1) * 0x9e3779b97f4a7c15ULL + seed;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9ULL;
    to[i] = static_cast<float>(x >> 40) / (1 << 24) - 0.5F;
  }
}

template <class T>
T* room(std::size_t count) {
  void* out = nullptr;
  check(cudaMalloc(&out, count * sizeof(T)), "memory");
  return static_cast<T*>(out);
}

double median_ms(int repeat, cudaStream_t stream, const auto& work) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "an event");
  check(cudaEventCreate(&to), "an event");
  std::vector<double> times;
  for (int i = 0; i <= repeat; ++i) {
    check(cudaEventRecord(from, stream), "an event");
    work();
    check(cudaEventRecord(to, stream), "an event");
    check(cudaEventSynchronize(to), "the work");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from, to), "an event");
    if (i > 0) times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size()) / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) return std::fprintf(stderr, "kernels ROWS FEATURES PROTOTYPES SHARE-MISSING FAST [REPEAT]\n"), 2;
  const std::int64_t instances = std::atoll(words[1]);
  const std::int64_t d = std::atoll(words[2]);
  const std::int64_t m = std::atoll(words[3]);
  const auto rows = static_cast<std::int64_t>(static_cast<double>(instances) * (1 - std::atof(words[4])));
  const bool fast = std::atoi(words[5]) != 0;
  const int repeat = count > 6 ? std::atoi(words[6]) : 5;
  const std::int64_t stride = (m + 3) / 4 * 4;
  try {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream), "a stream");
    float* X = room<float>(static_cast<std::size_t>(rows * d));
    float* P = room<float>(static_cast<std::size_t>(d * stride));
    fill<<<1024, 256, 0, stream>>>(X, rows * d, 1);
    fill<<<64, 256, 0, stream>>>(P, d * stride, 2);
    const std::int64_t at_once = rows_at_once(stride);
    auto* products = room<float>(static_cast<std::size_t>(at_once * stride));
    auto* squares = room<double>(static_cast<std::size_t>(at_once));
    const std::vector<double> norms(static_cast<std::size_t>(m), static_cast<double>(d) / 12);
    auto* norms_at = room<double>(norms.size());
    check(cudaMemcpy(norms_at, norms.data(), norms.size() * 8, cudaMemcpyHostToDevice), "norms");
    std::vector<std::int32_t> row_of(static_cast<std::size_t>(at_once));
    for (std::size_t i = 0; i < row_of.size(); ++i) row_of[i] = static_cast<std::int32_t>(i);
    auto* row_of_at = room<std::int32_t>(row_of.size());
    check(cudaMemcpy(row_of_at, row_of.data(), row_of.size() * 4, cudaMemcpyHostToDevice), "rows");
    const ViewAt view{row_of_at, products, norms_at, squares};
    auto* view_at = room<ViewAt>(1);
    check(cudaMemcpy(view_at, &view, sizeof view, cudaMemcpyHostToDevice), "a view");
    constexpr std::int64_t kNear = 5;
    const auto places = static_cast<std::size_t>(instances * kNear);
    const Places to{kNear, 0.0, room<std::int32_t>(places), room<double>(places), room<double>(static_cast<std::size_t>(instances)),
                    room<double>(static_cast<std::size_t>(instances))};
    const auto product_only = [&] {
      for (std::int64_t first = 0; first < rows; first += at_once) {
        const DeviceBlock block{false, false, std::min(at_once, rows - first), d, nullptr, nullptr, X + first * d};
        narrow_product(block, P, stride, stride, products, stride, fast, stream);
      }
    };
    const auto everything = [&] {
      for (std::int64_t first = 0; first < rows; first += at_once) {
        const DeviceBlock block{false, false, std::min(at_once, rows - first), d, nullptr, nullptr, X + first * d};
        squares_of_rows(block, squares, false, stream);
        narrow_product(block, P, stride, stride, products, stride, fast, stream);
        const Places here{kNear, 0.0, to.ids + first * kNear, to.weights + first * kNear, to.distances + first, to.gaps + first};
        select_near(view_at, 1, block.rows, m, stride, here, stream);
      }
    };
    const double product = median_ms(repeat, stream, product_only);
    const double all = median_ms(repeat, stream, everything);
    const double flop = 2.0 * static_cast<double>(rows) * static_cast<double>(d) * static_cast<double>(m);
    std::printf("{\"rows\": %lld, \"features\": %lld, \"prototypes\": %lld, \"missing\": %s, \"fast\": %d, \"near_ms\": %.3f, "
                "\"product_ms\": %.3f, \"near_tflops\": %.2f, \"product_tflops\": %.2f}\n",
                static_cast<long long>(instances), static_cast<long long>(d), static_cast<long long>(m), words[4], fast ? 1 : 0,
                all, product, flop / all * 1e-9, flop / product * 1e-9);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "kernels: %s\n", failure.what.c_str());
    return 1;
  }
}
