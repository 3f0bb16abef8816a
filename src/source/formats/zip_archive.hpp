// A ZIP archive whose files are read front to back. What an archive announces is believed only as far as its bytes can
// hold it: deflate makes data at most 1032 times smaller, so an entry that claims more is refused, and so is an archive
// whose entries share their bytes, before any memory is taken.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source/formats/byte_reader.hpp"

namespace omvc {

struct ZipEntry {
  std::string name;
  Index bytes = 0;  // unpacked
  Index number = 0;
};

class ZipArchive {
 public:
  // Throws ErrorKind::io if the file cannot be opened and ErrorKind::data if it is not a sound archive.
  explicit ZipArchive(std::string path);

  const std::string& path() const { return path_; }

  // Files only, in the order of the archive's directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // The content of one of entries(). The archive stays open for as long as a reader of it lives. Where all bytes are
  // read their checksum is compared; damage throws ErrorKind::data.
  std::unique_ptr<ByteReader> open(const ZipEntry& entry) const;

 private:
  struct Handle;
  std::string path_;
  std::shared_ptr<Handle> handle_;
  std::vector<ZipEntry> entries_;
};

}  // namespace omvc
