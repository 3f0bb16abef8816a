#include "limits.hpp"

#include <algorithm>
#include <barrier>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <hwy/aligned_allocator.h>
#include <map>
#include <thread>

namespace omvc::bench {
namespace {

// Many short tries, of which the best counts: others on the machine can only slow a try down. A try takes about a
// millisecond, which is long beside the difference between the threads' beginnings.
constexpr int kTries = 40;
constexpr int kLargeTries = 15;  // of a copy that takes longer than that by itself
constexpr double kBytesOfTry = 64e6;
constexpr std::int64_t kRoundsOfTry = 300'000;

// Working sets for which a copy is timed: within the usual first, second and third level, and well beyond them.
constexpr double kWorkingSets[] = {16e3, 128e3, 512e3, 2e6, 8e6, 32e6, 256e6};

// Calls part(t) on thread t, all at once, and tells the seconds from the first beginning to the last end. The threads
// are its own, so that the limits do not depend on the library that is measured by them.
template <class Part>
double seconds_together(int threads, const Part& part) {
  using Clock = std::chrono::steady_clock;
  std::barrier start(threads);
  std::vector<Clock::time_point> began(static_cast<std::size_t>(threads));
  std::vector<Clock::time_point> ended(static_cast<std::size_t>(threads));
  const auto run = [&](std::size_t t) {
    start.arrive_and_wait();
    began[t] = Clock::now();
    part(t);
    ended[t] = Clock::now();
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < began.size(); ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& each : others) each.join();
  const auto first = *std::min_element(began.begin(), began.end());
  const auto last = *std::max_element(ended.begin(), ended.end());
  return std::chrono::duration<double>(last - first).count();
}

double peak_of(int threads) {
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const double seconds = seconds_together(threads, [](std::size_t) {
      MultiplyAdds sums = multiply_adds(kRoundsOfTry);
      benchmark::DoNotOptimize(sums);
    });
    best = std::max(best, multiply_adds(1).operations * static_cast<double>(kRoundsOfTry) * threads / seconds);
  }
  return best;
}

// Every thread copies its own part, over and over.
double copy_speed_of(double working_set, int threads) {
  const auto parts = static_cast<std::size_t>(threads);
  const std::size_t part = static_cast<std::size_t>(working_set) / 2 / parts;
  const int passes = static_cast<int>(std::max(1.0, kBytesOfTry / working_set));
  const auto from = hwy::AllocateAligned<std::byte>(part * parts);
  const auto to = hwy::AllocateAligned<std::byte>(part * parts);
  std::memset(from.get(), 1, part * parts);
  std::memset(to.get(), 2, part * parts);
  double best = 0;
  for (int i = 0; i < (passes > 1 ? kTries : kLargeTries); ++i) {
    const double seconds = seconds_together(threads, [&](std::size_t t) {
      for (int pass = 0; pass < passes; ++pass) {
        std::memcpy(to.get() + t * part, from.get() + t * part, part);
        benchmark::ClobberMemory();
      }
    });
    best = std::max(best, 2.0 * static_cast<double>(part * parts) * passes / seconds);
  }
  return best;
}

Limits measure(int threads) {
  Limits found;
  found.instructions = multiply_adds(1).instructions;
  found.operations_per_second = peak_of(threads);
  for (const double size : kWorkingSets) found.copies.push_back({size, copy_speed_of(size, threads)});
  if (threads == 1) return found;
  // Several threads can do what one can, even where the other cores are busy with something else.
  const Limits& one = limits(1);
  found.operations_per_second = std::max(found.operations_per_second, one.operations_per_second);
  for (std::size_t i = 0; i < found.copies.size(); ++i) {
    found.copies[i].bytes_per_second = std::max(found.copies[i].bytes_per_second, one.copies[i].bytes_per_second);
  }
  return found;
}

}  // namespace

double Limits::copy_speed(double working_set) const {
  const auto above = std::find_if(copies.begin(), copies.end(),
                                  [&](const CopySpeed& each) { return each.working_set >= working_set; });
  if (above == copies.begin()) return copies.front().bytes_per_second;
  if (above == copies.end()) return copies.back().bytes_per_second;
  const CopySpeed& below = *std::prev(above);
  const double share = std::log(working_set / below.working_set) / std::log(above->working_set / below.working_set);
  return below.bytes_per_second + share * (above->bytes_per_second - below.bytes_per_second);
}

double Limits::bound_seconds(const Work& work) const {
  return std::max(memory_seconds(work), arithmetic_seconds(work));
}

const Limits& limits(int threads) {
  static std::map<int, Limits> measured;
  const auto found = measured.find(threads);
  return found != measured.end() ? found->second : measured.emplace(threads, measure(threads)).first->second;
}

}  // namespace omvc::bench
