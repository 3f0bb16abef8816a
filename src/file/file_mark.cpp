#include "file/file_mark.hpp"

#include <sys/stat.h>

namespace omvc {

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileMark{.device = found.st_dev,
                  .number = found.st_ino,
                  .size = found.st_size,
                  .changed = std::int64_t{1'000'000'000} * found.st_mtim.tv_sec + found.st_mtim.tv_nsec};
}

}  // namespace omvc
