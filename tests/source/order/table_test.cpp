#include <gtest/gtest.h>

#include "omvc/source.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

const Schema kSchema{{{"image", 2, {}}, {"text", 3, {}}}};

// Instance i has image (10 i, 10 i + 1) unless i = 1, and text e_i with i mod 3 unless i = 3.
Chunk small_table() {
  CsrBlock<double> text;
  text.rows = 4;
  text.cols = 3;
  text.offsets = {0, 1, 2, 3, 4};
  text.columns = {0, 1, 2, 1};
  text.values = {1, 1, 1, 1};
  return {{0, 1, 2, 3, 4},
          {{DenseBlock<float>{4, 2, {0, 1, 20, 21, 30, 31, 40, 41}}, {0, 2, 3, 4}}, {text, {0, 1, 2, 4}}}};
}

const Rows kImage{{0, 1}, {}, {20, 21}, {30, 31}, {40, 41}};
const Rows kText{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}, {0, 1, 0}};

// A source of unknown size that cannot know better, on top of another.
class Unsized final : public Source {
 public:
  explicit Unsized(std::unique_ptr<Source> source) : source_(std::move(source)) {}
  const Schema& schema() const override { return source_->schema(); }
  std::optional<Chunk> next(Index max_rows) override { return source_->next(std::min<Index>(max_rows, 2)); }
  bool rewind() override { return source_->rewind(); }

 private:
  std::unique_ptr<Source> source_;
};

TEST(TableSource, DeliversInOrderWhateverTheChunkSize) {
  const std::vector<Index> order{3, 0, 4, 1, 2};
  for (const Index size : {1, 2, 3, 5, 100}) {
    const auto source = make_table_source(kSchema, small_table(), order);
    EXPECT_EQ(source->size(), 5);
    for (int pass = 0; pass < 2; ++pass) {
      std::size_t at = 0;
      while (const auto chunk = source->next(size)) {
        EXPECT_NO_THROW(check_chunk(*chunk, kSchema));
        const Rows image = dense_rows(chunk->views[0], chunk->size());
        const Rows text = dense_rows(chunk->views[1], chunk->size());
        for (std::size_t i = 0; i < image.size(); ++i, ++at) {
          const auto row = static_cast<std::size_t>(order[at]);
          EXPECT_EQ(chunk->rows[i], order[at]);
          EXPECT_EQ(image[i], kImage[row]);
          EXPECT_EQ(text[i], kText[row]);
        }
      }
      EXPECT_EQ(at, 5u);
      EXPECT_TRUE(source->rewind());
    }
  }
}

TEST(TableSource, KeepsTheStoredRowNumbers) {
  Chunk table = small_table();
  table.rows = {50, 51, 52, 53, 54};
  const auto source = make_table_source(kSchema, table, {4, 3, 2, 1, 0});
  EXPECT_EQ(source->next(2)->rows, (std::vector<Index>{54, 53}));
}

TEST(TableSource, RefusesWhatIsNotAPermutation) {
  const auto make = [](std::vector<Index> order) { make_table_source(kSchema, small_table(), std::move(order)); };
  expect_error(ErrorKind::data, {"2 rows", "5"}, [&] { make({0, 1}); });
  expect_error(ErrorKind::data, {"entry 4", "row 5"}, [&] { make({0, 1, 2, 3, 5}); });
  expect_error(ErrorKind::data, {"entry 0", "row -1"}, [&] { make({-1, 1, 2, 3, 4}); });
  expect_error(ErrorKind::data, {"row 1 twice", "entry 3"}, [&] { make({0, 1, 2, 1, 4}); });
}

TEST(TableSource, RefusesAMalformedTableAndEmptyChunks) {
  Chunk table = small_table();
  table.views[0].present[0] = 2;
  expect_error(ErrorKind::data, {"image"}, [&] { make_table_source(kSchema, table); });
  expect_error(ErrorKind::usage, {"at least 1"}, [] { make_table_source(kSchema, small_table())->next(0); });
}

TEST(ReadAll, JoinsChunksOfAnySize) {
  Unsized source(make_table_source(kSchema, small_table()));
  const Chunk whole = read_all(source);
  EXPECT_NO_THROW(check_chunk(whole, kSchema));
  EXPECT_EQ(whole.rows, (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(dense_rows(whole.views[0], 5), kImage);
  EXPECT_EQ(dense_rows(whole.views[1], 5), kText);
  const Chunk empty = read_all(source);
  EXPECT_EQ(empty.size(), 0);
  EXPECT_NO_THROW(check_chunk(empty, kSchema));
}

// Hides image of rows 0 and 4, text of row 4.
const std::vector<bool> kMask{false, true, true, true, true, true, true, true, false, false};

TEST(MaskedSource, HidesByStoredRowWhateverTheOrder) {
  const auto source = make_masked_source(make_table_source(kSchema, small_table(), {4, 0, 3, 1, 2}), kMask);
  for (int pass = 0; pass < 2; ++pass) {
    const Chunk chunk = read_all(*source);
    EXPECT_EQ(dense_rows(chunk.views[0], 5), (Rows{{}, {}, kImage[3], {}, kImage[2]}));
    EXPECT_EQ(dense_rows(chunk.views[1], 5), (Rows{{}, kText[0], {}, kText[1], kText[2]}));
    EXPECT_TRUE(source->rewind());
  }
}

TEST(MaskedSource, RefusesAMaskOfAnotherLength) {
  const auto mask = [](std::size_t entries) { return std::vector<bool>(entries, true); };
  const auto table = [] { return make_table_source(kSchema, small_table()); };
  expect_error(ErrorKind::data, {"4 rows", "have 5"}, [&] { make_masked_source(table(), mask(8)); });
  expect_error(ErrorKind::data, {"9 entries", "2 views"}, [&] { make_masked_source(table(), mask(9)); });
  const auto unsized_source = [&](std::size_t entries) {
    return make_masked_source(std::make_unique<Unsized>(table()), mask(entries));
  };
  expect_error(ErrorKind::data, {"4 rows", "row 4"}, [&] { read_all(*unsized_source(8)); });
  expect_error(ErrorKind::data, {"6 rows", "have 5"}, [&] { read_all(*unsized_source(12)); });
  EXPECT_EQ(read_all(*unsized_source(10)).size(), 5);
}

TEST(FilteredSource, KeepsTheChosenInstancesAndNumbersThemAnew) {
  Chunk table{{0, 1, 2, 3, 4}, {}};
  DenseBlock<double> dense{.rows = 4, .cols = 1, .values = {10, 12, 13, 14}};
  table.views.push_back({dense, {0, 2, 3, 4}});
  const auto source = make_table_source({{{"a", 1, {}}}}, table);
  const auto even = make_filtered_source(*source, [](Index row) { return row % 2 == 0; });
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(even->rewind());
    const Chunk kept = read_all(*even);
    EXPECT_EQ(kept.rows, (std::vector<Index>{0, 1, 2}));
    EXPECT_EQ(kept.views[0].present, (std::vector<Index>{0, 1, 2}));
    EXPECT_EQ(test::dense_row(kept.views[0].block, 1), std::vector<double>{12});
  }
  const auto odd = make_filtered_source(*source, [](Index row) { return row == 1; });
  odd->rewind();
  const Chunk one = read_all(*odd);
  EXPECT_EQ(one.size(), 1);
  EXPECT_TRUE(one.views[0].present.empty());
}

}  // namespace
}  // namespace omvc
