#include "cuda/device.hpp"

#include <algorithm>

namespace omvc::cuda {
namespace {

constexpr std::size_t kSlab = std::size_t{32} << 20;  // memory that a lane takes at a time, at least
constexpr std::size_t kAlign = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::size_t bytes_of(const OmvcCudaBlock& block) {
  const std::size_t value = block.doubles != 0 ? 8 : 4;
  if (block.sparse == 0) return aligned(static_cast<std::size_t>(block.rows * block.cols) * value);
  return aligned(static_cast<std::size_t>(block.rows + 1) * 8) + aligned(static_cast<std::size_t>(block.entries) * 4) +
         aligned(static_cast<std::size_t>(block.entries) * value);
}

// Puts the rows [first, last) at `to`, which has room for them.
DeviceBlock put_block(Lane& lane, const OmvcCudaBlock& block, std::int64_t first, std::int64_t last, char* to) {
  const std::size_t value = block.doubles != 0 ? 8 : 4;
  DeviceBlock out{block.sparse != 0, block.doubles != 0, last - first, block.cols};
  const char* values = static_cast<const char*>(block.values);
  if (block.sparse == 0) {
    const auto bytes = static_cast<std::size_t>((last - first) * block.cols) * value;
    lane.copy_in(to, values + static_cast<std::size_t>(first * block.cols) * value, bytes);
    out.values = to;
    return out;
  }
  const std::int64_t begin = block.offsets[first];
  const auto entries = static_cast<std::size_t>(block.offsets[last] - begin);
  std::vector<std::int64_t> offsets(block.offsets + first, block.offsets + last + 1);
  for (std::int64_t& offset : offsets) offset -= begin;
  lane.copy_in(to, offsets.data(), offsets.size() * 8);
  out.offsets = reinterpret_cast<const std::int64_t*>(to);
  to += aligned(offsets.size() * 8);
  lane.copy_in(to, block.columns + begin, entries * 4);
  out.columns = reinterpret_cast<const std::int32_t*>(to);
  to += aligned(entries * 4);
  lane.copy_in(to, values + static_cast<std::size_t>(begin) * value, entries * value);
  out.values = to;
  return out;
}

DeviceBlock rows_of(const DeviceBlock& block, std::int64_t first, std::int64_t last) {
  DeviceBlock out = block;
  out.rows = last - first;
  if (block.sparse) {
    out.offsets += first;
  } else {
    out.values = static_cast<const char*>(block.values) +
                 static_cast<std::size_t>(first * block.cols) * (block.doubles ? 8 : 4);
  }
  return out;
}

}  // namespace

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  const bool memory = error == cudaErrorMemoryAllocation;
  const bool none = error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver || error == cudaErrorInvalidDevice ||
                    error == cudaErrorDevicesUnavailable || error == cudaErrorInitializationError ||
                    error == cudaErrorSystemDriverMismatch || error == cudaErrorNoKernelImageForDevice;
  cudaGetLastError();  // it is told, and is no reason to refuse what comes next; one that sticks stays
  throw Failure{memory ? kOmvcCudaNoMemory : none ? kOmvcCudaNoDevice : kOmvcCudaLost,
                std::string(doing) + ": " + cudaGetErrorString(error)};
}

Memory::Memory(std::shared_ptr<Device> device, std::size_t bytes) : device_(std::move(device)), size_(bytes) {
  if (!device_->reserve(bytes)) {
    throw Failure{kOmvcCudaNoMemory, "the device may use " + std::to_string(device_->limit() >> 20) +
                                         " MB, and that is too little for what is to be done at a time"};
  }
  const cudaError_t error = cudaMallocAsync(reinterpret_cast<void**>(&data_), std::max<std::size_t>(bytes, 1), nullptr);
  if (error == cudaSuccess) {
    check(cudaStreamSynchronize(nullptr), "memory");
    return;
  }
  device_->release(bytes);
  check(error, "memory");
}

// Of a device that is lost, or that of another process, there is nothing to free, and nobody can be told here.
Memory::~Memory() {
  if (cudaSetDevice(device_->number()) == cudaSuccess) cudaFreeAsync(data_, nullptr);
  cudaGetLastError();
  device_->release(size_);
}

