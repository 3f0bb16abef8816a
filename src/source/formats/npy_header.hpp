// The header of an array in NumPy's NPY form: the type and shape of the array, and where its values begin.
#pragma once

#include <string>
#include <vector>

#include "omvc/chunk.hpp"

#include "source/formats/byte_reader.hpp"

namespace omvc {

enum class NpyType {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  bytes,   // strings of a fixed number of bytes
  text,    // strings of a fixed number of characters, four bytes each
  object,  // pickled; what follows the header is not an array
};

struct NpyHeader {
  NpyType type = NpyType::float64;
  Index item_bytes = 8;
  bool fortran_order = false;
  std::vector<Index> shape;
  Index data_offset = 0;

  // An array of one dimension is a column, one of none a single item.
  Index rows() const { return shape.empty() ? 1 : shape[0]; }
  Index cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  // At most two dimensions, and one of them is 1.
  bool is_vector() const { return shape.size() <= 2 && (rows() == 1 || cols() == 1); }
  bool is_text() const { return type == NpyType::bytes || type == NpyType::text; }
  bool is_whole() const { return !is_text() && type > NpyType::float64 && type != NpyType::object; }
  // Whether values lie row after row.
  bool by_row() const { return !fortran_order || is_vector(); }
};

// Reads the header at the reader's start and checks that there are as many bytes as the array needs, neither less nor
// more (objects aside). Throws ErrorKind::data naming `where`, the file and the array in it.
NpyHeader read_npy_header(ByteReader& bytes, const std::string& where);

// Throws ErrorKind::data unless the array can be a view: two dimensions, not empty, numbers.
void check_npy_view(const NpyHeader& header, const std::string& where);

// Throws ErrorKind::data if the array is pickled.
void check_no_objects(const NpyHeader& header, const std::string& where);

}  // namespace omvc
