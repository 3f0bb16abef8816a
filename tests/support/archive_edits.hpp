// Changes archives as somebody would who knows their layout: a number to one that makes no sense, an entry to another
// length, entries left out or swapped. The checksum is right afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <zlib.h>

namespace omvc::test {

class ArchiveEditor {
 public:
  ArchiveEditor(std::string bytes, unsigned seed) : bytes_(std::move(bytes)), random_(seed) {}

  // False if it is no archive that could be changed.
  bool edit() {
    if (!find_entries() || entries_.empty()) return false;
    for (unsigned edits = 1 + pick(3); edits > 0; --edits) {
      if (!find_entries() || entries_.empty()) return true;
      const Entry& entry = entries_[pick(entries_.size())];
      switch (pick(8)) {
        case 0:
          resize(entry);
          break;
        case 1:
          remove(entry);
          break;
        case 2:
          swap_numbers(entry);
          break;
        default:
          change(entry);
      }
    }
    return true;
  }
  // With a checksum that is right.
  const std::string& bytes() {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes_.data());
    set(bytes_.size() - 4, static_cast<std::uint32_t>(::crc32_z(0, data, bytes_.size() - 4)));
    return bytes_;
  }

 private:
  struct Entry {
    std::size_t begin;  // of its key's length
    std::size_t shape;  // of its first extent
    std::uint32_t dimensions;
    std::uint32_t type;
    std::size_t data;
    std::size_t end;
    std::uint64_t count() const { return (end - data) / sizeof(double); }
  };

  std::size_t pick(std::size_t count) { return random_() % count; }

  template <class T>
  bool take(std::size_t& at, T& value) const {
    if (at + sizeof value > bytes_.size()) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    at += sizeof value;
    return true;
  }
  template <class T>
  void set(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  bool find_entries() {
    entries_.clear();
    std::size_t at = 12;
    std::uint32_t left = 0;
    if (!take(at, left)) return false;
    for (; left > 0; --left) {
      Entry entry{at, 0, 0, 0, 0, 0};
      std::uint32_t key = 0;
      if (!take(at, key) || key > 255) return false;
      at += key;
      if (!take(at, entry.type) || !take(at, entry.dimensions) || entry.dimensions > 4) return false;
      entry.shape = at;
      std::uint64_t count = 1;
      for (std::uint32_t i = 0; i < entry.dimensions; ++i) {
        std::uint64_t extent = 0;
        if (!take(at, extent) || extent > bytes_.size()) return false;
        count *= extent;
      }
      entry.data = at;
      if (entry.type == 1 || entry.type == 2) at += count * sizeof(double);
      if (entry.type == 3) at += count;
      for (std::uint64_t i = 0; entry.type == 4 && i < count; ++i) {
        std::uint64_t size = 0;
        if (!take(at, size) || size > bytes_.size()) return false;
        at += size;
      }
      if (at + 4 > bytes_.size()) return false;
      entry.end = at;
      entries_.push_back(entry);
    }
    return true;
  }

  // One number, or one byte of a text, to another.
  void change(const Entry& entry) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array kNumbers{0.0,   1.0,    -1.0,  0.5,    2.0,        3.0,
                                  7.0,   1e308,  1e150, -1e150, 1e-308,     kInfinity,
                                  1e-20, -1e-20, 1e15,  1e300,  -kInfinity, std::numeric_limits<double>::quiet_NaN()};
    constexpr std::array<std::int64_t, 14> kIntegers{0,
                                                     1,
                                                     2,
                                                     3,
                                                     4,
                                                     -1,
                                                     -2,
                                                     255,
                                                     1 << 20,
                                                     std::int64_t{1} << 31,
                                                     std::int64_t{1} << 53,
                                                     std::int64_t{1} << 62,
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::numeric_limits<std::int64_t>::min()};
    if (entry.end == entry.data) return;
    if (entry.type == 1) {
      set(entry.data + pick(entry.count()) * sizeof(double), kNumbers[pick(kNumbers.size())]);
    } else if (entry.type == 2) {
      set(entry.data + pick(entry.count()) * sizeof(double), kIntegers[pick(kIntegers.size())]);
    } else if (entry.type == 3) {
      bytes_[entry.data + pick(entry.end - entry.data)] = static_cast<char>(random_());
    }
  }

  // One extent larger or smaller, and the elements that belong to it.
  void resize(const Entry& entry) {
    if (entry.type > 3 || entry.dimensions == 0) return;
    const std::size_t at = entry.shape + pick(entry.dimensions) * sizeof(std::uint64_t);
    const std::size_t before = entry.end - entry.data;
    std::size_t place = at;
    std::uint64_t extent = 0;
    take(place, extent);
    const std::uint64_t wanted = pick(2) == 0 ? extent + 1 : extent - std::min<std::uint64_t>(extent, 1);
    const std::size_t after = extent == 0 ? 0 : before / extent * wanted;
    set(at, extent == 0 ? std::uint64_t{0} : wanted);
    if (after > before) {
      bytes_.insert(entry.end, std::string(after - before, '\0'));
    } else {
      bytes_.erase(entry.data + after, before - after);
    }
  }

  void remove(const Entry& entry) {
    bytes_.erase(entry.begin, entry.end - entry.begin);
    set(12, static_cast<std::uint32_t>(entries_.size() - 1));
  }

  void swap_numbers(const Entry& entry) {
    if (entry.type > 2 || entry.count() < 2) return;
    const std::size_t a = entry.data + pick(entry.count()) * sizeof(double);
    const std::size_t b = entry.data + pick(entry.count()) * sizeof(double);
    std::swap_ranges(bytes_.begin() + static_cast<std::ptrdiff_t>(a),
                     bytes_.begin() + static_cast<std::ptrdiff_t>(a + sizeof(double)),
                     bytes_.begin() + static_cast<std::ptrdiff_t>(b));
  }

  std::string bytes_;
  std::minstd_rand random_;
  std::vector<Entry> entries_;
};

}  // namespace omvc::test
