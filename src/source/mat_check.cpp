#include "source/mat_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>
#include <zlib.h>

#include "omvc/error.hpp"

#include "source/sizes.hpp"

namespace omvc {
namespace {

constexpr Index kHeaderBytes = 128;
constexpr Index kTagBytes = 8;
constexpr int kMaxDepth = 16;  // of cells in cells

// The types of elements and classes of matrices that are looked into.
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint32_t kCellClass = 1;
constexpr std::uint32_t kFirstNumericClass = 6;
constexpr std::uint32_t kLastNumericClass = 15;

// Thrown inside this file only; check_mat_file adds the place.
struct Damage {
  std::string what;
};

// Bytes read front to back.
class Bytes {
 public:
  virtual ~Bytes() = default;

  // Throws Damage if there are fewer.
  virtual void read(unsigned char* to, Index count) = 0;

  void skip(Index count) {
    std::array<unsigned char, 4096> ignored;
    for (; count > 0; count -= static_cast<Index>(ignored.size())) {
      read(ignored.data(), std::min(count, static_cast<Index>(ignored.size())));
    }
  }
};

class FileBytes final : public Bytes {
 public:
  explicit FileBytes(std::ifstream& file) : file_(file) {}
  void read(unsigned char* to, Index count) override {
    file_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
    if (!file_) throw Damage{"cannot be read"};
  }

 private:
  std::ifstream& file_;
};

// The content of the next `packed_bytes` bytes of a file, which are one zlib stream.
class UnpackedBytes final : public Bytes {
 public:
  UnpackedBytes(std::ifstream& file, Index packed_bytes) : file_(file), left_(packed_bytes), packed_(1 << 16) {
    if (inflateInit(&stream_) != Z_OK) throw Error(ErrorKind::io, "zlib cannot be started: out of memory");
  }
  ~UnpackedBytes() override { inflateEnd(&stream_); }
  UnpackedBytes(const UnpackedBytes&) = delete;
  UnpackedBytes& operator=(const UnpackedBytes&) = delete;

  void read(unsigned char* to, Index count) override {
    if (unpack(to, count) != count) throw Damage{"ends early"};
  }

  // Throws Damage unless all has been read and the checksum is right.
  void finish() {
    unsigned char beyond = 0;
    if (unpack(&beyond, 1) != 0) throw Damage{"is longer than it says"};
  }

 private:
  // Up to `count` bytes, fewer only at the end of the stream.
  Index unpack(unsigned char* to, Index count) {
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(count);
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) refill();
      const int status = inflate(&stream_, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      if (!ended_ && status != Z_OK) throw Damage{"cannot be unpacked"};
    }
    return count - static_cast<Index>(stream_.avail_out);
  }

  void refill() {
    const Index count = std::min(left_, static_cast<Index>(packed_.size()));
    file_.read(reinterpret_cast<char*>(packed_.data()), static_cast<std::streamsize>(count));
    if (count == 0 || !file_) throw Damage{"cannot be unpacked"};
    left_ -= count;
    stream_.next_in = packed_.data();
    stream_.avail_in = static_cast<unsigned>(count);
  }

