// The basis before anything was learned. The paper leaves it open.
#pragma once

#include "omvc/options.hpp"

#include "model/state.hpp"
#include "parallel/workers.hpp"

namespace omvc {

// Starts the basis of every view that this chunk (already scaled) is the first to show.
//   random  uniform numbers, keyed by seed, view, feature and component.
//   data    component k is an instance of the chunk, drawn as in k-means++ with distances over the views that both
//           instances have; in a view that the instance lacks, and for components beyond the number of instances, it is
//           the mean of the view with every entry varied at random by up to a half.
void start_basis(const Options& options, const Chunk& chunk, State& state, Workers& workers);

}  // namespace omvc
