// MAT files (MATLAB 5 to 7.2, and 7.3 where matio has HDF5) that hold a whole data set, in the layouts under which
// multi-view data are passed around:
//
//     X, fea or data          a cell array with one matrix a view, dense or sparse
//     Y, y, gt, truth,        optional: the class of each instance, a vector, or a cell array that starts with one
//       or truelabel
//     index                   optional, beside a cell array: the instances (from 1) that are present in each view
//
// or, instead of a cell array, one or more matrices of three columns (row, column, value; from 1), each a sparse view.
// Instances are the rows or the columns of the matrices, whichever are as many as the labels (rows if both are);
// without labels, whichever all views agree on (rows if both are). An instance that is wholly NaN in a view is absent
// from it. Dense matrices with more than 90 % zeros become sparse. The file is loaded whole.
#pragma once

#include <string>

#include "omvc/input.hpp"

namespace omvc {

Input open_mat(const std::string& path, const InputOptions& options = {});

}  // namespace omvc
