#include <filesystem>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/formats/fail.hpp"
#include "source/formats/mat_check.hpp"
#include "source/formats/mat_file.hpp"
#include "source/formats/sizes.hpp"

#ifdef OMVC_WITH_MATIO

#include <matio.h>

namespace omvc {
namespace {

// Deflate compresses at most 1032 times, and MATLAB may store doubles as bytes. What would be larger than that allows
// is not in the file.
constexpr Index kMaxExpansion = 8 * 1032;

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

bool is_dense(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
      return true;
    default:
      return false;
  }
}

Index dimension(const matvar_t& variable, std::size_t which) {
  if (variable.dims == nullptr || variable.rank != 2) return -1;
  const std::size_t size = variable.dims[which];
  return size > static_cast<std::size_t>(std::numeric_limits<Index>::max()) ? -1 : static_cast<Index>(size);
}

// Elements of the array; throws where their number or their bytes are beyond what the file can hold.
Index element_count(const matvar_t& variable, Index file_bytes, const std::string& where) {
  const Index rows = dimension(variable, 0);
  const Index cols = dimension(variable, 1);
  if (rows < 0 || cols < 0) fail(where, "has {} dimensions; a view has two", variable.rank);
  const auto count = size_product(rows, cols);
  if (variable.class_type != MAT_C_SPARSE && (!count || *count / kMaxExpansion > file_bytes)) {
    fail(where, "claims to be {} x {}, which a file of {} bytes cannot hold; it is damaged", rows, cols, file_bytes);
  }
  return count.value_or(0);
}

template <class To, class From>
std::vector<To> converted(const void* data, std::size_t count) {
  const auto* values = static_cast<const From*>(data);
  return std::vector<To>(values, values + count);
}

template <class To>
std::vector<To> numbers(const matvar_t& variable, const void* data, std::size_t count, const std::string& where) {
  if (count == 0) return {};
  if (data == nullptr) fail(where, "the values cannot be read; the file is damaged or truncated");
  switch (variable.data_type) {
    case MAT_T_DOUBLE:
      return converted<To, double>(data, count);
    case MAT_T_SINGLE:
      return converted<To, float>(data, count);
    case MAT_T_INT8:
      return converted<To, std::int8_t>(data, count);
    case MAT_T_UINT8:
      return converted<To, std::uint8_t>(data, count);
    case MAT_T_INT16:
      return converted<To, std::int16_t>(data, count);
    case MAT_T_UINT16:
      return converted<To, std::uint16_t>(data, count);
    case MAT_T_INT32:
      return converted<To, std::int32_t>(data, count);
    case MAT_T_UINT32:
      return converted<To, std::uint32_t>(data, count);
    case MAT_T_INT64:
      return converted<To, std::int64_t>(data, count);
    case MAT_T_UINT64:
      return converted<To, std::uint64_t>(data, count);
    default:
      fail(where, "holds values of a type that is not a number");
  }
}

MatSparse sparse_values(const matvar_t& variable, const std::string& where) {
  const auto* sparse = static_cast<const mat_sparse_t*>(variable.data);
  const Index cols = dimension(variable, 1);
  if (sparse == nullptr || sparse->jc == nullptr || static_cast<Index>(sparse->njc) != cols + 1) {
    fail(where, "the sparse matrix cannot be read; the file is damaged or truncated");
  }
  // MATLAB may keep room for more entries than there are; the last offset counts those there are.
  const auto entries = static_cast<std::size_t>(sparse->jc[cols]);
  if (entries > sparse->nir || entries > sparse->ndata) {
    fail(where, "the sparse matrix is damaged: its arrays do not agree");
  }
  return make_mat_sparse(dimension(variable, 0), {sparse->jc, sparse->jc + sparse->njc},
                         {sparse->ir, sparse->ir + entries}, numbers<double>(variable, sparse->data, entries, where),
                         where);
}

MatMatrix to_matrix(const matvar_t& variable, const std::string& where) {
  if (variable.isComplex) fail(where, "is complex; only real numbers can be used");
  MatMatrix matrix{dimension(variable, 0), dimension(variable, 1), {}};
  const auto count = static_cast<std::size_t>(size_product(matrix.rows, matrix.cols).value_or(0));
  if (variable.class_type == MAT_C_SPARSE) {
    matrix.values = sparse_values(variable, where);
  } else if (!is_dense(variable)) {
    fail(where, "is not a matrix of numbers");
  } else if (variable.class_type == MAT_C_SINGLE) {
    matrix.values = numbers<float>(variable, variable.data, count, where);
  } else {
    matrix.values = numbers<double>(variable, variable.data, count, where);
  }
  return matrix;
}

std::string cell_name(const std::string& where, Index cell) { return fmt::format("{}{{{}}}", where, cell + 1); }

class Mat5File final : public MatFile {
 public:
  explicit Mat5File(std::string path);
  std::vector<MatMatrix> read(const std::string& name) override;

