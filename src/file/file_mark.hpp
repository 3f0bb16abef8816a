// Which file stands under a name: to notice that somebody else has replaced it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace omvc {

struct FileMark {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::int64_t size = 0;
  std::int64_t changed = 0;  // nanoseconds

  bool operator==(const FileMark&) const = default;
};

std::optional<FileMark> mark_of(const std::string& path);  // nothing where there is no file

}  // namespace omvc
