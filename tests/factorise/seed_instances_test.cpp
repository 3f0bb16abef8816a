#include "factorise/seed_instances.hpp"

#include <gtest/gtest.h>
#include <set>

#include "support/random_data.hpp"

namespace omvc {
namespace {

TEST(SeedInstances, DrawsDifferentInstancesAndFarOnesFirst) {
  // Three tight groups far apart: three seeds hit three groups, since within a group all distances are nearly 0.
  Matrix X(60, 2);
  for (Index i = 0; i < 60; ++i) X.row(i) << 100.0 * static_cast<double>(i % 3), 1e-6 * static_cast<double>(i);
  Chunk chunk{test::iota(60), {}};
  chunk.views.push_back({test::dense_block<double>(X), test::iota(60)});
  Compute compute(1);
  for (std::uint32_t stream = 0; stream < 20; ++stream) {
    const Matrix seeds = seed_instances(PreparedChunk(chunk), 3, Random(1, Purpose::basis, stream), compute)[0];
    EXPECT_EQ((std::set<double>{seeds(0, 0), seeds(0, 1), seeds(0, 2)}), (std::set<double>{0, 100, 200})) << stream;
  }
}

TEST(SeedInstances, FillsWhatAnInstanceLacksAndWhatThereIsNotWithTheVariedMean) {
  Chunk chunk{test::iota(2), {}};
  chunk.views.push_back({test::dense_block<double>(Matrix{{4, 8}}), {0}});
  chunk.views.push_back({test::csr_block<double>(Matrix{{6}}), {1}});
  chunk.views.push_back({test::dense_block<double>(Matrix(0, 3)), {}});
  Compute compute(1);
  const auto seeds = seed_instances(PreparedChunk(chunk), 5, Random(1, Purpose::basis), compute);
  ASSERT_EQ(seeds.size(), 3u);
  int exact = 0;
  for (Index k = 0; k < 5; ++k) {
    exact += seeds[0](0, k) == 4 && seeds[0](1, k) == 8 ? 1 : 0;
    EXPECT_GE(seeds[0](0, k), 2);
    EXPECT_LE(seeds[0](0, k), 6);
  }
  EXPECT_EQ(exact, 1) << "one instance has the first view";
  EXPECT_EQ(seeds[2], Matrix(Matrix::Zero(3, 5)));
}

}  // namespace
}  // namespace omvc
