#include "model/telling.hpp"

#include <gtest/gtest.h>
#include <set>

namespace omvc {
namespace {

TEST(Telling, AreTheFeaturesThatDifferMostInEitherDirection) {
  Matrix profiles(5, 3);      // features x clusters
  profiles << 0.9, 0.1, 0.1,  // high in the first
      0.5, 0.5, 0.5,          // the same everywhere
      0.0, 0.7, 0.9,          // low in the first
      0.4, 0.5, 0.3,          // the same as the mean of the others
      0.3, 0.2, 0.2;
  const std::vector<Telling> found = telling_features(profiles, 0, 5);
  ASSERT_EQ(found.size(), 3u) << "features that do not differ are left out";
  EXPECT_EQ(found[0].feature, 0);
  EXPECT_EQ(found[1].feature, 2);
  EXPECT_EQ(found[2].feature, 4);
  EXPECT_TRUE(found[0].high());
  EXPECT_FALSE(found[1].high());
  EXPECT_DOUBLE_EQ(found[1].own, 0);
  EXPECT_DOUBLE_EQ(found[1].others, 0.8);
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