Lane::Lane(Device& device) : device_(device) {
  try {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check(cudaHostAlloc(reinterpret_cast<void**>(&stages_), kStage * kStages, cudaHostAllocDefault), "pinned memory");
    for (cudaEvent_t& event : passed_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
  } catch (...) {
    give_up();
    throw;
  }
}

Lane::~Lane() { give_up(); }

void Lane::give_up() {
  for (const cudaEvent_t event : passed_) {
    if (event != nullptr) cudaEventDestroy(event);
  }
  cudaFreeHost(stages_);
  cudaFreeHost(out_stage_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

void Lane::begin() {
  if (slabs_.size() > 1) {  // one slab of the size that was needed
    std::size_t all = 0;
    for (const auto& slab : slabs_) all += slab->size();
    slabs_.clear();
    slabs_.push_back(std::make_unique<Memory>(device_.shared_from_this(), all));
  }
  slab_ = used_ = 0;
  outs_.clear();
  out_used_ = 0;
  stage_ = 0;
  stage_used_ = 0;
}

void Lane::give_up_memory() {
  slabs_.clear();
  slab_ = used_ = 0;
}

char* Lane::take_bytes(std::size_t bytes) {
  bytes = aligned(std::max<std::size_t>(bytes, 1));
  for (; slab_ < slabs_.size(); ++slab_, used_ = 0) {
    if (slabs_[slab_]->size() - used_ < bytes) continue;
    char* out = slabs_[slab_]->data() + used_;
    used_ += bytes;
    return out;
  }
  const std::size_t size = device_.limit() / 8 > kSlab ? std::max(bytes, kSlab) : bytes;
  slabs_.push_back(std::make_unique<Memory>(device_.shared_from_this(), size));
  slab_ = slabs_.size() - 1;
  used_ = bytes;
  return slabs_.back()->data();
}

void Lane::wait_for_stage(int stage) { check(cudaEventSynchronize(passed_[stage]), "copying to the device"); }

void Lane::copy_in(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  while (bytes > 0) {
    if (stage_used_ == kStage) {
      check(cudaEventRecord(passed_[stage_], stream_), "copying to the device");
      stage_ = (stage_ + 1) % kStages;
      stage_used_ = 0;
      wait_for_stage(stage_);
    }
    const std::size_t some = std::min(bytes, kStage - stage_used_);
    char* stage = stages_ + static_cast<std::size_t>(stage_) * kStage + stage_used_;
    std::memcpy(stage, in, some);
    check(cudaMemcpyAsync(out, stage, some, cudaMemcpyHostToDevice, stream_), "copying to the device");
    stage_used_ = std::min(kStage, aligned(stage_used_ + some));
    in += some;
    out += some;
    bytes -= some;
  }
}

void Lane::copy_out(void* to, const void* from, std::size_t bytes) { outs_.push_back({to, from, bytes}); }

void Lane::zero(void* to, std::size_t bytes) { check(cudaMemsetAsync(to, 0, bytes, stream_), "setting to zero"); }

void Lane::finish() {
  std::size_t all = 0;
  for (const Out& out : outs_) all += aligned(out.bytes);
  constexpr std::size_t kAtOnce = std::size_t{64} << 20;
  if (all > out_size_ && out_size_ < kAtOnce) {
    const std::size_t wanted = std::min(kAtOnce, std::max(all, 2 * out_size_));
    cudaFreeHost(out_stage_);
    out_stage_ = nullptr;
    out_size_ = 0;
    check(cudaHostAlloc(reinterpret_cast<void**>(&out_stage_), wanted, cudaHostAllocDefault), "pinned memory");
    out_size_ = wanted;
  }
  struct Waiting {
    char* to;
    const char* from;
    std::size_t bytes;
  };
  std::vector<Waiting> waiting;
  std::size_t used = 0;
  const auto deliver = [&] {
    check(cudaStreamSynchronize(stream_), "the work on the device");
    for (const Waiting& piece : waiting) std::memcpy(piece.to, piece.from, piece.bytes);
    waiting.clear();
    used = 0;
  };
  for (const Out& out : outs_) {
    for (std::size_t done = 0; done < out.bytes;) {
      if (used == out_size_) deliver();
      const std::size_t some = std::min(out.bytes - done, out_size_ - used);
      check(cudaMemcpyAsync(out_stage_ + used, static_cast<const char*>(out.from) + done, some, cudaMemcpyDeviceToHost,
                            stream_),
            "copying from the device");
      waiting.push_back({static_cast<char*>(out.to) + done, out_stage_ + used, some});
      used = std::min(out_size_, aligned(used + some));
      done += some;
    }
  }
  outs_.clear();
  deliver();
}

Device::Device(int number, std::uint64_t memory) : number_(number), limit_(memory) {
  enter();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, number), "the device");
  processors_ = properties.multiProcessorCount;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "the device");
  const std::uint64_t most = free / 10 * 9;  // others may need some, too
  limit_ = memory == 0 ? most : std::min<std::uint64_t>(memory, most);
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, number), "the device");
  std::uint64_t threshold = limit_;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "the device");
}

