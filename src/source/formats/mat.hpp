// MAT files (MATLAB 5 to 7.3) that hold a whole data set, in the layouts in which multi-view data are passed around:
//
//     X, fea or data          a cell array with one matrix per view, dense or sparse
//     Y, y, gt, truth,        optional: the class of each instance, a vector, or a cell array that starts with one
//       or truelabel
//     index                   optional: a cell array of the instances (from 1) that are present in each view
//     folds                   optional: instances x views of 0 and 1, who is present in which view, or a cell array of
//                               such matrices, of which the first is used unless another is chosen
//
// or, instead of a cell array, one or more matrices of three columns (row, column, value; from 1), each a sparse view,
// in the order of the file (of the names in version 7.3, which keeps no other). Instances are the rows or the columns
// of the matrices, whichever are as many as the labels (rows if both are), or as the rows of folds; without either,
// whichever all views agree on (rows if both are). An instance that is wholly NaN in a view is absent from it. Dense
// matrices with more than 90 % zeros become sparse. The file is loaded whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/input.hpp"

namespace omvc {

// A path may name a fold behind a colon: "FILE.mat:3" is FILE.mat with fold 3.
struct MatPath {
  std::string path;
  std::optional<Index> fold;
};
MatPath split_fold(const std::string& path);

Input open_mat(const std::string& path, const InputOptions& options = {});

// The chosen fold of a file of masks, as read_presence returns it.
std::vector<bool> read_mat_mask(const std::string& path, Index views);

}  // namespace omvc
