// An HDF5 file as a whole. Files of unknown origin are tried first (hdf5/start_trial.hpp).
#pragma once

#include <memory>
#include <string>

#include "hdf5/object.hpp"
#include "hdf5/storage.hpp"

namespace omvc::h5 {

// Whether a file is HDF5 by its content: the signature at the start or behind a user block.
bool is_hdf5(const std::string& path);

class File {
 public:
  // For reading. Has the file tried unless it is `trusted`. Throws ErrorKind::io if it cannot be opened,
  // ErrorKind::data if it is not HDF5 or damaged.
  static File open(const std::string& path, bool trusted = false);
  // For adding to a file that is open for reading and writing; `path` is what messages call it.
  static File edit(int descriptor, const std::string& path);
  // The same for a new file in the place of what is there. A user block of this many bytes (0, 512, ...) is left at the
  // start for the caller to fill in.
  static File create(int descriptor, const std::string& path, Index user_block = 0);

  const std::string& path() const { return storage_->path(); }
  Group root() const;

  // Writes out what the library still holds. Throws ErrorKind::io where that fails, now or in any write before.
  void flush();
  // The same and closes; a file that is merely destroyed may be incomplete. Objects of the file are to be closed
  // before, or it stays open.
  void close();

 private:
  File(Handle handle, std::shared_ptr<Storage> storage)
      : handle_(std::move(handle)), storage_(std::move(storage)), failures_before_(close_failures()) {}

  Handle handle_;
  std::shared_ptr<Storage> storage_;
  long failures_before_;
};

}  // namespace omvc::h5
