// A library that speaks abi.h and computes on the processor, by plain loops in the order of the data: what a card hands
// back has to have these bits. With it the way to a card is tested where there is none, and so is what happens when one
// fails, which OMVC_PRETEND says:
//
//     no-device       opening fails           abi             speaks another version
//     lost:N          call N fails            memory:N        call N finds too little memory
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/abi.h"

// As a card does, it keeps what it was given of a table of prototypes by its id, and does not look at it again.
struct KeptPrototypes {
  std::vector<std::vector<float>> columns;
  std::vector<std::vector<double>> norms;
};
struct OmvcCudaDevice {
  std::atomic<int> calls = 0;
  std::mutex mutex;
  std::map<std::uint64_t, KeptPrototypes> tables;
};
struct OmvcCudaKept {
  std::int64_t rows;
};

namespace {

std::string asked() {
  const char* told = std::getenv("OMVC_PRETEND");
  return told != nullptr ? told : "";
}

int tell(char* message, int code, const char* what) {
  std::snprintf(message, kOmvcCudaMessage, "%s", what);
  return code;
}

// Counts a call, and fails where it is the one that shall.
int begin(OmvcCudaDevice* device, char* message) {
  const int call = ++device->calls;
  for (const auto& [word, code] : {std::pair("lost:", kOmvcCudaLost), std::pair("memory:", kOmvcCudaNoMemory)}) {
    const std::string wanted = word + std::to_string(call);
    if (asked() == wanted) return tell(message, code, code == kOmvcCudaLost ? "it fell off the bus" : "it is full");
  }
  return kOmvcCudaDone;
}

// Calls body(feature, value) for the entries of a row, in their order.
template <class Body>
void entries(const OmvcCudaBlock& X, std::int64_t row, const Body& body) {
  const auto value = [&](std::int64_t at) {
    return X.doubles != 0 ? static_cast<const double*>(X.values)[at]
                          : static_cast<double>(static_cast<const float*>(X.values)[at]);
  };
  if (X.sparse == 0) {
    for (std::int64_t j = 0; j < X.cols; ++j) body(j, value(row * X.cols + j));
  } else {
    for (std::int64_t e = X.offsets[row]; e < X.offsets[row + 1]; ++e) body(X.columns[e], value(e));
  }
}

void keep(const OmvcCudaBlock& X) {
  if (X.kept != nullptr && *X.kept == nullptr) *X.kept = new OmvcCudaKept{X.rows};
}

double square_of(const OmvcCudaBlock& X, std::int64_t row, bool single) {
  double sum = 0;
  entries(X, row, [&](std::int64_t, double value) {
    const double x = single ? static_cast<double>(static_cast<float>(value)) : value;
    sum += x * x;
  });
  return sum;
}

// out = x_row M, a chain of fused multiply-adds for every number.
template <class T>
void row_times(const OmvcCudaBlock& X, std::int64_t row, const T* M, std::int64_t stride, std::int64_t columns,
               T* out) {
  std::fill_n(out, columns, T(0));
  entries(X, row, [&](std::int64_t feature, double value) {
    const T x = static_cast<T>(value);
    for (std::int64_t j = 0; j < columns; ++j) out[j] = std::fma(x, M[feature * stride + j], out[j]);
  });
}

// Row of the view that instance i is; -1: it lacks the view.
std::int64_t row_of(const OmvcCudaView& view, std::int64_t i) {
  const std::int64_t* end = view.present + view.block.rows;
  const std::int64_t* at = std::lower_bound(view.present, end, i);
  return at != end && *at == i ? at - view.present : -1;
}

const KeptPrototypes& kept(OmvcCudaDevice* device, const OmvcCudaPrototypes& table) {
  const std::lock_guard lock(device->mutex);
  const auto [at, is_new] = device->tables.try_emplace(table.id);
  for (std::int32_t v = 0; is_new && v < table.views; ++v) {
    at->second.columns.emplace_back(table.columns[v], table.columns[v] + table.features[v] * table.size);
    at->second.norms.emplace_back(table.norms[v], table.norms[v] + table.size);
  }
  return at->second;
}

void near_of(const OmvcCudaNear& call, const KeptPrototypes& known, std::int64_t i,
             const std::vector<std::vector<float>>& products) {
  const OmvcCudaPrototypes& table = *call.prototypes;
  const std::int64_t m = table.size;
  std::vector<std::pair<double, std::int32_t>> far(static_cast<std::size_t>(m));
  for (std::int64_t p = 0; p < m; ++p) far[static_cast<std::size_t>(p)].second = static_cast<std::int32_t>(p);
  double squares = 0;
  double observed = 0;
  for (std::int32_t v = 0; v < call.view_count; ++v) {
    const std::int64_t row = row_of(call.views[v], i);
    if (row < 0) continue;
    squares += call.squares[v][row];
    observed += 1;
    const float* product = products[static_cast<std::size_t>(v)].data() + row * m;
    for (std::int64_t p = 0; p < m; ++p) {
      far[static_cast<std::size_t>(p)].first +=
          known.norms[static_cast<std::size_t>(v)][static_cast<std::size_t>(p)] - 2 * static_cast<double>(product[p]);
    }
  }
  if (observed == 0) return;
  std::sort(far.begin(), far.end());
  const auto count = static_cast<std::size_t>(call.count);
  const double reference = count < far.size() ? far[count].first : far.back().first + call.beyond;
  if (!std::isfinite(reference)) return;
  double sum = 0;
  for (std::size_t j = 0; j < count; ++j) sum += reference - far[j].first;
  double rest = 1;
  for (std::size_t j = count; j-- > 0;) {
    const auto at = i * call.count + static_cast<std::int64_t>(j);
    call.ids[at] = far[j].second;
    const double share = sum > 0 ? (reference - far[j].first) / sum : 0;
    call.weights[at] = j > 0 ? std::round(share * 4096) / 4096 : rest;
    rest -= j > 0 ? call.weights[at] : 0;
  }
  call.distances[i] = std::max(0.0, far[0].first + squares) / observed;
  call.gaps[i] = far[count - 1].first - far[0].first;
}

int find_near(OmvcCudaDevice* device, const OmvcCudaNear* call, char* message) {
  if (const int code = begin(device, message); code != kOmvcCudaDone) return code;
  const KeptPrototypes& known = kept(device, *call->prototypes);
  std::vector<std::vector<float>> products;
  for (std::int32_t v = 0; v < call->view_count; ++v) {
    const OmvcCudaBlock& X = call->views[v].block;
    keep(X);
    std::vector<float>& made = products.emplace_back(static_cast<std::size_t>(X.rows * call->prototypes->size));
    for (std::int64_t row = 0; row < X.rows; ++row) {
      call->squares[v][row] = square_of(X, row, false);
      row_times(X, row, known.columns[static_cast<std::size_t>(v)].data(), call->prototypes->size,
                call->prototypes->size, made.data() + row * call->prototypes->size);
    }
    if (call->products != nullptr) std::copy(made.begin(), made.end(), call->products[v]);
  }
  for (std::int64_t i = 0; i < call->instances; ++i) near_of(*call, known, i, products);
  return kOmvcCudaDone;
}

double distance_of(double square, double other, double product) { return std::max(0.0, square + other - 2 * product); }

// The distances of an instance from the rows of the lists that it looks into, in the order of their positions.
class Compared {
 public:
  Compared(const OmvcCudaRowSearch& call, std::int64_t i) : call_(call), i_(i) {}

