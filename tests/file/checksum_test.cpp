#include "file/checksum.hpp"

#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace omvc {
namespace {

TEST(Checksum, IsThatOfZlibForEveryLengthAndPlace) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 131 + i / 7);
  for (std::size_t first = 0; first < 9; ++first) {
    for (std::size_t size = 0; first + size <= bytes.size(); ++size) {
      const std::string_view piece = std::string_view(bytes).substr(first, size);
      const auto expected = ::crc32_z(77, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
      ASSERT_EQ(checksum(77, piece), expected) << first << ", " << size;
    }
  }
}

TEST(Checksum, GoesOnFromWhatCameBefore) {
  const std::string bytes = "incomplete multi-view data as a stream";
  for (std::size_t at = 0; at <= bytes.size(); ++at) {
    const std::string_view all = bytes;
    EXPECT_EQ(checksum(checksum(0, all.substr(0, at)), all.substr(at)), checksum(0, all));
  }
}

}  // namespace
}  // namespace omvc
