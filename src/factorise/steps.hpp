// The steps of Algorithm 1 on one chunk. Each leaves the loss no higher than it was, except rescale_basis, which moves
// scale between U and V without changing the reconstruction.
#pragma once

#include "factorise/chunk_work.hpp"
#include "factorise/factor_options.hpp"

namespace omvc {

// Line 5: U by Eq. (16), from the sums of the past and of this chunk.
void update_basis(const FactorOptions& options, ViewWork& work, Matrix& U, Compute& compute);

// Line 6: V by Eq. (22), given the consensus.
void update_latent(const FactorOptions& options, std::size_t view, const Matrix& consensus, ViewWork& work,
                   Compute& compute);
// The same with the problem of its rows, which lasts as long as the basis stays as it is.
RowProblem latent_problem(const FactorOptions& options, std::size_t view, const ViewWork& work);
void update_latent(const FactorOptions& options, std::size_t view, const RowProblem& problem, const Matrix& consensus,
                   ViewWork& work, Compute& compute);

// Line 7: V* by Eq. (25).
void update_consensus(const FactorOptions& options, ChunkWork& work);

// Lines 6 and 7 in the limit of alpha to infinity, where V = V* in every observed view: each row of V* solves
//   minimise  sum over observed v of ||x_v - v* U_v'||^2 + ridge ||v*||^2     over v* >= 0,
// the row problem with G = sum of U_v'U_v + ridge I and q = sum of x_v U_v, shared by instances with the same pattern.
// `rounds` times as many steps are taken as after a change of the basis; `X U` serves for all of them. By coordinate
// descent, a row that a step changes by less than `done` of its largest entry takes no more.
void update_joint_latent(const FactorOptions& options, int rounds, double done, ChunkWork& work, Compute& compute);

// X U and U'U after the basis has changed.
void refresh_products(const Matrix& U, ViewWork& work, Compute& compute);

// The sums of past and chunk after V has changed: A and c, which the loss needs, and B, which costs a product with the
// data and which only the next basis step needs.
void refresh_small_sums(const Sums& past, ViewWork& work, Compute& compute);
void refresh_large_sum(const Sums& past, ViewWork& work, Compute& compute);
inline void refresh_sums(const Sums& past, ViewWork& work, Compute& compute) {
  refresh_small_sums(past, work, compute);
  refresh_large_sum(past, work, compute);
}

// <B, U> without B: that of the past, and <W^2 V, X U> for the chunk.
void refresh_fit(const Sums& past, const Matrix& U, ViewWork& work, Compute& compute);

// Lines 9 and 10: the sums of past and chunk become the past, and what they have grown by belongs to this pass.
void keep_sums(ViewWork& work, ViewState& view, Compute& compute);

// Brings the columns of U to L1 norm 1 (soft consensus: each view by itself; tight: the views together, to mean norm 1,
// once one is further than a tenth from it) and V, A and B with them, so that the reconstruction does not change. A
// column that is zero stays.
void rescale_basis(const FactorOptions& options, State& state, ChunkWork* work, Compute& compute);

// Groups the observed instances of a chunk by the views they are observed in.
std::vector<PatternGroup> group_by_pattern(const ChunkWork& work);

// The terms of the loss without data: alpha ||W (V - V*)||^2 + beta |V|_1 summed over views, or ridge ||V*||^2.
double penalty(const FactorOptions& options, const ChunkWork& work);

// ||W (X - V U')||^2 over what the sums cover, given U and U'U. Rounding may leave a perfect fit just below zero, which
// counts as zero.
double reconstruction_error(const Sums& sums, const Matrix& U, const Matrix& UtU, Compute& compute);

// The loss of Eq. (7) over everything the sums of `state` cover, and this chunk, where A, c and the fit are those of
// the current factors.
double objective(const FactorOptions& options, const State& state, const ChunkWork& work);

}  // namespace omvc
