#include "file/file_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "omvc/error.hpp"

#include "file/real_path.hpp"

namespace omvc {

FileLock::FileLock(const std::string& file) : path_(real_path(file) + ".lock") {
  constexpr int kTries = 100;  // each fails only if another process has just let go
  for (int tries = 0; !take(file); ++tries) {
    if (tries == kTries) throw Error(ErrorKind::io, fmt::format("cannot lock {}: it changes all the time", path_));
  }
}

bool FileLock::take(const std::string& file) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::io, fmt::format("cannot make {}: {}; choose a folder that exists and is writable", path_,
                                           std::strerror(errno)));
  }
  // A file system without locks is no reason to fail.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(std::exchange(descriptor_, -1));
    throw Error(ErrorKind::usage,
                fmt::format("{} is being learned by another process: wait for its end, or give another model", file));
  }
  struct stat ours {};
  struct stat there {};
  const bool known = ::fstat(descriptor_, &ours) == 0;
  if (known && (!S_ISREG(ours.st_mode) || ours.st_size > 0)) {
    ::close(std::exchange(descriptor_, -1));
    throw Error(ErrorKind::usage, fmt::format("{} is not empty, so it is no lock of omvc: move it elsewhere", path_));
  }
  const bool same =
      known && ::stat(path_.c_str(), &there) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  if (!same) ::close(std::exchange(descriptor_, -1));
  return same;
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace omvc
