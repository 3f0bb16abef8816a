#include "omvc/borrowed.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> counting(Index size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

BorrowedView dense(const std::vector<double>& values, Index rows, Index cols) {
  return {DenseRows<double>{values.data(), rows, cols, cols, 1}, {}, {}};
}

Schema schema_of(std::vector<Index> features) {
  Schema schema;
  for (const Index d : features) schema.views.push_back({"v" + std::to_string(schema.views.size()), d, {}});
  return schema;
}

TEST(Buffer, CopiesWhatWasLentOnlyWhenItIsWrittenTo) {
  const std::vector<double> lender = counting(4);
  auto owner = std::make_shared<int>(0);
  auto buffer = Buffer<double>::borrow(lender, owner);
  const Buffer<double>& reader = buffer;
  EXPECT_EQ(reader.data(), lender.data());
  EXPECT_EQ(owner.use_count(), 2);
  Buffer<double> second = buffer;
  buffer[1] = 7;
  EXPECT_FALSE(buffer.borrowed());
  EXPECT_EQ(lender[1], 2) << "what was lent is never changed";
  EXPECT_EQ(buffer, Buffer<double>({1, 7, 3, 4}));
  EXPECT_TRUE(second.borrowed()) << "a copy of a borrowed buffer borrows on";
  EXPECT_EQ(owner.use_count(), 2);
  second.push_back(5);
  EXPECT_EQ(owner.use_count(), 1) << "nobody needs the owner any more";
  EXPECT_EQ(second.size(), 5u);
}

TEST(Borrowed, DeliversTheLentMemoryItself) {
  const std::vector<double> values = counting(12);
  auto owner = std::make_shared<int>(0);
  BorrowedView view = dense(values, 4, 3);
  view.owner = owner;
  auto source = make_borrowed_source(schema_of({3}), {view}, 4);
  view = {};
  const std::optional<Chunk> first = source->next(3);
  const auto& block = std::get<DenseBlock<double>>(first->views[0].block);
  EXPECT_EQ(std::as_const(block).values.data(), values.data());
  EXPECT_EQ(first->rows, (std::vector<Index>{0, 1, 2}));
  const std::optional<Chunk> second = source->next(3);
  EXPECT_EQ(std::get<DenseBlock<double>>(second->views[0].block).row(0)[0], 10);
  EXPECT_FALSE(source->next(3));
  EXPECT_TRUE(source->rewind());
  source.reset();
  EXPECT_GT(owner.use_count(), 1) << "a chunk keeps the memory alive";
}

TEST(Borrowed, GathersRowsThatLieOtherwise) {
  const std::vector<double> columns = counting(6);  // 3 x 2 in the order of Fortran
  auto source = make_borrowed_source(schema_of({2}), {{DenseRows<double>{columns.data(), 3, 2, 1, 3}, {}, {}}}, 3);
  const Chunk chunk = *source->next(9);
  EXPECT_EQ(std::get<DenseBlock<double>>(chunk.views[0].block).values, Buffer<double>({1, 4, 2, 5, 3, 6}));
}

TEST(Borrowed, LeavesOutRowsThatAreNaNOrNotThere) {
  const std::vector<double> whole{1, 2, kNan, kNan, 5, kNan};
  const std::vector<float> values{1, 2};
  const std::vector<std::int64_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> columns{1, 0};
  const SparseRows<float> sparse{.rows = 2, .cols = 2, .offsets = offsets, .columns = columns, .values = values};
  auto source =
      make_borrowed_source(schema_of({2, 2}), {dense(whole, 3, 2), {sparse, std::vector<Index>{0, 2}, {}}}, 3);
  const Chunk chunk = *source->next(2);
  EXPECT_EQ(chunk.views[0].present, (std::vector<Index>{0}));
  EXPECT_EQ(chunk.views[1].present, (std::vector<Index>{0}));
  const Chunk rest = *source->next(2);
  EXPECT_EQ(rest.views[0].present, (std::vector<Index>{0})) << "a row that is partly NaN is present";
  EXPECT_EQ(rest.views[1].present, (std::vector<Index>{0}));
  EXPECT_EQ(std::get<CsrBlock<float>>(rest.views[1].block).columns, (std::vector<std::int32_t>{0}));
}

