// One pass over a source: the one loop that looks, learns, counts, labels and updates.
//
//     Pass pass(source, schema, {.rows = 500, .intake = &intake});
//     pass.each([&](std::vector<StreamedChunk>& chunks) { ...; return go_on; });
//
// Rows are read ahead and taken in by other threads (pass/chunk_stream.hpp). What was read is counted here, so that
// passes can be compared, and one that a checkpoint interrupted goes on where it stood.
#pragma once

#include <cstdint>
#include <functional>

#include "parallel/profile.hpp"
#include "pass/chunk_stream.hpp"

namespace omvc {

// How far a pass is.
struct Progress {
  Index chunks = 0;
  Index instances = 0;
  std::uint64_t fingerprint = 0;  // of what was read (chunk/fingerprint.hpp)
  std::uint64_t order = 0;        // of the row numbers, by place

  bool operator==(const Progress&) const = default;
  // Adds that of another part of the data.
  Progress& operator+=(const Progress& other) {
    chunks += other.chunks;
    instances += other.instances;
    fingerprint += other.fingerprint;
    order += other.order;
    return *this;
  }
};

struct PassOptions {
  Index rows = 256;                // of a chunk
  const Intake* intake = nullptr;  // none: chunks come as they are, checked
  ReadAhead ahead = {};
  bool together = false;       // hands over all chunks that are ready, for work that threads share
  Index first = 0;             // place of the first instance in all the data
  bool whole = false;          // all the data are read: their row numbers are checked at the end
  Profile* profile = nullptr;  // told of reading and waiting
};

class Pass {
 public:
  // Begins where the source stands. Source, schema and intake must outlive the pass.
  Pass(Source& source, const Schema& schema, PassOptions options);

  // Goes past the chunks that were done before. Throws ErrorKind::data where they are not the same.
  void skip(const Progress& done);

  // Calls use(chunks) for one chunk after the other, or more at a time; when it is called they are in `progress`.
  // Returns false where `use` did, which ends the pass. Throws ErrorKind::data where the row numbers of all the data
  // are not 0 to N-1, each once.
  bool each(const std::function<bool(std::vector<StreamedChunk>&)>& use);

  const Progress& progress() const { return progress_; }
  double waited() const { return stream_.waited(); }  // seconds, for the readers

 private:
  std::vector<StreamedChunk> next();
  void count(const StreamedChunk& item);
  [[noreturn]] void refuse_numbers() const;

  PassOptions options_;
  ChunkStream stream_;
  Progress progress_;
  std::uint64_t numbers_ = 0;  // number_hash of what was read
  Index astray_ = -1;          // the first instance whose number is below that of the one before it
  Index last_ = -1;            // row number
};

}  // namespace omvc
