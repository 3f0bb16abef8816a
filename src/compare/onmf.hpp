// On-line NMF: Wang, Tan, Koenig, Li, "Efficient document clustering via online nonnegative matrix factorizations", SDM
// 2011. The views side by side are one view; missing rows are filled with the running mean of their view and count in
// full. The stacked basis is U = (U_1; U_2; ...), all views share the latent rows V, and nothing is formed that the
// views do not have:
//
//     X U = sum of X_v U_v,   U'U = sum of U_v'U_v,   A = sum over chunks of V'V,   B_v = sum over chunks of X_v'V
//
// Of each chunk V solves the nonnegative least squares for the basis as it is. Then U goes down on
// <A, U'U> - 2 <B, U> by projected steps with the inverse of the Hessian A (onmf-i) or of its diagonal (onmf-da).
// In later passes the sums go on accumulating.
#pragma once

#include <memory>
#include <vector>

#include "compare/factors.hpp"
#include "compare/method.hpp"
#include "factorise/chunk_work.hpp"

namespace omvc {

class Onmf final : public Method {
 public:
  explicit Onmf(const MethodContext& context);

  int rank() const override { return static_cast<int>(state_.scale.size()); }
  void begin_pass(int pass) override;
  int learn(const PreparedChunk& chunk, Compute& compute) override;  // returns the steps of U
  void end_pass(Compute&) override {}

  double average_loss(Compute& compute) const override;
  std::vector<double> explained(Compute& compute) const override;
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  LearnedModel model() override;

  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  void sync() const override { rows_->sync(); }

 private:
  int update_stacked_basis(ChunkWork& work, Compute& compute);

  FactorOptions options_;
  Schema schema_;
  RowSolver solver_;  // of the basis
  State state_;
  ChunkWork work_;
  std::unique_ptr<RowStore> rows_;
};

}  // namespace omvc
