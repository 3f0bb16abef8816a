// A bounded sample of rows that depends on the seed and the row numbers alone, not on the order in which rows come:
// the rows with the smallest random priorities are kept. A row offered again replaces its older self.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class RowSample {
 public:
  RowSample(Index limit, std::uint64_t seed) : limit_(limit), seed_(seed) {}

  // Rows that hold NaN belong to instances without any view and are passed over.
  void offer(Index row, std::span<const double> values);

  Index size() const { return static_cast<Index>(kept_.size()); }

  // The kept rows by ascending row number, row-major; and their numbers.
  std::vector<double> values() const;
  std::vector<Index> rows() const;

 private:
  struct Kept {
    Index row;
    std::vector<double> values;
  };
  std::vector<const Kept*> by_row() const;

  Index limit_;
  std::uint64_t seed_;
  std::map<std::pair<std::uint64_t, Index>, Kept> kept_;  // by priority, then row number
};

}  // namespace omvc
