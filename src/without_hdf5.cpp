// What a build without libhdf5 (-DOMVC_WITH_HDF5=OFF) says instead of reading and writing HDF5 files.
#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "source/anndata.hpp"

namespace omvc {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorKind::usage,
              path + ": this omvc was built without HDF5; build it with libhdf5-dev and -DOMVC_WITH_HDF5=ON");
}

}  // namespace

Input open_h5(const std::string& path, const InputOptions&) { refuse(path); }

}  // namespace omvc
