// MIC: Shao, He, Yu, "Multiple incomplete views clustering via weighted nonnegative matrix factorization with L2,1
// regularization", ECML-PKDD 2015. Off-line; missing rows are filled with the mean of their view, with the share of
// instances present as their weight. With alpha and beta of the options, it minimises
//
//     sum over views of   ||W (X - V U')||^2 + alpha ||W (V - V*)||^2 + beta ||V||_{2,1}
#pragma once

#include "factorise/chunk_work.hpp"
#include "factorise/factor_options.hpp"

namespace omvc {

// One update of U, then V, of every view, and of V* in closed form. The objective, which it returns, never rises.
//   U   the row problem with G = V'W^2 V and the rows of X'W^2 V, by coordinate descent.
//   V   multiplicative: ||v|| <= ||v||^2 / (2 ||v0||) + ||v0|| / 2 turns the last term into a quadratic one, which is
//       equal to it at the current row v0, so that (half the gradients of) the parts give
//           v <- v .* (x U + alpha v*) ./ (v U'U + alpha v + beta / (2 w^2 ||v0||) v).
double update_mic_factors(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute);

// The same, and then the columns of U to sum 1, V and V* with them: alpha and beta would otherwise shrink V and let U
// grow without limit.
double update_mic(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute);

}  // namespace omvc
