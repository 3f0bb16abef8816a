// The nearest rows of a table. The products of a chunk's rows with those of the lists that they look into are made list
// by list, for all rows that look into one; then a warp goes through the lists of each row.
#include <algorithm>

#include "cuda/products.cuh"
#include "cuda/tiles.cuh"

namespace omvc::cuda {

// A table on the device.
struct Device::Rows {
  struct View {
    std::int64_t features;
    std::int64_t members;
    bool sparse;
    std::vector<std::int64_t> begin;  // on the host, as is the next
    const std::int64_t* begin_at;
    const std::int32_t* position;
    const std::int32_t* member_at;
    const float* panels;
    const std::int64_t* offsets;
    const std::int32_t* columns;
    const float* values;
    const double* squares;
    const double* completed;
  };
  std::vector<std::unique_ptr<Memory>> memory;
  std::vector<View> views;
  const std::int64_t* begin = nullptr;
  const std::int32_t* row = nullptr;
  const std::int32_t* near_ids = nullptr;
  const float* near_weights = nullptr;
};

namespace {

constexpr std::int64_t kTileRows = 32;
constexpr std::int64_t kTileColumns = 64;
constexpr std::int64_t kMostDots = std::int64_t{1} << 26;  // that are in memory at a time
constexpr int kMostPlaces = 4;

class Copier {
 public:
  Copier(Lane& lane, Device& device, Device::Rows& out) : lane_(lane), device_(device), out_(out) {}

  template <class T>
  const T* put(const T* from, std::size_t count) {
    if (from == nullptr) return nullptr;
    out_.memory.push_back(std::make_unique<Memory>(device_.shared_from_this(), count * sizeof(T)));
    lane_.copy_in(out_.memory.back()->data(), from, count * sizeof(T));
    return reinterpret_cast<const T*>(out_.memory.back()->data());
  }

 private:
  Lane& lane_;
  Device& device_;
  Device::Rows& out_;
};

std::shared_ptr<Device::Rows> put_rows(Lane& lane, Device& device, const OmvcCudaRows& table) {
  auto out = std::make_shared<Device::Rows>();
  const Settled settled{lane.stream()};
  Copier copier(lane, device, *out);
  const auto rows = static_cast<std::size_t>(table.rows);
  const auto lists = static_cast<std::size_t>(table.lists) + 1;
  out->begin = copier.put(table.begin, lists);
  out->row = copier.put(table.row, rows);
  const auto near = rows * static_cast<std::size_t>(table.near);
  out->near_ids = near > 0 ? copier.put(table.near_ids, near) : nullptr;
  out->near_weights = near > 0 ? copier.put(table.near_weights, near) : nullptr;
  for (std::int32_t v = 0; v < table.views; ++v) {
    const OmvcCudaRowView& view = table.view[v];
    const auto members = static_cast<std::size_t>(view.members);
    const auto features = static_cast<std::size_t>(view.features);
    Device::Rows::View to{};
    to.features = view.features;
    to.members = view.members;
    to.sparse = view.sparse != 0;
    to.begin.assign(view.begin, view.begin + lists);
    to.begin_at = copier.put(view.begin, lists);
    to.position = copier.put(view.position, members);
    to.member_at = copier.put(view.member_at, rows);
    if (to.sparse) {
      const auto entries = static_cast<std::size_t>(view.offsets[features]);
      to.offsets = copier.put(view.offsets, features + 1);
      to.columns = copier.put(view.columns, entries);
      to.values = copier.put(view.values, entries);
    } else {
      to.panels = copier.put(view.panels, members * features);
    }
    to.squares = copier.put(view.squares, members);
    to.completed = copier.put(view.completed, rows);
    out->views.push_back(to);
  }
  check(cudaStreamSynchronize(lane.stream()), "copying rows");
  return out;
}

// A row of a view that looks into lists: pair p of it is list lists[p], and the products with its members lie from
// dots[p] on.
struct Looks {
  std::vector<std::int64_t> first_pair;  // of each row, and the end
  std::vector<std::int32_t> lists;
  std::vector<std::int64_t> dots;
  std::int64_t dot_count = 0;
};

// A tile of a product: some of the rows that look into a list.
struct Tile {
  std::int32_t list;
  std::int32_t first;  // among the rows below
  std::int32_t count;
};

struct ListProducts {
  std::vector<Tile> tiles;
  std::vector<std::int32_t> rows;  // list by list
  std::vector<std::int64_t> dots;
  std::int64_t widest = 0;
};

ListProducts by_list(const Looks& looks, const Device::Rows::View& view) {
  const std::size_t lists = view.begin.size() - 1;
  std::vector<std::int32_t> begin(lists + 1, 0);
  for (const std::int32_t list : looks.lists) ++begin[static_cast<std::size_t>(list) + 1];
  for (std::size_t l = 0; l < lists; ++l) begin[l + 1] += begin[l];
  ListProducts out;
  out.rows.resize(looks.lists.size());
  out.dots.resize(looks.lists.size());
  std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t row = 0; row + 1 < looks.first_pair.size(); ++row) {
    for (auto p = static_cast<std::size_t>(looks.first_pair[row]); p < static_cast<std::size_t>(looks.first_pair[row + 1]);
         ++p) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(looks.lists[p])]++);
      out.rows[to] = static_cast<std::int32_t>(row);
      out.dots[to] = looks.dots[p];
    }
  }
  for (std::size_t l = 0; l < lists; ++l) {
    const std::int64_t width = view.begin[l + 1] - view.begin[l];
    if (width == 0) continue;
    for (std::int32_t at = begin[l]; at < begin[l + 1]; at += kTileRows) {
      out.widest = std::max(out.widest, width);
      out.tiles.push_back({static_cast<std::int32_t>(l), at,
                           static_cast<std::int32_t>(std::min<std::int64_t>(kTileRows, begin[l + 1] - at))});
    }
  }
  return out;
}

