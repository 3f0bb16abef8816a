// The variables of one chunk while it is learned: what Algorithm 1 calls X_t, W_t, V_t and V*_t.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "factorise/factor_options.hpp"
#include "factorise/filled_view.hpp"
#include "factorise/state.hpp"

namespace omvc {

struct ViewWork {
  FilledView X;    // n_v rows
  Matrix V;        // n_v x r, latent rows
  Matrix XU;       // n_v x r, X U for the current basis
  Matrix UtU;      // r x r, U'U of the current basis
  Matrix pulled;   // n_v x r, soft consensus only: X U and the pull of the consensus
  double fit = 0;  // <B, U> of past and chunk, for the current U and V
  Sums share;      // c: ||W X||^2 of the chunk; A and B, its share of the running sums, where a method asks for them
  Sums total;      // past and the chunk's share for the current V: what the basis step works on
};

// Instances observed in the same views share one matrix G in the joint latent step.
struct PatternGroup {
  std::vector<std::size_t> views;
  std::vector<Index> positions;  // of the instances, in the chunk
};

struct ChunkWork {
  std::vector<ViewWork> views;
  std::vector<std::size_t> largest_first;       // the views
  bool side_by_side = false;                    // see for_each_view
  std::vector<std::unique_ptr<Compute>> alone;  // of each view: what it is worked on with, side by side
  Matrix consensus;                             // n x r, V*
  Matrix products;                              // n x r, tight consensus only: the sum of X U over the observed views
  std::vector<PatternGroup> groups;             // tight consensus only
  double ridge = 0;    // tight consensus only: fixed while the chunk is learned, so that the loss is one
  Index observed = 0;  // instances with at least one view
};

// Calls body(v, compute) once for every view. Views whose operations are too small to be divided among threads, but
// large enough together, go side by side, each on one thread; others follow each other on all of them. `body` touches
// one view alone, so that results do not depend on it.
void for_each_view(ChunkWork& work, Compute& compute, const std::function<void(std::size_t, Compute&)>& body);

// Counts the instances of a chunk and, where missing ones are filled, sums its rows: what Eq. (10) and (11) are made
// of. First pass only, since later passes see nothing new.
void observe(const FactorOptions& options, const PreparedChunk& chunk, State& state, Compute& compute);

// Line 3: fills the missing instances where the options ask for it, and sets their weights (Eq. 10, 11). The methods
// that take a filled row for a real one weigh it 1. All latent rows are zero. Refers to the chunk. What `work` held
// before is forgotten, but its memory is used again: the matrices as tall as a view has features are made once.
void make_work(const FactorOptions& options, const PreparedChunk& chunk, const State& state, ChunkWork& work,
               Compute& compute);

}  // namespace omvc
