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
#include <vector>

#include "methods/omvc.hpp"
#include "solver/prototypes.hpp"

namespace omvc {

class Ensemble {
 public:
  // `unit` says of every view whether its rows have length 1.
  Ensemble(const Options& options, const Schema& schema, int rank, const std::vector<bool>& unit, int passes);

  void begin_pass(int pass);
  int learn(const Chunk& chunk, Workers& workers);  // returns the rounds of the first run
  void end_pass(Workers& workers);

  // Labels every instance of the chunk by every candidate.
  void assign(const Chunk& chunk, Workers& workers);

  // Chooses the candidate with the least error, unless that was done before the last pass. From here on there is one
  // run, the one it came from.
  void finish();

  bool refines() const { return refine_; }
  // Whether the prototypes have come to rest: a pass after they could all move changed no label.
  bool settled() const { return refine_ && pass_ > factor_passes_ + 1 && changed_ == 0; }
  Index instances() const { return instances_; }                    // one more than the largest row number
  Index observed() const { return static_cast<Index>(observed_); }  // instances with some view
  double average_loss(Workers& workers) const { return runs_[winner_]->average_loss(workers); }
  // Mean squared distance in data space of an instance from its prototype, for the best candidate; 0 without
  // prototypes.
  double error() const;
  // Share of each view that the clusters (refined) or the factorisation explain; see ViewReport::explained.
  std::vector<double> explained(bool refined, Workers& workers) const;
  StoredEmbedding embedding(Index rows) const;
  const RowStore& labels() const { return *labels_; }  // after finish: one column, NaN without any view

  Omvc& method() { return *runs_[winner_]; }
  Prototypes& prototypes() { return prototypes_; }

 private:
  void choose(const RowVector& error);
  bool factorises() const { return pass_ <= factor_passes_; }
  CandidateLabels stored_labels(const Chunk& chunk) const;
  void store_labels(const PreparedChunk& chunk, const CandidateLabels& labels);
  std::vector<Matrix> prototypes_of(std::size_t run, Workers& workers) const;

  Options options_;
  bool refine_;
  bool chosen_ = false;
  int passes_;
  int factor_passes_;
  int pass_ = 1;
  std::vector<std::unique_ptr<Omvc>> runs_;
  std::vector<std::unique_ptr<RowStore>> rows_;  // of each run
  Prototypes prototypes_;
  std::unique_ptr<RowStore> labels_;  // a column a candidate
  RowVector error_;                   // of each candidate, from assign
  std::size_t winner_ = 0;            // run
  Index instances_ = 0;
  Index chunks_ = 0;             // learned, over all passes
  Index changed_ = 0;            // labels, in this pass
  std::vector<double> squares_;  // ||X||^2 of each view
  double observed_ = 0;          // instances with some view
};

}  // namespace omvc
