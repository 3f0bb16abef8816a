// What fits of every method have in common: passes that are told, timed, checkpointed and resumed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "omvc/checkpointing.hpp"
#include "omvc/sink.hpp"
#include "omvc/source.hpp"

#include "pass/checkpoint.hpp"
#include "pass/pass.hpp"

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

// What a fit is given: threads, data, a place for results, an observer, and where to keep checkpoints.
struct FitInput {
  Compute& compute;
  Source& source;
  Sink& sink;
  Observer& observer;
  const Checkpointing& checkpointing;
};

class FitBase {
 public:
  FitBase(const FitBase&) = delete;
  FitBase& operator=(const FitBase&) = delete;

 protected:
  // Setting and state are the owner's, and outlive this.
  FitBase(const Options& options, const FitInput& input, Setting& setting, FitState& state);
  virtual ~FitBase() {
    compute_.set_poll({});
    compute_.set_told({});
  }

  // The complete state at a chunk boundary, but for what lies in row stores, which `sync` makes durable.
  virtual void put_state(Archive& archive) const = 0;
  virtual void sync() const = 0;
  // Whether the run may stop after any chunk: one process of several cannot stop alone.
  virtual bool alone() const { return true; }

  // Writes a checkpoint: makes the row stores durable, then replaces the last archive by one that refers to them.
  void checkpoint();
  // The checkpoint to go on from, where one is wanted and there is one.
  std::optional<Archive> last_checkpoint();
  // Calls resume(); an error that it throws is told as one of the checkpoint.
  void blame_checkpoint(const std::function<void()>& resume) const;
  // Throws ErrorKind::data unless the data are those that the run was begun with: for a resumed run that has nothing
  // left to read.
  void check_data(const Progress& found) const;

  // After chunks were learned: takes the time, tells the observer, and writes a checkpoint where one is due. Returns
  // false where the observer wants the run to end without a checkpoint.
  bool after_chunks(const Pass& pass, const std::vector<StreamedChunk>& items, int rounds);
  void take_products() { add_products(profile_.take_products(), state_.position.report.products); }
  void note_time(const Pass& pass);
  void tell_learned(Index instances) const;  // of the pass that is under way
  void begin_timing();
  // Ends a pass in the report, and goes to the next.
  void end_report(int next, bool labelling);
  std::string interruption() const;

  Setting& setting_;
  Compute& compute_;
  Source& data_;
  Sink& sink_;
  Observer& observer_;
  Checkpointing keep_;   // by this process
  std::string kept_in_;  // the checkpoint, whichever process writes it
  CheckpointClock due_;
  Profile& profile_;
  FitState& state_;
  FitPosition& position_;
  Report& report_;
  RowFolder folder_;
  bool again_ = false;  // the source can be read again
  Index expected_ = 0;  // instances of a pass, where their number is known

 private:
  StopWatch watch_;
  double waited_before_ = 0;
};

// Bytes that all the data would take in memory, and those of one instance that has every view.
double bytes_of(const Survey& survey);
double bytes_of_row(const Survey& survey);
// Throws ErrorKind::data for data that the options cannot work with.
void check_survey(const Survey& survey, const Schema& schema, const Options& options);
// What the user should know of the views; and of the columns of one of them, as ViewReport::columns tells.
void warn_of_views(Report& report);
void warn_of_columns(const ViewReport& view, std::vector<std::string>& warnings);

}  // namespace omvc
