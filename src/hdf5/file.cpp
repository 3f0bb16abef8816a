#include "hdf5/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <hdf5.h>
#include <string_view>
#include <unistd.h>

#include "file/descriptor.hpp"
#include "hdf5/start_trial.hpp"

namespace omvc::h5 {
namespace {

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

// It stands at the start, or behind a user block of 512 bytes, or of twice that, and so on.
bool has_signature(int descriptor) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::array<char, kSignature.size()> bytes{};
  for (std::int64_t at = 0; read_fully_at(descriptor, bytes.data(), bytes.size(), at); at = at == 0 ? 512 : 2 * at) {
    if (std::string_view(bytes.data(), bytes.size()) == kSignature) return true;
  }
  return false;
}

}  // namespace

bool is_hdf5(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool found = has_signature(descriptor);
  ::close(descriptor);
  return found;
}

File File::open(const std::string& path, bool trusted) {
  check_readable(path);
  const Call call;
  auto storage = open_storage(path);
  if (!has_signature(storage->descriptor())) {
    throw Error(ErrorKind::data, fmt::format("{}: is not an HDF5 file, or its beginning is damaged", path));
  }
  if (!trusted) try_in_other_process(path);
  const Handle access = access_to(storage);
  Handle file = own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), ErrorKind::data, path,
                    "cannot be opened as HDF5; it may be damaged or still being written");
  return {std::move(file), std::move(storage)};
}

File File::edit(int descriptor, const std::string& path) {
  const Call call;
  auto storage = share_storage(descriptor, path);
  const Handle access = access_to(storage);
  Handle file = own(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), ErrorKind::io, path, "cannot be opened");
  return {std::move(file), std::move(storage)};
}

File File::create(int descriptor, const std::string& path, Index user_block) {
  const Call call;
  auto storage = share_storage(descriptor, path);
  const Handle access = access_to(storage);
  const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), ErrorKind::io, path, "cannot be created");
  check(H5Pset_userblock(creation.get(), static_cast<hsize_t>(user_block)), ErrorKind::io, path, "cannot be created");
  Handle file = own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), ErrorKind::io, path,
                    "cannot be created");
  return {std::move(file), std::move(storage)};
}

Group File::root() const {
  const Call call;
  return Group(Object(own(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), ErrorKind::data, path(), "has no root group"),
                      path(), "/"));
}

void File::flush() {
  const Call call;
  check(H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), ErrorKind::io, path(), "cannot be written");
  storage_->check_written();
}

void File::close() {
  const Call call;
  if (!handle_) return;
  flush();
  if (!handle_.close()) fail(ErrorKind::io, path(), "cannot be written");
  storage_->check_written();
  if (close_failures() != failures_before_) fail(ErrorKind::io, path(), "a part of it cannot be written");
}

}  // namespace omvc::h5