template <class T>
__global__ void __launch_bounds__(128)
    list_products(const T* X, std::int64_t features, const Tile* tiles, const std::int32_t* rows,
                  const std::int64_t* dots_of, const std::int64_t* begin, const float* panels, float* dots) {
  const Tile tile = tiles[blockIdx.x];
  const std::int64_t width = begin[tile.list + 1] - begin[tile.list];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kTileColumns;
  if (column >= width) return;
  const float* panel = panels + begin[tile.list] * features;
  __shared__ const T* from[kTileRows];
  __shared__ float* to[kTileRows];
  if (threadIdx.x < tile.count) {
    from[threadIdx.x] = X + rows[tile.first + threadIdx.x] * features;
    to[threadIdx.x] = dots + dots_of[tile.first + threadIdx.x];
  }
  __syncthreads();
  multiply_tile<float, kTileRows, kTileColumns, 4, 4, true>(
      0, tile.count, column, width, features,
      [&](std::int64_t i, std::int64_t k) { return static_cast<float>(from[i][k]); },
      [&](std::int64_t k, std::int64_t j) { return panel[k * width + j]; },
      [](std::int64_t, std::int64_t) { return 0.0F; },
      [&](std::int64_t i, std::int64_t j, float sum) { to[i][j] = sum; });
}

// The products of a sparse row with all members, a block of threads for each row: features in their order, the members
// that have one side by side. Multiplied and added, as the form for processors does.
template <class T>
__global__ void sparse_dots(const std::int64_t* offsets, const std::int32_t* columns, const T* values,
                            const std::int64_t* by_offsets, const std::int32_t* by_members, const float* by_values,
                            std::int64_t members, float* dots) {
  const std::int64_t row = blockIdx.x;
  float* to = dots + row * members;
  for (std::int64_t m = threadIdx.x; m < members; m += blockDim.x) to[m] = 0;
  __syncthreads();
  for (std::int64_t e = offsets[row]; e < offsets[row + 1]; ++e) {
    const float x = static_cast<float>(values[e]);
    const std::int32_t feature = columns[e];
    for (std::int64_t m = by_offsets[feature] + threadIdx.x; m < by_offsets[feature + 1]; m += blockDim.x) {
      to[by_members[m]] = __fadd_rn(to[by_members[m]], __fmul_rn(x, by_values[m]));
    }
    __syncthreads();
  }
}

// What the search of a row goes through.
struct LookedAt {
  const std::int64_t* first_pair;
  const std::int32_t* lists;
  const std::int64_t* dots_of;
  const float* dots;
  const double* squares;  // of the rows of the chunk
  std::int64_t members;   // sparse: products with all members lie there for each row; else 0
};

struct TableView {
  const std::int64_t* begin;
  const std::int32_t* position;
  const std::int32_t* member_at;
  const double* squares;
  const double* completed;
};

struct Table {
  const std::int64_t* begin;
  const std::int32_t* row;
  const std::int32_t* near_ids;
  const float* near_weights;
  std::int64_t near;
};

__device__ double distance_of(double square, double other, double product) {
  const double far = __dsub_rn(__dadd_rn(square, other), __dmul_rn(2.0, product));
  return 0.0 < far ? far : 0.0;
}

