// HDF5 files for tests, by name.
#pragma once

#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "hdf5/file.hpp"

namespace omvc::test {

inline h5::File create_h5(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw std::runtime_error("cannot create " + path);
  h5::File file = h5::File::create(descriptor, path);
  ::close(descriptor);
  return file;
}

}  // namespace omvc::test
