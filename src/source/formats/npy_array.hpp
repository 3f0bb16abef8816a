// The values of an array in NPY form, from a file of its own or from an archive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"

#include "source/formats/byte_reader.hpp"
#include "source/formats/npy_header.hpp"
#include "source/view_reader.hpp"

namespace omvc {

// All values of an array of numbers, in the order in which they are stored. T is float, double, Index or uint64; values
// must fit it. The memory that is taken is that of the bytes which the header was checked against.
template <class T>
std::vector<T> read_npy_values(ByteReader& bytes, const NpyHeader& header);

// All items of an array of text, as UTF-8, or of whole numbers, which may be stored as floating point. Throws
// ErrorKind::data, naming `where`, if such a number is not whole, or too large to be exact.
std::vector<std::string> read_npy_strings(ByteReader& bytes, const NpyHeader& header, const std::string& where);

// An array of numbers of at most two dimensions, row after row, whatever its order.
DenseBlock<double> read_npy_block(ByteReader& bytes, const NpyHeader& header);

// The reader of a view: an array that passed check_npy_view. float32 stays float, all else becomes double. Arrays in C
// order are streamed by rows; those in Fortran order are loaded whole. `where` names file and array.
std::unique_ptr<ViewReader> make_npy_reader(std::string where, ViewSchema schema, std::unique_ptr<ByteReader> bytes,
                                            const NpyHeader& header);

}  // namespace omvc
