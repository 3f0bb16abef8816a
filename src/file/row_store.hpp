// Rows of numbers by row number, on disk: the embedding of all instances, which memory has no room for. Rows are
// written in the order of the stream and read in the order of the source.
//
// A pass that rewrites the rows is a new *generation*. Two kinds of store differ in what a generation does to the last:
//   - a temporary one overwrites it. Its file is in TMPDIR or /tmp and has no name, so nothing is left behind however
//     the process ends;
//   - a lasting one, which a checkpoint refers to, keeps the last generation whole in a second file while the next is
//     written. A run that is killed and resumed anywhere in a pass finds what the last pass left, whatever the killed
//     run had already written of this one.
//
// The files NAME.0 (even generations) and NAME.1 (odd ones) of a lasting store hold records of equal size by row
// number, little-endian:
//
//     u32        generation that wrote the record; 0 in a row never written (a hole of the file)
//     u32        CRC-32 (as in zlib) of the identity of the run, as u64, and the values; of the values alone where
//                there is no run, and the identity is 0
//     f64 each   the values
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class RowStore {
 public:
  // A temporary store.
  explicit RowStore(Index width);
  // A lasting store: opens NAME.0 and NAME.1, creating them where they are absent. Rows that a run of another identity
  // wrote are refused when they are read.
  RowStore(Index width, const std::string& name, std::uint64_t identity = 0);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  Index width() const { return width_; }
  Index rows() const { return rows_; }  // one more than the largest row number written

  // From here on rows are written anew. Every row that the last generation holds has to be written again, or is lost
  // with the generation after this one.
  void begin_generation() { ++generation_; }

  // Writes data[i * width ..] as row rows[i].
  void write(std::span<const Index> rows, const double* data);

  // Rows as the last generation left them, whatever this one has written in a lasting store; rows it has not are NaN.
  void read_last(std::span<const Index> rows, double* out) const;

  // Reads rows [first, first + count) as they were written last; rows never written are NaN.
  // Throws ErrorKind::data for a record that was altered since.
  void read(Index first, Index count, double* out) const;

  // What a checkpoint has to keep beside the files, and taking it up again. `sync` makes what was written durable.
  struct Position {
    Index generation = 1;
    Index rows = 0;
  };
  Position position() const { return {generation_, rows_}; }
  void go_to(Position position);
  void sync() const;

 private:
  struct Slot {
    int descriptor = -1;
    std::string name;
  };
  const Slot& slot_of(Index generation) const {
    return slots_[lasting_ ? static_cast<std::size_t>(generation % 2) : 0];
  }
  // Records of rows [first, first + count) of a slot; zero beyond its end.
  std::vector<double> read_records(const Slot& slot, Index first, Index count) const;
  // Copies the values of a record, where that generation (or any, for kAny) wrote it. False if there are none.
  bool take(const double* record, Index generation, const Slot& slot, Index row, double* out) const;

  static constexpr Index kAny = -1;

  std::uint32_t checksum(const double* values) const;
  void put_records(const Slot& slot, Index first, const std::vector<double>& records) const;
  // Writes what is pending, for all that look into the file.
  void flush() const;

  Index width_;
  std::uint32_t seed_ = 0;  // of the checksums
  bool lasting_ = false;
  Index generation_ = 1;
  Index rows_ = 0;
  std::array<Slot, 2> slots_;

  // Rows of a temporary store that come in no order wait here, since each would be a call of the system by itself:
  // their records, in the order in which they came. A lasting store writes them at once.
  struct Pending {
    std::mutex mutex;
    std::vector<Index> rows;
    std::vector<double> records;
  };
  mutable Pending pending_;
};

// Where a run keeps its row stores: in temporary files, or, for a checkpoint, in a folder. Copies share the folder.
//
// A folder of ours holds the file omvc-rows with the identity of the run that it belongs to, and row stores. Whoever
// has it open has it locked, so that no two runs write to it at a time; the lock ends with the process. A folder that
// holds anything else is somebody's own: it is refused, and nothing in it is ever removed.
class RowFolder {
 public:
  RowFolder() = default;  // temporary files
  // Takes the folder, which is made where it is absent, and goes again if nothing is put into it. Throws ErrorKind::io
  // if it cannot be made, ErrorKind::usage if another run has it or it is not ours.
  explicit RowFolder(const std::string& path);

  bool lasting() const { return held_ != nullptr; }
  // 0 before the folder belongs to a run.
  std::uint64_t identity() const;
  // Removes what an older run left and gives the folder an identity of its own.
  void start_anew();
  // Throws ErrorKind::data unless it belongs to the run of this identity.
  void go_on(std::uint64_t identity);
  // Removes the rows and the folder; the locks of all copies go with it.
  void remove();

  // Makes the names of its files durable. A folder that cannot be synced is no reason to fail.
  void sync() const;
  std::unique_ptr<RowStore> open(const std::string& name, Index width) const;

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

}  // namespace omvc