__device__ std::int64_t turn_of(std::int32_t row, std::int64_t own) {
  return row > own ? row : row + (std::int64_t{1} << 32);
}

__device__ float dot_of(const LookedAt& at, std::int64_t row, std::int64_t pair, std::int64_t list_begin,
                        std::int64_t member) {
  return at.members > 0 ? at.dots[row * at.members + member] : at.dots[at.dots_of[pair] + member - list_begin];
}

template <int kPlaces>
__device__ void write_list(const WarpList<kPlaces>& list, std::int64_t row, std::int64_t count, std::int32_t* ids,
                           double* distances) {
#pragma unroll
  for (int r = 0; r < kPlaces; ++r) {
    const std::int64_t j = r * 32 + threadIdx.x % 32;
    if (j < count) {
      ids[row * count + j] = list.id[r];
      distances[row * count + j] = list.distance[r];
    }
  }
}

// A warp for each row of a view.
template <int kPlaces>
__global__ void nearest_in_view(LookedAt at, TableView view, const std::int32_t* row_of_position,
                                const std::int64_t* present, std::int64_t rows, std::int64_t count, std::int64_t own,
                                std::int32_t* ids, double* distances) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const std::int64_t self = own < 0 ? -1 : own + present[row];
  const double square = at.squares[row];
  WarpList<kPlaces> near;
  for (std::int64_t pair = at.first_pair[row]; pair < at.first_pair[row + 1]; ++pair) {
    const std::int64_t begin = view.begin[at.lists[pair]];
    const std::int64_t end = view.begin[at.lists[pair] + 1];
    for (std::int64_t first = begin; first < end; first += 32) {
      const std::int64_t member = first + threadIdx.x % 32;
      double far = 0;
      std::int32_t other = -1;
      if (member < end) {
        other = row_of_position[view.position[member]];
        far = distance_of(square, view.squares[member], static_cast<double>(dot_of(at, row, pair, begin, member)));
      }
      near.offer(member < end && other != self, far, turn_of(other, self), other, static_cast<int>(count));
    }
  }
  write_list(near, row, count, ids, distances);
}

// What a view adds to the distances over all views.
struct WholeView {
  const std::int32_t* row_of;  // of each instance; -1: it lacks the view
  LookedAt at;
  TableView view;
  const float* products;  // with the prototypes
  std::int64_t product_stride;
};

__device__ double add_view(const WholeView& of, std::int32_t row, std::int64_t pair_in_row, std::int64_t list,
                           std::int64_t position, const Table& table, double sum) {
  const std::int32_t member = of.view.member_at[position];
  const double square = of.at.squares[row];
  if (member >= 0) {
    const std::int64_t pair = of.at.first_pair[row] + pair_in_row;
    const double product = static_cast<double>(dot_of(of.at, row, pair, of.view.begin[list], member));
    return __dadd_rn(sum, distance_of(square, of.view.squares[member], product));
  }
  if (of.view.completed == nullptr || isnan(of.view.completed[position])) return sum;
  double dot = 0;
  for (std::int64_t j = position * table.near; j < (position + 1) * table.near; ++j) {
    const float product = of.products[row * of.product_stride + table.near_ids[j]];
    dot = __dadd_rn(dot, __dmul_rn(static_cast<double>(table.near_weights[j]), static_cast<double>(product)));
  }
  return __dadd_rn(sum, distance_of(square, of.view.completed[position], dot));
}

// A warp for each instance, over all its views.
template <int kPlaces>
__global__ void nearest_in_all(const WholeView* views, int view_count, Table table, std::int64_t instances,
                               std::int64_t count, std::int64_t own, std::int32_t* ids, double* distances) {
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (i >= instances) return;
  int one = -1;  // a view that the instance has; all have the same lists
  double observed = 0;
  for (int v = 0; v < view_count; ++v) {
    if (views[v].row_of[i] < 0) continue;
    one = v;
    observed += 1;
  }
  if (one < 0) return;
  const std::int64_t self = own < 0 ? -1 : own + i;
  const LookedAt& at = views[one].at;
  const std::int32_t row = views[one].row_of[i];
  WarpList<kPlaces> near;
  for (std::int64_t pair = at.first_pair[row]; pair < at.first_pair[row + 1]; ++pair) {
    const std::int64_t list = at.lists[pair];
    for (std::int64_t first = table.begin[list]; first < table.begin[list + 1]; first += 32) {
      const std::int64_t position = first + threadIdx.x % 32;
      const bool inside = position < table.begin[list + 1];
      double sum = 0;
      std::int32_t other = -1;
      if (inside) {
        other = table.row[position];
        for (int v = 0; v < view_count; ++v) {
          if (views[v].row_of[i] < 0) continue;
          sum = add_view(views[v], views[v].row_of[i], pair - at.first_pair[row], list, position, table, sum);
        }
      }
      near.offer(inside && other != self, __ddiv_rn(sum, observed), turn_of(other, self), other,
                 static_cast<int>(count));
    }
  }
  write_list(near, i, count, ids, distances);
}

