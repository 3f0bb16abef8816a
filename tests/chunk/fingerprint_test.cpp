#include "chunk/fingerprint.hpp"

#include <gtest/gtest.h>

#include "omvc/planted.hpp"

#include "chunk/matrix.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

std::uint64_t of_chunks(Index rows) {
  const auto source =
      make_planted_source({.instances = 101, .features = {7, 60}, .density = {1, 0.1}, .missing = 0.3, .seed = 4});
  std::uint64_t sum = 0;
  while (const auto chunk = source->next(rows)) sum += fingerprint(*chunk);
  return sum;
}

TEST(Fingerprint, DoesNotDependOnHowTheDataAreCut) {
  for (const Index rows : {1, 3, 50, 1000}) EXPECT_EQ(of_chunks(rows), of_chunks(101)) << rows;
}

// Every single change of a small chunk gives another number.
TEST(Fingerprint, SeesEveryChange) {
  const Matrix X = test::random_sparse(4, 9, 0.5, 1);
  for (const bool sparse : {false, true}) {
    Chunk chunk{test::iota(4), {}};
    const auto make = [&](const Matrix& rows) {
      return sparse ? Block(test::csr_block<double>(rows)) : Block(test::dense_block<double>(rows));
    };
    chunk.views.push_back(test::view_of(X, {0, 2, 3}, make));
    const std::uint64_t before = fingerprint(chunk);
    std::visit(
        [&](auto& block) {
          for (auto& value : block.values) {
            const auto kept = value;
            value = value + 1e-9;
            EXPECT_NE(fingerprint(chunk), before);
            value = kept;
          }
        },
        chunk.views[0].block);
    Chunk moved = chunk;
    moved.views[0].present = {0, 1, 3};
    EXPECT_NE(fingerprint(moved), before);
    std::swap(moved = chunk, chunk);
    moved.rows = {1, 0, 2, 3};
    EXPECT_NE(fingerprint(moved), before);
    EXPECT_EQ(fingerprint(chunk), before);
  }
}

TEST(Fingerprint, TellsWhichViewIsPresent) {
  const Matrix X = test::random_matrix(1, 3, 2);
  const auto make = [](const Matrix& rows) { return test::dense_block<double>(rows); };
  const ChunkView here = test::view_of(X, {0}, make);
  const ChunkView absent = test::view_of(X, {}, make);
  EXPECT_NE(fingerprint({{0}, {here, absent}}), fingerprint({{0}, {absent, here}}));
}

}  // namespace
}  // namespace omvc
