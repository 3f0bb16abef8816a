// How libhdf5 reaches a file here: through a descriptor that is open already, and in no other way. So a file that is
// written needs no name before it is complete, a file that is read cannot make the library open another one (by an
// external link or a virtual dataset), and no failed write is lost: the library forgets some, such as those of the
// chunks and tables that it writes out when objects are closed.
//
// After the first write that fails none is tried, and the library is told that all went well. Its own ways out of such
// failures leave objects that can never be closed; this way it closes everything, and `check_written` throws.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hdf5/handle.hpp"

namespace omvc::h5 {

class Storage {
 public:
  // Owns the descriptor. The path is for messages.
  Storage(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

  bool failed() const { return error_ != 0; }
  void note_failure();  // with errno as it is
  // Throws ErrorKind::io if a write failed.
  void check_written() const;

 private:
  int descriptor_;
  std::string path_;
  int error_ = 0;  // errno of the first write that failed
};

// For reading. Throws ErrorKind::io if the file cannot be opened.
std::shared_ptr<Storage> open_storage(const std::string& path);
// For writing through a copy of the descriptor.
std::shared_ptr<Storage> share_storage(int descriptor, const std::string& path);

// The access properties with which H5Fopen and H5Fcreate, given any name, reach the storage. It must outlive the call;
// the file that was opened keeps it.
Handle access_to(const std::shared_ptr<Storage>& storage);

// Throws ErrorKind::io if a write to the file of an object failed.
void check_written(Id object);

// Reads put off until the library's lock is gone, so that several threads read at once. While it lives, what the
// library would read from a file straight into the given memory is noted instead; what it reads into memory of its own,
// to unpack or convert it, is read as always. Made and ended under one Call, in which one call of the library reads.
class PostponedReads {
 public:
  PostponedReads(void* memory, std::size_t bytes);
  ~PostponedReads();
  PostponedReads(const PostponedReads&) = delete;
  PostponedReads& operator=(const PostponedReads&) = delete;

  // What was noted, to be read without the lock.
  struct Read {
    std::shared_ptr<Storage> storage;
    std::int64_t at = 0;
    std::size_t size = 0;
    void* to = nullptr;
  };
  std::vector<Read> take() { return std::move(reads_); }

  // For the driver: whether the read was noted.
  static bool note(const std::shared_ptr<Storage>& storage, std::int64_t at, std::size_t size, void* to);

 private:
  char* begin_;
  char* end_;
  std::vector<Read> reads_;
};

// Does what was put off. Returns false where a file cannot be read.
bool read_now(const std::vector<PostponedReads::Read>& reads);

}  // namespace omvc::h5