// Calls body with the number of places that a lane needs for so many neighbours.
template <class Body>
void with_places(std::int64_t count, const Body& body) {
  if (count <= 32) return body(std::integral_constant<int, 1>());
  if (count <= 64) return body(std::integral_constant<int, 2>());
  body(std::integral_constant<int, kMostPlaces>());
}

// The instances [first, last) of a search.
class Search {
 public:
  Search(Lane& lane, Device& device, const OmvcCudaRowSearch& call, const Device::Rows& rows, std::int64_t first,
         std::int64_t last)
      : lane_(lane), device_(device), call_(call), rows_(rows), first_(first), last_(last) {}

  void run() {
    std::vector<WholeView> whole;
    for (std::int32_t v = 0; v < call_.view_count; ++v) whole.push_back(search_view(static_cast<std::size_t>(v)));
    if (call_.whole_ids != nullptr) search_all(whole);
    lane_.finish();
  }

 private:
  WholeView search_view(std::size_t v) {
    const OmvcCudaView& view = call_.views[v];
    const Device::Rows::View& table = rows_.views[v];
    const std::int64_t* end = view.present + view.block.rows;
    const std::int64_t* from = std::lower_bound(view.present, end, first_);
    const std::int64_t* to = std::lower_bound(from, end, last_);
    const std::int64_t begin = from - view.present;
    const std::int64_t rows = to - from;
    std::vector<std::int32_t> row_of(static_cast<std::size_t>(last_ - first_), -1);
    std::vector<std::int64_t> present;
    for (const std::int64_t* at = from; at != to; ++at) {
      row_of[static_cast<std::size_t>(*at - first_)] = static_cast<std::int32_t>(at - from);
      present.push_back(*at);
    }
    const Looks looks = looks_of(present, table);
    const DeviceBlock block = block_on_device(lane_, device_, view.block, begin, begin + rows);
    auto* squares = lane_.take<double>(static_cast<std::size_t>(rows));
    squares_of_rows(block, squares, true, lane_.stream());
    const float* dots = multiply(block, looks, table);
    const LookedAt at{lane_.upload(looks.first_pair), lane_.upload(looks.lists),        lane_.upload(looks.dots), dots,
                      squares,                        table.sparse ? table.members : 0};
    const TableView of{table.begin_at, table.position, table.member_at, table.squares, table.completed};
    const auto places = static_cast<std::size_t>(rows * call_.count);
    auto* ids = lane_.take<std::int32_t>(places);
    auto* distances = lane_.take<double>(places);
    if (rows > 0) {
      const std::int64_t* instances = lane_.upload(present);
      with_places(call_.count, [&]<int kPlaces>(std::integral_constant<int, kPlaces>) {
        nearest_in_view<kPlaces><<<blocks_for(rows, 4), 128, 0, lane_.stream()>>>(
            at, of, rows_.row, instances, rows, call_.count, call_.own, ids, distances);
      });
      check(cudaGetLastError(), "the nearest rows of a view");
      lane_.copy_out(call_.ids[v] + begin * call_.count, ids, places * sizeof(std::int32_t));
      lane_.copy_out(call_.distances[v] + begin * call_.count, distances, places * sizeof(double));
    }
    const float* products = nullptr;
    if (call_.whole_ids != nullptr && table.completed != nullptr && rows > 0) {
      products = lane_.upload(call_.products[v] + begin * call_.product_columns,
                              static_cast<std::size_t>(rows * call_.product_columns));
    }
    return {lane_.upload(row_of), at, of, products, call_.product_columns};
  }

  Looks looks_of(const std::vector<std::int64_t>& present, const Device::Rows::View& table) const {
    Looks out;
    out.first_pair.push_back(0);
    for (const std::int64_t instance : present) {
      for (std::int64_t at = call_.list_begin[instance]; at < call_.list_begin[instance + 1]; ++at) {
        const auto list = static_cast<std::size_t>(call_.lists[at]);
        out.lists.push_back(call_.lists[at]);
        out.dots.push_back(out.dot_count);
        out.dot_count += table.begin[list + 1] - table.begin[list];
      }
      out.first_pair.push_back(static_cast<std::int64_t>(out.lists.size()));
    }
    return out;
  }

