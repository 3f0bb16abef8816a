// Who is present in which view, as MAT files say it: `folds`, a matrix of 0 and 1 with one row per instance and one
// column per view, or a cell array of such matrices, of which one is used; and `index`, a cell array with the numbers
// (from 1) of the instances that are present in each view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source/formats/mat_file.hpp"

namespace omvc {

inline constexpr std::string_view kFolds = "folds";

// The matrix of one fold (from 1, the first if none is asked for), or nothing if the file has no `folds` and none is
// asked for. Throws ErrorKind::data where a fold is asked for that is not there.
std::optional<DenseBlock<double>> read_fold(MatFile& file, std::optional<Index> fold);

// How many instances a fold speaks of; nothing if it does not fit the views.
std::optional<Index> fold_instances(const DenseBlock<double>& fold, Index views);

// What `index` and the fold say together, as presence[view][instance]; empty where the file has neither.
std::vector<std::vector<bool>> read_mat_presence(MatFile& file, const std::optional<DenseBlock<double>>& fold,
                                                 std::size_t views, Index rows);

}  // namespace omvc
