// A sound ZIP archive of arrays that need not be: how npz_arrays.cpp reads its bytes, and how seeds.cpp writes them.
//
// Arrays follow each other, kNextArray between them; each is its name, a line break and the bytes of its NPY file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

namespace omvc::fuzz {

constexpr std::string_view kNextArray = "\xFF|\xFF";

// Writes stored entries with their right sizes and checksums.
class StoredZip {
 public:
  void add(const std::string& name, std::string_view content) {
    const auto sum = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const unsigned char*>(content.data()), content.size()));
    const auto size = static_cast<std::uint32_t>(content.size());
    std::string common;  // what both headers of an entry hold: version, flags, method, time, date, CRC, sizes, lengths
    put(common, {20, 0, 0, 0, 0}, 2);
    put(common, {sum, size, size}, 4);
    put(common, {static_cast<std::uint32_t>(name.size()), 0}, 2);
    directory_ += "PK\x01\x02";
    put(directory_, {20}, 2);
    directory_ += common;
    put(directory_, {0, 0, 0}, 2);
    put(directory_, {0, static_cast<std::uint32_t>(entries_.size())}, 4);
    directory_ += name;
    entries_ += "PK\x03\x04" + common + name;
    entries_ += content;
    ++count_;
  }

  std::string bytes() const {
    std::string out = entries_ + directory_ + "PK\x05\x06";
    put(out, {0, 0, count_, count_}, 2);
    put(out, {static_cast<std::uint32_t>(directory_.size()), static_cast<std::uint32_t>(entries_.size())}, 4);
    put(out, {0}, 2);
    return out;
  }

 private:
  static void put(std::string& out, std::initializer_list<std::uint32_t> numbers, int bytes) {
    for (const std::uint32_t number : numbers) {
      for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xFF);
    }
  }

  std::string entries_;
  std::string directory_;
  std::uint32_t count_ = 0;
};

}  // namespace omvc::fuzz
