// Algorithm 1 of the paper, lines 3 to 10, for one chunk.
#pragma once

#include "factorise/chunk_work.hpp"
#include "factorise/factor_options.hpp"

namespace omvc {

struct ChunkOutcome {
  Matrix consensus;    // n x r, V*; zero rows for instances without any view
  Index observed = 0;  // instances with at least one view
  int rounds = 0;
};

// Learns a chunk (already scaled): improves the basis and adds the chunk to the sums of the state. `previous` holds the
// rows of V* that the last pass left for these instances, in today's scale, where statistics are to be replaced; null
// in the first pass and under accumulation. The basis of every view that has been observed must have been started.
// `work` is room to work in, which keeps its memory from chunk to chunk.
ChunkOutcome learn_chunk(const FactorOptions& options, const PreparedChunk& chunk, const Matrix* previous, State& state,
                         ChunkWork& work, Compute& compute);

// V* of a chunk for a basis that stays as it is: the latent and consensus steps alone.
Matrix embed_chunk(const FactorOptions& options, const PreparedChunk& chunk, const State& state, Compute& compute);

// The average loss of Eq. (28) over the chunks of this pass, exactly, from the running sums: the reconstruction with
// today's basis, the other terms as they stood when each chunk was left.
double average_loss(const State& state, Compute& compute);

// Of each view, over this pass: the share of its squares that the factorisation explains.
std::vector<double> explained_squares(const State& state, Compute& compute);

}  // namespace omvc