  // By one view: a distance for each position whose row has the view, else NaN; `whole` gets what the view adds.
  std::vector<double> by_view(std::int32_t v, std::int64_t row, std::vector<double>& whole) const {
    const OmvcCudaBlock& X = call_.views[v].block;
    const OmvcCudaRowView& view = call_.rows->view[v];
    const double square = square_of(X, row, true);
    std::vector<double> out;
    std::size_t at = 0;
    for (std::int64_t l = call_.list_begin[i_]; l < call_.list_begin[i_ + 1]; ++l) {
      const std::int32_t list = call_.lists[l];
      const std::vector<float> dots = dots_of(X, row, view, list);
      for (std::int64_t p = call_.rows->begin[list]; p < call_.rows->begin[list + 1]; ++p, ++at) {
        const std::int32_t member = view.member_at[p];
        if (whole.size() <= at) whole.push_back(0);
        out.push_back(std::numeric_limits<double>::quiet_NaN());
        if (member >= 0) {
          const float dot = dots[static_cast<std::size_t>(member - view.begin[list])];
          out.back() = distance_of(square, view.squares[member], static_cast<double>(dot));
          whole[at] += out.back();
        } else if (call_.whole_ids != nullptr && view.completed != nullptr && !std::isnan(view.completed[p])) {
          whole[at] += distance_of(square, view.completed[p], completed_dot(v, row, p));
        }
      }
    }
    return out;
  }

