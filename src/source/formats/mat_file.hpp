// The variables of a MAT file as plain vectors. What a variable means is decided on these (mat.cpp), whichever library
// the file was read by: only mat5.cpp knows matio and only mat73.cpp knows HDF5.
#pragma once

#include <memory>
#include <string>
#include <string_view>
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

// Checks that offsets ascend from 0 to the number of entries and that every row number is in range. Entries beyond the
// last offset are dropped. Throws ErrorKind::data naming `where`.
MatSparse make_mat_sparse(Index rows, std::vector<Index> offsets, std::vector<Index> row_of, std::vector<double> values,
                          const std::string& where);

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
  virtual ~MatFile() = default;
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<MatInfo>& variables() const { return variables_; }
  // Null if there is no variable of this name.
  const MatInfo* find(std::string_view name) const;

  // The matrices of a cell array in MATLAB's order, or the one matrix that the variable is.
  // Throws ErrorKind::data for anything that is not a real matrix of numbers.
  virtual std::vector<MatMatrix> read(const std::string& name) = 0;

 protected:
  explicit MatFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<MatInfo> variables_;
};

// Throws ErrorKind::io if the file cannot be opened and ErrorKind::data if it is not a MAT file.
std::unique_ptr<MatFile> open_mat_file(const std::string& path);

// The two kinds of file that there are. open_mat_file chooses; without the library that a kind needs these throw
// ErrorKind::data and say how to get it.
std::unique_ptr<MatFile> open_mat5(const std::string& path);   // up to MATLAB 7.2, through matio
std::unique_ptr<MatFile> open_mat73(const std::string& path);  // MATLAB 7.3, which is HDF5

// A dense matrix row after row. Throws ErrorKind::data, naming `where`, if it is sparse.
DenseBlock<double> block_from_mat(const MatMatrix& matrix, const std::string& where);

// The values of a dense matrix, column after column.
std::vector<double> dense_values(const MatMatrix& matrix);

}  // namespace omvc
