// Learns the rows of a stream, in the calling thread or in one of its own, and saves the model from time to time. After
// every chunk it hands out a new Placer, so that labelling never waits for learning. Once learning has failed nothing
// is learned or saved any more, since a chunk may be half in the model; what was saved before is still there.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "omvc/stream.hpp"

#include "file/file_mark.hpp"
#include "model/chunk_learner.hpp"
#include "run/model_file.hpp"

namespace omvc {

class Learner {
 public:
  struct Setup {
    std::string file;
    double save_seconds = 30;
    StreamRecord record;
    std::optional<FileMark> mark;  // of the file, where there is one
    int threads = 0;
    Hooks hooks;                       // see StreamOptions
    std::shared_ptr<Backend> backend;  // null: processors
  };

  Learner(Model model, Setup setup);
  ~Learner();  // gives up the chunks that wait
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // From now on chunks are learned by a thread of its own.
  void start();

  // Learns a chunk; `ids` are those of its rows. With a thread of its own the call returns at once, unless the
  // chunks that wait would take more than Options::memory. Throws what learning threw, also for chunks before this one.
  // `features` are those of each view that are new with it (ChunkLearner::add_features); empty: none are.
  void learn(Chunk chunk, std::vector<std::string> ids, std::vector<std::vector<std::string>> features = {});
  void save_soon();  // saves once all chunks handed over so far are learned
  void tick();       // saves where it is time; throws what learning threw
  void finish();     // learns what waits, saves, and ends the thread

  void note_undelivered(UndeliveredRows rows);  // after finish(), and saves

  bool busy() const;
  std::shared_ptr<const Placer> placing() const;  // as after the last chunk learned; null before there are clusters
  std::vector<StreamEvent> take_events();

  // Before start() only: what there is of the model, and views and features beside those that it has.
  const Model& model() const { return model_; }
  void widen(const Schema& wider) { chunk_learner_.widen(wider); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Chunk chunk;
    std::vector<std::string> ids;
    std::vector<std::vector<std::string>> features;
    double bytes = 0;
  };

  void work();
  void learn_now(Job job);
  Learned learn_rows(Chunk chunk);
  void tell(const Learned& learned);
  std::vector<std::string> column_warnings();  // that are new
  void poll() const;
  void save_now();
  void save_if_due();
  void tell_not_saved(const Error& error);
  bool save_due() const;
  void rethrow();

  Setup setup_;
  Model model_;
  ChunkLearner chunk_learner_{model_};
  std::unique_ptr<Compute> compute_;
  bool unsaved_ = false;        // something was learned since the last save
  std::set<std::string> told_;  // what was found in columns, of which events have told
  Clock::time_point saved_at_ = Clock::now();

  mutable std::mutex mutex_;  // for what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  double waiting_bytes_ = 0;
  bool learning_ = false;  // a job that was taken is under way
  bool ending_ = false;    // once nothing waits any more
  bool asked_to_save_ = false;
  std::exception_ptr failure_;
  std::shared_ptr<const Placer> placing_;
  std::vector<StreamEvent> events_;

  std::atomic<bool> given_up_ = false;
  std::thread thread_;
};

}  // namespace omvc
