#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "omvc/error.hpp"
#include "omvc/mask.hpp"

namespace omvc {
namespace {

std::vector<Index> lost_by_view(const std::vector<bool>& present, Index views) {
  std::vector<Index> lost(static_cast<std::size_t>(views), 0);
  for (std::size_t i = 0; i < present.size(); ++i) lost[i % static_cast<std::size_t>(views)] += !present[i];
  return lost;
}

// How many instances lose 0, 1, ..., views views.
std::vector<Index> rows_by_loss(const std::vector<bool>& present, Index views) {
  std::vector<Index> rows(static_cast<std::size_t>(views) + 1, 0);
  for (auto row = present.begin(); row != present.end(); row += views) {
    ++rows[static_cast<std::size_t>(std::count(row, row + views, false))];
  }
  return rows;
}

TEST(CyclicMask, AtFortyPercentOfFiveViewsEveryInstanceMissesTwo) {
  const std::vector<bool> mask = make_mask(MaskProtocol::cyclic, 2000, 5, 0.4, 0);
  EXPECT_EQ(lost_by_view(mask, 5), (std::vector<Index>{800, 800, 800, 800, 800}));
  EXPECT_EQ(rows_by_loss(mask, 5), (std::vector<Index>{0, 0, 2000, 0, 0, 0}));
  // Five patterns, each of 400 instances: slices two fifths long that go round twice.
  std::map<std::vector<bool>, int> patterns;
  for (auto row = mask.begin(); row != mask.end(); row += 5) ++patterns[std::vector<bool>(row, row + 5)];
  const std::map<std::vector<bool>, int> expected = {{{false, true, false, true, true}, 400},
                                                     {{false, true, true, false, true}, 400},
                                                     {{true, false, true, false, true}, 400},
                                                     {{true, false, true, true, false}, 400},
                                                     {{true, true, false, true, false}, 400}};
  EXPECT_EQ(patterns, expected);
}

TEST(CyclicMask, SlicesDoNotOverlapBeforeTheyWrapRound) {
  const std::vector<bool> mask = make_mask(MaskProtocol::cyclic, 1000, 2, 0.4, 3);
  EXPECT_EQ(lost_by_view(mask, 2), (std::vector<Index>{400, 400}));
  EXPECT_EQ(rows_by_loss(mask, 2), (std::vector<Index>{200, 800, 0}));
}

TEST(CyclicMask, RoundingTakesNoInstanceAllItsViews) {
  for (Index rows = 0; rows < 40; ++rows) {
    for (const Index views : {2, 3, 5}) {
      const auto most = static_cast<double>(views - 1) / static_cast<double>(views);
      const std::vector<bool> mask = make_mask(MaskProtocol::cyclic, rows, views, most, 1);
      ASSERT_EQ(rows_by_loss(mask, views).back(), 0) << rows << " rows, " << views << " views";
    }
  }
}

TEST(CyclicMask, RefusesARateAtWhichSomeInstanceWouldLoseAll) {
  EXPECT_NO_THROW(make_mask(MaskProtocol::cyclic, 10, 2, 0.5, 0));
  EXPECT_THROW(make_mask(MaskProtocol::cyclic, 10, 2, 0.51, 0), Error);
  EXPECT_NO_THROW(make_mask(MaskProtocol::cyclic, 10, 5, 0.8, 0));
  EXPECT_THROW(make_mask(MaskProtocol::cyclic, 10, 5, 0.81, 0), Error);
}

TEST(IndependentMask, LosesTheRateOfEachView) {
  constexpr Index kRows = 20000;
  const std::vector<bool> mask = make_mask(MaskProtocol::independent, kRows, 5, 0.4, 0);
  // An instance that loses all (0.4^5 of them) gets one of five views back, which lowers the rate by 0.4^5 / 5.
  const double expected = kRows * (0.4 - std::pow(0.4, 5) / 5);
  // Standard deviation sqrt(20000 * 0.4 * 0.6) = 69.3, five of them.
  for (const Index lost : lost_by_view(mask, 5)) EXPECT_NEAR(static_cast<double>(lost), expected, 5 * 69.3);
  const std::vector<Index> rows = rows_by_loss(mask, 5);
  EXPECT_EQ(rows[5], 0);
  // All views present with probability 0.6^5 = 0.07776; standard deviation 37.9: views are independent of each other.
  EXPECT_NEAR(static_cast<double>(rows[0]), kRows * 0.07776, 5 * 37.9);
}

TEST(IndependentMask, EveryInstanceKeepsAView) {
  const std::vector<bool> mask = make_mask(MaskProtocol::independent, 3000, 2, 0.9, 5);
  EXPECT_EQ(rows_by_loss(mask, 2)[2], 0);
  for (const Index lost : lost_by_view(mask, 2)) EXPECT_GT(lost, 1300) << "the view kept is not drawn at random";
}

TEST(IndependentMask, ARowDoesNotDependOnTheNumberOfRows) {
  const std::vector<bool> few = make_mask(MaskProtocol::independent, 100, 3, 0.5, 6);
  const std::vector<bool> many = make_mask(MaskProtocol::independent, 200, 3, 0.5, 6);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(PartialMask, AShareOfTheInstancesLosesOneToAllButOneView) {
  const std::vector<bool> mask = make_mask(MaskProtocol::partial, 9000, 4, 1.0 / 3, 0);
  const std::vector<Index> rows = rows_by_loss(mask, 4);
  EXPECT_EQ(rows[0], 6000);
  EXPECT_EQ(rows[4], 0);
  // 1, 2 and 3 lost views are equally likely: standard deviation sqrt(3000 * 1/3 * 2/3) = 25.8.
  for (const std::size_t lost : {1u, 2u, 3u}) EXPECT_NEAR(static_cast<double>(rows[lost]), 1000, 5 * 25.8);
  // Each of the 3000 loses a given view with probability 1/2: standard deviation 27.4.
  for (const Index lost : lost_by_view(mask, 4)) EXPECT_NEAR(static_cast<double>(lost), 1500, 5 * 27.4);
}

class AnyProtocol : public ::testing::TestWithParam<MaskProtocol> {};
INSTANTIATE_TEST_SUITE_P(Mask, AnyProtocol,
                         ::testing::Values(MaskProtocol::independent, MaskProtocol::cyclic, MaskProtocol::partial));

TEST_P(AnyProtocol, DependsOnItsArgumentsOnly) {
  const std::vector<bool> mask = make_mask(GetParam(), 500, 3, 0.3, 7);
  EXPECT_EQ(mask.size(), 1500u);
  EXPECT_EQ(mask, make_mask(GetParam(), 500, 3, 0.3, 7));
  EXPECT_NE(mask, make_mask(GetParam(), 500, 3, 0.3, 8));
}

TEST_P(AnyProtocol, ARateOfZeroLosesNothing) {
  EXPECT_EQ(make_mask(GetParam(), 50, 3, 0.0, 0), std::vector<bool>(150, true));
}

TEST_P(AnyProtocol, MasksNoRows) { EXPECT_TRUE(make_mask(GetParam(), 0, 3, 0.3, 0).empty()); }

TEST_P(AnyProtocol, RefusesWrongArguments) {
  const auto refused = [](Index rows, Index views, double rate) {
    try {
      make_mask(GetParam(), rows, views, rate, 0);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused(10, 1, 0.2));
  EXPECT_TRUE(refused(10, 3, 1.0));
  EXPECT_TRUE(refused(10, 3, -0.1));
  EXPECT_TRUE(refused(10, 3, std::nan("")));
  EXPECT_TRUE(refused(-1, 3, 0.2));
}

}  // namespace
}  // namespace omvc
