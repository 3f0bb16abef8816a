// One fit of the living model, from the first look at the data to the results: alone, or as one of several processes of
// which each has a part of the data.
//
// Every process looks at its part; the first one makes the model from the merged looks. Then every process counts its
// rows with that model; the first one makes clusters from the merged counts, and each labels its own rows. What the
// first one has made reaches the others as if it were a checkpoint, from which they go on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "omvc/exchange.hpp"

#include "pass/fit_base.hpp"
#include "run/kept_rows.hpp"
#include "run/steps.hpp"
#include "run/together.hpp"

namespace omvc {

class Fit final : public FitBase {
 public:
  Fit(const Options& options, const FitInput& input, Exchange& exchange)
      : Fit(options, input, exchange, std::make_unique<Fitting>()) {}

  Report run();
  // Of a run that is over.
  Model take_model() { return std::move(*fit_->model); }

 private:
  Fit(const Options& options, const FitInput& input, Exchange& exchange, std::unique_ptr<Fitting> fit);

  // fit.cpp: the steps.
  void begin();
  void learn_once();
  void place_early();
  void count_pass();
  void end_pass(bool complete);
  void check_instances(bool complete);
  void finish();
  LabelCounts label_rows();

  // fit_parts.cpp: what processes have in common.
  void take_part();
  Look look_first();
  void merge_looks(Look& look);
  void make_model();
  void follow_first();
  void add_counts();
  void join_results(LabelCounts& counts);

  // fit_resume.cpp: how a run goes on from a checkpoint, and keeps one.
  bool start_from_checkpoint();
  void resume(const Archive& archive);
  void restart_pass();
  void put_state(Archive& archive) const override;
  void sync() const override { kept_->sync(); }
  bool alone() const override { return together_.alone(); }
  void keep_rows();

  bool wants_pass() const { return !position_.labelling && position_.pass <= fit_->passes; }
  Model& model() { return *fit_->model; }

  std::unique_ptr<Fitting> fit_;  // with the setting and the state that FitBase refers to
  Together together_;
  Source* source_;                // the data, or the part of them that is this process's own
  std::unique_ptr<Source> part_;  // where there are other processes
  Rows rows_;                     // the places of the part
  Rows seen_;                     // the range of the row numbers that the last pass over the part has met
  std::optional<KeptRows> kept_;
  std::optional<Counts> counts_;  // of a pass that is under way
  std::vector<Chunk> early_;      // chunks of a stream that came before there were prototypes
  bool first_has_all_ = false;    // the first process knows where every row of the data is
};

}  // namespace omvc
