#include "omvc/chunk.hpp"

#include <gtest/gtest.h>

#include "omvc/planted.hpp"

#include "chunk/fingerprint.hpp"
#include "chunk/rows.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::kInf;
using test::kNan;
using test::Rows;

CsrBlock<double> small_csr() {
  CsrBlock<double> block;
  block.rows = 3;
  block.cols = 4;
  block.offsets = {0, 2, 2, 3};
  block.columns = {0, 3, 1};
  block.values = {1.0, 2.0, 3.0};
  return block;
}

TEST(Rows, KeptInPlaceAreThoseTaken) {
  const Chunk table = read_all(
      *make_planted_source({.instances = 60, .features = {4, 20}, .density = {1, 0.2}, .missing = 0.4, .seed = 2}));
  for (const int every : {1, 2, 7, 100}) {
    std::vector<bool> keep(60);
    std::vector<Index> positions;
    for (Index i = 0; i < 60; ++i) {
      keep[static_cast<std::size_t>(i)] = i % every == every / 2;
      if (i % every == every / 2) positions.push_back(i);
    }
    Chunk kept = table;
    keep_in_place(kept, keep);
    const Chunk expected = take_instances(table, positions);
    EXPECT_EQ(kept.rows, expected.rows);
    EXPECT_EQ(fingerprint(kept), fingerprint(expected));
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_EQ(kept.views[v].present, expected.views[v].present);
      EXPECT_EQ(dense_rows(kept.views[v], kept.size()), dense_rows(expected.views[v], expected.size()));
    }
  }
}

template <class T>
class ViewFromRows : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ViewFromRows, Scalars);

TYPED_TEST(ViewFromRows, DropsDenseRowsThatAreWhollyNan) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const ChunkView view = view_from_rows(DenseBlock<T>{3, 2, {1, 2, nan, nan, 0, 0}}, "here");
  EXPECT_EQ(dense_rows(view, 3), (Rows{{1, 2}, {}, {0, 0}}));
  EXPECT_EQ(block_rows(view.block), 2);
  EXPECT_TRUE(std::holds_alternative<DenseBlock<T>>(view.block));
}

TYPED_TEST(ViewFromRows, DropsSparseRowsWhoseEntriesAreAllNanAndKeepsEmptyOnes) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CsrBlock<T> block;
  block.rows = 3;
  block.cols = 3;
  block.offsets = {0, 1, 1, 3};
  block.columns = {2, 0, 1};
  block.values = {nan, 4, 5};
  const ChunkView view = view_from_rows(block, "here");
  EXPECT_EQ(dense_rows(view, 3), (Rows{{}, {0, 0, 0}, {4, 5, 0}}));
  EXPECT_TRUE(std::holds_alternative<CsrBlock<T>>(view.block));
}

TEST(ViewFromRowsErrors, NameViewRowAndColumn) {
  expect_error(ErrorKind::data, {"file.npy", "row 10, column 0", "infinite"}, [] {
    view_from_rows(DenseBlock<double>{1, 2, {-kInf, 2}}, "file.npy", 10);
  });
  CsrBlock<double> block = small_csr();
  block.values[1] = kInf;
  expect_error(ErrorKind::data, {"file.mtx", "row 0, column 3", "inf"}, [&] { view_from_rows(block, "file.mtx"); });
}

