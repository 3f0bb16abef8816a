// The header of an NPY file: the type and shape of the array, and where its values begin.
#pragma once

#include <fstream>
#include <string>

#include "omvc/chunk.hpp"

namespace omvc {

enum class NpyType { float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, boolean };

struct NpyHeader {
  NpyType type = NpyType::float64;
  Index item_bytes = 8;
  bool fortran_order = false;
  Index rows = 0;
  Index cols = 0;
  Index data_offset = 0;
};

// Reads the header and checks that the file holds as many bytes as the array needs, neither less nor more.
// Throws ErrorKind::data naming the path.
NpyHeader read_npy_header(std::ifstream& file, const std::string& path);

}  // namespace omvc
