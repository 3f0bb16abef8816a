#include "source/formats/npy.hpp"

#include <gtest/gtest.h>

#include "support/chunks.hpp"
#include "support/npz_writer.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::bytes_of;
using test::dense_rows;
using test::expect_error;
using test::kNan;
using test::npy;
using test::Rows;

class Npy : public testing::Test {
 protected:
  std::unique_ptr<ViewReader> open(const std::string& content) {
    return open_npy(dir_.write_file("view.npy", content), "view");
  }
  Rows read(const std::string& content) {
    const ViewRows rows = open(content)->read(1000);
    return dense_rows(rows.view, rows.instances);
  }
  template <class T>
  void expect_type(const std::string& descr) {
    EXPECT_EQ(read(npy(descr, "(2, 3)", bytes_of(std::vector<T>{1, 2, 3, 4, 5, 100}))), (Rows{{1, 2, 3}, {4, 5, 100}}))
        << descr;
  }
  void expect_refused(const std::string& content, std::vector<std::string> parts) {
    parts.push_back("view.npy");
    expect_error(ErrorKind::data, parts, [&] { open(content); });
  }

  test::TempDir dir_;
};

TEST_F(Npy, ReadsEveryType) {
  expect_type<float>("<f4");
  expect_type<double>("<f8");
  expect_type<std::int8_t>("|i1");
  expect_type<std::uint8_t>("|u1");
  expect_type<std::int16_t>("<i2");
  expect_type<std::uint16_t>("<u2");
  expect_type<std::int32_t>("<i4");
  expect_type<std::uint32_t>("<u4");
  expect_type<std::int64_t>("<i8");
  expect_type<std::uint64_t>("<u8");
  EXPECT_EQ(read(npy("|b1", "(2, 2)", std::string("\1\0\0\1", 4))), (Rows{{1, 0}, {0, 1}}));
  EXPECT_EQ(read(npy("<i2", "(1, 2)", bytes_of(std::vector<std::int16_t>{-5, -300}))), (Rows{{-5, -300}}));
}

TEST_F(Npy, TransposedColumnsAreInstances) {
  const Rows expected{{1, 4}, {2, 5}, {3, 6}};
  for (const bool fortran : {false, true}) {
    const std::vector<double> values =
        fortran ? std::vector<double>{1, 4, 2, 5, 3, 6} : std::vector<double>{1, 2, 3, 4, 5, 6};
    const std::string path = dir_.write_file("view.npy", npy("<f8", "(2, 3)", bytes_of(values), fortran));
    const auto reader = open_npy(path, "view", {.transpose = true});
    EXPECT_EQ(reader->rows(), 3);
    const ViewRows rows = reader->read(10);
    EXPECT_EQ(dense_rows(rows.view, rows.instances), expected) << fortran;
  }
}

TEST_F(Npy, KeepsFloatAsFloat) {
  const std::string data = bytes_of(std::vector<float>{1, 2, 3, 4});
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(open(npy("<f4", "(2, 2)", data))->read(2).view.block));
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(open(npy("<f4", "(2, 2)", data, true))->read(2).view.block));
  EXPECT_TRUE(std::holds_alternative<DenseBlock<double>>(open(npy("<i4", "(2, 2)", data))->read(2).view.block));
}

TEST_F(Npy, ReadsAllVersionsAndFortranOrder) {
  const std::string by_row = bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6});
  const std::string by_column = bytes_of(std::vector<double>{1, 4, 2, 5, 3, 6});
  const Rows expected{{1, 2, 3}, {4, 5, 6}};
  for (const char version : {'\1', '\2', '\3'}) EXPECT_EQ(read(npy("<f8", "(2, 3)", by_row, false, version)), expected);
  EXPECT_EQ(read(npy("<f8", "(2, 3)", by_column, true)), expected);
  expect_refused(npy("<f8", "(2, 3)", by_row, false, 4), {"version 4"});
}

TEST_F(Npy, StreamsRowsAndRewinds) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i == 4 || i == 5 ? kNan : i);
  const auto reader = open(npy("<f8", "(10, 2)", bytes_of(values)));
  EXPECT_EQ(reader->rows(), 10);
  const Rows all = read(npy("<f8", "(10, 2)", bytes_of(values)));
  EXPECT_TRUE(all[2].empty());
  for (int pass = 0; pass < 2; ++pass) {
    Rows pieces;
    for (const Index expected : {4, 4, 2, 0}) {
      const ViewRows rows = reader->read(4);
      ASSERT_EQ(rows.instances, expected);
      for (auto& row : dense_rows(rows.view, rows.instances)) pieces.push_back(std::move(row));
    }
    EXPECT_EQ(pieces, all);
    ASSERT_TRUE(reader->rewind());
  }
}

TEST_F(Npy, ErrorsNameTheRowOfTheFile) {
  const auto reader = open(npy("<f8", "(3, 2)", bytes_of(std::vector<double>{1, 2, 3, 4, 5, test::kInf})));
  reader->read(2);
  expect_error(ErrorKind::data, {"view.npy", "row 2, column 1"}, [&] { reader->read(2); });
}

TEST_F(Npy, ChecksTheSizeBeforeTakingMemory) {
  const std::string six = bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6});
  expect_refused(npy("<f8", "(3, 3)", six), {"72 bytes", "has 48", "truncated"});
  expect_refused(npy("<f8", "(2, 2)", six), {"32 bytes", "has 48"});
  expect_refused(npy("<f8", "(4611686018427387904, 4)", six), {"far too many"});
  expect_refused(npy("<f8", "(1000000000, 1000000)", six), {"truncated"});
  expect_refused(npy("<f8", "(99999999999999999999, 1)", six), {"shape"});
}

TEST_F(Npy, EveryTruncationIsRefused) {
  const std::string whole = npy("<f8", "(2, 3)", bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6}));
  for (std::size_t size = 0; size < whole.size(); ++size) expect_refused(whole.substr(0, size), {});
}

TEST_F(Npy, SaysWhatToDoAboutOtherArrays) {
  const std::string six = bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6});
  expect_refused(npy("<f8", "(6,)", six), {"1 dimension;", "reshape(-1, 1)"});
  expect_refused(npy("<f8", "(1, 2, 3)", six), {"3 dimensions"});
  expect_refused(npy("<f8", "(0, 3)", ""), {"0 x 3"});
  expect_refused(npy(">f8", "(2, 3)", six), {"'>f8'", "astype"});
  expect_refused(npy("|O", "(2, 3)", six), {"'|O'"});
  expect_refused("1,2,3\n4,5,6\n", {"not an NPY file"});
  std::string no_shape = npy("<f8", "(2, 3)", six);
  no_shape.replace(no_shape.find("shape"), 5, "shope");
  expect_refused(no_shape, {"'shape'"});
}

}  // namespace
}  // namespace omvc
