// Small MAT files of version 7.3 for tests: the variables of mat_writer.hpp, written to HDF5 in the layout that MATLAB
// uses (see src/source/formats/mat73.cpp), with its header in a user block of 512 bytes.
#pragma once

#include <fmt/core.h>
#include <fstream>
#include <hdf5.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "hdf5/handle.hpp"
#include "support/mat_writer.hpp"

namespace omvc::test {

class Mat73Writer {
 public:
  explicit Mat73Writer(const std::string& path) : path_(path) {
    const h5::Call call;  // settles how the library ends before it starts
    const hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(properties, 512);
    file_ = checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties, H5P_DEFAULT));
    H5Pclose(properties);
  }
  Mat73Writer(const Mat73Writer&) = delete;
  Mat73Writer& operator=(const Mat73Writer&) = delete;

  void write(const matvar_t& variable) { write(file_, variable.name, variable); }

  void finish() {
    if (references_ >= 0) H5Gclose(references_);
    H5Fclose(file_);
    std::string header = "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: a day HDF5 schema 1.00 .";
    header.resize(116, ' ');
    header += std::string("\0\0\0\0\0\0\0\0\0\2IM", 12);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
  }

 private:
  static hid_t checked(hid_t id) {
    if (id < 0) throw std::runtime_error("HDF5 cannot write a test file");
    return id;
  }

  static void mark(hid_t object, const char* name, const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size());
    mark(object, name, type, text.data());
    H5Tclose(type);
  }

  static void mark(hid_t object, const char* name, hid_t type, const void* value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
  }

  static hid_t dataset(hid_t place, const char* name, hid_t type, const std::vector<hsize_t>& shape,
                       const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool empty = false;
    for (const hsize_t length : shape) empty = empty || length == 0;
    if (!empty) {
      H5Pset_chunk(properties, static_cast<int>(shape.size()), shape.data());
      H5Pset_deflate(properties, 3);
    }
    const hid_t set = checked(H5Dcreate2(place, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    if (!empty) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
  }

  struct Class {
    const char* name;
    hid_t type;
  };

  static Class class_of(const matvar_t& variable) {
    switch (variable.class_type) {
      case MAT_C_SINGLE:
        return {"single", H5T_NATIVE_FLOAT};
      case MAT_C_UINT8:
        return {"uint8", H5T_NATIVE_UINT8};
      case MAT_C_INT16:
        return {"int16", H5T_NATIVE_INT16};
      case MAT_C_INT32:
        return {"int32", H5T_NATIVE_INT32};
      case MAT_C_UINT64:
        return {"uint64", H5T_NATIVE_UINT64};
      case MAT_C_DOUBLE:
        return {"double", H5T_NATIVE_DOUBLE};
      default:
        throw std::runtime_error("a class that no test writes");
    }
  }

  void write_cells(hid_t place, const char* name, const matvar_t& variable) {
    if (references_ < 0) {
      references_ = checked(H5Gcreate2(file_, "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    std::vector<hobj_ref_t> cells(variable.dims[0] * variable.dims[1]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = fmt::format("cell{}", next_++);
      write(references_, cell.c_str(), *Mat_VarGetCell(const_cast<matvar_t*>(&variable), static_cast<int>(i)));
      H5Rcreate(&cells[i], references_, cell.c_str(), H5R_OBJECT, -1);
    }
    const hid_t set = dataset(place, name, H5T_STD_REF_OBJ, {variable.dims[1], variable.dims[0]}, cells.data());
    mark(set, "MATLAB_class", "cell");
    H5Dclose(set);
  }

  static void write_sparse(hid_t place, const char* name, const matvar_t& variable) {
    const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
    const hid_t group = checked(H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    mark(group, "MATLAB_class", "double");
    const std::uint64_t rows = variable.dims[0];
    mark(group, "MATLAB_sparse", H5T_NATIVE_UINT64, &rows);
    const std::vector<std::uint64_t> ir(sparse.ir, sparse.ir + sparse.nir);
    const std::vector<std::uint64_t> jc(sparse.jc, sparse.jc + sparse.njc);
    if (!ir.empty()) {
      H5Dclose(dataset(group, "data", H5T_NATIVE_DOUBLE, {sparse.ndata}, sparse.data));
      H5Dclose(dataset(group, "ir", H5T_NATIVE_UINT64, {ir.size()}, ir.data()));
    }
    H5Dclose(dataset(group, "jc", H5T_NATIVE_UINT64, {jc.size()}, jc.data()));
    H5Gclose(group);
  }

  void write(hid_t place, const char* name, const matvar_t& variable) {
    if (variable.class_type == MAT_C_CELL) return write_cells(place, name, variable);
    if (variable.class_type == MAT_C_SPARSE) return write_sparse(place, name, variable);
    const Class type = class_of(variable);
    const bool empty = variable.dims[0] == 0 || variable.dims[1] == 0;
    const std::vector<std::uint64_t> dims{variable.dims[0], variable.dims[1]};
    const hid_t set = empty ? dataset(place, name, H5T_NATIVE_UINT64, {2}, dims.data())
                            : dataset(place, name, type.type, {dims[1], dims[0]}, variable.data);
    mark(set, "MATLAB_class", type.name);
    const std::uint8_t yes = 1;
    if (empty) mark(set, "MATLAB_empty", H5T_NATIVE_UINT8, &yes);
    H5Dclose(set);
  }

  std::string path_;
  hid_t file_ = -1;
  hid_t references_ = -1;
  int next_ = 0;
};

// Writes and frees the variables, and returns the path.
inline std::string write_mat73(const std::string& path, const std::vector<matvar_t*>& variables) {
  Mat73Writer writer(path);
  for (matvar_t* variable : variables) {
    writer.write(*variable);
    Mat_VarFree(variable);
  }
  writer.finish();
  return path;
}

}  // namespace omvc::test
