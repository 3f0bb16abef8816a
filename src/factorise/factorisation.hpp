// One factorisation of a stream, learned chunk by chunk: a basis U_v of every view and a latent row of every instance,
// which lives with the caller. Chunks come scaled.
#pragma once

#include "factorise/chunk_work.hpp"
#include "factorise/factor_options.hpp"
#include "factorise/state.hpp"
#include "kernels/data_block.hpp"
#include "parallel/compute.hpp"

namespace omvc {

// The latent rows of a chunk, without those of instances that have no view. They are free of the scale they were
// learned in (see State::scale), so that a later rescaling of the basis holds for them too.
struct LearnedRows {
  std::vector<Index> positions;  // in the chunk
  Matrix values;
  int rounds = 0;
};

class Factorisation {
 public:
  Factorisation(const FactorOptions& options, const Schema& schema, int rank);
  // One that was learned before, or elsewhere.
  Factorisation(const FactorOptions& options, State state);

  void begin_pass(int pass) { state_.begin_pass(pass); }

  // Gives back the room that learning takes; learning takes it again.
  void rest() { work_ = {}; }

  // Learns a chunk. From the second pass on, where statistics are replaced, `previous` holds the values that the last
  // pass left for all instances of the chunk, zero for those without any view; null otherwise.
  LearnedRows learn(const PreparedChunk& chunk, const Matrix* previous, Compute& compute);

  // Latent rows of a chunk for the basis as it is, in its scale.
  Matrix embed(const PreparedChunk& chunk, Compute& compute) const;

  double average_loss(Compute& compute) const;
  std::vector<double> explained(Compute& compute) const;  // of each view, over this pass: share of its squares
  int rank() const { return static_cast<int>(state_.scale.size()); }
  const FactorOptions& options() const { return options_; }
  const State& state() const { return state_; }

 private:
  FactorOptions options_;
  State state_;
  ChunkWork work_;
};

}  // namespace omvc
