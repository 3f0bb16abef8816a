#include "model/telling.hpp"

#include <gtest/gtest.h>
#include <set>

namespace omvc {
namespace {

TEST(Telling, AreTheFeaturesThatDifferMostInEitherDirection) {
  Matrix profiles(5, 3);  // features x clusters
  // High in the first; the same everywhere; low in the first; the mean of the others; a little high.
  profiles << 0.875, 0.125, 0.125, 0.5, 0.5, 0.5, 0, 0.75, 0.5, 0.375, 0.5, 0.25, 0.375, 0.25, 0.25;
  const std::vector<Telling> found = telling_features(profiles, 0, 5);
  ASSERT_EQ(found.size(), 3u) << "features that do not differ are left out";
  EXPECT_EQ(found[0].feature, 0);
  EXPECT_EQ(found[1].feature, 2);
  EXPECT_EQ(found[2].feature, 4);
  EXPECT_TRUE(found[0].high());
  EXPECT_FALSE(found[1].high());
  EXPECT_DOUBLE_EQ(found[1].own, 0);
  EXPECT_DOUBLE_EQ(found[1].others, 0.625);
  EXPECT_EQ(telling_features(profiles, 0, 2).size(), 2u);
  EXPECT_TRUE(telling_features(profiles, 0, 0).empty());
}

TEST(Telling, OfEqualOnesTheFirstComesFirst) {
  const Matrix profiles = (Matrix(3, 2) << 1, 0, 0, 1, 1, 0).finished();
  const std::vector<Telling> found = telling_features(profiles, 1, 3);
  ASSERT_EQ(found.size(), 3u);
  for (Index j = 0; j < 3; ++j) EXPECT_EQ(found[static_cast<std::size_t>(j)].feature, j);
}

}  // namespace
}  // namespace omvc
