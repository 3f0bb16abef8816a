#include "device/cuda_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace omvc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libomvc_cuda.so";
constexpr const char* kWheel = "omvc_cuda13";
constexpr const char* kVariable = "OMVC_CUDA_LIBRARY";

// Where this code is: the program, or the shared library that holds it.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&has_cuda_library), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  const fs::path file = fs::canonical(info.dli_fname, ignored);
  return ignored ? fs::path() : file.parent_path();
}

std::vector<std::string> candidates() {
  if (const char* told = std::getenv(kVariable); told != nullptr && *told != '\0') {
    std::error_code ignored;
    return {fs::is_directory(told, ignored) ? (fs::path(told) / kName).string() : std::string(told)};
  }
  std::vector<std::string> out;
  if (const fs::path folder = own_folder(); !folder.empty()) {
    // Beside it, where `make install` puts it, and where the wheel omvc-cuda13 lies beside the module and the command.
    for (const fs::path& beside : {folder / kName, folder / "omvc" / kName, folder / ".." / "lib" / kName,
                                   folder / ".." / "lib" / "omvc" / kName, folder / ".." / kWheel / kName,
                                   folder / ".." / ".." / kWheel / kName}) {
      std::error_code ignored;
      if (fs::exists(beside, ignored)) out.push_back(beside.string());
    }
  }
  out.emplace_back(kName);
  return out;
}

struct Loaded {
  const OmvcCudaApi* api = nullptr;
  std::string why_not;
};

Loaded load() {
  Loaded out;
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      if (!out.why_not.empty()) continue;  // what is wrong with a file that is there says more
      out.why_not = fmt::format(
          "the library {} cannot be loaded ({}); install the package omvc-cuda13, or name the "
          "file in OMVC_CUDA_LIBRARY",
          kName, why != nullptr ? why : "the loader does not say why");
      continue;
    }
    const auto find = reinterpret_cast<const OmvcCudaApi* (*)(std::int32_t)>(dlsym(library, "omvc_cuda_api"));
    out.api = find != nullptr ? find(kOmvcCudaAbi) : nullptr;
    if (out.api != nullptr) return out;
    out.why_not = fmt::format("{} is of another version of omvc: install the two of one version", file);
    dlclose(library);
  }
  return out;
}

// Where somebody asks again another file may be named, so only what was found is remembered, by the name it was asked
// for. It stays loaded: a library that has started a driver cannot be taken out of a process.
Loaded library() {
  static std::mutex mutex;
  static std::map<std::string, Loaded> known;
  const char* told = std::getenv(kVariable);
  const std::lock_guard lock(mutex);
  Loaded& found = known[told != nullptr ? told : ""];
  if (found.api == nullptr) found = load();
  return found;
}

}  // namespace

bool has_cuda_library() { return library().api != nullptr; }

int cards_here() {
  const Loaded loaded = library();
  std::int32_t found = 0;
  char message[kOmvcCudaMessage] = "";
  return loaded.api != nullptr && loaded.api->count(&found, message) == kOmvcCudaDone ? found : 0;
}

std::shared_ptr<CudaDevice> CudaDevice::open(int number, std::uint64_t memory) {
  const Loaded loaded = library();
  if (loaded.api == nullptr) throw DeviceFailure{kOmvcCudaNoDevice, loaded.why_not};
  using Key = std::tuple<const OmvcCudaApi*, int, std::uint64_t>;
  static std::mutex mutex;
  static std::map<Key, std::pair<pid_t, std::weak_ptr<CudaDevice>>> opened;
  const std::lock_guard lock(mutex);
  auto& [owner, known] = opened[{loaded.api, number, memory}];
  if (owner == ::getpid()) {
    if (std::shared_ptr<CudaDevice> device = known.lock()) return device;
  }
  std::shared_ptr<CudaDevice> out(new CudaDevice);
  out->api_ = loaded.api;
  char message[kOmvcCudaMessage] = "";
  const int code = loaded.api->open(number, memory, &out->handle_, &out->info_, message);
  if (code != kOmvcCudaDone) throw DeviceFailure{code, message};
  owner = ::getpid();
  known = out;
  return out;
}

CudaDevice::~CudaDevice() {
  if (handle_ != nullptr) api_->close(handle_);
}

}  // namespace omvc
