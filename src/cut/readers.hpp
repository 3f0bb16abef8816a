// What one view says of a labelling: a linear reader of the view, a ridge regression (cut/ridge.hpp) of the labels on
// its rows, where y_i is 1 for the label of the row, else 0.
//
// Every row is read by a reader that has not seen it: rows are dealt into folds, and each fold is read by the reader of
// the others. So a reader that only remembers its rows, as one of a view of noise does, is right no more often than one
// that names the most frequent label. The K numbers that it says of a row are a metric which the other views have
// taught the view: rows are neighbours where they are read alike (cut/row_cut.hpp).
#pragma once

#include <vector>

#include "cut/ridge.hpp"
#include "fine/sample.hpp"

namespace omvc {

struct Reading {
  Reader reader;      // of all rows
  NarrowMatrix said;  // of each row of the view, by a reader that has not seen it
  double worth = 0;   // what it knows beyond the most frequent label, 0 .. 1: next to nothing for a view of noise
};

// Readings of the views of the first `pieces` pieces, which have one label per row, 0 .. clusters-1.
std::vector<Reading> read_views(const Sample& sample, std::size_t pieces, const std::vector<int>& labels, int clusters,
                                Compute& compute);

}  // namespace omvc
