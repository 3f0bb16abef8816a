// Where work is done: threads that never change a result. Each block of work writes its own output, every number in one
// order of summation whatever the blocks, and sums over blocks are taken over blocks that depend on the shape alone, in
// their order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "omvc/hooks.hpp"

#include "parallel/profile.hpp"

namespace omvc {

class Backend;  // kernels/backend.hpp, which knows this room and not the other way round

class Compute {
 public:
  // threads - 1 threads are started, or as many as the machine allows; the caller is the remaining one. 0 means as many
  // as the machine has.
  explicit Compute(int threads = 1);
  // The same for a program that has hooks: with an executor no thread is started, and its threads count.
  Compute(int threads, Hooks hooks);
  // Other threads for a part of the same work, with its hooks and backend.
  Compute(int threads, const Compute& like);
  ~Compute();
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + hosted_ + 1; }
  // The threads are those of the program: none may be started beside them.
  const std::shared_ptr<Executor>& executor() const { return hooks_.executor; }

  // Of the work for which these threads are there; for the caller of run, not for its tasks.
  Profile& profile() { return profile_; }

  // What long work asks from time to time on the thread that drives it: it throws where the work is to end. None: it
  // goes on.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }
  void poll() const {
    if (poll_) poll_();
  }

  // Whether the program wants the work to end, and what it is told (omvc/hooks.hpp). For the thread that drives the
  // work.
  bool asked_to_stop() const { return hooks_.stopping && hooks_.stopping(); }
  void tell(Phase phase, double share) const {
    if (untold_ > 0) return;
    if (hooks_.progress) hooks_.progress({phase, share});
    if (told_) told_({phase, share});
  }
  // While one lives nobody is told how far the work is, since it is a step of something that tells it.
  class Untold {
   public:
    explicit Untold(Compute& compute) : compute_(compute) { ++compute_.untold_; }
    ~Untold() { --compute_.untold_; }
    Untold(const Untold&) = delete;
    Untold& operator=(const Untold&) = delete;

   private:
    Compute& compute_;
  };
  void log(LogLevel level, std::string_view words) const {
    if (hooks_.log) hooks_.log(level, words);
  }
  // Who else is told how far the work is.
  void set_told(std::function<void(const PhaseReport&)> told) { told_ = std::move(told); }

  // What does the heavy operations on data, and must outlive this; null: processors do (kernels/backend.hpp).
  Backend* backend() const { return backend_; }
  void set_backend(Backend* backend) { backend_ = backend; }
  // The same, for as long as this lives.
  void hold_backend(std::shared_ptr<Backend> backend) {
    held_ = std::move(backend);
    backend_ = held_.get();
  }

  // Calls task(i) for i = 0 .. count-1, in any order, on any thread, and returns when all are done. The first exception
  // that a task threw (in the order of i) is rethrown here after all tasks are done.
  // One call at a time; tasks may not call run themselves.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  void start(int threads);
  void run_job(std::uint32_t count, const std::function<void(std::int64_t)>& task);
  void run_hosted(std::int64_t count, const std::function<void(std::int64_t)>& task);
  void work();
  void take_tasks(std::uint32_t job);
  void note_failure(std::uint32_t task);

  Profile profile_;
  Hooks hooks_;
  int hosted_ = 0;  // threads of the program
  std::function<void()> poll_;
  std::function<void(const PhaseReport&)> told_;
  int untold_ = 0;
  Backend* backend_ = nullptr;
  std::shared_ptr<Backend> held_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  // The number of the job, one for each call of run, and below it the next of its tasks. A task is taken by counting it
  // up, which fails where the job is over: what was read of the job before is of no use then, and not used.
  std::atomic<std::uint64_t> ticket_ = 0;
  std::atomic<const std::function<void(std::int64_t)>*> task_ = nullptr;
  std::atomic<std::uint32_t> count_ = 0;
  std::atomic<std::uint32_t> unfinished_ = 0;
  std::uint32_t first_failed_ = 0;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Calls body(first, last) for consecutive ranges of `block` indices that cover 0 .. n. The ranges depend neither on the
// number of threads nor on `in_parallel`, with which the caller says whether the work is worth waking threads for.
template <class Body>
void for_blocks(Compute& compute, std::int64_t n, std::int64_t block, bool in_parallel, const Body& body) {
  const std::int64_t count = (n + block - 1) / block;
  if (count <= 1 || compute.threads() == 1 || !in_parallel) {
    for (std::int64_t i = 0; i < count; ++i) body(i * block, std::min(n, (i + 1) * block));
    return;
  }
  compute.run(count, [&](std::int64_t i) { body(i * block, std::min(n, (i + 1) * block)); });
}

}  // namespace omvc
