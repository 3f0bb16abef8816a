// One fit, from the first look at the data to the results: alone, or as one of several processes of which each has a
// part of the data.
//
// The processes of a fit look at their parts; the first one makes the model from the sum of the looks, and all count
// their rows with it; the first one makes clusters from the sum of the counts, and each labels its own rows. What the
// first one decides reaches the others as a checkpoint would: they go on from it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "omvc/clusterer.hpp"
#include "omvc/exchange.hpp"

#include "report/label_counts.hpp"
#include "run/checkpoint.hpp"
#include "run/living_fit.hpp"
#include "run/other_model.hpp"
#include "run/presence_patterns.hpp"
#include "run/together.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {

class StopWatch {
 public:
  explicit StopWatch(double before = 0) : before_(before) {}
  double seconds() const {
    return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class FitRun {
 public:
  FitRun(Setting& setting, Workers& workers, Source& source, Sink& sink, Observer& observer,
         const Checkpointing& checkpointing, Exchange& exchange);
  ~FitRun() { workers_.set_poll({}); }
  FitRun(const FitRun&) = delete;
  FitRun& operator=(const FitRun&) = delete;

  Report run();

  // Of a run that is over: one of the two is there.
  std::optional<Model>& model() { return model_; }
  std::optional<OtherModel>& other() { return other_; }

 private:
  // fit_start.cpp: how a run begins, goes on from a checkpoint, and keeps one.
  void take_part();
  void start();
  void begin();
  void resume_from(const Archive& archive);
  void resume(const Archive& archive);
  void restart_pass();
  std::optional<Archive> last_checkpoint();
  void make_method();
  void learn_sample();
  void checkpoint();
  Archive state_archive();
  void follow_first();
  std::string interruption() const;

  // fit_look.cpp: the first look.
  void look_first();
  void merge_looks(Look& look);

  // fit_chunks.cpp: how the chunks of a pass come.
  std::vector<Index> scale(Chunk& chunk);
  bool places_ahead() const { return model_ && again_ && workers_.threads() > 1; }
  ReadAhead reading();
  void skip_chunks(ChunkStream& stream);
  std::vector<StreamedChunk> next_chunks(ChunkStream& stream);
  bool tell_chunks(const std::vector<StreamedChunk>& items, int rounds);
  bool stream_chunks(Index rows, const std::function<int(std::vector<StreamedChunk>&)>& use);

  // fit.cpp: passes.
  bool living() const { return setting_.options.method == Algorithm::omvc; }
  LivingFit& living_fit() { return static_cast<LivingFit&>(*method_); }
  ViewScaling scaling_of(std::size_t view, const ViewSurvey& survey) const;
  PreparedChunk prepare(const Chunk& chunk);
  void take_products() { add_products(profile_.take_products(), position_.report.products); }
  bool learn_pass();
  void add_passes();
  void run_pass();
  void label_all();
  void check_instances(bool complete);
  void check_data();

  // fit_finish.cpp: labels of all rows.
  Rows label_rows();
  void join_results(LabelCounts& counts);
  void finish();
  void finish_other(const Embedding& embedding);

  Setting& setting_;
  Workers& workers_;
  Source& data_;
  Source* source_;  // the data, or the part of them that is this process's own
  Sink& sink_;
  Observer& observer_;
  Checkpointing keep_;   // by this process
  std::string kept_in_;  // the checkpoint, whichever process writes it
  Together together_;
  CheckpointClock due_;
  Profile& profile_;
  FitState state_;
  FitPosition& position_ = state_.position;
  Report& report_ = state_.report;
  StreamCounts& counts_ = state_.counts;
  RowFolder folder_;
  std::unique_ptr<Source> part_;  // where there are other processes
  Rows rows_;                     // the places of the part
  Rows seen_;                     // the row numbers that the last pass over it has met lie in here
  std::optional<Model> model_;    // where the method is omvc
  std::unique_ptr<Method> method_;
  std::optional<OtherModel> other_;  // what another method leaves
  std::optional<PresencePatterns> patterns_;
  int passes_ = 1;              // 0 where the first look has seen all there is to learn from
  bool again_ = false;          // the source can be read again
  bool first_has_all_ = false;  // the first process knows where every row of the data is
  bool joins_ = false;          // each process hands on its own rows, and the sinks are joined
  double bytes_ = 0;            // that all the data would take in memory, where that is known
};

}  // namespace omvc
