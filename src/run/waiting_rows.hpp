// Rows of a stream that were labelled and wait until there are enough of them to be learned together.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class WaitingRows {
 public:
  using Clock = std::chrono::steady_clock;

  Index size() const { return rows_.size(); }
  double bytes() const { return bytes_; }
  double seconds() const;  // that the first of them has waited

  // Whether views are stored in the same way as in the rows that wait, so that all can be one chunk.
  bool fits(const Chunk& chunk) const;
  // Rows that fit, with their ids, numbered from `first` on. Where memory ends on the way, none wait any more.
  void add(const Chunk& chunk, std::span<const std::string> ids, Index first, const Schema& schema);

  // What is handed over to be learned.
  struct Batch {
    Chunk rows;
    std::vector<std::string> ids;
    std::vector<std::vector<std::string>> features;  // of each view, that are new with these rows; empty: none are
  };
  Batch take(const Schema& schema);

  void know(const Schema& schema);   // who learns has these features already
  void widen(const Schema& schema);  // which has grown: the rows that wait have none of the new features

 private:
  Chunk rows_;
  std::vector<std::string> ids_;
  std::vector<Index> known_;  // features of each view that were handed over
  double bytes_ = 0;
  Clock::time_point since_;
};

}  // namespace omvc
