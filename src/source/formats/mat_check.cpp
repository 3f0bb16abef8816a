#include "source/formats/mat_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <string_view>

#include "omvc/error.hpp"

#include "source/formats/mat_bytes.hpp"
#include "source/formats/sizes.hpp"

namespace omvc {
namespace {

constexpr Index kHeaderBytes = 128;
constexpr Index kTagBytes = 8;
constexpr int kMaxDepth = 16;  // of cells in cells

// Types of parts.
constexpr std::uint32_t kInt8 = 1;
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kUint32 = 6;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint32_t kUtf8 = 16;
constexpr std::uint32_t kUtf32 = 18;

// Classes of matrices.
constexpr std::uint32_t kCellClass = 1;
constexpr std::uint32_t kStructClass = 2;
constexpr std::uint32_t kObjectClass = 3;
constexpr std::uint32_t kCharClass = 4;
constexpr std::uint32_t kSparseClass = 5;
constexpr std::uint32_t kLastNumericClass = 15;
constexpr std::uint32_t kLogicalFlag = 0x0200;
constexpr std::uint32_t kComplexFlag = 0x0800;

// The bytes that a number of this type takes; 0 for what is not a number.
Index number_bytes(std::uint32_t type) {
  constexpr std::array<Index, 14> kBytes{0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  return type < kBytes.size() ? kBytes[type] : 0;
}

// Follows the parts of a matrix. `left` counts the bytes of the matrix that come after what has been read.
class Walk {
 public:
  Walk(MatBytes& bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  struct Tag {
    std::uint32_t type;
    std::uint32_t bytes;
  };
  Tag read_tag() {
    const std::uint32_t type = read_number();
    return {type, read_number()};
  }

  // Flags, dimensions and name, then what the class asks for.
  void matrix(Index left, int depth) {
    if (depth > kMaxDepth) throw MatDamage{"is nested too deeply"};
    const std::uint32_t flags = read_flags(left);
    const std::uint32_t matrix_class = flags & 0xFF;
    if (matrix_class < kCellClass || matrix_class > kLastNumericClass) {
      throw MatDamage{"is an object that cannot be read, such as a table, a string array or a function",
                      "save the matrices alone, without it"};
    }
    const Shape shape = read_shape(left);
    const Part name = next_part(left);
    if (name.type != kInt8 && name.type != kUtf8) throw MatDamage{"has no name"};
    bytes_.skip(name.padded);
    if (matrix_class == kCellClass) {
      matrices(shape.count, left, depth);
    } else if (matrix_class == kStructClass || matrix_class == kObjectClass) {
      if (matrix_class == kObjectClass) bytes_.skip(next_part(left).padded);
      fields(shape.count, left, depth);
    } else if (matrix_class == kCharClass) {
      characters(left);
    } else {
      const bool sparse = matrix_class == kSparseClass;
      if (sparse) positions(shape.cols, left);
      for (int part = 0; part < ((flags & kComplexFlag) != 0 ? 2 : 1); ++part) {
        const Index found = numbers(left, sparse && (flags & kLogicalFlag) != 0);
        if (found != shape.count && !sparse) throw MatDamage{"announces more or fewer values than it has"};
      }
    }
    if (left != 0) throw MatDamage{"is longer than it says"};
  }

 private:
  struct Part {
    std::uint32_t type = 0;
    Index bytes = 0;
    Index padded = 0;           // how many bytes the content takes up, which are the next to be read
    std::uint32_t content = 0;  // of a part of up to four bytes, which lies in its tag: padded is 0 then
  };
  struct Shape {
    Index count = 1;
    Index cols = 0;
  };

  std::uint32_t read_number() {
    std::array<unsigned char, 4> raw{};
    bytes_.read(raw.data(), 4);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | raw[big_endian_ ? i : 3 - i];
    return number;
  }

  // Reads the tag of the next part and takes the whole part off `left`.
  Part next_part(Index& left) {
    if (left < kTagBytes) throw MatDamage{"ends inside a part"};
    const Tag tag = read_tag();
    left -= kTagBytes;
    if (tag.type >> 16 != 0) {
      if (tag.type >> 16 > 4) throw MatDamage{"has a part of impossible length"};
      return {tag.type & 0xFFFF, tag.type >> 16, 0, tag.bytes};
    }
    if (tag.bytes > left) throw MatDamage{"has a part that is longer than the whole"};
    const Index padded = std::min((Index{tag.bytes} + 7) / 8 * 8, left);  // the last part may lack its padding
    left -= padded;
    return {tag.type, tag.bytes, padded, 0};
  }

  std::uint32_t read_flags(Index& left) {
    const Part part = next_part(left);
    if (part.type != kUint32 || part.padded != 8 || part.bytes != 8) throw MatDamage{"has no class"};
    const std::uint32_t flags = read_number();
    bytes_.skip(4);
    return flags;
  }

  Shape read_shape(Index& left) {
    const Part part = next_part(left);
    if (part.type != kInt32 || part.bytes < 8 || part.bytes % 4 != 0) throw MatDamage{"has no dimensions"};
    Shape shape;
    bool empty = false;
    for (Index i = 0; i < part.bytes / 4; ++i) {
      const Index length = read_number();
      const auto count = size_product(shape.count, std::max<Index>(length, 1));
      if (length > std::numeric_limits<std::int32_t>::max() || !count) throw MatDamage{"has impossible dimensions"};
      shape.count = *count;
      if (i == 1) shape.cols = length;
      empty |= length == 0;
    }
    bytes_.skip(part.padded - part.bytes);
    if (empty) shape.count = 0;
    return shape;
  }

  // A part of numbers; returns how many. MATLAB calls the bytes of a logical sparse matrix doubles.
  Index numbers(Index& left, bool logical_sparse) {
    const Part part = next_part(left);
    const Index size = logical_sparse ? 1 : number_bytes(part.type);
    if (size == 0 || part.bytes % size != 0) throw MatDamage{"has values of an unknown type"};
    bytes_.skip(part.padded);
    return part.bytes / size;
  }

  // The row numbers and offsets of a sparse matrix. MATLAB may keep room for more entries than there are, so only the
  // number of offsets must be right.
  void positions(Index cols, Index& left) {
    for (const bool offsets : {false, true}) {
      const Part part = next_part(left);
      if (part.type != kInt32 && part.type != kUint32) throw MatDamage{"has positions of an unknown type"};
      if (part.bytes % 4 != 0 || (offsets && part.bytes / 4 != cols + 1)) {
        throw MatDamage{"announces more or fewer columns than it has"};
      }
      bytes_.skip(part.padded);
    }
  }

  // How many bytes a character takes varies, and not all writers count them right.
  void characters(Index& left) {
    const Part part = next_part(left);
    const bool utf = part.type >= kUtf8 && part.type <= kUtf32;
    if (!utf && number_bytes(part.type) == 0) throw MatDamage{"has characters of an unknown type"};
    bytes_.skip(part.padded);
  }

  void matrices(Index count, Index& left, int depth) {
    if (count > left / kTagBytes) throw MatDamage{"announces more cells than it has"};
    for (Index i = 0; i < count; ++i) {
      const Part part = next_part(left);
      if (part.type != kMatrix || part.padded != part.bytes) throw MatDamage{"has a cell that is not a matrix"};
      if (part.bytes > 0) matrix(part.bytes, depth + 1);  // an empty cell may have no content at all
    }
  }

  // The length of the fields' names, the names, and a matrix for every field of every element.
  void fields(Index count, Index& left, int depth) {
    const Part length = next_part(left);
    if (length.type != kInt32 || length.bytes != 4) throw MatDamage{"has no length of field names"};
    const Index name_bytes = length.padded == 0 ? length.content : read_number();
    bytes_.skip(std::max<Index>(length.padded - 4, 0));
    const Part names = next_part(left);
    if (names.type != kInt8 || name_bytes < 1 || names.bytes % name_bytes != 0) throw MatDamage{"has no field names"};
    bytes_.skip(names.padded);
    const auto total = size_product(count, names.bytes / name_bytes);
    if (!total) throw MatDamage{"has impossible dimensions"};
    matrices(*total, left, depth);
  }

  MatBytes& bytes_;
  bool big_endian_;
};

// Checks the element at the file's position and returns how many bytes it takes.
Index check_element(std::ifstream& file, Index bytes_left, bool big_endian) {
  if (bytes_left < kTagBytes) throw MatDamage{"ends early"};
  MatFileBytes bytes(file);
  Walk walk(bytes, big_endian);
  const Walk::Tag tag = walk.read_tag();
  const Index size = tag.bytes;
  if (size > bytes_left - kTagBytes) throw MatDamage{"reaches beyond the end of the file"};
  if (tag.type == kMatrix) {
    walk.matrix(size, 0);
  } else if (tag.type == kCompressed) {
    MatUnpackedBytes unpacked(file, size);
    Walk inner(unpacked, big_endian);
    const Walk::Tag matrix = inner.read_tag();
    if (matrix.type != kMatrix) throw MatDamage{"is not a matrix"};
    inner.matrix(matrix.bytes, 0);
    unpacked.finish();
  } else {
    throw MatDamage{"is not a matrix"};
  }
  return kTagBytes + size;
}

enum class Version { five_little, five_big, seven_three, other };

Version version_of(std::string_view header) {
  const std::string_view bytes = header.substr(124);
  if (bytes == std::string_view("\x00\x01IM", 4)) return Version::five_little;
  if (bytes == std::string_view("\x01\x00MI", 4)) return Version::five_big;
  if (bytes == std::string_view("\x00\x02IM", 4)) return Version::seven_three;
  return Version::other;
}

}  // namespace

void check_mat_file(const std::string& path) {
  std::error_code error;
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw Error(ErrorKind::io, fmt::format("{}: cannot open for reading", path));
  std::array<char, kHeaderBytes> header{};
  file.read(header.data(), kHeaderBytes);
  const Version version = version_of({header.data(), header.size()});
  if (version == Version::seven_three) return;
  if (version == Version::other) {
    throw Error(ErrorKind::data, fmt::format("{}: is not a MAT file of version 5 or 7.3, or is truncated; in MATLAB "
                                             "save it with -v7",
                                             path));
  }
  Index at = kHeaderBytes;
  try {
    while (at < file_bytes) {
      file.seekg(at);
      at += check_element(file, file_bytes - at, version == Version::five_big);
    }
  } catch (const MatDamage& damage) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the variable at byte {} {}; {}", path, at, damage.what, damage.advice));
  }
}

}  // namespace omvc
