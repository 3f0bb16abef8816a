// NPY, NumPy's file of one array: versions 1 to 3, little-endian float, integer and bool types, two dimensions, rows
// are instances; a row of NaN only is absent. float32 stays float, all else becomes double. Arrays in C order are
// streamed by rows; arrays in Fortran order are loaded whole. Transposed (InputOptions::transpose), it is the other way
// round.
#pragma once

#include <memory>
#include <string>

#include "omvc/input.hpp"

#include "source/view_reader.hpp"

namespace omvc {

std::unique_ptr<ViewReader> open_npy(const std::string& path, const std::string& view_name,
                                     const InputOptions& options = {});

// The array of the file, loaded whole.
DenseBlock<double> read_npy_matrix(const std::string& path);

}  // namespace omvc