  const float* multiply(const DeviceBlock& block, const Looks& looks, const Device::Rows::View& table) {
    if (table.sparse) {
      auto* dots = lane_.take<float>(static_cast<std::size_t>(block.rows * table.members));
      if (block.rows == 0 || table.members == 0) return dots;
      with_values(block, [&](auto* values) {
        sparse_dots<<<static_cast<unsigned>(block.rows), 128, 0, lane_.stream()>>>(
            block.offsets, block.columns, values, table.offsets, table.columns, table.values, table.members, dots);
      });
      check(cudaGetLastError(), "products with rows");
      return dots;
    }
    auto* dots = lane_.take<float>(static_cast<std::size_t>(looks.dot_count));
    if (table.begin.size() == 2 && table.members % 4 == 0 && table.features > 0) {  // all rows with all members
      narrow_product(block, table.panels, table.members, table.members, dots, table.members, call_.fast != 0,
                     lane_.stream());
      return dots;
    }
    const ListProducts lists = by_list(looks, table);
    if (lists.tiles.empty()) return dots;
    const Tile* tiles = lane_.upload(lists.tiles);
    const std::int32_t* rows = lane_.upload(lists.rows);
    const std::int64_t* dots_of = lane_.upload(lists.dots);
    const dim3 grid(static_cast<unsigned>(lists.tiles.size()), blocks_for(lists.widest, kTileColumns));
    with_values(block, [&](auto* values) {
      list_products<<<grid, 128, 0, lane_.stream()>>>(values, table.features, tiles, rows, dots_of, table.begin_at,
                                                      table.panels, dots);
    });
    check(cudaGetLastError(), "products with rows");
    return dots;
  }

  void search_all(const std::vector<WholeView>& whole) {
    const std::int64_t instances = last_ - first_;
    const auto places = static_cast<std::size_t>(instances * call_.count);
    auto* ids = lane_.upload(call_.whole_ids + first_ * call_.count, places);
    auto* distances = lane_.upload(call_.whole_distances + first_ * call_.count, places);
    const Table table{rows_.begin, rows_.row, rows_.near_ids, rows_.near_weights, call_.rows->near};
    const WholeView* views = lane_.upload(whole);
    with_places(call_.count, [&]<int kPlaces>(std::integral_constant<int, kPlaces>) {
      nearest_in_all<kPlaces><<<blocks_for(instances, 4), 128, 0, lane_.stream()>>>(
          views, call_.view_count, table, instances, call_.count, call_.own < 0 ? -1 : call_.own + first_, ids,
          distances);
    });
    check(cudaGetLastError(), "the nearest rows");
    lane_.copy_out(call_.whole_ids + first_ * call_.count, ids, places * sizeof(std::int32_t));
    lane_.copy_out(call_.whole_distances + first_ * call_.count, distances, places * sizeof(double));
  }

  Lane& lane_;
  Device& device_;
  const OmvcCudaRowSearch& call_;
  const Device::Rows& rows_;
  std::int64_t first_;
  std::int64_t last_;
};

}  // namespace

// Instances are taken in parts whose products fit in memory.
void find_rows(Lane& lane, Device& device, const OmvcCudaRowSearch& call) {
  const auto rows = device.table(device.rows, call.rows->id, [&] { return put_rows(lane, device, *call.rows); });
  const Lane::Mark mark = lane.mark();
  const auto dots_of = [&](std::int64_t i) {
    std::int64_t out = 0;
    for (const Device::Rows::View& view : rows->views) {
      if (view.sparse) {
        out += view.members;
        continue;
      }
      for (std::int64_t at = call.list_begin[i]; at < call.list_begin[i + 1]; ++at) {
        out += view.begin[static_cast<std::size_t>(call.lists[at]) + 1] -
               view.begin[static_cast<std::size_t>(call.lists[at])];
      }
    }
    return out;
  };
  const std::int64_t most = std::min<std::int64_t>(kMostDots, static_cast<std::int64_t>(device.limit() / 64));
  for (std::int64_t first = 0; first < call.instances;) {
    std::int64_t last = first;
    std::int64_t dots = 0;
    do {
      dots += dots_of(last++);
    } while (last < call.instances && dots < most);
    Search(lane, device, call, *rows, first, last).run();
    lane.rewind(mark);
    first = last;
  }
}

}  // namespace omvc::cuda
