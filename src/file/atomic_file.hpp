// A file that appears whole or not at all: written in the same folder without a name (or, where the file system cannot
// do that, under a temporary one), synced, then given its name. A process that is killed leaves nothing behind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace omvc {

class AtomicFile {
 public:
  // Creates the temporary file. Throws ErrorKind::io, naming the path and the reason, if it cannot be created.
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // removes what was written unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Overwrites bytes already written, for a header that is known only at the end.
  void write_at(std::size_t offset, const void* data, std::size_t size);

  // Makes the file durable and gives it its name, replacing what was there.
  void commit();

 private:
  void create();
  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string temporary_;  // empty while the file has no name
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace omvc
