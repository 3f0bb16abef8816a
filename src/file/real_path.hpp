// Which file a name stands for. What is written under a name that is a link goes to where the link leads, as with any
// other program, and all names of a link have one lock.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace omvc {

// Where a link leads; the name itself where it is none, or leads nowhere.
inline std::string real_path(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_symlink(path, failure)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, failure);
  return failure ? path : target.string();
}

}  // namespace omvc
