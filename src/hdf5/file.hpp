// An HDF5 file as a whole. Files of unknown origin are probed first (hdf5/probe.hpp).
#pragma once

#include <string>

#include "hdf5/object.hpp"

namespace omvc::h5 {

// Whether a file is HDF5 by its content: the signature at the start or behind a user block.
bool is_hdf5(const std::string& path);

class File {
 public:
  // For reading. Probes the file unless it is `trusted`. Throws ErrorKind::io if it cannot be opened, ErrorKind::data
  // if it is not HDF5 or damaged.
  static File open(const std::string& path, bool trusted = false);
  // For adding to a file that is ours.
  static File edit(const std::string& path, const std::string& shown_path);
  // Replaces what is there. A user block of this many bytes (0, 512, ...) is left at the start for the caller to fill
  // in. `shown_path` is what messages call the file.
  static File create(const std::string& path, const std::string& shown_path, Index user_block = 0);

  const std::string& path() const { return path_; }
  Group root() const;

  // Writes out and closes. Throws ErrorKind::io where that fails; a file that is merely destroyed may be incomplete.
  void close();

 private:
  File(Handle handle, std::string path) : handle_(std::move(handle)), path_(std::move(path)) {}

  Handle handle_;
  std::string path_;
};

}  // namespace omvc::h5
