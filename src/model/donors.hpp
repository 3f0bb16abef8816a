// Rows of the sample that say what cells of another row may be. A missing cell of theirs stands at the mean of its
// column and says nothing; nor does it count where rows are compared.
#pragma once

#include <vector>

#include "model/known_rows.hpp"

namespace omvc {

// Of each instance of a view the row that it has there; -1: it lacks the view.
std::vector<std::int32_t> rows_by_instance(const ChunkView& view, std::size_t instances);
// A cell of a block; NaN of a sparse one.
double cell_of(const Block& block, Index row, Index column);

class Donors {
 public:
  // For cells of one view; `having` are the rows of the table that have it. `rows` must outlive this.
  Donors(const RowTable& table, const KnownRows& rows, std::size_t view, std::vector<std::int32_t> having);

  // As they are compared.
  const Chunk& sample() const { return sample_; }
  const RowVector& means() const { return means_; }  // of the features of the view there; none of a sparse view

  // An instance that lacks cells, and these; `row` is that of the table that it is itself, -1: none.
  struct Asked {
    const Chunk& rows;                                    // in which they are filled
    const std::vector<std::vector<std::int32_t>>& place;  // rows_by_instance of each view
    const Holes& holes;
    Index instance;
    std::int32_t row;
  };
  // What those say of its holes that are the nearest where it is filled, in the data's own units; NaN: nothing.
  RowVector near(const Asked& asked, const NearRows& nearest) const;
  // What the nearest of all say, by the cells that it has; NaN unless so many are missing that these may be others.
  RowVector alike(const Asked& asked) const;

 private:
  struct Donor {
    std::int32_t row;
    double distance;
  };
  class Comparison;
  RowVector say(std::vector<Donor> donors, const Asked& asked) const;

  const KnownRows& rows_;
  std::size_t view_;
  std::vector<std::int32_t> having_;
  Chunk sample_;
  std::vector<std::vector<std::int32_t>> place_;  // rows_by_instance of each view of the sample
  std::vector<Vector> variances_;                 // of each view and feature there; none of a sparse view
  std::vector<double> totals_;                    // of each view: their sum
  RowVector means_;
};

}  // namespace omvc
