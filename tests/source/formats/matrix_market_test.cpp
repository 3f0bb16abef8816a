#include "source/formats/matrix_market.hpp"

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

// What open_matrix_market finds in the folder of `matrix`.
struct Market {
  Rows rows;
  std::vector<std::string> ids;
  std::vector<std::string> features;
  bool operator==(const Market&) const = default;
};

Market read_market(const std::string& path, bool transpose = false) {
  const auto reader = open_matrix_market(path, "view", {.transpose = transpose});
  const ViewRows rows = reader->read(1000);
  EXPECT_EQ(rows.ids, reader->all_ids());
  return {dense_rows(rows.view, rows.instances), rows.ids, reader->schema().feature_names};
}

TEST_F(MatrixMarket, TransposedColumnsAreInstances) {
  const std::string sparse = dir_.write_file("a.mtx", kReal + "2 3 3\n1 1 1\n1 3 3\n2 3 6\n");
  EXPECT_EQ(read_market(sparse, true), (Market{{{1, 0}, {0, 0}, {3, 6}}, {}, {}}));
  const std::string dense =
      dir_.write_file("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
  EXPECT_EQ(read_market(dense, true), (Market{{{1, 4}, {2, 5}, {3, 6}}, {}, {}}));
  const std::string both = dir_.write_file("c.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  EXPECT_EQ(read_market(both, true), read_market(both, false));
  const std::string twice = dir_.write_file("d.mtx", kReal + "2 3 2\n1 3 1\n1 3 2\n");
  expect_error(ErrorKind::data, {"d.mtx:4:", "row 1, column 3"}, [&] { read_market(twice, true); });
}

TEST_F(MatrixMarket, FilesOf10xGenomicsTellTheOrientationAndTheNames) {
  const std::string content = kReal + "2 3 3\n1 1 1\n1 3 3\n2 3 6\n";
  const Market expected{{{1, 0}, {0, 0}, {3, 6}}, {"AAA-1", "CCC-1", "GGG-1"}, {"Cd3", "Cd4"}};
  const auto folder = [&](const std::string& prefix, const std::string& features, const std::string& ending) {
    const std::string matrix = dir_.write_gzip(prefix + "matrix.mtx.gz", content);
    dir_.write_gzip(prefix + "barcodes." + ending, "AAA-1\nCCC-1\nGGG-1\n");
    dir_.write_gzip(prefix + features + "." + ending, "ENS1\tCd3\tGene Expression\nENS2\tCd4\tGene Expression\n");
    return matrix;
  };
  EXPECT_EQ(read_market(folder("", "features", "tsv.gz")), expected);
  EXPECT_EQ(read_market(folder("s1_", "features", "tsv.gz")), expected);
  EXPECT_EQ(read_market(folder("s2_", "genes", "tsv")), expected) << "a file may be compressed without saying so";
  EXPECT_EQ(read_market(dir_.path("s2_matrix.mtx.gz"), true), expected);
  const std::string cells_in_rows = dir_.write_file("s2_matrix.mtx", kReal + "3 2 3\n1 1 1\n3 1 3\n3 2 6\n");
  EXPECT_EQ(read_market(cells_in_rows), expected);
  const std::string misfit = dir_.write_file("s1_matrix.mtx", kReal + "4 5 1\n1 1 1\n");
  expect_error(ErrorKind::data, {"s1_matrix.mtx", "4 x 5", "2 lines", "3 lines"}, [&] { read_market(misfit); });
  dir_.write_file("b.txt", "1\n2\n3\n4\n");
  const std::string beside_text = dir_.write_file("b.mtx", kReal + "4 2 1\n1 1 1\n");
  EXPECT_EQ(read_market(beside_text).rows.size(), 4u);
  const std::string unrelated = dir_.write_file("other.mtx", kReal + "4 5 1\n1 1 1\n");
  EXPECT_EQ(read_market(unrelated).ids.size(), 0u);
}

TEST_F(MatrixMarket, ReadsCiteSeq) {
  OMVC_NEED_DATA("citeseq/RNA_cells_x_genes.mtx.gz");
  const auto reader = open_matrix_market(test::data_path("citeseq/RNA_cells_x_genes.mtx.gz"), "RNA");
  EXPECT_EQ(reader->rows(), 1372);
  EXPECT_EQ(reader->schema().features, 33538);
  const ViewRows rows = reader->read(2000);
  EXPECT_EQ(std::get<CsrBlock<double>>(rows.view.block).nonzeros(), 1352128);
  EXPECT_EQ(rows.ids.at(0), "AAACCTGAGACCACGA-1");
  EXPECT_EQ(reader->schema().feature_names.at(0), "MIR1302-2HG");
  const auto protein = open_matrix_market(test::data_path("citeseq/Protein_cells_x_adt.mtx.gz"), "Protein");
  EXPECT_EQ(protein->all_ids(), reader->all_ids());
  EXPECT_EQ(protein->schema().feature_names.at(0), "CD154-GCTAGATAGATGCAA");
}

}  // namespace
}  // namespace omvc
