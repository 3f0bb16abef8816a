// The file format of models and checkpoints: named, typed arrays, with a version and a checksum. All numbers are
// little-endian.
//
//     1. 8 bytes     magic: 'O' 'M' 'V' 'C' 0x0D 0x0A 0x1A 0x0A (a text-mode copy breaks it)
//     2. u32         version of this layout: 2
//     3. u32         number of entries
//     4. entries, each:
//          u32       length of the key, at most 255
//          bytes     key, ASCII, such as "view0/basis"; unique in the file
//          u32       type: 1 = float64, 2 = int64, 3 = text (bytes, as a rule UTF-8), 4 = list of texts
//          u32       number of dimensions, at most 4
//          u64 each  dimensions; their product is the number of elements
//          elements  8 bytes each (types 1 and 2), 1 byte each (type 3), or (type 4) each a u64, its length, and its
//          bytes
//     5. u32         CRC-32 (as in zlib) of everything before it
//
// Version 1 has no lists: they are texts of type 3 with newlines between, which is why it cannot hold every name. It is
// read as ever.
//
// Reading is hostile territory: every length is checked against the bytes that are there before memory is taken, and a
// file that is truncated, altered or longer than it says is refused with a message.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "chunk/matrix.hpp"

namespace omvc {

// What the numbers of an entry may be. NaN is in no range.
struct Range {
  double low = -1e300;
  double high = 1e300;
};
inline constexpr Range kFinite{};
inline constexpr Range kNonnegative{0, 1e300};
inline constexpr Range kCount{0, 9007199254740992.0};  // 2^53: beyond it a double does not count
inline constexpr Range kSquarable{-1e150, 1e150};      // their squares, and sums of them, are finite
inline constexpr Range kNarrow{-1e15, 1e15};           // the same in single precision

class Archive {
 public:
  void put(const std::string& key, double value) { put(key, std::vector<double>{value}); }
  void put(const std::string& key, std::vector<double> values);
  void put(const std::string& key, std::vector<Index> values);
  void put(const std::string& key, const Matrix& matrix);
  void put(const std::string& key, std::string text);
  void put(const std::string& key, std::vector<std::string> texts);

  // Each throws ErrorKind::data, naming the key, if the entry is absent, of another type or shape, or out of range.
  bool has(const std::string& key) const { return entries_.contains(key); }
  double number(const std::string& key) const;
  double number(const std::string& key, Range range) const;
  const std::vector<double>& numbers(const std::string& key) const;
  const std::vector<double>& numbers(const std::string& key, Range range) const;
  const std::vector<Index>& integers(const std::string& key) const;
  Matrix matrix(const std::string& key) const;
  Matrix matrix(const std::string& key, Index rows, Index cols, Range range = kFinite) const;
  Vector vector(const std::string& key, Index size, Range range = kFinite) const;
  const std::string& text(const std::string& key) const;
  std::vector<std::string> lines(const std::string& key) const;  // a list of texts

  // Writes atomically, and reads it back before it replaces what was there; ErrorKind::io if it cannot be written.
  void save(const std::string& path) const;
  // ErrorKind::io if it cannot be read, ErrorKind::data if it is no sound archive.
  static Archive load(const std::string& path);
  // Whether the file starts like an archive.
  static bool is_archive(const std::string& path);

  // The same through memory. `name` stands for the file in messages.
  std::string to_bytes() const;
  static Archive from_bytes(std::string_view bytes, const std::string& name);

 private:
  struct Entry {
    std::vector<std::uint64_t> shape;
    std::variant<std::vector<double>, std::vector<Index>, std::string, std::vector<std::string>> data;
  };
  const Entry& entry(const std::string& key) const;
  template <class F>
  void for_pieces(const F& emit) const;
  template <class T>
  const T& data_of(const std::string& key) const;

  std::map<std::string, Entry> entries_;
  std::string name_ = "model";
};

}  // namespace omvc
