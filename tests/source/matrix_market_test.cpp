#include "source/matrix_market.hpp"

#include <gtest/gtest.h>

#include "support/chunks.hpp"
#include "support/data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

class MatrixMarket : public testing::Test {
 protected:
  Rows read(const std::string& content) {
    const auto reader = open_matrix_market(dir_.write_file("view.mtx", content), "view");
    const ViewRows rows = reader->read(1000);
    return dense_rows(rows.view, rows.instances);
  }
  void expect_refused(const std::string& content, std::vector<std::string> parts) {
    parts.push_back("view.mtx");
    expect_error(ErrorKind::data, parts, [&] { read(content); });
  }

  test::TempDir dir_;
};

TEST_F(MatrixMarket, ReadsCoordinateEntriesInAnyOrder) {
  EXPECT_EQ(read(kReal + "% comment\n\n3 4 4\n3 4 -1.5\n1 2 2\n3 1 1e1\n1 1 7\n"),
            (Rows{{7, 2, 0, 0}, {0, 0, 0, 0}, {10, 0, 0, -1.5}}));
  EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate Integer General\r\n1 2 1\r\n1 2 3\r\n"), (Rows{{0, 3}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1"), (Rows{{0, 1}, {1, 0}}));
}

TEST_F(MatrixMarket, MirrorsSymmetricMatrices) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n"),
            (Rows{{1, 2, 0}, {2, 0, 3}, {0, 3, 0}}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"), (Rows{{1, 2}, {2, 3}}));
}

TEST_F(MatrixMarket, ReadsArraysByColumn) {
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n"), (Rows{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n2 2\n1\nnan\n2\nnan\n"), (Rows{{1, 2}, {}}));
}

TEST_F(MatrixMarket, ARowOfNanEntriesIsAbsent) {
  EXPECT_EQ(read(kReal + "3 2 2\n1 1 5\n3 2 nan\n"), (Rows{{5, 0}, {0, 0}, {}}));
}

TEST_F(MatrixMarket, IsReadInPiecesAndFromGzip) {
  const auto reader = open_matrix_market(dir_.write_gzip("view.mtx.gz", kReal + "3 2 2\n3 1 5\n1 2 6\n"), "view");
  EXPECT_EQ(reader->rows(), 3);
  for (int pass = 0; pass < 2; ++pass) {
    Rows rows;
    while (true) {
      const ViewRows piece = reader->read(1);
      if (piece.instances == 0) break;
      rows.push_back(dense_rows(piece.view, 1).front());
    }
    EXPECT_EQ(rows, (Rows{{0, 6}, {0, 0}, {5, 0}}));
    ASSERT_TRUE(reader->rewind());
  }
}

TEST_F(MatrixMarket, NamesTheLineOfBadEntries) {
  expect_refused(kReal + "2 2 1\n3 1 1\n", {":3:", "row 3", "1 .. 2"});
  expect_refused(kReal + "2 2 1\n1 0 1\n", {":3:", "column 0"});
  expect_refused(kReal + "2 2 1\n1 1\n", {":3:", "expected 3 numbers", "found 2"});
  expect_refused(kReal + "2 2 1\n1 1 x\n", {":3:", "'x'"});
  expect_refused(kReal + "2 2 1\n1 1 inf\n", {":3:", "infinite"});
  expect_refused(kReal + "2 2 1\n1.5 1 1\n", {":3:", "'1.5'", "whole number"});
  expect_refused(kReal + "2 2 3\n2 1 1\n1 1 1\n2 1 4\n", {":5:", "row 2, column 1", "before"});
  expect_refused(kReal + "2 2 1\n1 1 1\n2 2 1\n", {":4:", "more entries"});
  expect_refused(kReal + "2 2 2\n1 1 nan\n1 2 3\n", {"row 0, column 0", "NaN"});
}

TEST_F(MatrixMarket, RefusesTruncatedFiles) {
  expect_refused(kReal + "2 2 3\n1 1 1\n", {"3 entries", "has 1", "truncated"});
  expect_refused(kReal, {"sizes"});
  expect_refused("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", {"4 values", "has 3"});
  expect_refused("", {"%%MatrixMarket"});
}

TEST_F(MatrixMarket, TakesNoMemoryForSizesThatAreOnlyAnnounced) {
  expect_refused(kReal + "2 2 999999999999999\n1 1 1\n", {"has 1"});
  expect_refused(kReal + "999999999999 2 1\n1 1 1\n", {"999999999999 rows"});
  expect_refused(kReal + "9223372036854775807 2 9223372036854775807\n1 1 1\n", {"has 1"});
  expect_refused(kReal + "2 9999999999 1\n1 1 1\n", {"9999999999 columns"});
  expect_refused(kReal + "99999999999999999999 2 1\n1 1 1\n", {":2:"});
  expect_refused("%%MatrixMarket matrix array real general\n4611686018427387904 4\n1\n", {":2:"});
  expect_refused("%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n", {"has 1"});
}

TEST_F(MatrixMarket, RefusesKindsItDoesNotKnow) {
  expect_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", {":1:", "'complex'"});
  expect_refused("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", {":1:", "'hermitian'"});
  expect_refused("%%MatrixMarket matrix array pattern general\n1 1\n", {":1:", "'pattern'"});
  expect_refused("%%MatrixMarket matrix coordinate real symmetric\n1 2 1\n1 1 1\n", {":2:", "square"});
  expect_refused(kReal + "0 2 0\n", {"0 x 2"});
}

TEST_F(MatrixMarket, ReadsCiteSeq) {
  OMVC_NEED_DATA("citeseq/RNA_cells_x_genes.mtx.gz");
  const auto reader = open_matrix_market(test::data_path("citeseq/RNA_cells_x_genes.mtx.gz"), "RNA");
  EXPECT_EQ(reader->rows(), 1372);
  EXPECT_EQ(reader->schema().features, 33538);
  const ViewRows rows = reader->read(2000);
  EXPECT_EQ(std::get<CsrBlock<double>>(rows.view.block).nonzeros(), 1352128);
}

}  // namespace
}  // namespace omvc
