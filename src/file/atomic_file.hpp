// Writing through a buffer to a file that appears whole or not at all (file/pending_file.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "file/pending_file.hpp"

namespace omvc {

class AtomicFile {
 public:
  // Throws ErrorKind::io, naming the path and the reason, if it cannot be created.
  explicit AtomicFile(const std::string& path, bool part = false) : file_(path, part) {}

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }  // of what write() was given

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Apart from what write() appends: a header that is known only at the end, or what other processes have.
  void write_at(std::uint64_t offset, const void* data, std::size_t size);
  // Bytes that were written.
  void read_at(std::uint64_t offset, void* data, std::size_t size);
  // A name under which other processes may write to it before it has its own; empty where there is none.
  std::string share();

  // Writes out and makes durable; commit() does the same where it was not called before.
  void sync();
  // Gives the file its name, replacing what was there.
  void commit();

 private:
  void flush();

  PendingFile file_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace omvc
