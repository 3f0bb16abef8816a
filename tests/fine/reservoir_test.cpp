#include "fine/reservoir.hpp"

#include <gtest/gtest.h>
#include <set>

#include "omvc/planted.hpp"
#include "omvc/source.hpp"

#include "chunk/rows.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

PlantedOptions planted() {
  return {.instances = 400, .features = {8, 40}, .density = {1, 0.2}, .clusters = 3, .missing = 0.3, .seed = 2};
}

Schema schema() { return make_planted_source(planted())->schema(); }

Reservoir filled(Index first, Index last, Index chunk, Index bytes, double half_life = 0) {
  Reservoir reservoir(schema(), {.bytes = bytes, .half_life = half_life, .seed = 7});
  const auto source = make_planted_source(planted());
  Compute compute(2);
  for (Index row = 0; auto rows = source->next(chunk);) {
    if (row >= first && row < last) reservoir.offer(*rows, static_cast<double>(row), compute);
    row += rows->size();
  }
  return reservoir;
}

std::set<Index> rows_of(const Reservoir& reservoir) {
  Compute compute;
  std::set<Index> rows;
  for (const Chunk& piece : reservoir.pieces(64, compute)) rows.insert(piece.rows.begin(), piece.rows.end());
  return rows;
}

std::string bytes_of(const Reservoir& reservoir) {
  // Pieces are in the order of priorities, whatever the order in which rows came.
  Archive archive;
  Compute compute;
  Reservoir copy(schema(), {.bytes = Index{1} << 30, .half_life = 0, .seed = 7});
  for (const Chunk& piece : reservoir.pieces(1000, compute)) copy.offer(piece, 0, compute);
  copy.save(archive, "r");
  return archive.to_bytes();
}

TEST(Reservoir, HoldsEverythingWhileThereIsRoom) {
  const Reservoir reservoir = filled(0, 400, 50, Index{1} << 20);
  EXPECT_TRUE(reservoir.whole());
  EXPECT_EQ(reservoir.size(), 400);
}

TEST(Reservoir, FewPiecesAreTheFirstOfAll) {
  Compute compute(2);
  for (const double half_life : {0.0, 100.0}) {
    const Reservoir reservoir = filled(0, 400, 50, Index{1} << 20, half_life);
    const std::vector<Chunk> all = reservoir.pieces(30, compute);
    const std::vector<Chunk> few = reservoir.pieces(30, compute, 100);
    ASSERT_EQ(few.size(), 4u);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(few[p].rows, all[p].rows);
    EXPECT_EQ(few[3].rows, std::vector<Index>(all[3].rows.begin(), all[3].rows.begin() + 10));
    EXPECT_EQ(reservoir.pieces(30, compute, 1000).size(), all.size());
  }
}

TEST(Reservoir, DependsNeitherOnChunksNorOnParts) {
  const Index bytes = 20000;
  Compute compute;
  const Reservoir whole = filled(0, 400, 50, bytes);
  EXPECT_FALSE(whole.whole());
  EXPECT_GT(whole.size(), 50);
  EXPECT_LT(whole.size(), 250);
  Reservoir first = filled(0, 200, 50, bytes);
  Reservoir second = filled(200, 400, 50, bytes);
  Reservoir backwards = second;
  first.merge(second, compute);
  backwards.merge(filled(0, 200, 50, bytes), compute);
  Reservoir settled = whole;
  settled.merge(Reservoir(schema(), {.bytes = bytes, .half_life = 0, .seed = 7}),
                compute);  // shrunk to the bytes allowed
  EXPECT_EQ(rows_of(first), rows_of(settled));
  EXPECT_EQ(rows_of(backwards), rows_of(settled));
  EXPECT_EQ(bytes_of(first), bytes_of(backwards));
}

TEST(Reservoir, HasOneFormWhenSettledWhateverTheChunksAndThreads) {
  std::set<std::string> forms;
  for (const Index chunk : {Index{7}, Index{50}, Index{400}}) {
    for (const int threads : {1, 3}) {
      Compute compute(threads);
      Reservoir reservoir = filled(0, 400, chunk, 20000);
      reservoir.settle(compute);
      Archive archive;
      reservoir.save(archive, "r");
      archive.put("r/limit", std::vector<double>{});  // up to which rows were taken, on the way
      forms.insert(archive.to_bytes());
    }
  }
  EXPECT_EQ(forms.size(), 1u);
}

// Numbers, and room for numbers, of rows that are not in the sample any more count, too.
TEST(Reservoir, TakesTheMemoryOfTheRowsThatItHas) {
  const Index allowed = 12'000;
  const Reservoir reservoir = filled(0, 400, 400, allowed);
  EXPECT_FALSE(reservoir.whole());
  std::size_t taken = 0;
  for (const Chunk& chunk : reservoir.chunks()) {
    for (const ChunkView& view : chunk.views) {
      std::visit(
          [&](const auto& block) {
            // Only the vector itself knows what room it has.
            auto& values = const_cast<Buffer<typename std::decay_t<decltype(block)>::Scalar>&>(block.values).own();
            taken += values.capacity() * sizeof(values[0]);
          },
          view.block);
    }
  }
  EXPECT_LE(taken, static_cast<std::size_t>(1.25 * static_cast<double>(allowed)));
}

TEST(Reservoir, IsUniformOverTheStream) {
  // Rows of the first and of the second half have the same chance: over several seeds they are about as many.
  double early = 0;
  double all = 0;
  Compute compute;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Reservoir reservoir(schema(), {.bytes = 12000, .half_life = 0, .seed = seed});
    const auto source = make_planted_source(planted());
    Index row = 0;
    while (const auto rows = source->next(25)) {
      reservoir.offer(*rows, static_cast<double>(row), compute);
      row += rows->size();
    }
    for (const Index kept : rows_of(reservoir)) early += kept < 200 ? 1 : 0;
    all += static_cast<double>(reservoir.size());
  }
  EXPECT_NEAR(early / all, 0.5, 0.04);
}

TEST(Reservoir, AHalfLifeKeepsWhatCameLast) {
  const Reservoir reservoir = filled(0, 400, 25, 12000, 50);
  double late = 0;
  for (const Index row : rows_of(reservoir)) late += row >= 300 ? 1 : 0;
  EXPECT_GT(late / static_cast<double>(reservoir.size()), 0.6);
}

TEST(Reservoir, SurvivesAnArchive) {
  const Reservoir reservoir = filled(0, 400, 50, 20000);
  Archive archive;
  reservoir.save(archive, "r");
  const Reservoir copy = Reservoir::load(archive, "r", schema(), {.bytes = 20000, .half_life = 0, .seed = 7});
  EXPECT_EQ(bytes_of(copy), bytes_of(reservoir));
  EXPECT_EQ(copy.whole(), reservoir.whole());
}

}  // namespace
}  // namespace omvc
