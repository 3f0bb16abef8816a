#include "random/philox.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace omvc {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The vectors are those that the authors of Philox publish with their library, Random123.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, BitsAreThePhiloxWordsOfSeedPurposeStreamAndCounter) {
  const Random random(0x0123456789abcdef, Purpose::mask, 7);
  const Words words =
      philox({0x9abcdef0, 0x12345678, 7, static_cast<std::uint32_t>(Purpose::mask)}, {0x89abcdef, 0x01234567});
  EXPECT_EQ(random.bits(0x123456789abcdef0), std::uint64_t{words[0]} << 32 | words[1]);
}

TEST(Random, EveryPartOfTheKeyMatters) {
  const std::set<std::uint64_t> numbers = {
      Random(1, Purpose::basis).bits(0),          Random(2, Purpose::basis).bits(0),
      Random(1ull << 32, Purpose::basis).bits(0), Random(1, Purpose::seeding).bits(0),
      Random(1, Purpose::basis, 1).bits(0),       Random(1, Purpose::basis).bits(1),
      Random(1, Purpose::basis).bits(1ull << 32)};
  EXPECT_EQ(numbers.size(), 7u);
}

TEST(Random, UniformNumbersFillTheUnitInterval) {
  const Random random(3, Purpose::sample);
  constexpr int kCount = 100000;
  std::vector<int> bins(10, 0);
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++bins[static_cast<std::size_t>(u * 10)];
  }
  // The count of a bin has standard deviation sqrt(n p (1 - p)) = 95; five of them make a chance failure a bug.
  for (const int bin : bins) EXPECT_NEAR(bin, kCount / 10, 5 * 95);
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  const Random random(4, Purpose::sample);
  std::vector<int> seen(7, 0);
  for (std::uint64_t i = 0; i < 7000; ++i) ++seen.at(random.below(7, i));
  // Standard deviation sqrt(7000 * 1/7 * 6/7) = 29.3.
  for (const int count : seen) EXPECT_NEAR(count, 1000, 5 * 29.3);
  EXPECT_EQ(random.below(1, 12345), 0u);
}

TEST(Random, NormalNumbersHaveTheMomentsOfTheStandardNormal) {
  const Random random(5, Purpose::sample);
  constexpr int kCount = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  // Standard errors: 1 / sqrt(n) of the mean, sqrt(2 / n) of the variance; five of each.
  EXPECT_NEAR(sum / kCount, 0.0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1.0, 5 * std::sqrt(2.0 / kCount));
}

}  // namespace
}  // namespace omvc
