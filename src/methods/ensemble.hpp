// The default way to clusters: several factorisations of the same stream side by side, and clusters in data space
// (Prototypes) that start from what they found. Of all these clusterings the one with the least error in data space is
// kept. With one factorisation and no prototypes this is OMVC as published.
//
//     passes 1 .. f       every run learns, until it has seen enough chunks;
//                         prototypes seeded by instances of the first chunk learn beside them
//     after pass f        k-means on the embedding of each run gives it prototypes
//     passes f+1 .. last  prototypes learn; before the last pass the best candidate is chosen,
//                         and that pass goes by directions (Nearest)
//     once more           every instance is assigned with the prototypes as they are;
//                         with few passes the best candidate is chosen only now
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "methods/label_rows.hpp"
#include "methods/method.hpp"

namespace omvc {

class Ensemble final : public Method {
 public:
  explicit Ensemble(const MethodContext& context);

  int rank() const override { return rank_; }
  void begin_pass(int pass) override;
  int learn(const PreparedChunk& chunk, Workers& workers) override;  // returns the rounds of the first run
  void end_pass(Workers& workers) override;
  // Where no label changes any more, the passes up to the last two have nothing to do: of these the first chooses and
  // the second compares directions.
  int pass_after(int pass) const override { return settled() ? std::max(pass + 1, passes_ - 1) : pass + 1; }

  bool labels_again() const override { return refine_; }
  void begin_labels() override;
  // Labels every instance of the chunk by every candidate.
  void label(const PreparedChunk& chunk, Workers& workers) override;
  // Chooses the candidate with the least error, unless that was done before the last pass. From here on there is one
  // run, the one it came from.
  void finish(bool complete) override;

  double average_loss(Workers& workers) const override { return runs_[winner_]->average_loss(workers); }
  double error() const override;  // of the best candidate
  std::vector<double> explained(Workers& workers) const override;
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  const RowStore* labels() const override { return complete_ && refine_ ? &labels_->store() : nullptr; }
  LearnedModel model() override;

  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  void sync() const override;

 private:
  // Whether the prototypes have come to rest: a pass after they could all move changed no label.
  bool settled() const { return refine_ && pass_ > factor_passes_ + 1 && changed_ == 0; }
  bool factorises() const { return pass_ <= factor_passes_; }
  void choose(const RowVector& error);
  std::vector<Matrix> prototypes_of(std::size_t run, Workers& workers) const;

  Options options_;
  Schema schema_;
  std::vector<bool> unit_;
  bool refine_;
  bool chosen_ = false;
  bool complete_ = false;  // finished after all passes
  int rank_;
  int passes_;
  int factor_passes_;
  int pass_ = 1;
  std::vector<std::unique_ptr<Omvc>> runs_;
  std::vector<std::unique_ptr<RowStore>> rows_;  // of each run
  Prototypes prototypes_;
  std::optional<LabelRows> labels_;  // where clusters are refined
  RowVector error_;                  // of each candidate, from label
  std::size_t winner_ = 0;           // run
  Index chunks_ = 0;                 // learned, over all passes
  Index changed_ = 0;                // labels, in this pass
};

}  // namespace omvc
