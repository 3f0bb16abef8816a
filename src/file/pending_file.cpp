#include "file/pending_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "omvc/error.hpp"

namespace omvc {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

PendingFile::PendingFile(std::string path, Naming naming) : path_(std::move(path)) {
  if (std::filesystem::is_directory(path_)) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: it is a folder; give a file name", path_));
  }
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: it is a pipe or a device; give a file name", path_));
  }
  create(naming);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: {}; choose a folder that exists and is writable", path_,
                                           std::strerror(errno)));
  }
}

void PendingFile::create(Naming naming) {
  if (naming == Naming::unnamed) {
    descriptor_ = ::open(folder_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return;
  }
  temporary_ = path_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) return;
  // mkostemp makes the file private; results get the permissions that any new file has.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor_, 0666 & ~mask) != 0) fail("cannot set the permissions of");
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void PendingFile::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot write");
  if (temporary_.empty()) {
    // A file without a name can be linked but not renamed: it gets a passing name first.
    const std::string passing = fmt::format("{}.{}.tmp", path_, ::getpid());
    ::unlink(passing.c_str());
    if (::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", descriptor_).c_str(), AT_FDCWD, passing.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
      fail("cannot write");
    }
    temporary_ = passing;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot write");
  ::close(std::exchange(descriptor_, -1));
  // The rename itself is durable once the folder is; a folder that cannot be synced is no reason to fail.
  const int directory = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

void PendingFile::fail(const char* what) const {
  throw Error(ErrorKind::io, fmt::format("{} {}: {}; the file is left as it was", what, path_, std::strerror(errno)));
}

}  // namespace omvc
