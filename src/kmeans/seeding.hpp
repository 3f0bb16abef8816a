#pragma once

#include <span>
#include <vector>

#include "omvc/kmeans.hpp"

#include "parallel/compute.hpp"
#include "random/philox.hpp"

namespace omvc {

// The first centres of one start, clusters x cols: rows drawn one after the other with probability proportional to the
// squared distance to the nearest centre so far, times their weights where there are any (k-means++). Draw k uses
// number k of the stream. Where every row
// coincides with a centre, the first row that is not yet a centre is taken.
std::vector<double> seed_centres(const RowsView& rows, std::span<const double> weights, int clusters,
                                 const Random& random, Compute& compute);

}  // namespace omvc
