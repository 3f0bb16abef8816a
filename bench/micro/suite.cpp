#include "suite.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace omvc::bench {
namespace {

struct Ready {
  Ready(std::string its_name, int threads, const std::function<Case()>& make)
      : name(std::move(its_name)), compute(threads), each(make()) {}

  std::string name;
  Compute compute;
  Case each;
};

// Google Benchmark calls a benchmark several times, until it has found how often to repeat it.
Ready& ready(const std::string& name, int threads, const std::function<Case()>& make) {
  static std::unique_ptr<Ready> last;
  if (!last || last->name != name) {
    last.reset();
    last = std::make_unique<Ready>(name, threads, make);
  }
  return *last;
}

void count(const Work& work, const Limits& best, benchmark::State& state) {
  using benchmark::Counter;
  const double bound = best.bound_seconds(work);
  state.counters["bound_seconds"] = bound;
  state.counters["fraction_of_bound"] = Counter(bound, Counter::kIsIterationInvariantRate);
  state.counters["GFLOP/s"] = Counter(work.operations / 1e9, Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] = Counter(work.bytes / 1e9, Counter::kIsIterationInvariantRate);
  state.SetLabel(best.memory_seconds(work) < best.arithmetic_seconds(work) ? "arithmetic" : "memory");
}

}  // namespace

void add_benchmark(std::string name, int threads, std::function<Case()> make) {
  if (threads > 1) name += fmt::format("/threads={}", threads);
  const auto run = [name, threads, make = std::move(make)](benchmark::State& state) {
    Ready& now = ready(name, threads, make);
    for (auto _ : state) now.each.call(now.compute);
    count(now.each.work, limits(threads), state);
  };
  benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace omvc::bench
