// Which file a name stands for. What is written under a name that is a link goes to where the link leads, as with any
// other program, and all names of a link have one lock.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace omvc {

// Where a link leads, also where nothing is there yet; the name itself where it is none, or leads round in a circle.
inline std::string real_path(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as the system follows
  std::error_code failure;
  std::filesystem::path target = path;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(target, failure); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, failure);
    if (failure) return path;
    target = target.parent_path() / next;
  }
  if (target == path || std::filesystem::is_symlink(target, failure)) return path;
  const std::filesystem::path whole = std::filesystem::canonical(target, failure);
  return failure ? target.string() : whole.string();
}

}  // namespace omvc