  // Writes the nearest, in their order.
  void list(const std::vector<double>& distances, double views, std::int64_t at, std::int32_t* ids, double* to) const {
    struct Found {
      double distance;
      std::int64_t turn;
      std::int32_t row;
    };
    const std::int64_t self = call_.own < 0 ? -1 : call_.own + i_;
    std::vector<Found> found;
    std::size_t next = 0;
    for (std::int64_t l = call_.list_begin[i_]; l < call_.list_begin[i_ + 1]; ++l) {
      const std::int32_t list = call_.lists[l];
      for (std::int64_t p = call_.rows->begin[list]; p < call_.rows->begin[list + 1]; ++p) {
        const double distance = distances[next++];
        const std::int32_t row = call_.rows->row[p];
        if (std::isnan(distance) || row == self) continue;
        found.push_back({distance / views, row > self ? row : row + (std::int64_t{1} << 32), row});
      }
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.turn < b.turn;
    });
    for (std::int64_t j = 0; j < call_.count && j < static_cast<std::int64_t>(found.size()); ++j) {
      ids[at * call_.count + j] = found[static_cast<std::size_t>(j)].row;
      to[at * call_.count + j] = found[static_cast<std::size_t>(j)].distance;
    }
  }

 private:
  static std::vector<float> dots_of(const OmvcCudaBlock& X, std::int64_t row, const OmvcCudaRowView& view,
                                    std::int32_t list) {
    const std::int64_t width = view.begin[list + 1] - view.begin[list];
    std::vector<float> out(static_cast<std::size_t>(width));
    if (view.sparse == 0) {
      row_times(X, row, view.panels + view.begin[list] * view.features, width, width, out.data());
      return out;
    }
    std::vector<float> all(static_cast<std::size_t>(view.members), 0.0F);
    entries(X, row, [&](std::int64_t feature, double value) {
      for (std::int64_t e = view.offsets[feature]; e < view.offsets[feature + 1]; ++e) {
        all[static_cast<std::size_t>(view.columns[e])] += static_cast<float>(value) * view.values[e];
      }
    });
    std::copy_n(all.begin() + view.begin[list], width, out.begin());
    return out;
  }

  double completed_dot(std::int32_t v, std::int64_t row, std::int64_t position) const {
    double dot = 0;
    for (std::int64_t j = position * call_.rows->near; j < (position + 1) * call_.rows->near; ++j) {
      dot += static_cast<double>(call_.rows->near_weights[j]) *
             static_cast<double>(call_.products[v][row * call_.product_columns + call_.rows->near_ids[j]]);
    }
    return dot;
  }

  const OmvcCudaRowSearch& call_;
  std::int64_t i_;
};

