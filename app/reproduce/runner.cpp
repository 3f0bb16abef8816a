#include "reproduce/runner.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <thread>
#include <tuple>

#include "omvc/error.hpp"

#include "console.hpp"
#include "reproduce/run_job.hpp"

namespace omvc::app {
namespace {

struct Planned {
  Job job;
  double seconds = 0;  // estimated
};

// Data sets in memory: the last one used, and those that jobs hold.
class LoadedSets {
 public:
  std::shared_ptr<const LoadedSet> get(const DataSet& set) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const LoadedSet> data = known_[set.name].lock();
    if (!data) data = std::make_shared<const LoadedSet>(load_set(set));
    known_[set.name] = data;
    last_ = data;
    return data;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const LoadedSet>> known_;
  std::shared_ptr<const LoadedSet> last_;
};

class Runner {
 public:
  Runner(const Study& study, ResultFile& results, std::vector<Planned> plan, LoadedSets& sets, bool quiet)
      : study_(study), results_(results), plan_(std::move(plan)), sets_(sets), line_(quiet) {
    for (const Planned& one : plan_) all_seconds_ += one.seconds;
  }

  void run(int parallel) {
    working_ = parallel;
    std::vector<std::thread> threads;
    for (int i = 0; i < parallel; ++i) threads.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    while (working_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(500));
      show();
    }
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    line_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  std::size_t done() const { return done_; }
  std::size_t failed() const { return failed_; }

 private:
  void work() {
    try {
      for (std::size_t next = next_++; next < plan_.size() && !stop_requested() && !broken_; next = next_++) {
        const Job& job = plan_[next].job;
        const Result result = run_job(job, *sets_.get(*job.set), study_.arguments().data, 1);
        results_.add(job, result);
        const std::lock_guard lock(mutex_);
        result.failure.empty() ? ++done_ : ++failed_;
        if (!result.failure.empty()) messages_.push_back(fmt::format("{}: {}", result.key, result.failure));
        done_seconds_ += plan_[next].seconds;
      }
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      if (error.kind() != ErrorKind::interrupted) failure_ = std::current_exception();
      broken_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      broken_ = true;
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
  }

  // Called with the lock held.
  void show() {
    for (const std::string& message : messages_) {
      line_.clear();
      fmt::print(stderr, "omvc: warning: {}\n", message);
    }
    messages_.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const std::size_t finished = done_ + failed_;
    line_.show(done_seconds_ / all_seconds_,
               fmt::format("{} of {} runs, {:.2g} runs/s{}", finished, plan_.size(),
                           static_cast<double>(finished) / seconds, stop_requested() ? ", stopping" : ""));
  }

  const Study& study_;
  ResultFile& results_;
  std::vector<Planned> plan_;
  LoadedSets& sets_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int working_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  double done_seconds_ = 0;
  double all_seconds_ = 0;
  std::vector<std::string> messages_;
  std::exception_ptr failure_;
};

}  // namespace

RunSummary run_study(const Study& study, ResultFile& results, int parallel, bool quiet) {
  RunSummary summary;
  std::vector<Planned> plan;
  LoadedSets sets;
  double seconds = 0;
  std::set<std::pair<const DataSet*, const Contestant*>> tried;
  std::set<std::tuple<const DataSet*, int, std::uint64_t>> checked;
  for (Job& job : study.jobs()) {
    ++summary.jobs;
    if (results.find(job.key()) != nullptr) {
      ++summary.done;
      continue;
    }
    const auto data = sets.get(*job.set);
    if (checked.emplace(job.set, job.missing, job.options.seed).second) {
      check_stream(*job.set, *data, study.arguments().data, job.missing, job.options.seed);
    }
    if (tried.emplace(job.set, job.contestant).second) try_job(job, *data, study.arguments().data);
    const double estimate = estimate_seconds(job, *data);
    seconds += estimate;
    plan.push_back({std::move(job), estimate});
  }
  if (plan.empty()) return summary;
  parallel = std::min(parallel, static_cast<int>(plan.size()));
  if (!quiet) {
    fmt::print(stderr, "{} runs, {} of them done before; {} at a time, about {} in all\n", summary.jobs, summary.done,
               parallel, duration_text(seconds / parallel));
  }
  Runner runner(study, results, std::move(plan), sets, quiet);
  runner.run(parallel);
  summary.done += runner.done();
  summary.failed = runner.failed();
  summary.stopped = summary.done + summary.failed < summary.jobs;
  return summary;
}

}  // namespace omvc::app