// What was freed waits in the pool of the device, and is given to others in this process now.
Device::~Device() {
  cudaMemPool_t pool = nullptr;
  if (cudaSetDevice(number_) == cudaSuccess && cudaStreamSynchronize(nullptr) == cudaSuccess &&
      cudaDeviceGetDefaultMemPool(&pool, number_) == cudaSuccess) {
    cudaMemPoolTrimTo(pool, 0);
  }
  cudaGetLastError();
}

void Device::enter() const { check(cudaSetDevice(number_), "the device"); }

bool Device::reserve(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (used_ + bytes > limit_) return false;
  used_ += bytes;
  return true;
}

void Device::release(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}

std::shared_ptr<Memory> Device::keep(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (used_ + bytes > limit_ / 2) return nullptr;
  }
  try {
    return std::make_shared<Memory>(shared_from_this(), bytes);
  } catch (const Failure&) {
    return nullptr;
  }
}

Lane& Device::acquire() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [&] { return !free_.empty() || lanes_.size() < kLanes; });
  if (free_.empty()) {
    lanes_.push_back(nullptr);  // its place
    lock.unlock();
    std::unique_ptr<Lane> made;
    try {
      made = std::make_unique<Lane>(*this);
    } catch (...) {
      lock.lock();
      lanes_.erase(std::find(lanes_.begin(), lanes_.end(), nullptr));
      given_back_.notify_one();  // somebody may try it in its place
      throw;
    }
    lock.lock();
    auto& place = *std::find(lanes_.begin(), lanes_.end(), nullptr);
    place = std::move(made);
    return *place;
  }
  Lane* lane = free_.back();
  free_.pop_back();
  return *lane;
}

void Device::give_back(Lane& lane) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&lane);
  }
  given_back_.notify_one();
}

void Device::trim() {
  prototypes.clear();
  rows.clear();
  for (const auto& lane : lanes_) {
    if (lane) lane->give_up_memory();
  }
}

// What lanes and tables hold of memory refers to the device, which would so hold itself.
void Device::shut() {
  cudaSetDevice(number_);  // where it is lost nobody can be told
  prototypes.clear();
  rows.clear();
  free_.clear();
  lanes_.clear();
  cudaGetLastError();
}

DeviceBlock block_on_device(Lane& lane, Device& device, const OmvcCudaBlock& block, std::int64_t first,
                            std::int64_t last) {
  if (block.kept != nullptr && *block.kept == nullptr) {
    if (std::shared_ptr<Memory> memory = device.keep(bytes_of(block))) {
      const Settled settled{lane.stream()};
      const DeviceBlock copy = put_block(lane, block, 0, block.rows, memory->data());
      *block.kept = new OmvcCudaKept{memory, copy};
    }
  }
  if (block.kept != nullptr && *block.kept != nullptr) return rows_of((*block.kept)->block, first, last);
  OmvcCudaBlock part = block;
  part.rows = last - first;
  if (block.sparse != 0) part.entries = block.offsets[last] - block.offsets[first];
  return put_block(lane, block, first, last, lane.take<char>(bytes_of(part)));
}

}  // namespace omvc::cuda
