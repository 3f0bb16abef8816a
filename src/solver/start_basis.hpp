// The basis before anything was learned. The paper leaves it open.
#pragma once

#include "omvc/options.hpp"

#include "kernels/data_block.hpp"
#include "model/state.hpp"
#include "parallel/workers.hpp"

namespace omvc {

// Starts the basis of every view that this chunk (already scaled) is the first to show, and brings it to the scale of
// rescale_basis.
//   random  uniform numbers, keyed by seed, run, view, feature and component.
//   data    instances of the chunk (seed_instances).
// Runs that learn the same stream side by side start from different random numbers.
void start_basis(const Options& options, const PreparedChunk& chunk, std::uint32_t run, State& state, Workers& workers);

}  // namespace omvc
