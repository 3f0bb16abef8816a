#include "pass/loss_curve.hpp"

#include <gtest/gtest.h>

namespace omvc {
namespace {

TEST(LossCurve, KeepsFewPointsInOrderAndTheLastOne) {
  for (const int count : {0, 1, 2, 255, 256, 257, 1000, 100000}) {
    LossCurve curve;
    for (int i = 1; i <= count; ++i) curve.add(i);
    const std::vector<double> points = curve.points();
    EXPECT_LE(points.size(), 257u);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
    if (count == 0) continue;
    EXPECT_EQ(points.front(), 1);
    EXPECT_EQ(points.back(), count);
    EXPECT_GE(points.size(), std::min<std::size_t>(static_cast<std::size_t>(count), 128u));
  }
}

TEST(LossCurve, GoesOnFromItsStateAsIfNothingHadHappened) {
  for (const int cut : {0, 1, 255, 256, 700}) {
    LossCurve whole, first;
    for (int i = 0; i < 1000; ++i) whole.add(i * 0.5);
    for (int i = 0; i < cut; ++i) first.add(i * 0.5);
    LossCurve second;
    ASSERT_TRUE(second.restore(first.state()));
    for (int i = cut; i < 1000; ++i) second.add(i * 0.5);
    EXPECT_EQ(second.points(), whole.points()) << cut;
  }
}

TEST(LossCurve, RefusesAStateThatIsNone) {
  LossCurve curve;
  EXPECT_FALSE(curve.restore({}));
  EXPECT_FALSE(curve.restore({0, 1, 2}));
  EXPECT_FALSE(curve.restore({1, -1, 2}));
  EXPECT_FALSE(curve.restore({1e300, 1, 2}));
  EXPECT_FALSE(curve.restore({1, 1e300, 2}));
  EXPECT_FALSE(curve.restore(std::vector<double>(400, 1.0)));
}

}  // namespace
}  // namespace omvc
