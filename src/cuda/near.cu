// The nearest prototypes of rows. Products with the prototypes are made view by view for the rows that have the view, so
// that what is missing costs nothing; then a warp goes through the prototypes of each row.
#include <algorithm>

#include "cuda/near.cuh"
#include "cuda/products.cuh"
#include "cuda/tiles.cuh"

namespace omvc::cuda {

// Prototypes on the device: columns are padded to a multiple of four.
struct Device::Prototypes {
  std::vector<std::unique_ptr<Memory>> memory;
  std::vector<const float*> columns;
  std::vector<const double*> norms;
  std::int64_t stride = 0;
};

namespace {

constexpr double kSteps = 4096;

// As find_near of kernels/near.hpp says, with the same numbers in the same order.
__global__ void select_kernel(const ViewAt* views, int view_count, std::int64_t instances, std::int64_t size,
                            std::int64_t stride, Places to) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (i >= instances) return;
  double squares = 0;
  double observed = 0;
  for (int v = 0; v < view_count; ++v) {
    const std::int32_t row = views[v].row_of[i];
    if (row < 0) continue;
    squares = __dadd_rn(squares, views[v].squares[row]);
    observed += 1;
  }
  if (observed == 0) return;
  const int listed = static_cast<int>(to.count + 1 < size ? to.count + 1 : size);
  WarpList<1> near;
  for (std::int64_t first = 0; first < size; first += 32) {
    const std::int64_t p = first + lane;
    double distance = 0;
    for (int v = 0; p < size && v < view_count; ++v) {
      const std::int32_t row = views[v].row_of[i];
      if (row < 0) continue;
      const double product = static_cast<double>(views[v].products[row * stride + p]);
      distance = __dadd_rn(distance, __dsub_rn(views[v].norms[p], __dmul_rn(2.0, product)));
    }
    near.offer(p < size, distance, p, static_cast<std::int32_t>(p), listed);
  }
  const int count = static_cast<int>(to.count);
  const double reference =
      listed > count ? near.distance_at(count) : __dadd_rn(near.distance_at(listed - 1), to.beyond);
  const double nearest = near.distance_at(0);
  const double last = near.distance_at(count - 1);
  double sum = 0;
  for (int j = 0; j < count; ++j) sum = __dadd_rn(sum, __dsub_rn(reference, near.distance_at(j)));
  if (!isfinite(reference)) return;
  double weight = 0;
  if (lane < count && lane > 0) {
    const double share = sum > 0 ? __ddiv_rn(__dsub_rn(reference, near.distance[0]), sum) : 0;
    weight = __ddiv_rn(round(__dmul_rn(share, kSteps)), kSteps);
  }
  double rest = 1;
  for (int j = count - 1; j > 0; --j) rest = __dsub_rn(rest, __shfl_sync(0xffffffffU, weight, j));
  if (lane < count) {
    to.ids[i * count + lane] = near.id[0];
    to.weights[i * count + lane] = lane == 0 ? rest : weight;
  }
  if (lane == 0) {
    const double far = __dadd_rn(nearest, squares);
    to.distances[i] = __ddiv_rn(0.0 < far ? far : 0.0, observed);
    to.gaps[i] = __dsub_rn(last, nearest);
  }
}

}  // namespace

std::int64_t rows_at_once(std::int64_t stride) {
  constexpr std::int64_t kNumbers = 12 << 20;  // 48 MB: they are read again before they leave the cache
  return std::clamp<std::int64_t>(kNumbers / stride / 128 * 128, 2048, 1 << 17);
}

void select_near(const ViewAt* views, int view_count, std::int64_t instances, std::int64_t size, std::int64_t stride,
                 const Places& to, cudaStream_t stream) {
  select_kernel<<<blocks_for(instances, 8), 256, 0, stream>>>(views, view_count, instances, size, stride, to);
  check(cudaGetLastError(), "the nearest prototypes");
}

