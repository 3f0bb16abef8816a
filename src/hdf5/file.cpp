#include "hdf5/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <hdf5.h>
#include <unistd.h>

#include "hdf5/probe.hpp"

namespace omvc::h5 {
namespace {

#ifdef OMVC_FUZZING
constexpr bool kProbe = false;  // fuzzers make sound files, thousands a second
#else
constexpr bool kProbe = true;
#endif

// A file system without locks is no reason to refuse a file.
Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access.get(), true, true);
  return access;
}

void check_readable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorKind::io, fmt::format("{}: is a folder; name a file", path));
  }
  if (!std::filesystem::is_regular_file(path, ignored) && std::filesystem::exists(path, ignored)) {
    throw Error(ErrorKind::io, fmt::format("{}: HDF5 cannot be read from a pipe or a device; name a file", path));
  }
  if (::access(path.c_str(), R_OK) != 0) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  }
}

}  // namespace

bool is_hdf5(const std::string& path) {
  const Call call;
  return H5Fis_hdf5(path.c_str()) > 0;
}

File File::open(const std::string& path, bool trusted) {
  check_readable(path);
  const Call call;
  if (!is_hdf5(path)) {
    throw Error(ErrorKind::data, fmt::format("{}: is not an HDF5 file, or its beginning is damaged", path));
  }
  if (kProbe && !trusted) probe(path);
  const Handle access = file_access();
  return {own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), ErrorKind::data, path,
              "cannot be opened as HDF5; it may be damaged or still being written"),
          path};
}

File File::edit(const std::string& path, const std::string& shown_path) {
  const Call call;
  const Handle access = file_access();
  return {own(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), ErrorKind::io, shown_path, "cannot be opened"),
          shown_path};
}

File File::create(const std::string& path, const std::string& shown_path, Index user_block) {
  const Call call;
  const Handle access = file_access();
  const Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_userblock(creation.get(), static_cast<hsize_t>(user_block));
  return {own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), ErrorKind::io, shown_path,
              "cannot be created"),
          shown_path};
}

Group File::root() const {
  const Call call;
  return Group(
      Object(own(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), ErrorKind::data, path_, "has no root group"), path_, "/"));
}

void File::close() {
  const Call call;
  if (!handle_) return;
  check(H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), ErrorKind::io, path_, "cannot be written");
  if (!handle_.close()) fail(ErrorKind::io, path_, "cannot be written");
}

}  // namespace omvc::h5
