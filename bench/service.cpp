// Rows per second that readers label with one model, from 1 thread up: what bench/service.py runs. Chunks have 64 rows,
// as requests of a service might; every thread has its own.
//
//     service THREADS SECONDS        prints rows per second of the Clusterer and of a Snapshot, by the clock on the
//     wall
//                                    and by the time of the threads on a core, which others on the machine do not share
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <omvc/clusterer.hpp>
#include <omvc/planted.hpp>
#include <thread>
#include <vector>

namespace {

constexpr omvc::Index kRows = 64;

omvc::PlantedOptions data() {
  return {.instances = 20000, .features = {100, 60}, .clusters = 10, .missing = 0.3, .seed = 1};
}

struct Rate {
  double wall = 0;
  double core = 0;  // rows in a second of one thread on a core
};

double seconds_on_core() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// `label(chunk)` on so many threads for so long.
template <class Label>
Rate rows_per_second(int threads, double seconds, const Label& label) {
  std::atomic<bool> open = false;
  std::atomic<bool> ended = false;
  std::atomic<long> rows = 0;
  std::atomic<double> core = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < threads; ++t) {
    readers.emplace_back([&, t] {
      const auto source = omvc::make_planted_source(data());
      source->skip(1000 * t);
      const omvc::Chunk chunk = *source->next(kRows);
      label(chunk);
      while (!open) std::this_thread::yield();
      const double begin = seconds_on_core();
      long own = 0;
      while (!ended) own += static_cast<long>(label(chunk).labels.size());
      rows += own;
      core += seconds_on_core() - begin;
    });
  }
  const auto start = std::chrono::steady_clock::now();
  open = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  ended = true;
  for (std::thread& reader : readers) reader.join();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {static_cast<double>(rows) / wall, static_cast<double>(rows) / core};
}

// The best of some tries, of each.
template <class Label>
Rate best_rate(int threads, double seconds, const Label& label) {
  Rate best;
  for (int round = 0; round < 5; ++round) {
    const Rate rate = rows_per_second(threads, seconds, label);
    best = {std::max(best.wall, rate.wall), std::max(best.core, rate.core)};
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1;
  omvc::Options options;
  options.clusters = 10;
  options.threads = 1;
  omvc::Clusterer model(options);
  const auto source = omvc::make_planted_source(data());
  model.fit(*source);
  const omvc::Snapshot snapshot = model.snapshot();
  for (int threads = 1; threads <= most; threads *= 2) {
    const Rate by_model =
        best_rate(threads, seconds, [&](omvc::Chunk chunk) { return model.assign(std::move(chunk)); });
    const Rate by_snapshot =
        best_rate(threads, seconds, [&](omvc::Chunk chunk) { return snapshot.assign(std::move(chunk)); });
    std::cout << threads << ' ' << by_model.wall << ' ' << by_model.core << ' ' << by_snapshot.wall << ' '
              << by_snapshot.core << '\n';
  }
}
