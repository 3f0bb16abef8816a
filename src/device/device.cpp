#include "device/device.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

#include "omvc/error.hpp"

#include "device/cuda_backend.hpp"

namespace omvc {
namespace {

constexpr double kMegabyte = 1e6;

int number_in(std::string_view text) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && read == end ? number : -1;
}

// The card in cuda:1; of plain cuda, and of auto, none: each process of a machine takes one of its own. -1 where the
// text is neither.
struct Card {
  bool named = false;
  int number = -1;
};
Card card_of(std::string_view device) {
  if (device == "cuda") return {.number = 0};
  constexpr std::string_view kCuda = "cuda:";
  if (!device.starts_with(kCuda)) return {};
  return {.named = true, .number = number_in(device.substr(kCuda.size()))};
}

// Which of the processes on this machine this one is, as those who start several say it: Open MPI, MPICH, Slurm.
int place_on_machine() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const char* told = std::getenv(name);
    if (told != nullptr) return std::max(number_in(told), 0);
  }
  return 0;
}

}  // namespace

void check_device(const Options& options) {
  const bool card = card_of(options.device).number >= 0;
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
  // For tests and measurements: also work that is too small to pay goes to the card.
  use.everything = std::getenv("OMVC_CUDA_EVERYTHING") != nullptr;
  const Card card = card_of(options.device);
  const int place = place_on_machine();
  use.number = card.named || place == 0 ? std::max(card.number, 0) : place % std::max(cards_here(), 1);
  if (options.device == "auto") {
    if (!has_cuda_library()) return nullptr;
    use.fall_back = true;
    return std::make_shared<CudaBackend>(use);
  }
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
