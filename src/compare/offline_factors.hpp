// Factorisations of all the data at once: multinmf and mic. The first pass collects the data in memory. At the end of
// every pass the factors are updated options.rounds / passes times, so that a run shows its progress; where an update
// changes the objective by less than the tolerance, the passes that are left are skipped.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compare/factors.hpp"
#include "compare/memory_table.hpp"
#include "factorise/chunk_work.hpp"

namespace omvc {

// In the place of a denominator that is 0, where the numerator is too.
inline constexpr double kLeastDenominator = 1e-300;

// One update of all factors; returns the objective after it.
using UpdateFactors = double (*)(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute);

class OfflineFactors final : public Method {
 public:
  OfflineFactors(const MethodContext& context, UpdateFactors update);

  int rank() const override { return static_cast<int>(state_.scale.size()); }
  void begin_pass(int pass) override { pass_ = pass; }
  int learn(const PreparedChunk& chunk, Compute& compute) override;
  void end_pass(Compute& compute) override;
  int pass_after(int pass) const override { return converged_ ? passes_ + 1 : pass + 1; }

  double average_loss(Compute& compute) const override;
  std::vector<double> explained(Compute& compute) const override;
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  LearnedModel model() override;

  // Off-line methods keep no checkpoints.
  void save(Archive&) const override {}
  void load(const Archive&) override {}

 private:
  FactorOptions options_;
  Schema schema_;
  UpdateFactors update_;
  int passes_;
  int pass_ = 1;
  MemoryTable table_;
  State state_;
  std::optional<ChunkWork> work_;  // once everything is collected
  std::unique_ptr<RowStore> rows_;
  double objective_ = 0;
  bool converged_ = false;
};

// The start that the authors of multinmf use: a factorisation of every view by itself, one after the other, each from
// the latent rows of the last, so that component k means the same in all views. Leaves columns of U with sum 1, all
// entries positive (a multiplicative update never leaves 0), and V* their weighted mean.
ChunkWork start_factors(const FactorOptions& options, const PreparedChunk& data, State& state, Compute& compute);

// The rows of the consensus that a view's rows belong to.
Matrix consensus_of(const ChunkWork& work, const ViewWork& view);

}  // namespace omvc
