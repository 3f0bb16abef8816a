// OMVC as a method: what a clusterer needs to learn a stream chunk by chunk. Chunks come scaled.
#pragma once

#include "omvc/options.hpp"
#include "omvc/report.hpp"

#include "kernels/data_block.hpp"
#include "model/row_store.hpp"
#include "model/state.hpp"
#include "parallel/workers.hpp"
#include "solver/chunk_work.hpp"

namespace omvc {

// The embedding rows of a chunk, without those of instances that have no view. They are free of the scale they were
// learned in (see State::scale), so that a later rescaling of the basis holds for them too.
struct LearnedRows {
  std::vector<Index> rows;  // row numbers
  Matrix values;
  int rounds = 0;
};

// The options with which the steps of the solver do what a method asks for, whatever it leaves unused: one latent row
// an instance and filled views for onmf, one a view and filled views for multinmf and mic.
Options solver_options(Options options);

class Omvc {
 public:
  // Runs with different numbers start differently.
  Omvc(const Options& options, const Schema& schema, int rank, std::uint32_t run = 0);
  // Factors that another method may have learned: they embed as that method does, but for the last term of mic.
  Omvc(const Options& options, State state);

  // The rank that the options ask for or leave to us. The paper sets it to K. One shared latent row an instance gains
  // from more components than clusters: 3 K for dense data, 2 K where a view is sparse (docs/algorithm.md#rank).
  static int choose_rank(const Options& options, bool dense);

  void begin_pass(int pass) { state_.begin_pass(pass); }

  // From here on chunks hold new instances: they are counted as those of the first pass are, and replace nothing.
  void continue_stream() {
    state_.pass = 1;
    rest();
  }

  // Gives back the room that learning takes; learning takes it again.
  void rest() { work_ = {}; }

  // Learns a chunk. From the second pass on, the last generation of `previous` holds the rows that the last pass left.
  LearnedRows learn(const PreparedChunk& chunk, const RowStore* previous, Workers& workers);

  // Embedding rows of a chunk for the model as it is.
  Matrix embed(const PreparedChunk& chunk, Workers& workers) const;

  // The state in an archive of several runs.
  void save(Archive& archive, const std::string& prefix) const { state_.save(archive, prefix); }
  void load(const Archive& archive, const Schema& schema, const std::string& prefix) {
    state_ = State::load(archive, schema, prefix);
  }

  double average_loss(Workers& workers) const;
  std::vector<double> explained(Workers& workers) const;  // of each view, over this pass: share of its squares
  const State& state() const { return state_; }

 private:
  Options options_;
  State state_;
  ChunkWork work_;
  std::uint32_t run_ = 0;
};

// The rows that a method has left in a store, in today's scale.
class StoredEmbedding : public Embedding {
 public:
  StoredEmbedding(const RowStore& store, const RowVector& scale, Index rows)
      : store_(&store), scale_(scale), rows_(rows) {}
  Index rows() const override { return rows_; }
  Index rank() const override { return store_->width(); }
  void read(Index first, Index count, double* out) const override;

 private:
  const RowStore* store_;
  RowVector scale_;
  Index rows_;
};

}  // namespace omvc
