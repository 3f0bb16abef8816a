#include "file/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace omvc {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;  // reflected
constexpr std::size_t kAtOnce = 8;                 // bytes

using Tables = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

// tables[k][b] is what byte b does to the remainder when k bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < kAtOnce; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t checksum(std::uint32_t before, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t size = bytes.size();
  std::uint32_t rest = ~before;
  for (; size >= kAtOnce; size -= kAtOnce, next += kAtOnce) {
    std::uint64_t word = 0;
    std::memcpy(&word, next, kAtOnce);
    word ^= rest;
    rest = 0;
    for (std::size_t k = 0; k < kAtOnce; ++k) rest ^= kTables[kAtOnce - 1 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; size > 0; --size, ++next) rest = (rest >> 8) ^ kTables[0][(rest ^ *next) & 0xFF];
  return ~rest;
}

}  // namespace omvc
