// MultiNMF: Liu, Wang, Gao, Han, "Multi-view clustering via joint nonnegative matrix factorization", SDM 2013.
// Off-line; missing rows are filled with the mean of their view and count in full. With lambda = options.alpha and Q =
// diag(column sums of U), it minimises
//
//     sum over views of   ||X - V U'||^2 + lambda ||V Q - V*||^2
#pragma once

#include "factorise/chunk_work.hpp"
#include "factorise/factor_options.hpp"

namespace omvc {

// One multiplicative update of V, then U, of every view, and of V*. The columns of U have sum 1 (Q = I) before and
// after it. The objective, which it returns, never rises.
double update_multinmf(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute);

}  // namespace omvc
