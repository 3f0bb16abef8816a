#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omvc/error.hpp"

#include "file/atomic_file.hpp"
#include "file/descriptor.hpp"
#include "file/row_store.hpp"

namespace omvc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "omvc-rows";
constexpr std::string_view kMarkText = "omvc: rows of a checkpoint; identity of its run ";

bool is_row_store(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != 0 && dot != std::string::npos && (name.substr(dot) == ".0" || name.substr(dot) == ".1") &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == dot;
}

bool is_ours(const fs::directory_entry& entry) {
  std::error_code ignored;
  const std::string name = entry.path().filename().string();
  return entry.symlink_status(ignored).type() == fs::file_type::regular &&
         (name == kMark || is_row_store(name) || name.starts_with(".omvc-part-"));
}

std::vector<fs::directory_entry> entries_of(const std::string& path) {
  std::vector<fs::directory_entry> entries;
  std::error_code failure;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure)) {
    entries.push_back(*entry);
  }
  if (failure) throw Error(ErrorKind::io, fmt::format("cannot read the folder {}: {}", path, failure.message()));
  return entries;
}

std::optional<std::uint64_t> read_mark(const std::string& path) {
  std::ifstream file(path + "/" + kMark, std::ios::binary);
  std::string text;
  std::getline(file, text);
  std::uint64_t identity = 0;
  const char* end = text.data() + text.size();
  if (!text.starts_with(kMarkText)) return std::nullopt;
  if (std::from_chars(text.data() + kMarkText.size(), end, identity, 16).ptr != end) return std::nullopt;
  return identity;
}

}  // namespace

struct RowFolder::Held {
  explicit Held(std::string folder) : path(std::move(folder)) {
    for (int tries = 0; !take(); ++tries) {
      if (tries == 100) refuse("is being used by another run: wait for its end");
    }
  }
  ~Held() {
    if (made) ::rmdir(path.c_str());  // does nothing to one that holds anything
    ::close(descriptor);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  // Makes, opens and locks the folder. False if it was removed meanwhile by the run that had it.
  bool take();
  void write_mark() {
    AtomicFile file(path + "/" + kMark);
    file.write(fmt::format("{}{:016x}\n", kMarkText, identity));
    file.commit();
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::usage, fmt::format("the folder {} {}, or give the checkpoint another name", path, why));
  }

  std::string path;
  int descriptor = -1;
  bool made = false;  // by us
  std::uint64_t identity = 0;
};

bool RowFolder::Held::take() {
  const auto fail = [&](int reason) {
    throw Error(ErrorKind::io, fmt::format("cannot make the folder {}: {}; choose a place that is writable", path,
                                           std::strerror(reason)));
  };
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  descriptor = ::open(path.c_str(), kFlags);
  if (descriptor < 0 && errno == ENOENT) {
    made = ::mkdir(path.c_str(), 0777) == 0;
    if (!made && errno != EEXIST) fail(errno);
    descriptor = ::open(path.c_str(), kFlags);
    if (descriptor < 0 && errno == ENOENT) return false;
  }
  if (descriptor < 0) fail(errno);
  struct stat ours {};
  struct stat there {};
  // A file system without locks is no reason to fail.
  const bool taken = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const bool same = ::fstat(descriptor, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
                    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  if (!taken && same) return true;
  ::close(std::exchange(descriptor, -1));
  if (taken) refuse("is being used by another run: wait for its end");
  return false;
}

RowFolder::RowFolder(const std::string& path) : held_(std::make_shared<Held>(path)) {
  for (const fs::directory_entry& entry : entries_of(path)) {
    if (is_ours(entry)) continue;
    held_->refuse(
        fmt::format("holds {}, which is not of a checkpoint: move it away", entry.path().filename().string()));
  }
}

std::uint64_t RowFolder::identity() const { return held_ ? held_->identity : 0; }

void RowFolder::start_anew() {
  const std::vector<fs::directory_entry> entries = entries_of(held_->path);
  if (!entries.empty() && !read_mark(held_->path)) held_->refuse("is not marked as that of a checkpoint: move it away");
  std::error_code failure;
  for (const fs::directory_entry& entry : entries) {
    if (is_ours(entry) && entry.path().filename() != kMark) fs::remove(entry.path(), failure);
  }
  held_->identity = random_number() | 1;
  held_->write_mark();
}

void RowFolder::go_on(std::uint64_t identity) {
  if (read_mark(held_->path) != identity) {
    throw Error(ErrorKind::data, fmt::format("the rows in {} are those of another run: bring back its own, or start "
                                             "again without --resume",
                                             held_->path));
  }
  held_->identity = identity;
}

void RowFolder::remove() {
  if (!held_ || !read_mark(held_->path)) return;
  std::error_code ignored;
  // The mark goes last: a folder that is half removed is still ours.
  for (const fs::directory_entry& entry : entries_of(held_->path)) {
    if (is_ours(entry) && entry.path().filename() != kMark) fs::remove(entry.path(), ignored);
  }
  fs::remove(held_->path + "/" + kMark, ignored);
  ::rmdir(held_->path.c_str());
  held_->made = false;
  held_.reset();
}

void RowFolder::sync() const {
  if (held_) ::fsync(held_->descriptor);
}

std::unique_ptr<RowStore> RowFolder::open(const std::string& name, Index width) const {
  if (!held_) return std::make_unique<RowStore>(width);
  return std::make_unique<RowStore>(width, held_->path + "/" + name, held_->identity);
}

}  // namespace omvc