TEST(MissingValues, ARowThatIsNanInPartIsPresentAndLacksThoseValues) {
  const ChunkView dense = view_from_rows(DenseBlock<double>{3, 2, {1, 2, kNan, 4, kNan, kNan}}, "here");
  EXPECT_EQ(dense.present, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(std::isnan(std::get<DenseBlock<double>>(dense.block).row(1)[0]));
  EXPECT_EQ(std::get<DenseBlock<double>>(dense.block).row(1)[1], 4);
  CsrBlock<double> block = small_csr();
  block.values[1] = kNan;
  const ChunkView sparse = view_from_rows(block, "here");
  EXPECT_EQ(sparse.present.size(), static_cast<std::size_t>(block.rows));
  EXPECT_TRUE(std::isnan(std::get<CsrBlock<double>>(sparse.block).values[1]));
}

TEST(KeepInstances, RemovesByPositionAndKeepsPositions) {
  const ChunkView dense{DenseBlock<double>{3, 1, {1, 2, 3}}, {0, 2, 4}};
  const ChunkView kept = keep_instances(dense, {true, true, false, true, true});
  EXPECT_EQ(kept.present, (std::vector<Index>{0, 4}));
  EXPECT_EQ(dense_rows(kept, 5), (Rows{{1}, {}, {}, {}, {3}}));

  const ChunkView sparse{small_csr(), {0, 1, 2}};
  EXPECT_EQ(dense_rows(keep_instances(sparse, {false, true, true}), 3), (Rows{{}, {0, 0, 0, 0}, {0, 3, 0, 0}}));
  EXPECT_EQ(block_rows(keep_instances(sparse, {false, false, false}).block), 0);
  expect_error(ErrorKind::data, {"position 2"}, [&] { keep_instances(sparse, {true, true}); });
}

TEST(TakeRows, PicksInAnyOrderAndAppendAddsBelow) {
  const std::vector<Index> rows{2, 0, 2};
  Block taken = take_rows(Block(small_csr()), rows);
  EXPECT_EQ(dense_rows({taken, {0, 1, 2}}, 3), (Rows{{0, 3, 0, 0}, {1, 0, 0, 2}, {0, 3, 0, 0}}));
  append_rows(taken, Block(small_csr()), "here");
  EXPECT_EQ(block_rows(taken), 6);
  EXPECT_EQ(test::dense_row(taken, 5), (std::vector<double>{0, 3, 0, 0}));
  expect_error(ErrorKind::data, {"here"}, [&] {
    append_rows(taken, Block(DenseBlock<double>{1, 4, {0, 0, 0, 0}}), "here");
  });
}

class CheckChunk : public testing::Test {
 protected:
  void expect_refused(const std::vector<std::string>& parts) {
    expect_error(ErrorKind::data, parts, [&] { check_chunk(chunk_, schema_); });
  }
  CsrBlock<double>& csr() { return std::get<CsrBlock<double>>(chunk_.views[1].block); }

  Schema schema_{{{"image", 2, {}}, {"text", 4, {}}}};
  Chunk chunk_{{70, 71, 72}, {{DenseBlock<float>{2, 2, {1, 2, 3, 4}}, {0, 2}}, {small_csr(), {0, 1, 2}}}};
};

TEST_F(CheckChunk, AcceptsAWellFormedChunk) { EXPECT_NO_THROW(check_chunk(chunk_, schema_)); }

TEST_F(CheckChunk, RefusesWrongDimensions) {
  schema_.views[1].features = 5;
  expect_refused({"text", "4", "5"});
  schema_.views.pop_back();
  expect_refused({"2 views", "1"});
}

TEST_F(CheckChunk, RefusesPositionsOutOfOrderOrRange) {
  chunk_.views[0].present = {2, 0};
  expect_refused({"image", "position 0"});
  chunk_.views[0].present = {0, 3};
  expect_refused({"image", "position 3"});
  chunk_.views[0].present = {0};
  expect_refused({"image", "2 rows", "1 present"});
}

TEST_F(CheckChunk, RefusesArraysThatDoNotAgree) {
  std::get<DenseBlock<float>>(chunk_.views[0].block).values.pop_back();
  expect_refused({"image", "2 x 2", "3 values"});
  std::get<DenseBlock<float>>(chunk_.views[0].block).values.push_back(0);
  csr().offsets = {0, 2, 1, 3};
  expect_refused({"text", "descend"});
  csr().offsets = {0, 2, 3};
  expect_refused({"text", "4 offsets"});
  csr().offsets = {0, 2, 2, 4};
  expect_refused({"text", "offsets say 4"});
}

TEST_F(CheckChunk, RefusesColumnsAndValuesAndNamesTheRow) {
  csr().columns = {3, 0, 1};
  expect_refused({"text", "row 70", "column 0"});
  csr().columns = {0, 3, 4};
  expect_refused({"text", "row 72", "column 4"});
  csr().columns = {0, 3, 1};
  csr().values[2] = kInf;
  expect_refused({"text", "row 72", "column 1"});
  csr().values[2] = 1;
  std::get<DenseBlock<float>>(chunk_.views[0].block).values[3] = std::numeric_limits<float>::infinity();
  expect_refused({"image", "row 72", "column 1"});
  std::get<DenseBlock<float>>(chunk_.views[0].block).values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NO_THROW(check_chunk(chunk_, schema_)) << "a missing value";
}

}  // namespace
}  // namespace omvc
