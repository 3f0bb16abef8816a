// NPY arrays and NPZ archives for tests.
#pragma once

#include <fmt/core.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <zip.h>

namespace omvc::test {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// An array as numpy.save writes it.
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran = false, char version = 1) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran ? "True" : "False", shape);
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) out += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return out + header + data;
}

inline std::string npy_doubles(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  return npy("<f8", fmt::format("({}, {})", rows, cols), bytes_of(values));
}

inline std::string npy_longs(const std::vector<std::int64_t>& values) {
  return npy("<i8", fmt::format("({},)", values.size()), bytes_of(values));
}

inline std::string npy_vector(const std::vector<double>& values) {
  return npy("<f8", fmt::format("({},)", values.size()), bytes_of(values));
}

// Text of one dimension, as NumPy's str arrays are.
inline std::string npy_words(const std::vector<std::u32string>& words) {
  std::size_t longest = 1;
  for (const auto& word : words) longest = std::max(longest, word.size());
  std::string data;
  for (std::u32string word : words) {
    word.resize(longest);
    data += std::string(reinterpret_cast<const char*>(word.data()), word.size() * 4);
  }
  return npy(fmt::format("<U{}", longest), fmt::format("({},)", words.size()), data);
}

// (name, content) pairs; names of arrays get .npy.
using NpzContent = std::vector<std::pair<std::string, std::string>>;

inline std::string write_npz(const std::string& path, const NpzContent& arrays, bool packed = true) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == nullptr) throw std::runtime_error("cannot write " + path);
  for (const auto& [name, content] : arrays) {
    zip_source_t* source = zip_source_buffer(zip, content.data(), content.size(), 0);
    const auto at = zip_file_add(zip, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (at < 0) throw std::runtime_error("cannot add " + name + " to " + path);
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(at), packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  if (zip_close(zip) != 0) throw std::runtime_error("cannot write " + path);
  return path;
}

}  // namespace omvc::test
