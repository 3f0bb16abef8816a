#include "file/archive.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "omvc/error.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

Archive example() {
  Archive archive;
  archive.put("number", 2.5);
  archive.put("integers", std::vector<Index>{-1, 7});
  archive.put("matrix", Matrix(Matrix::Ones(2, 3)));
  archive.put("text", std::string("paper"));
  archive.put("lines", std::vector<std::string>{"a", "", "c"});
  archive.put("none", std::vector<std::string>{});
  return archive;
}

TEST(Archive, GivesBackWhatWasPut) {
  const Archive archive = Archive::from_bytes(example().to_bytes(), "test");
  EXPECT_EQ(archive.number("number"), 2.5);
  EXPECT_EQ(archive.integers("integers"), (std::vector<Index>{-1, 7}));
  EXPECT_EQ(archive.matrix("matrix"), Matrix(Matrix::Ones(2, 3)));
  EXPECT_EQ(archive.text("text"), "paper");
  EXPECT_EQ(archive.lines("lines"), (std::vector<std::string>{"a", "", "c"}));
  EXPECT_TRUE(archive.lines("none").empty());
  EXPECT_FALSE(archive.has("absent"));
}

TEST(Archive, AnyTextSurvivesInAList) {
  using Texts = std::vector<std::string>;
  const std::string all_bytes = [] {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
  }();
  for (const Texts& texts : {Texts{"two\nlines", "\n", "", "\r\n"}, Texts{""}, Texts{"", ""}, Texts{all_bytes}}) {
    Archive archive;
    archive.put("names", texts);
    EXPECT_EQ(Archive::from_bytes(archive.to_bytes(), "test").lines("names"), texts);
  }
}

// What is no archive is refused by its first bytes: this one never ends.
TEST(Archive, AFileThatIsNoneIsNotReadToItsEnd) {
  test::expect_error(ErrorKind::data, {"/dev/zero", "does not start like one"}, [] { Archive::load("/dev/zero"); });
}

TEST(Archive, SurvivesAFile) {
  const test::TempDir folder;
  const std::string path = folder.path("model.omvc");
  example().save(path);
  EXPECT_EQ(Archive::load(path).to_bytes(), example().to_bytes());
}

TEST(Archive, RefusesToBeReadAsSomethingElse) {
  const Archive archive = example();
  EXPECT_THROW(archive.number("absent"), Error);
  EXPECT_THROW(archive.number("integers"), Error);
  EXPECT_THROW(archive.matrix("matrix", 3, 2), Error);
  EXPECT_THROW(archive.vector("matrix", 5), Error);
  EXPECT_THROW(archive.matrix("number"), Error);
}

TEST(Archive, TruncatedAtEveryByteIsRefused) {
  const std::string bytes = example().to_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(Archive::from_bytes(std::string_view(bytes).substr(0, size), "test"), Error) << size;
  }
}

TEST(Archive, EveryFlippedBitIsRefused) {
  std::string bytes = example().to_bytes();
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    EXPECT_THROW(Archive::from_bytes(bytes, "test"), Error) << i;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
  }
  EXPECT_THROW(Archive::from_bytes(bytes + "x", "test"), Error);
}

// A file may be wrong and still carry a checksum that matches: here one number in it is replaced.
std::string with_number(std::string bytes, std::size_t at, std::uint64_t number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
  const auto crc = [](std::string_view data) {  // CRC-32 bit by bit, the definition
    std::uint32_t sum = 0xFFFFFFFFu;
    for (const char c : data) {
      sum ^= static_cast<unsigned char>(c);
      for (int k = 0; k < 8; ++k) sum = (sum >> 1) ^ (0xEDB88320u & (0u - (sum & 1u)));
    }
    return ~sum;
  }(std::string_view(bytes).substr(0, bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &crc, 4);
  return bytes;
}

TEST(Archive, HugeSizesTakeNoMemory) {
  const std::string bytes = example().to_bytes();
  const std::size_t at = bytes.find("integers") + 8 + 8;  // past the key, the type and the number of dimensions
  const std::string huge = with_number(bytes, at, std::uint64_t{1} << 61);
  test::expect_error(ErrorKind::data, {"test", "ends too early"}, [&] { Archive::from_bytes(huge, "test"); });
}

TEST(Archive, AnExtentBesideZeroIsBoundedToo) {
  Archive archive;
  archive.put("matrix", Matrix(0, 3));
  const std::string bytes = archive.to_bytes();
  const std::size_t second = bytes.find("matrix") + 6 + 8 + 8;
  const std::string negative = with_number(bytes, second, std::uint64_t{1} << 63);
  test::expect_error(ErrorKind::data, {"test", "too large"}, [&] { Archive::from_bytes(negative, "test"); });
}

TEST(Archive, SaysWhichFileCannotBeReadOrWritten) {
  test::expect_error(ErrorKind::io, {"/nonexistent/model"}, [] { Archive::load("/nonexistent/model"); });
  test::expect_error(ErrorKind::io, {"/nonexistent/model"}, [] { example().save("/nonexistent/model"); });
}

}  // namespace
}  // namespace omvc