int find_rows(OmvcCudaDevice* device, const OmvcCudaRowSearch* call, char* message) {
  if (const int code = begin(device, message); code != kOmvcCudaDone) return code;
  for (std::int32_t v = 0; v < call->view_count; ++v) keep(call->views[v].block);
  for (std::int64_t i = 0; i < call->instances; ++i) {
    const Compared compared(*call, i);
    std::vector<double> whole;
    double observed = 0;
    for (std::int32_t v = 0; v < call->view_count; ++v) {
      const std::int64_t row = row_of(call->views[v], i);
      if (row < 0) continue;
      observed += 1;
      compared.list(compared.by_view(v, row, whole), 1, row, call->ids[v], call->distances[v]);
    }
    if (call->whole_ids != nullptr && observed > 0) {
      compared.list(whole, observed, i, call->whole_ids, call->whole_distances);
    }
  }
  return kOmvcCudaDone;
}

int add_rows(OmvcCudaDevice* device, const OmvcCudaSums* call, char* message) {
  if (const int code = begin(device, message); code != kOmvcCudaDone) return code;
  for (std::int32_t v = 0; v < call->view_count; ++v) {
    const std::int64_t cols = call->chunks[0][v].block.cols;
    std::fill_n(call->sums[v], call->size * cols, 0.0);
    const double round = 6755399441055744.0 * call->quantum[v];  // 1.5 * 2^52
    for (std::int64_t c = 0; c < call->chunk_count; ++c) {
      const OmvcCudaView& view = call->chunks[c][v];
      for (std::int64_t row = 0; row < view.block.rows; ++row) {
        const std::int32_t id = call->ids[c][view.present[row]];
        if (id < 0) continue;
        entries(view.block, row, [&](std::int64_t j, double value) {
          const volatile double high = value + round;
          call->sums[v][id * cols + j] += call->sign * (high - round);
        });
      }
    }
  }
  return kOmvcCudaDone;
}

int times(OmvcCudaDevice* device, const OmvcCudaBlock* X, const void* U, std::int64_t stride, std::int64_t r,
          std::int32_t doubles, std::int32_t, void* out, std::int64_t out_stride, char* message) {
  if (const int code = begin(device, message); code != kOmvcCudaDone) return code;
  for (std::int64_t row = 0; row < X->rows; ++row) {
    if (doubles != 0) {
      row_times(*X, row, static_cast<const double*>(U), stride, r, static_cast<double*>(out) + row * out_stride);
    } else {
      row_times(*X, row, static_cast<const float*>(U), stride, r, static_cast<float*>(out) + row * out_stride);
    }
  }
  return kOmvcCudaDone;
}

int transpose_times(OmvcCudaDevice* device, const OmvcCudaBlock* X, const double* V, std::int64_t stride,
                    std::int64_t r, double* out, std::int64_t out_stride, char* message) {
  if (const int code = begin(device, message); code != kOmvcCudaDone) return code;
  for (std::int64_t row = 0; row < X->rows; ++row) {
    entries(*X, row, [&](std::int64_t feature, double x) {
      for (std::int64_t j = 0; j < r; ++j) {
        double& sum = out[feature * out_stride + j];
        sum = std::fma(x, V[row * stride + j], sum);
      }
    });
  }
  return kOmvcCudaDone;
}

int count(std::int32_t* devices, char*) {
  *devices = 1;
  return kOmvcCudaDone;
}

int open(std::int32_t number, std::uint64_t, OmvcCudaDevice** out, OmvcCudaInfo* info, char* message) {
  if (asked() == "no-device" || number > 0) return tell(message, kOmvcCudaNoDevice, "there is no card");
  std::snprintf(info->name, sizeof info->name, "pretended card");
  *out = new OmvcCudaDevice;
  return kOmvcCudaDone;
}

void close(OmvcCudaDevice* device) { delete device; }
void forget(OmvcCudaKept* kept) { delete kept; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OmvcCudaApi* omvc_cuda_api(std::int32_t abi) {
  static const OmvcCudaApi api{kOmvcCudaAbi, count,     open,     close, forget,
                               find_near,    find_rows, add_rows, times, transpose_times};
  return abi == kOmvcCudaAbi && asked() != "abi" ? &api : nullptr;
}
