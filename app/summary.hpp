// Scoring a run against the truth, and its summary as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "omvc/evaluation.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/sink.hpp"

#include "console.hpp"

namespace omvc::app {

// Mean NMI (geometric) and AC over single-start k-means runs on the embedding: how the paper reports.
struct MeanScores {
  double nmi = 0;
  double ac = 0;
};
MeanScores mean_scores(const Embedding& embedding, const std::vector<int>& truth, const Options& options);

// Shows progress and, given a truth, scores every pass. The time that scoring takes is not counted in the passes.
class ScoringObserver : public ConsoleObserver {
 public:
  ScoringObserver(bool quiet, const std::optional<std::vector<int>>& truth, const Options& options);
  void on_pass(const PassReport& pass, const Embedding& embedding) override;
  const std::vector<MeanScores>& scores() const { return scores_; }

 protected:
  std::string describe(const PassReport& pass) override;

 private:
  const std::optional<std::vector<int>>* truth_;
  Options options_;
  std::vector<MeanScores> scores_;
};

// Counts written labels against the truth.
class ScoringSink : public Sink {
 public:
  explicit ScoringSink(const std::optional<std::vector<int>>& truth) : truth_(&truth) {}
  void write(const ResultRows& rows) override;
  const Contingency& counts() const { return counts_; }

 private:
  const std::optional<std::vector<int>>* truth_;
  Contingency counts_;
};

nlohmann::json summarise(const Report& report, const std::vector<MeanScores>& scores, const Contingency& labels);

// Peak resident memory of this process so far.
long peak_rss_bytes();

}  // namespace omvc::app
