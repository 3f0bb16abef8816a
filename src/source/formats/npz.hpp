// NPZ, NumPy's archive of named arrays, packed or not. Its arrays are taken as follows.
//
//     a, b, ...                 arrays of numbers, instances x features: each a view, in the order of the archive
//     data, shape, format and   a SciPy sparse matrix as scipy.sparse.save_npz writes it (csr, csc or coo): a view;
//       indices, indptr           several of them have a prefix each (text_data, text_indices, ...); format may be
//       or row, col               absent then
//     mask, present, presence   optional: instances x views of 0 and 1, who is present in which view; also W, where it
//                                 has as many columns as there are views
//     label, labels, y, Y, gt,  optional: the class of each instance, numbers or text
//       truth, truelabel, target
//     ids, obs_names,           optional: the sample id of each instance, text or whole numbers
//       sample_id, sample_ids
//     a_features                optional: the names of the features of view a
//
// Other arrays of one dimension are ignored. A row of NaN only is absent. Pickled arrays are refused. Dense arrays in
// C order are streamed; those in Fortran order and sparse matrices are loaded whole.
#pragma once

#include <memory>
#include <string>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

// The whole archive.
Input open_npz(const std::string& path, const InputOptions& options = {});

// An archive that holds one view and, at most, the ids of its rows. Throws ErrorKind::usage for one that holds more.
std::unique_ptr<ViewReader> open_npz_view(const std::string& path, const std::string& view_name,
                                          const InputOptions& options = {});

// The array that is named like a mask, or the only one of two dimensions.
DenseBlock<double> read_npz_mask(const std::string& path);

}  // namespace omvc
