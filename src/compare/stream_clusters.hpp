// Clusters in data space learned from the stream: every instance belongs to one prototype, and prototypes are what the
// running sums of their instances make of them (CandidatePrototypes). In a later pass a chunk's old share is taken out
// of the sums first. This is
//
//   opimc          Hu, Chen, "One-pass incomplete multi-view clustering", AAAI 2019: one clustering, which starts from
//                  random labels; U = B (A + gamma I)^-1, and a chunk is assigned until its labels stay.
//   masked-kmeans  in its streaming form, mini-batch k-means (Sculley, WWW 2010): one assignment per chunk, prototypes
//                  are the means of what they were given so far; several clusterings at a time, the best one kept.
//
// docs/methods.md has objective and updates.
#pragma once

#include <memory>
#include <vector>

#include "compare/label_rows.hpp"
#include "compare/method.hpp"

namespace omvc {

class StreamClusters final : public Method {
 public:
  explicit StreamClusters(const MethodContext& context);

  int rank() const override { return options_.clusters; }
  void begin_pass(int pass) override;
  int learn(const PreparedChunk& chunk, Compute& compute) override;
  void end_pass(Compute&) override {}

  bool labels_again() const override { return relabel_; }
  void begin_labels() override;
  void label(const PreparedChunk& chunk, Compute& compute) override;
  void finish(bool complete, Compute& compute) override;

  // The objective over everything that the sums cover, divided by the number of instances.
  double average_loss(Compute& compute) const override;
  double error() const override;
  std::vector<double> explained(Compute& compute) const override;
  std::unique_ptr<Embedding> embedding(Index rows) const override;
  const RowStore* labels() const override { return &labels_.store(); }
  LearnedModel model() override { return {.factors = nullptr, .prototypes = std::move(prototypes_)}; }

  void save(Archive& archive) const override;
  void load(const Archive& archive) override;
  void sync() const override { labels_.sync(); }

 private:
  void start(const PreparedChunk& chunk, Compute& compute);
  std::vector<Matrix> random_parts(const PreparedChunk& chunk, Compute& compute) const;
  int best() const;
  void choose();
  double mean(double value) const;

  Options options_;
  Schema schema_;
  int candidates_;
  int rounds_;    // assignments of a chunk, at most
  bool relabel_;  // all instances are assigned once more at the end
  CandidatePrototypes prototypes_;
  LabelRows labels_;
};

}  // namespace omvc
