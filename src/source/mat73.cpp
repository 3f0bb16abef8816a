#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/mat_file.hpp"

namespace omvc {

std::unique_ptr<MatFile> open_mat73(const std::string& path) {
  throw Error(ErrorKind::data, fmt::format("{}: this omvc was built without HDF5, so it cannot read MAT files of "
                                           "version 7.3; in MATLAB save it with -v7",
                                           path));
}

}  // namespace omvc
