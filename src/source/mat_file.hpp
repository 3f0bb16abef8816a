// The variables of a MAT file as plain vectors, so that only mat_file.cpp knows matio.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

// Compressed sparse columns, as MATLAB stores them. Offsets and rows are checked to be in range and consistent.
struct MatSparse {
  std::vector<Index> offsets;        // cols + 1
  std::vector<std::int32_t> row_of;  // of each entry
  std::vector<double> values;
};

// A numeric matrix; dense values column after column. Single stays float, every other class becomes double.
struct MatMatrix {
  Index rows = 0;
  Index cols = 0;
  std::variant<std::vector<double>, std::vector<float>, MatSparse> values;

  bool is_vector() const { return !std::holds_alternative<MatSparse>(values) && (rows == 1 || cols == 1); }
};

struct MatInfo {
  std::string name;
  bool cell = false;     // a cell array; otherwise one matrix
  bool numeric = false;  // a full matrix of numbers
  Index rows = 0;
  Index cols = 0;
};

class MatFile {
 public:
  // Throws ErrorKind::io if the file cannot be opened and ErrorKind::data if it is not a MAT file.
  explicit MatFile(std::string path);
  ~MatFile();
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<MatInfo>& variables() const { return variables_; }

  // The matrices of a cell array in MATLAB's order, or the one matrix that the variable is.
  // Throws ErrorKind::data for anything that is not a real matrix of numbers.
  std::vector<MatMatrix> read(const std::string& name);

 private:
  struct Handle;
  std::string path_;
  std::unique_ptr<Handle> handle_;
  std::vector<MatInfo> variables_;
};

}  // namespace omvc
