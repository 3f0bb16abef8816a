// libomvc_cuda, looked for and loaded when somebody wants it: this program needs no CUDA, and no driver, to start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cuda/abi.h"

namespace omvc {

// Why a device cannot be had or has failed, in words.
struct DeviceFailure {
  int code = kOmvcCudaNoDevice;  // abi.h
  std::string what;
};

// A card, open for as long as anybody holds it. Opened once for all who ask for the same.
class CudaDevice : public std::enable_shared_from_this<CudaDevice> {
 public:
  // At most so many bytes of its memory are used; 0: nine tenths of what is free. Throws DeviceFailure.
  static std::shared_ptr<CudaDevice> open(int number, std::uint64_t memory);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const OmvcCudaApi& api() const { return *api_; }
  OmvcCudaDevice* handle() const { return handle_; }
  const OmvcCudaInfo& info() const { return info_; }

 private:
  CudaDevice() = default;

  const OmvcCudaApi* api_ = nullptr;
  OmvcCudaDevice* handle_ = nullptr;
  OmvcCudaInfo info_{};
};

// Whether the library is where it is looked for: in the folder that OMVC_CUDA_LIBRARY names (or the file that it is),
// beside this library or program, in its folder lib, and where the system looks.
bool has_cuda_library();

// How many cards there are; 0 where nobody knows.
int cards_here();

}  // namespace omvc
