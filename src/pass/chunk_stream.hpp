// A source, read ahead: threads of its own read the next chunks and take them in (scale/intake.hpp) while the caller
// works on the last one. One thread at a time asks the source which rows come next (Source::begin_next); several
// threads then read and prepare their chunks at the same time, as far as the source allows it. Chunks come in the order
// of the source, and few of them wait: two for each thread, or two in all where chunks are large.
//
// Where no thread may be started (omvc/hooks.hpp) nothing is read ahead: next() reads on the calling thread.
//
// What goes wrong while reading reaches the caller as if it had been read in line: next() throws it when all chunks
// before it have been taken.
#pragma once

#include <any>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "omvc/source.hpp"

#include "parallel/compute.hpp"
#include "scale/intake.hpp"

namespace omvc {

struct StreamedChunk {
  Chunk chunk;
  std::uint64_t fingerprint = 0;  // of the chunk as it was read
  std::vector<Index> negatives;   // entries that the scaling set to 0, by view
  Index rows = 0;                 // instances, also when the chunk was handed on
  double seconds = 0;             // that a reader spent on it
  std::any done;                  // what ReadAhead::work made of it
};

// How the next chunks are read.
struct ReadAhead {
  int readers = 1;    // threads; 0: nothing is read ahead
  bool grow = false;  // chunks of short rows may have up to eight times as many of them
  // What else is to be done to a chunk once it is ready, on the thread that has read it: for work on one chunk alone.
  std::function<std::any(const Chunk&)> work = {};
};

inline constexpr int kMostReaders = 12;  // more of them wait for libhdf5

// As many readers as a caller that learns on these threads can use; none beside threads of the program.
int readers_beside(const Compute& compute);

class ChunkStream {
 public:
  // Starts reading, `rows` instances at a time, where the source stands. With an intake, chunks come prepared by it;
  // without one, they are only checked. The source, the schema and the intake must outlive the stream, and until it
  // ends nobody else may use the source.
  ChunkStream(Source& source, const Schema& schema, Index rows, const Intake* intake, ReadAhead ahead = {});
  ~ChunkStream();
  ChunkStream(const ChunkStream&) = delete;
  ChunkStream& operator=(const ChunkStream&) = delete;

  std::optional<StreamedChunk> next();
  // The next one and those behind it that are ready, none at the end: for work that several threads share.
  std::vector<StreamedChunk> next_ready();

  double waited() const { return waited_; }  // seconds that next() has waited for the reader

 private:
  static constexpr Index kLeastRoom = 2;

  struct Item {
    StreamedChunk chunk;
    std::exception_ptr failure;
  };

  void read_ahead();
  std::optional<StreamedChunk> read_now();
  void make_ready(const Source::Delivery& delivery, Item& item) const;

  Source& source_;
  const Schema& schema_;
  Index rows_;
  const Intake* intake_;
  ReadAhead ahead_;
  double waited_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Index, Item> ready_;  // by number
  Index begun_ = 0;              // chunks whose reading has begun
  Index taken_ = 0;              // by the caller
  Index room_ = kLeastRoom;      // chunks that may be begun and not yet taken: as many as their size allows
  Index most_room_ = kLeastRoom;
  bool reading_ = false;   // a thread is at the source
  bool ended_ = false;     // there is nothing more to read
  bool stopping_ = false;  // the stream is being given up
  std::vector<std::thread> threads_;
};

}  // namespace omvc
