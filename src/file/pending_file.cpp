#include "file/pending_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "omvc/error.hpp"

#include "file/descriptor.hpp"
#include "file/real_path.hpp"

namespace omvc {
namespace {

namespace fs = std::filesystem;

constexpr int kNamesTried = 100;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// What the passing names for a file begin with. Its name is hashed, because it may be as long as names can be.
std::string passing_prefix(const std::string& path) {
  std::uint32_t hash = 2166136261u;
  for (const char c : fs::path(path).filename().string()) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format(".omvc-part-{:08x}-", hash);
}

std::string by_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

PendingFile::PendingFile(const std::string& path, bool part) : path_(part ? path : real_path(path)), part_(part) {
  if (part_) {
    descriptor_ = open_unnamed_file();
    if (descriptor_ < 0) fail("cannot write");
    return;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: it is a folder; give a file name", path_));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: it is a pipe or a device; give a file name", path_));
  }
  remove_abandoned();
  create();
  if (descriptor_ < 0) {
    throw Error(ErrorKind::io, fmt::format("cannot write {}: {}; choose a folder that exists and is writable", path_,
                                           std::strerror(errno)));
  }
  // What others may not read must not become readable because it is written again.
  if (fs::is_regular_file(status)) ::fchmod(descriptor_, static_cast<mode_t>(status.permissions()) & 0777);
  // Tells others that somebody is at work. A file system without locks is no reason to fail.
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
}

std::string PendingFile::passing_name() const {
  return fmt::format("{}/{}{:016x}", folder_of(path_), passing_prefix(path_), random_number());
}

void PendingFile::create() {
  descriptor_ = ::open(folder_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ >= 0 && ::access(by_descriptor(descriptor_).c_str(), F_OK) == 0) return;
  if (descriptor_ < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) return;
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  for (int i = 0; i < kNamesTried && descriptor_ < 0; ++i) {
    std::string name = passing_name();
    descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) temporary_ = std::move(name);
    if (descriptor_ < 0 && errno != EEXIST) return;
  }
}

// A file with a passing name that nobody has locked belongs to a process that was killed.
void PendingFile::remove_abandoned() const {
  const std::string prefix = passing_prefix(path_);
  std::error_code failure;
  for (fs::directory_iterator entry(folder_of(path_), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(descriptor_);
}

void PendingFile::sync() {
  if (synced_) return;
  if (::fsync(descriptor_) != 0) fail("cannot write");
  synced_ = true;
}

// False, with errno set, where no passing name can be given.
bool PendingFile::name() {
  for (int i = 0; temporary_.empty(); ++i) {
    std::string passing = passing_name();
    const std::string from = by_descriptor(descriptor_);
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, passing.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(passing);  // a copy might fail for want of memory, and the name be forgotten
    } else if (errno != EEXIST || i == kNamesTried) {
      return false;
    }
  }
  return true;
}

std::string PendingFile::share() { return name() ? fs::absolute(temporary_).string() : ""; }

void PendingFile::commit() {
  sync();
  // A file without a name can be linked but not renamed: it gets a passing name first.
  if (!name()) fail("cannot write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot write");
  // Whoever reads it from here on must not find it locked, even if somebody still has a copy of the descriptor.
  ::flock(descriptor_, LOCK_UN);
  ::close(std::exchange(descriptor_, -1));
  // The rename itself is durable once the folder is; a folder that cannot be synced is no reason to fail.
  const int directory = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

void PendingFile::fail(const char* what) const {
  const int reason = errno;
  if (part_) {
    throw Error(ErrorKind::io, fmt::format("{} rows of {} to a temporary file: {}; set TMPDIR to a folder that is "
                                           "writable and has room",
                                           what, path_, std::strerror(reason)));
  }
  throw Error(ErrorKind::io, fmt::format("{} {}: {}; the file is left as it was", what, path_,
                                         reason != 0 ? std::strerror(reason) : "nothing could be written"));
}

}  // namespace omvc
