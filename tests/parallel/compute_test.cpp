#include "parallel/compute.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parallel/team.hpp"

namespace omvc {
namespace {

class ComputeTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ComputeTest, ::testing::Values(1, 2, 3, 8));

TEST_P(ComputeTest, CallsEveryIndexOnce) {
  Compute compute(GetParam());
  EXPECT_EQ(compute.threads(), GetParam());
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    compute.run(count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& call : calls) ASSERT_EQ(call, 1);
  }
}

TEST_P(ComputeTest, RethrowsTheExceptionOfTheLowestIndexAndRunsTheRest) {
  Compute compute(GetParam());
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<int> calls = 0;
    try {
      compute.run(50, [&](std::int64_t i) {
        ++calls;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(calls, 50);
  }
}

TEST_P(ComputeTest, IsUsableAfterAnException) {
  Compute compute(GetParam());
  EXPECT_THROW(compute.run(3, [](std::int64_t) { throw std::runtime_error("all"); }), std::runtime_error);
  std::atomic<std::int64_t> sum = 0;
  compute.run(100, [&](std::int64_t i) { sum += i; });
  EXPECT_EQ(sum, 4950);
}

TEST_P(ComputeTest, BlocksCoverTheRangeAndDoNotDependOnThreads) {
  Compute compute(GetParam());
  for (const bool in_parallel : {false, true}) {
    for (const std::int64_t n : {0, 1, 9, 10, 11, 100}) {
      std::mutex mutex;
      std::set<std::pair<std::int64_t, std::int64_t>> ranges;
      for_blocks(compute, n, 10, in_parallel, [&](std::int64_t first, std::int64_t last) {
        const std::lock_guard lock(mutex);
        ASSERT_TRUE(ranges.emplace(first, last).second);
      });
      std::int64_t next = 0;
      for (const auto& [first, last] : ranges) {
        ASSERT_EQ(first, next);
        ASSERT_EQ(last, std::min<std::int64_t>(n, first + 10));
        next = last;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST_P(ComputeTest, BlocksStayOnTheCallersThreadWhereParallelWorkDoesNotPay) {
  Compute compute(GetParam());
  for_blocks(compute, 100, 1, false, [caller = std::this_thread::get_id()](std::int64_t, std::int64_t) {
    ASSERT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST_P(ComputeTest, ASumOverBlocksHasTheSameBits) {
  const auto sum_with = [](int threads) {
    Compute compute(threads);
    std::vector<double> partial(100, 0.0);
    for_blocks(compute, 10000, 100, true, [&](std::int64_t first, std::int64_t last) {
      double& sum = partial[static_cast<std::size_t>(first / 100)];
      for (std::int64_t i = first; i < last; ++i) sum += 1.0 / (1.0 + static_cast<double>(i));
    });
    double sum = 0;
    for (const double part : partial) sum += part;
    return sum;
  };
  EXPECT_EQ(sum_with(GetParam()), sum_with(1));
}

TEST(Compute, ZeroMeansTheThreadsOfTheMachine) { EXPECT_GE(Compute(0).threads(), 1); }

TEST(Compute, StartsNoMoreThreadsThanCanBeOfUse) {
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_LE(Compute(4096).threads(), std::max(16, 4 * cores));
  EXPECT_EQ(Compute(7).threads(), 7);
}

// What computes cannot be had: nothing is left behind that would compute elsewhere without a word.
TEST(Team, ABackendThatCannotBeMadeIsAnErrorEveryTime) {
  Team team;
  team.set_threads(3);
  EXPECT_EQ(team.get().threads(), 3);
  team.set_backend([]() -> std::shared_ptr<Backend> { throw std::runtime_error("no card"); });
  for (int again = 0; again < 3; ++again) EXPECT_THROW(team.get(), std::runtime_error);
  team.set_backend({});
  EXPECT_EQ(team.get().threads(), 3);
}

}  // namespace
}  // namespace omvc
