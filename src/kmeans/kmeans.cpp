#include "omvc/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "omvc/error.hpp"

#include "kmeans/distance.hpp"
#include "kmeans/lloyd.hpp"
#include "kmeans/seeding.hpp"
#include "parallel/compute.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

// Sums of squared distances between larger values may overflow.
constexpr double kLargest = 1e140;

// Rows x columns x clusters from which a single start is worth several threads.
constexpr Index kWorthThreads = 1 << 20;

void check_options(const KMeansOptions& options) {
  const auto positive = [](const char* name, int value) {
    if (value < 1) throw Error(ErrorKind::usage, fmt::format("k-means: {} is {}, but must be at least 1", name, value));
  };
  positive("clusters", options.clusters);
  positive("starts", options.starts);
  positive("max_iterations", options.max_iterations);
}

void check_rows(const RowsView& rows, int clusters, std::span<const double> weights) {
  if (!weights.empty() && static_cast<Index>(weights.size()) != rows.rows) {
    throw Error(ErrorKind::usage, fmt::format("k-means: {} weights for {} rows", weights.size(), rows.rows));
  }
  if (rows.rows < clusters) {
    throw Error(ErrorKind::data, fmt::format("k-means: {} rows cannot form {} clusters: ask for at most {} clusters",
                                             rows.rows, clusters, rows.rows));
  }
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.cols; ++j) {
      const double value = rows.data[i * rows.cols + j];
      if (std::abs(value) <= kLargest) continue;
      throw Error(ErrorKind::data, fmt::format("k-means: row {}, column {} is {}: values must be finite and at most {} "
                                               "in magnitude",
                                               i, j, value, kLargest));
    }
  }
}

KMeansResult run_start(const RowsView& rows, const KMeansOptions& options, int start, Compute& compute) {
  const Random random(options.seed, Purpose::seeding, static_cast<std::uint32_t>(start));
  Lloyd lloyd(rows, seed_centres(rows, options.weights, options.clusters, random, compute), options.weights, compute);
  lloyd.assign();
  int iterations = 0;
  bool changed = true;
  while (changed && iterations < options.max_iterations) {
    lloyd.update();
    changed = lloyd.assign();
    ++iterations;
  }
  KMeansResult result = lloyd.take();
  result.start = start;
  result.iterations = iterations;
  return result;
}

// Calls keep(result) once for each start, on any thread and in any order. Several starts go side by side, each on one
// thread; a single one has all threads for its rows.
template <class Keep>
void run_starts(const RowsView& rows, const KMeansOptions& options, const Keep& keep) {
  check_options(options);
  check_rows(rows, options.clusters, options.weights);
  const bool alone = options.starts == 1;
  const bool small = rows.rows * rows.cols * options.clusters < kWorthThreads;
  Compute compute(alone && small                  ? 1
                  : options.threads <= 0 || alone ? options.threads
                                                  : std::min(options.threads, options.starts),
                  {.executor = options.executor});
  if (alone) return keep(run_start(rows, options, 0, compute));
  compute.run(options.starts, [&](std::int64_t start) {
    Compute one;
    keep(run_start(rows, options, static_cast<int>(start), one));
  });
}

}  // namespace

KMeansResult kmeans(const RowsView& rows, const KMeansOptions& options) {
  std::mutex mutex;
  std::optional<KMeansResult> best;
  run_starts(rows, options, [&](KMeansResult result) {
    const std::lock_guard lock(mutex);
    if (!best || std::pair(result.inertia, result.start) < std::pair(best->inertia, best->start)) {
      best = std::move(result);
    }
  });
  return std::move(*best);
}

std::vector<KMeansResult> kmeans_each_start(const RowsView& rows, const KMeansOptions& options) {
  check_options(options);
  std::vector<KMeansResult> results(static_cast<std::size_t>(options.starts));
  run_starts(rows, options, [&](KMeansResult result) {
    KMeansResult& place = results[static_cast<std::size_t>(result.start)];
    place = std::move(result);
  });
  return results;
}

int nearest_centre(std::span<const double> row, std::span<const double> centres) {
  const auto cols = static_cast<Index>(row.size());
  if (row.empty() || centres.empty() || centres.size() % row.size() != 0) {
    throw Error(ErrorKind::usage, fmt::format("nearest_centre: {} numbers are no set of centres with the {} columns of "
                                              "the row",
                                              centres.size(), row.size()));
  }
  const auto count = static_cast<Index>(centres.size()) / cols;
  int nearest = 0;
  double best = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < count; ++k) {
    const double distance = squared_distance(row.data(), centres.data() + k * cols, cols);
    if (distance < best) {
      best = distance;
      nearest = static_cast<int>(k);
    }
  }
  return nearest;
}

}  // namespace omvc
