// Small MAT files for tests, written through matio.
#pragma once

#include <matio.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace omvc::test {

// Values column after column. T must be the C type of the class.
template <class T>
matvar_t* mat_dense(const char* name, std::size_t rows, std::size_t cols, std::vector<T> values, matio_classes type,
                    matio_types stored) {
  std::size_t dims[2] = {rows, cols};
  return Mat_VarCreate(name, type, stored, 2, dims, values.data(), 0);
}

inline matvar_t* mat_doubles(const char* name, std::size_t rows, std::size_t cols, std::vector<double> values) {
  return mat_dense(name, rows, cols, std::move(values), MAT_C_DOUBLE, MAT_T_DOUBLE);
}

// Compressed sparse columns.
inline matvar_t* mat_sparse(const char* name, std::size_t rows, std::size_t cols, std::vector<mat_uint32_t> offsets,
                            std::vector<mat_uint32_t> row_of, std::vector<double> values) {
  std::size_t dims[2] = {rows, cols};
  mat_sparse_t sparse{};
  sparse.nzmax = sparse.nir = static_cast<mat_uint32_t>(row_of.size());
  sparse.ndata = static_cast<mat_uint32_t>(values.size());
  sparse.njc = static_cast<mat_uint32_t>(offsets.size());
  sparse.ir = row_of.data();
  sparse.jc = offsets.data();
  sparse.data = values.data();
  return Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, 0);
}

// Takes the cells over.
inline matvar_t* mat_cell(const char* name, std::vector<matvar_t*> cells) {
  std::size_t dims[2] = {1, cells.size()};
  return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, cells.data(), 0);
}

inline matvar_t* mat_text(const char* name, std::string text) {
  std::size_t dims[2] = {1, text.size()};
  return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, dims, text.data(), 0);
}

// One record. Takes the fields over.
inline matvar_t* mat_struct(const char* name, const std::vector<std::pair<const char*, matvar_t*>>& fields) {
  std::size_t dims[2] = {1, 1};
  std::vector<const char*> names;
  for (const auto& [field, value] : fields) names.push_back(field);
  matvar_t* record = Mat_VarCreateStruct(name, 2, dims, names.data(), static_cast<unsigned>(names.size()));
  for (const auto& [field, value] : fields) Mat_VarSetStructFieldByName(record, field, 0, value);
  return record;
}

// Writes and frees the variables, and returns the path.
inline std::string write_mat(const std::string& path, const std::vector<matvar_t*>& variables,
                             mat_ft version = MAT_FT_MAT5, matio_compression compression = MAT_COMPRESSION_ZLIB) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, version);
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  for (matvar_t* variable : variables) {
    const bool failed = variable == nullptr || Mat_VarWrite(file, variable, compression) != 0;
    Mat_VarFree(variable);
    if (failed) throw std::runtime_error("cannot write a variable of " + path);
  }
  Mat_Close(file);
  return path;
}

}  // namespace omvc::test
