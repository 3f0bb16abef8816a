// Rows of numbers by row number, on disk: the embedding of all instances, which memory has no room for. Rows are
// written in the order of the stream and read in the order of the source. The file is temporary, in TMPDIR or /tmp, and
// has no name, so nothing is left behind however the process ends.
#pragma once

#include <span>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

class RowStore {
 public:
  explicit RowStore(Index width);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  Index width() const { return width_; }
  Index rows() const { return rows_; }  // one more than the largest row number written

  // Writes data[i * width ..] as row rows[i].
  void write(std::span<const Index> rows, const double* data);

  // Reads rows [first, first + count); rows never written are NaN.
  void read(Index first, Index count, double* out) const;

  // Reads the rows with these numbers, in this order.
  void read(std::span<const Index> rows, double* out) const;

 private:
  // Calls f(first in the list, number of rows) for maximal runs of consecutive row numbers: one transfer each.
  template <class F>
  static void for_runs(std::span<const Index> rows, const F& f);

  Index width_;
  Index rows_ = 0;
  int descriptor_ = -1;
};

}  // namespace omvc
