// k-means on rows that fit in memory: the last step of most factorisation methods, from embedding rows to clusters.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"
#include "omvc/hooks.hpp"

namespace omvc {

// Row-major rows x cols that somebody else owns.
struct RowsView {
  const double* data = nullptr;
  Index rows = 0;
  Index cols = 0;

  std::span<const double> row(Index i) const { return {data + i * cols, static_cast<std::size_t>(cols)}; }
};

struct KMeansOptions {
  int clusters = 2;
  int starts = 20;           // the start with the least inertia is kept
  int max_iterations = 300;  // of Lloyd's algorithm, each start
  std::uint64_t seed = 0;
  int threads = 1;                          // starts run in parallel; the result does not depend on it
  std::shared_ptr<Executor> executor = {};  // whose threads they run on; none: of its own
  std::span<const double> weights = {};     // of the rows, none negative; empty: all rows weigh the same
};

struct KMeansResult {
  std::vector<double> centres;  // clusters x cols, row-major
  std::vector<int> labels;      // of every row
  double inertia = 0;           // sum over rows of the squared distance to the nearest centre
  int start = 0;                // which start won
  int iterations = 0;           // of the start that won
};

// Lloyd's algorithm from k-means++ seeds (Arthur, Vassilvitskii, SODA 2007). Start i draws from the random stream
// (seed, i), so one run of n starts is the best of n single runs. A cluster that loses all its rows takes the row that
// is farthest from its centre. Throws ErrorKind::data for fewer rows than clusters or a value that is not finite.
OMVC_API KMeansResult kmeans(const RowsView& rows, const KMeansOptions& options);

// One result a start, in the order of the starts: what "the mean of 20 single-start runs" is made of.
OMVC_API std::vector<KMeansResult> kmeans_each_start(const RowsView& rows, const KMeansOptions& options);

// Brings every row to length 1; a zero row stays zero. Directions in the latent space matter more than lengths, which
// follow how much of an instance was observed.
OMVC_API void to_unit_length(double* rows, Index count, Index cols);

// The nearest centre of one row; the lowest number among equals.
OMVC_API int nearest_centre(std::span<const double> row, std::span<const double> centres);

}  // namespace omvc
