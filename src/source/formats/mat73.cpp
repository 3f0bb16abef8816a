#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/formats/fail.hpp"
#include "source/formats/mat_file.hpp"

#ifdef OMVC_WITH_HDF5

#include <algorithm>

#include "hdf5/file.hpp"

namespace omvc {
namespace {

// How MATLAB stores its variables in HDF5: a matrix as a dataset with its dimensions reversed, so that values lie
// column after column; an empty one as its dimensions, marked MATLAB_empty; a sparse one as a group of data, ir and jc,
// marked MATLAB_sparse with the number of rows; a cell array as references to datasets in the group #refs#.
constexpr const char* kClass = "MATLAB_class";
constexpr const char* kSparse = "MATLAB_sparse";
constexpr const char* kEmpty = "MATLAB_empty";

bool is_cell(const h5::Object& object) { return object.is_dataset() && object.text_attribute(kClass) == "cell"; }

bool is_empty(const h5::Object& object) {
  const std::vector<Index> mark = object.integer_attribute(kEmpty);
  return !mark.empty() && mark.front() != 0;
}

bool is_dense(const h5::Dataset& dataset) {
  if (dataset.text_attribute(kClass) == "char") return false;
  switch (dataset.elements()) {
    case h5::Elements::float32:
    case h5::Elements::real:
    case h5::Elements::integer:
    case h5::Elements::boolean:
      return true;
    default:
      return false;
  }
}

struct Size {
  Index rows = 0;
  Index cols = 0;
};

// Rows and columns as MATLAB counts them. A dataset of one dimension, which other programs write, is a column.
Size size_of(const h5::Dataset& dataset, const std::string& where) {
  const std::size_t dimensions = dataset.shape().size();
  if (is_empty(dataset)) {
    if (dimensions != 1 || dataset.rows() != 2 || dataset.elements() != h5::Elements::integer) return {0, 0};
    const std::vector<Index> sizes = dataset.read_all<Index>();
    return {std::max<Index>(sizes[0], 0), std::max<Index>(sizes[1], 0)};
  }
  if (dimensions > 2) fail(where, "has {} dimensions; a view has two", dimensions);
  return dimensions < 2 ? Size{dataset.rows(), 1} : Size{dataset.cols(), dataset.rows()};
}

MatMatrix dense_matrix(const h5::Dataset& dataset, const std::string& where) {
  if (!is_dense(dataset)) fail(where, "is not a matrix of real numbers");
  const Size size = size_of(dataset, where);
  MatMatrix matrix{size.rows, size.cols, {}};
  if (is_empty(dataset)) {
    if (size.rows != 0 && size.cols != 0) fail(where, "is marked empty but {} x {}", size.rows, size.cols);
    matrix.values = std::vector<double>();
  } else if (dataset.elements() == h5::Elements::float32) {
    matrix.values = dataset.read_all<float>();
  } else {
    matrix.values = dataset.read_all<double>();
  }
  return matrix;
}

MatMatrix sparse_matrix(const h5::Group& group, const std::string& where) {
  const std::vector<Index> rows = group.integer_attribute(kSparse);
  if (rows.size() != 1 || rows.front() < 0 || !group.has_dataset("jc")) fail(where, "the sparse matrix is damaged");
  const bool entries = group.has_dataset("ir") && group.has_dataset("data");
  std::vector<Index> offsets = group.dataset("jc").read_all<Index>();
  const Index cols = static_cast<Index>(offsets.size()) - 1;
  return {rows.front(), cols,
          make_mat_sparse(rows.front(), std::move(offsets),
                          entries ? group.dataset("ir").read_all<Index>() : std::vector<Index>(),
                          entries ? group.dataset("data").read_all<double>() : std::vector<double>(), where)};
}

MatMatrix to_matrix(h5::Object object, const std::string& where) {
  if (object.is_group() && object.has_attribute(kSparse)) return sparse_matrix(h5::Group(std::move(object)), where);
  if (!object.is_dataset() || is_cell(object)) fail(where, "is not a matrix of numbers");
  return dense_matrix(h5::Dataset(std::move(object)), where);
}

class Mat73File final : public MatFile {
 public:
  explicit Mat73File(const std::string& path) : MatFile(path), file_(h5::File::open(path)) {
    const h5::Group root = file_.root();
    for (const std::string& name : root.names()) {
      if (name.starts_with('#')) continue;  // MATLAB's own: what cells refer to
      MatInfo info;
      info.name = name;
      h5::Object object = root.open(name);
      if (object.is_dataset()) {
        info.cell = is_cell(object);
        const h5::Dataset dataset(std::move(object));
        info.numeric = !info.cell && is_dense(dataset) && dataset.shape().size() <= 2;
        const Size size = info.numeric ? size_of(dataset, fmt::format("{}: {}", path, name)) : Size{-1, -1};
        info.rows = size.rows;
        info.cols = size.cols;
      }
      variables_.push_back(std::move(info));
    }
  }

  std::vector<MatMatrix> read(const std::string& name) override {
    const std::string where = fmt::format("{}: {}", path_, name);
    std::vector<MatMatrix> matrices;
    h5::Object object = file_.root().open(name);
    if (!is_cell(object)) {
      matrices.push_back(to_matrix(std::move(object), where));
      return matrices;
    }
    const h5::Dataset cells(std::move(object));
    if (is_empty(cells)) return matrices;
    if (cells.elements() != h5::Elements::reference) fail(where, "the cell array is damaged");
    // A dataset of one column is read as it lies; MATLAB's order of cells is that of the file for any shape.
    std::vector<h5::Object> found = cells.read_references(0, cells.rows());
    for (std::size_t i = 0; i < found.size(); ++i) {
      matrices.push_back(to_matrix(std::move(found[i]), fmt::format("{}{{{}}}", where, i + 1)));
    }
    return matrices;
  }

 private:
  h5::File file_;
};

}  // namespace

std::unique_ptr<MatFile> open_mat73(const std::string& path) { return std::make_unique<Mat73File>(path); }

}  // namespace omvc

#else

namespace omvc {

std::unique_ptr<MatFile> open_mat73(const std::string& path) {
  throw Error(ErrorKind::data, fmt::format("{}: this omvc was built without HDF5, so it cannot read MAT files of "
                                           "version 7.3; install libhdf5-dev and build again with "
                                           "-DOMVC_WITH_HDF5=ON, or in MATLAB save the file with -v7",
                                           path));
}

}  // namespace omvc

#endif
