// One pass over a source, read ahead: threads of its own read, check and scale the next chunks while the caller works
// on the last one. One of them at a time takes the place of a chunk (Source::begin_next); reading it, as far as the
// source divides that, and what is done to it then go on beside the others. Chunks come in the order of the source, and
// few of them wait: two for each thread, or two in all where chunks are large.
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

#include "scale/scaling.hpp"

namespace omvc {

struct StreamedChunk {
  Chunk chunk;
  std::uint64_t fingerprint = 0;  // of the chunk as it was read
  std::vector<Index> negatives;   // entries that the scaling set to 0, by view
  double seconds = 0;             // that a reader spent on it
  std::any done;                  // what ReadAhead::work made of it
};

// How the next chunks are read.
struct ReadAhead {
  int readers = 1;    // threads
  bool grow = false;  // chunks of short rows may have up to eight times as many
  // What else is to be done to a chunk that is ready, on the thread of its reader: for work that a chunk does not share
  // with others.
  std::function<std::any(const Chunk&)> work = {};
};

inline constexpr int kMostReaders = 12;  // more of them wait for libhdf5

// As many readers as a caller that learns on so many threads can use.
int readers_beside(int threads);

class ChunkStream {
 public:
  // Starts reading, `rows` instances at a time, where the source stands. With `scaling`, chunks come scaled by it. The
  // source, the schema and the scaling must outlive the stream, and the source is the stream's alone until then.
  ChunkStream(Source& source, const Schema& schema, Index rows, const std::vector<ViewScaling>* scaling,
              ReadAhead ahead = {});
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
  void make_ready(const Source::Delivery& delivery, Item& item) const;

  Source& source_;
  const Schema& schema_;
  Index rows_;
  const std::vector<ViewScaling>* scaling_;
  ReadAhead ahead_;
  double waited_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Index, Item> ready_;  // by number
  Index begun_ = 0;              // chunks whose reading has begun
  Index taken_ = 0;              // by the caller
  Index room_ = kLeastRoom;      // chunks that may have begun and are not taken: as many as their size allows
  Index most_room_ = kLeastRoom;
  bool reading_ = false;   // a thread is at the source
  bool ended_ = false;     // there is nothing more to read
  bool stopping_ = false;  // the stream is being given up
  std::vector<std::thread> threads_;
};

}  // namespace omvc
