// The arrays of an NPZ archive: their headers in memory, their values in the archive.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/formats/npy_header.hpp"
#include "source/formats/zip_archive.hpp"

namespace omvc {

struct NpzArray {
  std::string name;   // without .npy
  std::string where;  // file and name, for messages
  NpyHeader header;
  ZipEntry entry;
};

class NpzArrays {
 public:
  // Throws ErrorKind::io or ErrorKind::data. Pickled arrays are refused here.
  explicit NpzArrays(const std::string& path);

  const std::string& path() const { return archive_.path(); }
  const std::vector<NpzArray>& all() const { return arrays_; }

  // Null if there is none of this name.
  const NpzArray* find(std::string_view name) const;

  std::unique_ptr<ByteReader> open(const NpzArray& array) const { return archive_.open(array.entry); }

 private:
  ZipArchive archive_;
  std::vector<NpzArray> arrays_;
};

}  // namespace omvc
