// The basis before anything was learned. The paper leaves it open.
#pragma once

#include "factorise/factor_options.hpp"
#include "factorise/state.hpp"
#include "kernels/data_block.hpp"
#include "parallel/compute.hpp"

namespace omvc {

// Starts the basis of every view that this chunk (already scaled) is the first to show, and brings it to the scale of
// rescale_basis.
//   random  uniform numbers, keyed by seed, view, feature and component.
//   data    instances of the chunk (seed_instances).
void start_basis(const FactorOptions& options, const PreparedChunk& chunk, State& state, Compute& compute);

}  // namespace omvc
