// A sample of all rows seen, as they came (unscaled), within a bounded number of bytes and rows: what prototypes are
// made from, and made again when the stream has grown or changed.
//
// Every row has a priority, drawn from the seed and its row number alone; the rows with the smallest priorities that
// fit are kept. So the sample is uniform, depends neither on the order of the rows nor on how they are cut into chunks,
// and the samples of two parts of a stream merge into that of the whole. With a half-life a row's chance halves with
// every half-life that passed since it came.
//
// Numbers that single precision holds exactly, such as counts and bytes, are kept in it.
//
// Rows come back in the order of their priorities, which is a random one whatever the order of the stream was.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "omvc/chunk.hpp"

#include "file/archive.hpp"
#include "parallel/compute.hpp"

namespace omvc {

struct ReservoirOptions {
  Index bytes = Index{64} << 20;
  Index rows = 80'000;   // narrow rows: prototypes learn nothing from more of them, and each takes time and room
  double half_life = 0;  // instances; 0: all rows have the same chance
  std::uint64_t seed = 0;
};

class Reservoir {
 public:
  Reservoir() = default;
  Reservoir(const Schema& schema, const ReservoirOptions& options) : options_(options), schema_(schema) {}

  // Rows without any view are passed over. `clock` is the number of instances that came before the chunk.
  void offer(const Chunk& chunk, double clock, Compute& compute) { take(pick(chunk, clock), compute); }

  // The same in two steps. The first is most of the work, and may be done for several chunks at once, each by a thread
  // of its own; the second takes the chunks in the order of the stream.
  struct Picked {
    Chunk rows;  // of the chunk, those that may have a place
    std::vector<double> priorities;
    std::vector<double> bytes;
    double end = 0;  // the clock after the chunk
  };
  Picked pick(const Chunk& chunk, double clock) const;
  void take(Picked picked, Compute& compute);

  // Takes the sample of another part of the stream in. Both have the same schema and options.
  void merge(const Reservoir& other, Compute& compute);

  // Keeps just as many rows as are allowed, in the order of their priorities, in single precision where all of them
  // have room in it: the form that depends on nothing but the rows seen.
  void settle(Compute& compute);

  // For samples that are to be merged: (priority, bytes) of every row. From the rankings of all samples, each can tell
  // which of its rows have a place in the merged one, and leave the others out before it is sent.
  using Ranking = std::vector<std::pair<double, double>>;
  Ranking ranking() const;
  void keep_below(Ranking all, Compute& compute);
  // The rows of several samples that have a place in the merged one, and the first that has none: what is left of their
  // rankings together.
  static Ranking cut(Ranking all, const ReservoirOptions& options);

  // Only the rows for which keep[place in chunks()] holds stay; the others count as never seen.
  void keep(const std::vector<bool>& keep, Compute& compute);

  // The schema has more views, or more features of sparse views, behind those that there were.
  void widen(const Schema& wider);

  void narrow_to(const Schema& schema);  // forgets the features of sparse views behind those of this schema

  Index size() const { return static_cast<Index>(numbers_.size()); }
  const std::vector<Chunk>& chunks() const { return kept_; }  // the rows, in no particular order
  // No row was ever left out: the sample is all there is. With a half-life it never is.
  bool whole() const { return whole_ && !(options_.half_life > 0); }

  bool full() const { return !whole_; }  // rows were left out for want of room

  // The rows, at most `rows` in a piece and the first `most` in all: a sample of the sample, at the cost of these
  // alone. With a half-life a row is among them with the chance that it still counts.
  std::vector<Chunk> pieces(Index rows, Compute& compute, Index most = std::numeric_limits<Index>::max()) const;

  void save(Archive& archive, const std::string& key) const;
  static Reservoir load(const Archive& archive, const std::string& key, const Schema& schema,
                        const ReservoirOptions& options);

 private:
  // Bytes that each instance of a chunk takes where it is kept alone: what it counts for does not depend on others.
  static std::vector<double> bytes_of_rows(const Chunk& chunk);
  static std::size_t end_of(const Ranking& sorted, const ReservoirOptions& options);
  double variate(Index row) const;
  double priority(Index row, double clock) const;
  bool counts_still(std::size_t at) const;
  bool comes_before(Index a, Index b) const;  // by priority
  void add(Picked picked, Compute& compute);
  void shrink(Compute& compute);  // to what is allowed
  void keep_rows(const std::vector<bool>& keep, Compute& compute);
  void narrow(Compute& compute);
  std::vector<Index> in_order() const;  // of their priorities
  Chunk joined() const;                 // all rows as one chunk

  ReservoirOptions options_;
  Schema schema_;
  // As they came, in few chunks or many: one piece would have to be moved each time that rows come or go. A view is
  // stored in one way in all chunks that have rows of it.
  std::vector<Chunk> kept_;
  std::vector<Index> numbers_;  // of the rows kept
  std::vector<double> priorities_;
  std::vector<double> sizes_;  // bytes of each, as if it were kept alone
  double bytes_ = 0;           // their sum
  double limit_ = 0;           // where rows were left out: no priority from here on is kept
  bool whole_ = true;
  double now_ = 0;  // the clock after the last chunk offered
};

}  // namespace omvc
