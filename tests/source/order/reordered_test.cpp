#include <algorithm>
#include <gtest/gtest.h>

#include "omvc/planted.hpp"
#include "omvc/source.hpp"

#include "random/philox.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

const PlantedOptions kPlanted{
    .instances = 700, .features = {9, 200}, .density = {1, 0.05}, .clusters = 3, .missing = 0.4, .seed = 5};

struct Delivered {
  std::vector<Index> rows;
  std::vector<Rows> views{2};

  bool operator==(const Delivered&) const = default;
};

Delivered read(Source& source, Index at_once) {
  Delivered out;
  while (const auto chunk = source.next(at_once)) {
    check_chunk(*chunk, source.schema());
    // Only the last chunk may be smaller: the results of a run depend on where chunks end.
    EXPECT_TRUE(chunk->size() == at_once || static_cast<Index>(out.rows.size()) + chunk->size() == 700);
    out.rows.insert(out.rows.end(), chunk->rows.begin(), chunk->rows.end());
    for (std::size_t v = 0; v < 2; ++v) {
      const Rows rows = dense_rows(chunk->views[v], chunk->size());
      out.views[v].insert(out.views[v].end(), rows.begin(), rows.end());
    }
  }
  return out;
}

// What reordering must give: the rows of the source picked one by one.
Delivered picked(const std::vector<Index>& order) {
  const Delivered all = read(*make_planted_source(kPlanted), 700);
  Delivered out;
  out.rows = order;
  for (std::size_t v = 0; v < 2; ++v) {
    for (const Index row : order) out.views[v].push_back(all.views[v][static_cast<std::size_t>(row)]);
  }
  return out;
}

TEST(Reordered, ShufflingSortsByAKeyOfSeedAndRow) {
  const Random random(11, Purpose::shuffle);
  std::vector<Index> order;
  for (Index row = 0; row < 700; ++row) order.push_back(row);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return random.bits(static_cast<std::uint64_t>(a)) < random.bits(static_cast<std::uint64_t>(b));
  });
  const Delivered expected = picked(order);
  const auto source = make_shuffled_source(make_planted_source(kPlanted), 11);
  EXPECT_EQ(source->size(), 700);
  for (const Index at_once : {700, 64, 1, 999}) {
    EXPECT_EQ(read(*source, at_once), expected) << at_once;
    EXPECT_TRUE(source->rewind());
  }
  const auto other = make_shuffled_source(make_planted_source(kPlanted), 12);
  EXPECT_NE(read(*other, 700).rows, expected.rows);
}

TEST(Reordered, AnOrderIsFollowed) {
  std::vector<Index> order;
  for (Index i = 0; i < 700; ++i) order.push_back(i * 347 % 700);
  const auto source = make_ordered_source(make_planted_source(kPlanted), order);
  const Delivered expected = picked(order);
  EXPECT_EQ(read(*source, 50), expected);
  EXPECT_TRUE(source->rewind());
  source->next(10);
  EXPECT_TRUE(source->rewind());
  EXPECT_EQ(read(*source, 50), expected);
}

TEST(Reordered, AnOrderMustListEachRowOnce) {
  const auto ordered = [](std::vector<Index> order) {
    make_ordered_source(make_planted_source(kPlanted), std::move(order));
  };
  expect_error(ErrorKind::data, {"2 rows", "700"}, [&] { ordered({0, 1}); });
  expect_error(ErrorKind::data, {"row 1 twice"}, [&] { ordered({0, 1, 1}); });
}

// A source that can be read once, and does not know its size.
class Pipe final : public Source {
 public:
  const Schema& schema() const override { return source_->schema(); }
  std::optional<Chunk> next(Index max_rows) override { return source_->next(max_rows); }
  bool rewind() override { return false; }

 private:
  std::unique_ptr<Source> source_ = make_planted_source(kPlanted);
};

TEST(Reordered, AStreamOfUnknownSizeGivesTheSameOrderAndCanBeReadAgain) {
  const auto known = make_shuffled_source(make_planted_source(kPlanted), 3);
  const auto unknown = make_shuffled_source(std::make_unique<Pipe>(), 3);
  const Delivered expected = read(*known, 100);
  EXPECT_EQ(read(*unknown, 100), expected);
  EXPECT_EQ(unknown->size(), 700);
  EXPECT_TRUE(unknown->rewind());
  EXPECT_EQ(read(*unknown, 100), expected);
}

}  // namespace
}  // namespace omvc
