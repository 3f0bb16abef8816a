// Sums of rows for each prototype, of values rounded to multiples of a quantum: exact, and so the same in any order.
#include "cuda/products.cuh"

namespace omvc::cuda {
namespace {

// A block of threads for each row, over its features or entries.
template <class T>
__global__ void add_dense(const T* X, std::int64_t cols, const std::int32_t* id_of_row, double sign, double round,
                          double* sums) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t id = id_of_row[row];
  if (id < 0) return;
  for (std::int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
    const double x = __dsub_rn(__dadd_rn(static_cast<double>(X[row * cols + j]), round), round);
    if (x != 0) atomicAdd(sums + id * cols + j, __dmul_rn(sign, x));
  }
}

template <class T>
__global__ void add_sparse(const std::int64_t* offsets, const std::int32_t* columns, const T* values, std::int64_t cols,
                           const std::int32_t* id_of_row, double sign, double round, double* sums) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t id = id_of_row[row];
  if (id < 0) return;
  for (std::int64_t e = offsets[row] + threadIdx.x; e < offsets[row + 1]; e += blockDim.x) {
    const double x = __dsub_rn(__dadd_rn(static_cast<double>(values[e]), round), round);
    if (x != 0) atomicAdd(sums + id * cols + columns[e], __dmul_rn(sign, x));
  }
}

}  // namespace

void add_rows(Lane& lane, Device& device, const OmvcCudaSums& call) {
  for (std::int32_t v = 0; v < call.view_count; ++v) {
    const std::int64_t cols = call.chunks[0][v].block.cols;
    const auto numbers = static_cast<std::size_t>(call.size * cols);
    const Lane::Mark mark = lane.mark();
    auto* sums = lane.take<double>(numbers);
    lane.zero(sums, numbers * sizeof(double));
    const double round = 6755399441055744.0 * call.quantum[v];  // 1.5 * 2^52
    for (std::int64_t c = 0; c < call.chunk_count; ++c) {
      const OmvcCudaView& view = call.chunks[c][v];
      if (view.block.rows == 0) continue;
      std::vector<std::int32_t> ids;
      for (std::int64_t i = 0; i < view.block.rows; ++i) ids.push_back(call.ids[c][view.present[i]]);
      const Lane::Mark chunk = lane.mark();
      const DeviceBlock block = block_on_device(lane, device, view.block, 0, view.block.rows);
      const std::int32_t* id_of_row = lane.upload(ids);
      with_values(block, [&](auto* values) {
        const auto rows = static_cast<unsigned>(block.rows);
        if (block.sparse) {
          add_sparse<<<rows, 128, 0, lane.stream()>>>(block.offsets, block.columns, values, cols, id_of_row, call.sign,
                                                      round, sums);
        } else {
          add_dense<<<rows, 128, 0, lane.stream()>>>(values, cols, id_of_row, call.sign, round, sums);
        }
      });
      check(cudaGetLastError(), "sums of rows");
      lane.rewind(chunk);  // what comes next runs behind this on the same stream
    }
    lane.copy_out(call.sums[v], sums, numbers * sizeof(double));
    lane.finish();
    lane.rewind(mark);
  }
}

}  // namespace omvc::cuda
