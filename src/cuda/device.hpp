// A device and its lanes. A call works in one lane: a stream, memory on the device and pinned memory on the host, both
// taken piece by piece and all given back when the call ends. What is learned from again and again (blocks, tables) is
// kept on the device beside the lanes, as far as its memory allows.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "cuda/abi.h"

namespace omvc::cuda {

struct Failure {
  int code;
  std::string what;
};

// Throws a Failure unless all is well.
void check(cudaError_t error, const char* doing);

class Device;

// Memory of a device that counts for what may be used of it.
class Memory {
 public:
  Memory(std::shared_ptr<Device> device, std::size_t bytes);  // throws where there is no room
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<Device> device_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

class Lane {
 public:
  explicit Lane(Device& device);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  cudaStream_t stream() const { return stream_; }

  // Memory on the device until the call ends; not set to anything.
  template <class T>
  T* take(std::size_t count) {
    return reinterpret_cast<T*>(take_bytes(count * sizeof(T)));
  }
  // Everything taken since `mark` is given back, once the stream has come so far.
  struct Mark {
    std::size_t slab;
    std::size_t used;
  };
  Mark mark() const { return {slab_, used_}; }
  void rewind(Mark mark) {
    slab_ = mark.slab;
    used_ = mark.used;
  }

  template <class T>
  T* upload(const T* from, std::size_t count) {
    T* to = take<T>(count);
    copy_in(to, from, count * sizeof(T));
    return to;
  }
  template <class T>
  T* upload(const std::vector<T>& from) {
    return upload(from.data(), from.size());
  }
  void copy_in(void* to, const void* from, std::size_t bytes);
  // Into the memory of the host when finish() returns.
  void copy_out(void* to, const void* from, std::size_t bytes);
  void zero(void* to, std::size_t bytes);
  void finish();  // waits for the stream, and hands over what was copied out

  void begin();  // a call
  void give_up_memory();

 private:
  void give_up();  // what the constructor has taken
  char* take_bytes(std::size_t bytes);
  void wait_for_stage(int stage);

  static constexpr std::size_t kStage = std::size_t{4} << 20;
  static constexpr int kStages = 3;
  struct Out {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  Device& device_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::unique_ptr<Memory>> slabs_;
  std::size_t slab_ = 0;
  std::size_t used_ = 0;
  char* stages_ = nullptr;  // pinned: copies pass through these in turn
  cudaEvent_t passed_[kStages] = {};
  int stage_ = 0;
  std::size_t stage_used_ = 0;
  char* out_stage_ = nullptr;  // pinned, grows
  std::size_t out_size_ = 0;
  std::size_t out_used_ = 0;
  std::vector<Out> outs_;
};

// Waits for a stream before memory that it copies to is given back, also where something fails: to be declared behind
// what holds the memory.
struct Settled {
  cudaStream_t stream;
  ~Settled() { cudaStreamSynchronize(stream); }
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  Device(int number, std::uint64_t memory);
  ~Device();

  int number() const { return number_; }
  std::uint64_t limit() const { return limit_; }
  int processors() const { return processors_; }
  void enter() const;  // makes it the device of the calling thread

  // Whether so much more may be used; counts it if so.
  bool reserve(std::size_t bytes);
  void release(std::size_t bytes);
  // Memory for what is kept, or null where less than half would be left for the calls.
  std::shared_ptr<Memory> keep(std::size_t bytes);

  // A lane for the calling thread, which may wait for one.
  Lane& acquire();
  void give_back(Lane& lane);

  // What tables were copied, by their ids; the oldest go first.
  template <class Table, class Make>
  std::shared_ptr<Table> table(std::map<std::uint64_t, std::pair<std::uint64_t, std::shared_ptr<Table>>>& tables,
                               std::uint64_t id, const Make& make) {
    const std::lock_guard lock(tables_mutex_);
    auto found = tables.find(id);
    if (found == tables.end()) {
      while (tables.size() >= kTables) {
        auto oldest = tables.begin();
        for (auto it = tables.begin(); it != tables.end(); ++it) {
          if (it->second.first < oldest->second.first) oldest = it;
        }
        tables.erase(oldest);
      }
      found = tables.emplace(id, std::pair(std::uint64_t{0}, make())).first;
    }
    found->second.first = ++use_;
    return found->second.second;
  }
  // Gives up what no call needs now. Nobody may be in a call.
  void trim();

  // Gives up everything but what is kept of blocks, which ends with them. Nobody calls any more.
  void shut();

  // Calls take turns with one that needs all memory for itself.
  std::shared_mutex& turns() { return turns_; }

  struct Prototypes;
  struct Rows;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::shared_ptr<Prototypes>>> prototypes;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::shared_ptr<Rows>>> rows;

 private:
  static constexpr std::size_t kTables = 6;
  static constexpr std::size_t kLanes = 24;

  int number_;
  std::uint64_t limit_;
  int processors_ = 0;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
  std::uint64_t used_ = 0;
  std::mutex tables_mutex_;
  std::uint64_t use_ = 0;
  std::shared_mutex turns_;
};

// A block on the device.
struct DeviceBlock {
  bool sparse;
  bool doubles;
  std::int64_t rows;
  std::int64_t cols;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const void* values = nullptr;
};

// The rows [first, last) of a block: from the copy that is kept, or copied now for as long as the call lasts.
DeviceBlock block_on_device(Lane& lane, Device& device, const OmvcCudaBlock& block, std::int64_t first,
                            std::int64_t last);

// Calls body with a pointer of the type of the values.
template <class Body>
void with_values(const DeviceBlock& block, const Body& body) {
  if (block.doubles) return body(static_cast<const double*>(block.values));
  body(static_cast<const float*>(block.values));
}

inline unsigned blocks_for(std::int64_t count, std::int64_t each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

// The operations, in a lane; they throw a Failure.
void find_near(Lane& lane, Device& device, const OmvcCudaNear& call);
void find_rows(Lane& lane, Device& device, const OmvcCudaRowSearch& call);
void add_rows(Lane& lane, Device& device, const OmvcCudaSums& call);
struct Factor {
  const void* data;
  std::int64_t stride;
  std::int64_t columns;
};
void times(Lane& lane, Device& device, const OmvcCudaBlock& X, const Factor& U, bool doubles, bool fast, void* out,
           std::int64_t out_stride);
void transpose_times(Lane& lane, Device& device, const OmvcCudaBlock& X, const Factor& V, double* out,
                     std::int64_t out_stride);

}  // namespace omvc::cuda

// A copy that outlives calls; it knows its device.
struct OmvcCudaKept {
  std::shared_ptr<omvc::cuda::Memory> memory;
  omvc::cuda::DeviceBlock block;
};