 private:
  struct Close {
    void operator()(mat_t* mat) const { Mat_Close(mat); }
  };
  std::unique_ptr<mat_t, Close> mat_;
  Index file_bytes_ = 0;
};

Mat5File::Mat5File(std::string path) : MatFile(std::move(path)) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path_, error);
  if (error) throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path_, error.message()));
  check_mat_file(path_);
  mat_.reset(Mat_Open(path_.c_str(), MAT_ACC_RDONLY));
  if (!mat_) {
    fail(path_, "is not a MAT file that can be read; in MATLAB save it with -v7");
  }
  file_bytes_ = static_cast<Index>(bytes);
  while (const Variable variable{Mat_VarReadNextInfo(mat_.get())}) {
    if (variable->name == nullptr) continue;
    variables_.push_back({variable->name, variable->class_type == MAT_C_CELL, is_dense(*variable),
                          dimension(*variable, 0), dimension(*variable, 1)});
  }
}

std::vector<MatMatrix> Mat5File::read(const std::string& name) {
  const std::string where = fmt::format("{}: {}", path_, name);
  const Variable variable{Mat_VarReadInfo(mat_.get(), name.c_str())};
  if (!variable) fail(where, "the variable cannot be read; the file is damaged or truncated");
  const Index count = element_count(*variable, file_bytes_, where);
  const bool cell = variable->class_type == MAT_C_CELL;
  if (cell && variable->data == nullptr && count > 0) fail(where, "the cell array cannot be read; the file is damaged");
  for (Index i = 0; cell && i < count; ++i) {
    const matvar_t* element = Mat_VarGetCell(variable.get(), static_cast<int>(i));
    if (element != nullptr) element_count(*element, file_bytes_, cell_name(where, i));
  }
  if (Mat_VarReadDataAll(mat_.get(), variable.get()) != 0) {
    fail(where, "the values cannot be read; the file is damaged or truncated");
  }
  std::vector<MatMatrix> matrices;
  if (!cell) {
    matrices.push_back(to_matrix(*variable, where));
    return matrices;
  }
  for (Index i = 0; i < count; ++i) {
    // Taken out of the cell array so that each matrix is freed as soon as it is copied.
    const Variable element{Mat_VarSetCell(variable.get(), static_cast<int>(i), nullptr)};
    if (!element) fail(cell_name(where, i), "the cell is empty or damaged");
    matrices.push_back(to_matrix(*element, cell_name(where, i)));
  }
  return matrices;
}

}  // namespace

std::unique_ptr<MatFile> open_mat5(const std::string& path) { return std::make_unique<Mat5File>(path); }

}  // namespace omvc

#else

namespace omvc {

std::unique_ptr<MatFile> open_mat5(const std::string& path) {
  throw Error(ErrorKind::data,
              fmt::format("{}: this omvc was built without matio, so it cannot read MAT files; install "
                          "libmatio-dev and build again with -DOMVC_WITH_MATIO=ON, or save each view "
                          "as NPY or Matrix Market",
                          path));
}

}  // namespace omvc

#endif