namespace {

std::shared_ptr<Device::Prototypes> put_prototypes(Lane& lane, Device& device, const OmvcCudaPrototypes& table) {
  auto out = std::make_shared<Device::Prototypes>();
  const Settled settled{lane.stream()};
  out->stride = (table.size + 3) / 4 * 4;
  for (std::int32_t v = 0; v < table.views; ++v) {
    std::vector<float> columns(static_cast<std::size_t>(table.features[v] * out->stride), 0.0F);
    for (std::int64_t j = 0; j < table.features[v]; ++j) {
      std::copy_n(table.columns[v] + j * table.size, table.size, columns.data() + j * out->stride);
    }
    const auto room = columns.size() * sizeof(float);
    const auto padded = (room + 255) / 256 * 256;
    const auto norms = static_cast<std::size_t>(table.size) * sizeof(double);
    out->memory.push_back(std::make_unique<Memory>(device.shared_from_this(), padded + norms));
    char* at = out->memory.back()->data();
    lane.copy_in(at, columns.data(), room);
    lane.copy_in(at + padded, table.norms[v], norms);
    out->columns.push_back(reinterpret_cast<const float*>(at));
    out->norms.push_back(reinterpret_cast<const double*>(at + padded));
  }
  check(cudaStreamSynchronize(lane.stream()), "copying prototypes");
  return out;
}

// Where the instances [first, last) are among the rows of a view.
struct Range {
  std::int64_t first;
  std::int64_t last;
  std::vector<std::int32_t> row_of;  // less `first`
};

Range range_of(const OmvcCudaView& view, std::int64_t first, std::int64_t last) {
  const std::int64_t* end = view.present + view.block.rows;
  const std::int64_t* from = std::lower_bound(view.present, end, first);
  const std::int64_t* to = std::lower_bound(from, end, last);
  Range out{from - view.present, to - view.present, std::vector<std::int32_t>(static_cast<std::size_t>(last - first), -1)};
  for (const std::int64_t* at = from; at != to; ++at) {
    out.row_of[static_cast<std::size_t>(*at - first)] = static_cast<std::int32_t>(at - from);
  }
  return out;
}

// The rows of a matrix of `stride` columns on the device, `columns` of which are wanted.
void copy_rows(Lane& lane, float* to, const float* from, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  if (columns == stride) return lane.copy_out(to, from, static_cast<std::size_t>(rows * columns) * sizeof(float));
  float* packed = lane.take<float>(static_cast<std::size_t>(rows * columns));
  check(cudaMemcpy2DAsync(packed, static_cast<std::size_t>(columns) * sizeof(float), from,
                          static_cast<std::size_t>(stride) * sizeof(float),
                          static_cast<std::size_t>(columns) * sizeof(float), static_cast<std::size_t>(rows),
                          cudaMemcpyDeviceToDevice, lane.stream()),
        "products");
  lane.copy_out(to, packed, static_cast<std::size_t>(rows * columns) * sizeof(float));
}

}  // namespace

void find_near(Lane& lane, Device& device, const OmvcCudaNear& call) {
  const OmvcCudaPrototypes& table = *call.prototypes;
  const auto prototypes =
      device.table(device.prototypes, table.id, [&] { return put_prototypes(lane, device, table); });
  const auto views = static_cast<std::size_t>(call.view_count);
  const Lane::Mark mark = lane.mark();
  const std::int64_t at_once = rows_at_once(prototypes->stride);
  for (std::int64_t first = 0; first < call.instances; first += at_once) {
    const std::int64_t last = std::min(call.instances, first + at_once);
    const auto some = static_cast<std::size_t>(last - first);
    std::vector<ViewAt> at(views);
    for (std::size_t v = 0; v < views; ++v) {
      const OmvcCudaView& view = call.views[v];
      const Range range = range_of(view, first, last);
      const auto rows = static_cast<std::size_t>(range.last - range.first);
      const DeviceBlock block = block_on_device(lane, device, view.block, range.first, range.last);
      auto* squares = lane.take<double>(rows);
      auto* products = lane.take<float>(rows * static_cast<std::size_t>(prototypes->stride));
      squares_of_rows(block, squares, false, lane.stream());
      narrow_product(block, prototypes->columns[v], prototypes->stride, prototypes->stride, products,
                     prototypes->stride, call.fast != 0, lane.stream());
      lane.copy_out(call.squares[v] + range.first, squares, rows * sizeof(double));
      if (call.products != nullptr) {
        copy_rows(lane, call.products[v] + range.first * table.size, products, range.last - range.first, table.size,
                  prototypes->stride);
      }
      at[v] = {lane.upload(range.row_of), products, prototypes->norms[v], squares};
    }
    const auto places = some * static_cast<std::size_t>(call.count);
    const Places to{call.count,
                    call.beyond,
                    lane.upload(call.ids + first * call.count, places),
                    lane.upload(call.weights + first * call.count, places),
                    lane.upload(call.distances + first, some),
                    lane.upload(call.gaps + first, some)};
    select_near(lane.upload(at), call.view_count, last - first, table.size, prototypes->stride, to, lane.stream());
    lane.copy_out(call.ids + first * call.count, to.ids, places * sizeof(std::int32_t));
    lane.copy_out(call.weights + first * call.count, to.weights, places * sizeof(double));
    lane.copy_out(call.distances + first, to.distances, some * sizeof(double));
    lane.copy_out(call.gaps + first, to.gaps, some * sizeof(double));
    lane.finish();
    lane.rewind(mark);
  }
}

}  // namespace omvc::cuda
