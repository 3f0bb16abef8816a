// k-means on all the data at once, over several views: Lloyd's algorithm from k-means++ starts, the best of
// kKMeansStarts by its objective.
//
//   masked-kmeans  only the views that an instance has speak;
//   concat-kmeans  a view that an instance lacks is filled with the mean of the view.
//
// The data are read once and held in memory; further passes have nothing to do. docs/methods.md has the objectives.
#pragma once

#include <memory>
#include <vector>

#include "compare/label_rows.hpp"
#include "compare/memory_table.hpp"

namespace omvc {

struct ViewClusters {
  CandidatePrototypes prototypes;  // one candidate
  CandidateLabels labels;
  double error = 0;  // CandidatePrototypes::error
};

// The best of kKMeansStarts clusterings of a chunk, each from its own k-means++ start.
ViewClusters best_clusters(const Options& options, const Schema& schema, const PreparedChunk& data,
                           const PrototypeRule& rule, Compute& compute);

class BatchKMeans final : public Method {
 public:
  explicit BatchKMeans(const MethodContext& context);

  int rank() const override { return options_.clusters; }
  void begin_pass(int) override {}
  int learn(const PreparedChunk& chunk, Compute& compute) override;
  void end_pass(Compute& compute) override;
  int pass_after(int) const override { return passes_ + 1; }

  double average_loss(Compute&) const override { return loss_; }
  double error() const override { return loss_; }
  std::vector<double> explained(Compute& compute) const override;
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  const RowStore* labels() const override { return &labels_.store(); }
  LearnedModel model() override { return {.factors = nullptr, .prototypes = std::move(best_)}; }

  // Off-line methods keep no checkpoints.
  void save(Archive&) const override {}
  void load(const Archive&) override {}

 private:
  PrototypeRule rule(const PreparedChunk& data, Compute& compute) const;

  Options options_;
  Schema schema_;
  int passes_;
  MemoryTable table_;
  LabelRows labels_;
  CandidatePrototypes best_;
  double loss_ = 0;
};

}  // namespace omvc
