#include "parallel/profile.hpp"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>

#include "parallel/compute.hpp"

namespace omvc {
namespace {

// A clock that the test moves on.
double now = 0;
double fake_clock() { return now; }

double in(Profile& profile, Step step) { return profile.seconds()[static_cast<std::size_t>(step)]; }

TEST(Profile, TimeBelongsToTheInnermostStepAlone) {
  Profile profile(fake_clock);
  now += 1;
  {
    const Timed learning(profile, Step::learning);
    now += 2;
    {
      const Timed times(profile, Step::times);
      now += 4;
    }
    now += 8;
    const Timed gram(profile, Step::gram);
    now += 16;
    {
      const Timed again(profile, Step::learning);
      now += 32;
    }
    now += 64;
  }
  now += 128;
  EXPECT_EQ(in(profile, Step::other), 1 + 128);
  EXPECT_EQ(in(profile, Step::learning), 2 + 8 + 32);
  EXPECT_EQ(in(profile, Step::times), 4);
  EXPECT_EQ(in(profile, Step::gram), 16 + 64);
  EXPECT_EQ(profile.total(), 255);
}

TEST(Profile, SaysWhatTheStepUnderWayHasTakenSoFar) {
  Profile profile(fake_clock);
  const Timed timed(profile, Step::kmeans);
  now += 3;
  EXPECT_EQ(in(profile, Step::kmeans), 3);
  now += 4;
  EXPECT_EQ(in(profile, Step::kmeans), 7);
  EXPECT_EQ(profile.total(), 7);
}

TEST(Profile, AnExceptionLeavesTheStepItWasThrownIn) {
  Profile profile(fake_clock);
  try {
    const Timed outer(profile, Step::learning);
    const Timed inner(profile, Step::row_solver);
    now += 1;
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
    now += 2;
  }
  EXPECT_EQ(in(profile, Step::row_solver), 1);
  EXPECT_EQ(in(profile, Step::other), 2);
}

TEST(Profile, TimeOfWorkOnSeveralThreadsBelongsToTheirSteps) {
  Profile one(fake_clock);
  Profile other(fake_clock);
  Profile profile(fake_clock);
  one.add(Step::times, 3);
  one.count_product(Step::times, 4);
  other.add(Step::gram, 1);
  other.count_product(Step::times, 4);
  now += 1;
  profile.enter(Step::learning);
  now += 2;
  profile.take_over({&one, &other});
  EXPECT_EQ(in(profile, Step::times), 1.5);
  EXPECT_EQ(in(profile, Step::gram), 0.5);
  EXPECT_EQ(in(profile, Step::learning), 0);
  EXPECT_EQ(profile.total(), 3);
  const std::vector<ProductCount> counted = profile.take_products();
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].times, 2);
  EXPECT_TRUE(one.take_products().empty());
}

TEST(Profile, ReadingOverlapsAndIsNoPartOfTheTotal) {
  Profile profile(fake_clock);
  now += 1;
  profile.add(Step::reading, 50);
  profile.add(Step::waiting, 2);
  double sum = 0;
  for (const StepTime& step : profile.report()) {
    EXPECT_EQ(step.overlaps, step.name == "reading") << step.name;
    sum += step.overlaps ? 0 : step.seconds;
  }
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(profile.total(), 3);
  EXPECT_EQ(in(profile, Step::reading), 50);
}

TEST(Profile, GoesOnFromTheTimesOfAnEarlierRun) {
  Profile before(fake_clock);
  before.add(Step::reading, 5);
  before.add(Step::gram, 3);
  Profile after(fake_clock);
  {
    const Timed timed(after, Step::gram);
    now += 1;
  }
  after.add(before.seconds());
  EXPECT_EQ(in(after, Step::gram), 4);
  EXPECT_EQ(in(after, Step::reading), 5);
  after.start();
  now += 1;
  EXPECT_EQ(in(after, Step::gram), 0);
  EXPECT_EQ(in(after, Step::other), 1);
}

TEST(Profile, EveryStepHasANameOfItsOwn) {
  Profile profile;
  std::set<std::string> names;
  for (const StepTime& step : profile.report()) names.insert(step.name);
  EXPECT_EQ(names.size(), kSteps);
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(profile.report().back().name, "other");
}

TEST(Profile, CountsProductsByTheirColumns) {
  Compute compute(2);
  Profile& profile = compute.profile();
  { const Timed timed(profile, Step::times, 7); }
  { const Timed timed(profile, Step::transpose_times, 7); }
  { const Timed timed(profile, Step::times, 3); }
  { const Timed timed(profile, Step::times, 7); }
  std::vector<ProductCount> products = profile.take_products();
  EXPECT_EQ(products, (std::vector<ProductCount>{{3, 1, 0}, {7, 2, 1}}));
  EXPECT_TRUE(profile.take_products().empty());
  add_products({{1, 1, 0}, {7, 0, 5}, {9, 2, 2}}, products);
  EXPECT_EQ(products, (std::vector<ProductCount>{{1, 1, 0}, {3, 1, 0}, {7, 2, 6}, {9, 2, 2}}));
}

}  // namespace
}  // namespace omvc
