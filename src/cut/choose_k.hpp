// How many clusters? Two signs: the gap between the K-th and the next eigenvalue of what the first cut is made from
// (cut/row_cut.hpp), and whether cuts of the prototypes by the two halves of the stream agree. The K chosen has the
// largest product of the gap, relative to the root of what is left behind it, and the square of the agreement; where no
// number is found again, and no gap stands out with some agreement, the data have one cluster. The answer says how
// clear it is.
//
// Prototypes of text are noise, and do not agree: there the gap alone decides, and the answer is never clear.
#pragma once

#include "omvc/report.hpp"

#include "fine/prototype_sums.hpp"
#include "recipe/recipe.hpp"

namespace omvc {

// Considers K from 2 up to recipe.most_clusters, or a third of the prototypes where that is less. `eigenvalues` are
// descending, one more than that.
ClusterChoice choose_clusters(const PrototypeSums& fine, std::vector<double> eigenvalues, bool text, std::uint64_t seed,
                              const Recipe& recipe, Compute& compute);
int most_clusters(const PrototypeSums& fine, const Recipe& recipe);

}  // namespace omvc