  std::ifstream& file_;
  Index left_;
  std::vector<unsigned char> packed_;
  z_stream stream_{};
  bool ended_ = false;
};

class Walk {
 public:
  Walk(Bytes& bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  // The parts of a matrix that has this many bytes: flags, dimensions, name, then values or cells.
  void matrix(Index size, int depth) {
    if (depth > kMaxDepth) throw Damage{"is nested too deeply"};
    std::uint32_t matrix_class = 0;
    const Index whole = size;
    for (int part = 0; size > 0; ++part) {
      const Tag tag = read_tag(size);
      size -= kTagBytes;
      if (tag.small) continue;
      if (tag.bytes > size) throw Damage{"has a part that is longer than the whole"};
      Index seen = 0;
      if (part == 0 && tag.bytes >= 4) {
        matrix_class = read_number() & 0xFF;
        seen = 4;
      } else if (part == 1 && tag.type == kInt32) {
        check_dimensions(tag.bytes / 4, matrix_class, whole);
        seen = tag.bytes / 4 * 4;
      } else if (tag.type == kMatrix) {
        matrix(tag.bytes, depth + 1);
        seen = tag.bytes;
      }
      const Index padded = std::min((tag.bytes + 7) / 8 * 8, size);  // the last part may lack its padding
      bytes_.skip(padded - seen);
      size -= padded;
    }
  }

  // The tag and the content of one matrix.
  void element() {
    const Tag tag = read_tag(kTagBytes);
    if (tag.small || tag.type != kMatrix) throw Damage{"is not a matrix"};
    matrix(tag.bytes, 0);
  }

 private:
  struct Tag {
    std::uint32_t type = 0;
    Index bytes = 0;
    bool small = false;  // up to four bytes of content lie in the tag itself
  };

  std::uint32_t read_number() {
    std::array<unsigned char, 4> raw{};
    bytes_.read(raw.data(), 4);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | raw[big_endian_ ? i : 3 - i];
    return number;
  }

  Tag read_tag(Index size) {
    if (size < kTagBytes) throw Damage{"ends inside a part"};
    const std::uint32_t first = read_number();
    const std::uint32_t second = read_number();
    if (first >> 16 != 0) {
      if (first >> 16 > 4) throw Damage{"has a part of impossible length"};
      return {first & 0xFFFF, 0, true};
    }
    return {first, second, false};
  }

  // A number takes at least one byte and a cell has a tag.
  void check_dimensions(Index dimensions, std::uint32_t matrix_class, Index whole) {
    std::optional<Index> count = 1;
    for (Index i = 0; i < dimensions; ++i) {
      const Index length = read_number();
      count = length == 0 ? 0 : count ? size_product(*count, length) : std::nullopt;
    }
    const bool numeric = matrix_class >= kFirstNumericClass && matrix_class <= kLastNumericClass;
    if (!numeric && matrix_class != kCellClass) return;
    if (!count || *count > whole / (numeric ? 1 : kTagBytes)) throw Damage{"announces more values than it has"};
  }

  Bytes& bytes_;
  bool big_endian_;
};

// Checks the element at the file's position and returns how many bytes it takes.
Index check_element(std::ifstream& file, Index bytes_left, bool big_endian) {
  if (bytes_left < kTagBytes) throw Damage{"ends early"};
  std::array<unsigned char, 8> tag{};
  FileBytes(file).read(tag.data(), kTagBytes);
  if (big_endian) {
    std::reverse(tag.begin(), tag.begin() + 4);
    std::reverse(tag.begin() + 4, tag.end());
  }
  const auto number = [&](std::size_t at) {
    return std::uint32_t{tag[at]} | std::uint32_t{tag[at + 1]} << 8 | std::uint32_t{tag[at + 2]} << 16 |
           std::uint32_t{tag[at + 3]} << 24;
  };
  const Index size = number(4);
  if (size > bytes_left - kTagBytes) throw Damage{"reaches beyond the end of the file"};
  if (number(0) == kCompressed) {
    UnpackedBytes unpacked(file, size);
    Walk(unpacked, big_endian).element();
    unpacked.finish();
  } else if (number(0) == kMatrix) {
    FileBytes bytes(file);
    Walk(bytes, big_endian).matrix(size, 0);
  } else {
    throw Damage{"is not a matrix"};
  }
  return kTagBytes + size;
}

}  // namespace

void check_mat_file(const std::string& path) {
  std::error_code error;
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw Error(ErrorKind::io, fmt::format("{}: cannot open for reading", path));
  std::array<char, kHeaderBytes> header{};
  file.read(header.data(), kHeaderBytes);
  const std::string_view text(header.data(), header.size());
  if (!text.starts_with("MATLAB 5.0")) return;
  const bool big_endian = text.substr(126) == "MI";
  Index at = kHeaderBytes;
  try {
    if (!file) throw Damage{"ends early"};
    while (at < file_bytes) {
      file.seekg(at);
      at += check_element(file, file_bytes - at, big_endian);
    }
  } catch (const Damage& damage) {
    throw Error(ErrorKind::data, fmt::format("{}: the variable at byte {} {}; the file is truncated or damaged, get it "
                                             "again",
                                             path, at, damage.what));
  }
}

}  // namespace omvc
