// Writing through a buffer to a file that appears whole or not at all (file/pending_file.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "file/pending_file.hpp"

namespace omvc {

class AtomicFile {
 public:
  // Throws ErrorKind::io, naming the path and the reason, if it cannot be created.
  explicit AtomicFile(std::string path) : file_(std::move(path)) {}

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Overwrites bytes already written, for a header that is known only at the end.
  void write_at(std::size_t offset, const void* data, std::size_t size);

  // Writes out and makes durable; commit() does the same where it was not called before.
  void sync();
  // Gives the file its name, replacing what was there.
  void commit();

 private:
  void flush();

  PendingFile file_;
  std::string buffer_;
};

}  // namespace omvc
