// How many clusters? Two signs that need no data: the gap of the eigenvalues after the K-th, and whether the two halves
// of the stream, cut apart, agree. Neither is right alone on every set, so K has the largest product of the gap and the
// square of the agreement, and the answer says how clear it is.
#pragma once

#include "omvc/report.hpp"

#include "fine/fine_prototypes.hpp"

namespace omvc {

// Considers K from 2 to at most `most`.
ClusterChoice choose_clusters(const FinePrototypes& fine, int most, std::uint64_t seed, Workers& workers);

}  // namespace omvc
