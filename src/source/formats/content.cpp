#include "source/formats/content.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <zlib.h>

namespace omvc {

std::string first_bytes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::array<char, 512> bytes{};
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return "";
  const int got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return {bytes.data(), static_cast<std::size_t>(std::max(got, 0))};
}

}  // namespace omvc
