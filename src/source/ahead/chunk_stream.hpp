// One pass over a source, read ahead: a thread of its own reads, checks and scales the next chunk while the caller
// works on the last one. At most two chunks wait: one that is ready and one that is being read.
//
// What goes wrong while reading reaches the caller as if it had been read in line: next() throws it when all chunks
// before it have been taken.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "omvc/source.hpp"

#include "scale/scaling.hpp"

namespace omvc {

struct StreamedChunk {
  Chunk chunk;
  std::uint64_t fingerprint = 0;  // of the chunk as it was read
  std::vector<Index> negatives;   // entries that the scaling set to 0, by view
  double seconds = 0;             // that the reader spent on it
};

class ChunkStream {
 public:
  // Starts reading, `rows` instances at a time, where the source stands. With `scaling`, chunks come scaled by it. The
  // source, the schema and the scaling must outlive the stream, and the source is the stream's alone until then.
  ChunkStream(Source& source, const Schema& schema, Index rows, const std::vector<ViewScaling>* scaling);
  ~ChunkStream();
  ChunkStream(const ChunkStream&) = delete;
  ChunkStream& operator=(const ChunkStream&) = delete;

  std::optional<StreamedChunk> next();

  double waited() const { return waited_; }  // seconds that next() has waited for the reader

 private:
  void read_ahead();
  std::optional<StreamedChunk> read_one();

  Source& source_;
  const Schema& schema_;
  Index rows_;
  const std::vector<ViewScaling>* scaling_;
  double waited_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StreamedChunk> ready_;
  std::exception_ptr failure_;
  bool done_ = false;      // nothing comes after what is ready
  bool stopping_ = false;  // the stream is being given up
  std::thread thread_;
};

}  // namespace omvc
