#include "device/device.hpp"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

#include "omvc/error.hpp"

#include "device/cuda_backend.hpp"

namespace omvc {
namespace {

constexpr double kMegabyte = 1e6;

// The number in cuda or cuda:1; -1 where it is neither.
int card_number(std::string_view device) {
  constexpr std::string_view kCuda = "cuda";
  if (!device.starts_with(kCuda)) return -1;
  device.remove_prefix(kCuda.size());
  if (device.empty()) return 0;
  int number = -1;
  const char* end = device.data() + device.size();
  const auto [read, error] = std::from_chars(device.data() + 1, end, number);
  return device[0] == ':' && error == std::errc{} && read == end ? number : -1;
}

}  // namespace

void check_device(const Options& options) {
  const bool card = card_number(options.device) >= 0;
  if (!card && options.device != "auto" && options.device != "cpu") {
    throw Error(ErrorKind::usage, fmt::format("option device = '{}': choose auto, cpu, cuda, or cuda:1 for the second "
                                              "card",
                                              options.device));
  }
  if (options.fast && !card) {
    throw Error(ErrorKind::usage,
                fmt::format("option fast needs device cuda, and device is {}: fast products are those of a card, and "
                            "their results are not those of processors",
                            options.device));
  }
}

std::shared_ptr<Backend> make_backend(const Options& options) {
  check_device(options);
  if (options.device == "cpu") return nullptr;
  CudaUse use{.memory = static_cast<std::uint64_t>(options.device_memory * kMegabyte), .fast = options.fast};
  if (options.device == "auto") {
    if (!has_cuda_library()) return nullptr;
    use.fall_back = true;
    return std::make_shared<CudaBackend>(use);
  }
  use.number = card_number(options.device);
  try {
    return std::make_shared<CudaBackend>(use);
  } catch (const DeviceFailure& failure) {
    throw Error(ErrorKind::usage, fmt::format("option device = {}: {}; or take the processors, with device cpu",
                                              options.device, failure.what));
  }
}

BackendMaker backend_maker(const Options& options) {
  check_device(options);
  return [options] { return make_backend(options); };
}

DeviceUse device_use(const Compute& compute) {
  if (compute.backend() == nullptr) return {};
  return {compute.backend()->name(), compute.backend()->warning()};
}

}  // namespace omvc
