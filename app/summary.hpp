// Scoring a run against the truth, and its summary as JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"
#include "omvc/sink.hpp"
#include "omvc/source.hpp"

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
  ScoringObserver(bool quiet, const std::optional<std::vector<int>>& truth, const Options& options,
                  std::function<void(Index)> check_truth = {});
  // Where the number of instances is known only after reading, the number of class labels is checked here.
  void on_start(const Report& known, int passes) override;
  void on_pass(const PassReport& pass, const Embedding& embedding) override;
  const std::vector<MeanScores>& scores() const { return scores_; }

 protected:
  std::string describe(const PassReport& pass) override;

 private:
  const std::optional<std::vector<int>>* truth_;
  Options options_;
  std::function<void(Index)> check_truth_;  // given the number of instances
  std::vector<MeanScores> scores_;
};

// Counts written labels against the truth.
class ScoringSink : public Sink {
 public:
  explicit ScoringSink(const std::optional<std::vector<int>>& truth) : truth_(&truth) {}
  void write(const ResultRows& rows) override;
  bool wants_embedding() const override { return false; }
  bool joins() const override { return !*truth_; }  // without a truth there is nothing to count
  const Contingency& counts() const { return counts_; }

 private:
  const std::optional<std::vector<int>>* truth_;
  Contingency counts_;
};

nlohmann::json summarise(const Report& report, const std::vector<MeanScores>& scores, const Contingency& labels);
// Adds the sample ids of the members and outliers that it names, where the source has ids.
void name_members(nlohmann::json& summary, Source& source);

// What was found, as tables for a person: how well each view is explained, sizes and telling features of the clusters,
// and how the presence patterns spread over them.
std::string describe_clusters(const Report& report, const Clusterer& model);

// The features that tell a cluster from the others in a view: + higher in it, - lower.
std::string feature_list(const Clusterer& model, std::size_t view, int cluster, int count);

// The same of all clusters with their sizes, below a title: a column for each view, or a line where that is too wide
// for a terminal. A cluster without a size has that of none.
std::string feature_table(const Clusterer& model, const std::vector<std::string>& sizes, int count);

// Where the time went, as a table: the longest step first, and how often the data were multiplied in each pass.
std::string describe_profile(const Report& report);

// Peak resident memory of this process so far.
long peak_rss_bytes();

}  // namespace omvc::app
