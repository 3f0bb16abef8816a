// The functions that abi.h names, around the operations: a lane for each call, and no exception beyond it.
#include <algorithm>
#include <cstdio>
#include <shared_mutex>

#include "cuda/device.hpp"

// What is handed out: the device lives until it is closed and nothing of it is kept any more.
struct OmvcCudaDevice {
  std::shared_ptr<omvc::cuda::Device> device;
};

namespace omvc::cuda {
namespace {

int tell(char* message, const Failure& failure) {
  std::snprintf(message, kOmvcCudaMessage, "%s", failure.what.c_str());
  return failure.code;
}

template <class Body>
int guarded(char* message, const Body& body) {
  try {
    body();
    return kOmvcCudaDone;
  } catch (const Failure& failure) {
    return tell(message, failure);
  } catch (const std::bad_alloc&) {
    return tell(message, {kOmvcCudaNoMemory, "the memory of the host is used up"});
  } catch (const std::exception& error) {
    return tell(message, {kOmvcCudaLost, error.what()});
  }
}

class Borrowed {
 public:
  explicit Borrowed(Device& device) : device_(device), lane_(device.acquire()) {}
  ~Borrowed() {
    cudaStreamSynchronize(lane_.stream());  // of a call that failed half-way
    device_.give_back(lane_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Lane& lane() { return lane_; }

 private:
  Device& device_;
  Lane& lane_;
};

// Runs work(lane). Where memory is short, once more with all that the device may use.
template <class Work>
int call(OmvcCudaDevice* handle, char* message, const Work& work) {
  return guarded(message, [&] {
    Device& device = *handle->device;
    device.enter();
    const auto run = [&] {
      Borrowed borrowed(device);
      borrowed.lane().begin();
      work(borrowed.lane(), device);
    };
    try {
      const std::shared_lock turn(device.turns());
      return run();
    } catch (const Failure& failure) {
      if (failure.code != kOmvcCudaNoMemory) throw;
    }
    const std::unique_lock alone(device.turns());
    device.trim();
    run();
  });
}

int count_devices(std::int32_t* devices, char* message) {
  return guarded(message, [&] {
    int found = 0;
    check(cudaGetDeviceCount(&found), "looking for devices");
    *devices = found;
  });
}

int open_device(std::int32_t number, std::uint64_t memory, OmvcCudaDevice** out, OmvcCudaInfo* info, char* message) {
  return guarded(message, [&] {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "looking for devices");
    if (number < 0 || number >= devices) {
      throw Failure{kOmvcCudaNoDevice, "there is no device " + std::to_string(number) + ", but " +
                                           std::to_string(devices) + " (numbered from 0)"};
    }
    auto device = std::make_shared<Device>(number, memory);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, number), "the device");
    std::snprintf(info->name, sizeof info->name, "%s", properties.name);
    info->memory = device->limit();
    info->major = properties.major;
    info->minor = properties.minor;
    info->processors = properties.multiProcessorCount;
    int version = 0;
    check(cudaDriverGetVersion(&version), "the driver");
    info->driver = version;
    check(cudaRuntimeGetVersion(&version), "the driver");
    info->runtime = version;
    try {  // a kernel and a copy: a device that cannot do these is of no use
      Borrowed borrowed(*device);
      borrowed.lane().begin();
      const std::vector<float> one(16, 1.0F);
      const OmvcCudaBlock block{0, 0, 1, 16, 0, nullptr, nullptr, one.data(), nullptr};
      float product[4] = {};
      times(borrowed.lane(), *device, block, {one.data(), 1, 1}, false, false, product, 1);
      if (product[0] != 16) throw Failure{kOmvcCudaLost, "the device does not compute what it should"};
    } catch (...) {
      device->shut();
      throw;
    }
    *out = new OmvcCudaDevice{std::move(device)};
  });
}

void close_device(OmvcCudaDevice* device) {
  device->device->shut();
  delete device;
}
void forget(OmvcCudaKept* kept) { delete kept; }

int near(OmvcCudaDevice* device, const OmvcCudaNear* of, char* message) {
  return call(device, message, [&](Lane& lane, Device& on) { find_near(lane, on, *of); });
}
int rows(OmvcCudaDevice* device, const OmvcCudaRowSearch* of, char* message) {
  return call(device, message, [&](Lane& lane, Device& on) { find_rows(lane, on, *of); });
}
int sums(OmvcCudaDevice* device, const OmvcCudaSums* of, char* message) {
  return call(device, message, [&](Lane& lane, Device& on) { add_rows(lane, on, *of); });
}
int product(OmvcCudaDevice* device, const OmvcCudaBlock* X, const void* U, std::int64_t U_stride, std::int64_t r,
            std::int32_t doubles, std::int32_t fast, void* out, std::int64_t out_stride, char* message) {
  return call(device, message, [&](Lane& lane, Device& on) {
    times(lane, on, *X, {U, U_stride, r}, doubles != 0, fast != 0, out, out_stride);
  });
}
int transpose(OmvcCudaDevice* device, const OmvcCudaBlock* X, const double* V, std::int64_t V_stride, std::int64_t r,
              double* out, std::int64_t out_stride, char* message) {
  return call(device, message, [&](Lane& lane, Device& on) {
    transpose_times(lane, on, *X, {V, V_stride, r}, out, out_stride);
  });
}

}  // namespace
}  // namespace omvc::cuda

extern "C" __attribute__((visibility("default"))) const OmvcCudaApi* omvc_cuda_api(int32_t abi) {
  using namespace omvc::cuda;
  static const OmvcCudaApi api{kOmvcCudaAbi, count_devices, open_device, close_device, forget,
                               near,         rows,          sums,        product,      transpose};
  return abi == kOmvcCudaAbi ? &api : nullptr;
}
