#include "source/mat_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <string_view>
#include <vector>
#include <zlib.h>

#include "omvc/chunk.hpp"
#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::uint32_t kCompressed = 15;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::data, fmt::format("{}: {}; the file is truncated or damaged, get it again", path, what));
}

std::uint32_t read_number(const unsigned char* bytes, bool big_endian) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | bytes[big_endian ? i : 3 - i];
  return number;
}

// Whether the next `bytes` bytes of the file are one whole zlib stream.
bool unpacks(std::ifstream& file, Index bytes) {
  std::vector<unsigned char> packed(std::size_t{1} << 16);
  std::vector<unsigned char> unpacked(std::size_t{1} << 18);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  int status = Z_OK;
  while (status == Z_OK && (bytes > 0 || stream.avail_in > 0)) {
    if (stream.avail_in == 0) {
      const auto want = static_cast<std::streamsize>(std::min<Index>(bytes, static_cast<Index>(packed.size())));
      file.read(reinterpret_cast<char*>(packed.data()), want);
      if (!file) break;
      bytes -= want;
      stream.next_in = packed.data();
      stream.avail_in = static_cast<unsigned>(want);
    }
    do {
      stream.next_out = unpacked.data();
      stream.avail_out = static_cast<unsigned>(unpacked.size());
      status = inflate(&stream, Z_NO_FLUSH);
    } while (status == Z_OK && stream.avail_out == 0);
    if (status == Z_BUF_ERROR) status = Z_OK;  // the output was full at the very end of the input: nothing is wrong yet
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END;
}

}  // namespace

void check_mat_file(const std::string& path) {
  std::error_code error;
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw Error(ErrorKind::io, fmt::format("{}: cannot open for reading", path));
  std::array<unsigned char, kHeaderBytes> header{};
  file.read(reinterpret_cast<char*>(header.data()), static_cast<std::streamsize>(header.size()));
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  if (!text.starts_with("MATLAB 5.0")) return;
  if (!file) fail(path, fmt::format("it ends in its header, after {} bytes", file_bytes));
  const bool big_endian = text.substr(126) == "MI";
  for (Index at = kHeaderBytes; at < file_bytes;) {
    std::array<unsigned char, 8> tag{};
    file.seekg(at);
    file.read(reinterpret_cast<char*>(tag.data()), static_cast<std::streamsize>(tag.size()));
    const Index bytes = read_number(tag.data() + 4, big_endian);
    if (!file || bytes > file_bytes - at - 8) {
      fail(path, fmt::format("the variable at byte {} reaches beyond the end of the file", at));
    }
    if (read_number(tag.data(), big_endian) == kCompressed && !unpacks(file, bytes)) {
      fail(path, fmt::format("the variable at byte {} cannot be unpacked", at));
    }
    at += 8 + bytes;
  }
}

}  // namespace omvc
