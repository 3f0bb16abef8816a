// A fit of a comparison method, from the first look at the data to the results: in one process, over passes.
#pragma once

#include <memory>
#include <optional>

#include "compare/compare_model.hpp"
#include "compare/method.hpp"
#include "pass/fit_base.hpp"
#include "tally/label_counts.hpp"
#include "tally/presence_patterns.hpp"

namespace omvc {

// Instances learned at a time: enough to hold every cluster several times, and no more than the memory meant for a
// chunk holds. Without a survey, the usual number.
Index choose_chunk(const Survey* survey);

class CompareFit final : public FitBase {
 public:
  CompareFit(const Options& options, const FitInput& input) : CompareFit(options, input, std::make_unique<Own>()) {}

  Report run();
  // Of a run that is over.
  CompareModel take_model() { return std::move(*model_); }

 private:
  void begin();
  void resume(const Archive& archive);
  void make_method();
  void look_first();
  ViewScaling scaling_of(std::size_t view, const ViewSurvey& survey) const;
  void set_intake(std::vector<ViewScaling> scaling, std::vector<Intake::Kind> kinds);
  void take_in_once(StreamedChunk& item);
  void count(const PreparedChunk& data, const StreamedChunk& item);
  bool each_chunk(Index rows, const std::function<int(const PreparedChunk&)>& use);
  void run_pass();
  void label_all();
  void check_instances(bool complete);
  void find_model(const Embedding& embedding);
  void write_results(const Embedding& embedding, LabelCounts& counts);
  void finish();

  void put_state(Archive& archive) const override;
  void sync() const override;

  struct Own {
    Setting setting;
    FitState state;
  };
  CompareFit(const Options& options, const FitInput& input, std::unique_ptr<Own> own)
      : FitBase(options, input, own->setting, own->state), own_(std::move(own)) {}

  std::unique_ptr<Own> own_;
  StreamCounts& counts_ = state_.counts;
  Intake intake_;
  std::unique_ptr<Method> method_;
  std::optional<PresencePatterns> patterns_;
  std::optional<CompareModel> model_;
  int passes_ = 1;
  double bytes_ = 0;  // that all the data would take in memory, where that is known
};

}  // namespace omvc