TEST(Borrowed, RefusesWhatDoesNotFit) {
  const std::vector<double> values = counting(6);
  const auto refused = [&](BorrowedView view, Index features, Index instances) {
    EXPECT_THROW(make_borrowed_source(schema_of({features}), {std::move(view)}, instances), Error);
  };
  refused(dense(values, 3, 2), 3, 3);
  refused(dense(values, 3, 2), 2, 4);
  BorrowedView view = dense(values, 3, 2);
  view.instances = {0, 2, 1};
  refused(view, 2, 4);
  EXPECT_THROW(make_borrowed_source(schema_of({2, 2}), {dense(values, 3, 2)}, 3), Error);
}

// Somebody else may write to the numbers of a sparse matrix while it is read.
TEST(Borrowed, RefusesSparseNumbersThatWereBroken) {
  const std::vector<double> values = counting(3);
  std::vector<std::int32_t> offsets{0, 2, 3};
  std::vector<std::int32_t> columns{0, 1, 1};
  const SparseRows<double> sparse{.rows = 2, .cols = 2, .offsets = offsets, .columns = columns, .values = values};
  auto source = make_borrowed_source(schema_of({2}), {{sparse, {}, {}}}, 2);
  EXPECT_TRUE(source->next(2));
  for (const std::int32_t wrong : {-1, 2, 1 << 30}) {
    columns[1] = wrong;
    source->rewind();
    EXPECT_THROW(source->next(2), Error);
    columns[1] = 1;
    offsets[1] = wrong == 2 ? 4 : wrong;
    source->rewind();
    EXPECT_THROW(source->next(2), Error);
    offsets[1] = 2;
  }
}

class Counted final : public Pieces {
 public:
  Counted(const std::vector<double>& values, std::vector<Index> sizes) : values_(values), sizes_(std::move(sizes)) {}
  std::unique_ptr<Source> next() override {
    if (at_ == sizes_.size()) return nullptr;
    const Index rows = sizes_[at_++];
    const BorrowedView view{DenseRows<double>{values_.data() + row_ * 2, rows, 2, 2, 1}, {}, {}};
    row_ += rows;
    return make_borrowed_source(schema_of({2}), {view}, rows);
  }
  bool can_rewind() const override { return true; }
  bool rewind() override {
    at_ = 0;
    row_ = 0;
    return true;
  }

 private:
  const std::vector<double>& values_;
  std::vector<Index> sizes_;
  std::size_t at_ = 0;
  Index row_ = 0;
};

TEST(Pieces, ChunksDoNotDependOnHowTheDataWereCut) {
  const std::vector<double> values = counting(40);
  const auto read = [&](std::vector<Index> sizes) {
    auto source = make_pieces_source(schema_of({2}), std::make_unique<Counted>(values, std::move(sizes)));
    std::vector<std::vector<Index>> rows;
    std::vector<double> all;
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_TRUE(source->rewind());
      while (const std::optional<Chunk> chunk = source->next(7)) {
        rows.push_back(chunk->rows);
        const auto& block = std::get<DenseBlock<double>>(chunk->views[0].block);
        all.insert(all.end(), block.values.begin(), block.values.end());
      }
    }
    return std::pair(rows, all);
  };
  const auto whole = read({20});
  EXPECT_EQ(whole.first[0].size(), 7u);
  EXPECT_EQ(read({3, 10, 1, 6}), whole);
  EXPECT_EQ(read({1, 0, 19}), whole) << "an empty piece is passed over";
}

}  // namespace
}  // namespace omvc
