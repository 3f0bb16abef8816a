// From MATLAB's matrices to views.
#pragma once

#include <string>
#include <vector>

#include "omvc/chunk.hpp"

#include "source/formats/mat_file.hpp"

namespace omvc {

// The view that a matrix is. Instances that `present` (if given) does not list are absent, as are those wholly NaN.
// `where` names file and variable for messages, as everywhere below.
ChunkView view_from_mat(MatMatrix matrix, bool instances_in_columns, const std::vector<bool>* present,
                        const std::string& where);

struct TripletExtent {
  Index rows = 0;
  Index cols = 0;
};

// The size of the smallest matrix that holds the triplets: n x 3 numbers (row, column, value) column after column, rows
// and columns counted from 1. Throws ErrorKind::data if some are not whole numbers from 1.
TripletExtent triplet_extent(const std::vector<double>& triplets, const std::string& where);

// The sparse view that the triplets are. Every row is present.
ChunkView view_from_triplets(const std::vector<double>& triplets, Index rows, const std::string& where);

}  // namespace omvc
