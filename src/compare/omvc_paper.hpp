// OMVC as published (Shao, He, Lu, Yu 2016): one factorisation of the stream, and k-means on its embedding.
#pragma once

#include "compare/factors.hpp"
#include "compare/method.hpp"

namespace omvc {

class OmvcPaper final : public Method {
 public:
  explicit OmvcPaper(const MethodContext& context);

  int rank() const override { return factors_->rank(); }
  void begin_pass(int pass) override;
  int learn(const PreparedChunk& chunk, Compute& compute) override;
  void end_pass(Compute& /*compute*/) override {}

  double average_loss(Compute& compute) const override { return factors_->average_loss(compute); }
  std::vector<double> explained(Compute& compute) const override { return factors_->explained(compute); }
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  LearnedModel model() override;

  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  void sync() const override { rows_->sync(); }

 private:
  Schema schema_;
  std::unique_ptr<Factorisation> factors_;
  std::unique_ptr<RowStore> rows_;
};

}  // namespace omvc
