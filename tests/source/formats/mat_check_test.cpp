#include "source/formats/mat_check.hpp"

#include <gtest/gtest.h>

#ifdef OMVC_WITH_MATIO

#include <cstring>

#include "omvc/source.hpp"

#include "source/formats/mat.hpp"
#include "support/chunks.hpp"
#include "support/mat_writer.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::expect_error;
using test::mat_cell;
using test::mat_doubles;
using test::mat_sparse;

class MatCheck : public testing::Test {
 protected:
  // The bytes of a file in which X is a cell with one column of three doubles. Its parts lie at
  //   128 tag, 136 flags, 152 dimensions, 168 name, and for the cell 176 tag, 184 flags, 200 dimensions, 216 name,
  //   224 values.
  std::string one_cell() {
    return test::read_bytes(test::write_mat(dir_.path("whole.mat"),
                                            {mat_cell("X", {mat_doubles(nullptr, 3, 1, {1, 2, 3})})}, MAT_FT_MAT5,
                                            MAT_COMPRESSION_NONE));
  }
  std::string with_word(std::string bytes, std::size_t at, std::uint32_t word) {
    std::memcpy(bytes.data() + at, &word, sizeof word);
    return bytes;
  }
  void expect_refused(const std::string& bytes, std::vector<std::string> parts) {
    parts.push_back("set.mat");
    const std::string path = dir_.write_file("set.mat", bytes);
    expect_error(ErrorKind::data, parts, [&] { check_mat_file(path); });
  }

  test::TempDir dir_;
};

TEST_F(MatCheck, EveryPartMustBeWhatItsClassAsksFor) {
  const std::string whole = one_cell();
  ASSERT_EQ(whole.size(), 256u);
  EXPECT_NO_THROW(check_mat_file(dir_.write_file("set.mat", whole)));
  expect_refused(with_word(whole, 188, 24), {"byte 128", "no class", "damaged"});
  expect_refused(with_word(whole, 144, 16), {"byte 128", "function", "without it"});
  expect_refused(with_word(whole, 144, 17), {"byte 128", "object", "without it"});
  expect_refused(with_word(whole, 200, 6), {"no dimensions"});
  expect_refused(with_word(whole, 204, 4), {"no dimensions"});
  expect_refused(with_word(whole, 208, 0x80000000), {"impossible dimensions"});
  expect_refused(with_word(whole, 168, 0x00010007), {"no name"});
  expect_refused(with_word(whole, 208, 4), {"more or fewer values"});
  expect_refused(with_word(whole, 224, 7), {"more or fewer values"});
  expect_refused(with_word(whole, 192, 0x0806), {"ends inside a part"});
  expect_refused(with_word(whole, 176, 9), {"not a matrix"});
  expect_refused(with_word(whole, 164, 0), {"longer than it says"});
  expect_refused(with_word(whole, 228, 25), {"longer than the whole"});
}

TEST_F(MatCheck, PositionsOfSparseEntriesAreWhole) {
  const std::string whole =
      test::read_bytes(test::write_mat(dir_.path("whole.mat"), {mat_sparse("S", 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})},
                                       MAT_FT_MAT5, MAT_COMPRESSION_NONE));
  const std::size_t rows = 176;  // 128 tag, 136 flags, 152 dimensions, 168 name, 176 rows, 200 offsets, 224 values
  EXPECT_NO_THROW(check_mat_file(dir_.write_file("set.mat", whole)));
  expect_refused(with_word(whole, rows, 12), {"positions"});
  expect_refused(with_word(whole, rows + 24, 9), {"positions"});
  expect_refused(with_word(whole, rows + 28, 8), {"columns"});
  expect_refused(with_word(whole, rows + 52, 23), {"unknown type"});
  EXPECT_NO_THROW(check_mat_file(dir_.write_file("set.mat", with_word(with_word(whole, 144, 0x0205), rows + 52, 23))))
      << "the bytes of a logical matrix";
}

TEST_F(MatCheck, TheVersionIsInItsFieldWhateverTheTextSays) {
  std::string bytes = with_word(one_cell(), 0, 0);
  EXPECT_NO_THROW(check_mat_file(dir_.write_file("set.mat", bytes)));
  expect_refused(with_word(bytes, 208, 1u << 30), {"more or fewer values"});
  expect_refused(with_word(bytes, 124, 0x4D490300), {"version", "-v7"});
  expect_refused(bytes.substr(0, 127), {"truncated"});
}

TEST_F(MatCheck, StructsAndTextBesideTheViewsAreFine) {
  const std::string path =
      test::write_mat(dir_.path("set.mat"), {test::mat_struct("info", {{"note", test::mat_text(nullptr, "hello")},
                                                                       {"sizes", mat_doubles(nullptr, 1, 2, {1, 2})}}),
                                             mat_cell("X", {mat_doubles(nullptr, 1, 1, {1})})});
  EXPECT_EQ(open_mat(path).source->size(), 1);
}

// Each word of a file in turn becomes a number that sizes, types and classes are likely to be damaged by.
TEST_F(MatCheck, ADamagedWordIsRefusedOrReadAndNothingElse) {
  const std::string whole =
      test::read_bytes(test::write_mat(dir_.path("whole.mat"),
                                       {mat_cell("X", {mat_doubles(nullptr, 3, 1, {1, 2, 3}),
                                                       mat_sparse(nullptr, 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})}),
                                        mat_doubles("Y", 3, 1, {1, 2, 1})},
                                       MAT_FT_MAT5, MAT_COMPRESSION_NONE));
  const std::string path = dir_.path("set.mat");
  int read = 0;
  int refused = 0;
  for (std::size_t at = 128; at < whole.size(); at += 4) {
    for (const std::uint32_t word : {0u, 1u, 5u, 16u, 24u, 0x00040005u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      dir_.write_file("set.mat", with_word(whole, at, word));
      try {
        const Input input = open_mat(path);
        check_chunk(read_all(*input.source), input.source->schema());
        ++read;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace omvc

#endif
