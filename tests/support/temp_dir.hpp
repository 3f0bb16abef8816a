// A folder that lives as long as a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <zlib.h>

namespace omvc::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "omvc-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

  // Writes the bytes as they are and returns the file's path.
  std::string write_file(const std::string& name, std::string_view content) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path(name));
    return path(name);
  }

  // The same, gzip-compressed.
  std::string write_gzip(const std::string& name, std::string_view content) const {
    const gzFile file = gzopen(path(name).c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot write " + path(name));
    const int written = gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    if (gzclose(file) != Z_OK || written != static_cast<int>(content.size())) {
      throw std::runtime_error("cannot write " + path(name));
    }
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace omvc::test
