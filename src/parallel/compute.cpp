#include "parallel/compute.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace omvc {
namespace {

// Results do not depend on the number of threads, and more of them than this only wait for each other.
constexpr int kMostThreads = 16;
constexpr int kMostPerCore = 4;

constexpr int kLooks = 2000;  // some tens of microseconds

constexpr std::uint64_t kNoTask = 0xFFFFFFFF;  // more than any job has

std::uint32_t job_of(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket >> 32); }

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Compute::Compute(int threads) { start(threads); }

Compute::Compute(int threads, Hooks hooks) : hooks_(std::move(hooks)) { start(threads); }

Compute::Compute(int threads, const Compute& like) : hooks_(like.hooks_), told_(like.told_), backend_(like.backend_) {
  start(threads);
}

void Compute::start(int threads) {
  if (hooks_.executor) {
    const int most = std::max(0, hooks_.executor->threads());
    hosted_ = threads <= 0 ? most : std::min(threads - 1, most);
    return;
  }
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (threads <= 0) threads = cores;
  threads = std::min(threads, std::max(kMostThreads, kMostPerCore * cores));
  threads_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The machine allows no more threads. Results do not depend on their number: those that run will do.
  } catch (const std::bad_alloc&) {
    // Nor has it memory for more.
  }
}

Compute::~Compute() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Compute::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (hooks_.executor) return run_hosted(count, task);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;  // tasks that a ticket counts
  for (std::int64_t first = 0; first < count; first += kMost) {
    const auto some = static_cast<std::uint32_t>(std::min(kMost, count - first));
    if (first == 0) {
      run_job(some, task);
    } else {
      run_job(some, [&](std::int64_t i) { task(first + i); });
    }
  }
}

namespace {

// The tasks of one call, shared with work that the executor may begin when they are long done.
class HostedJob {
 public:
  HostedJob(std::int64_t count, const std::function<void(std::int64_t)>& task)
      : count_(count), unfinished_(count), first_failed_(count), task_(&task) {}

  // A task that could be taken keeps the call waiting, and with it the function that it is.
  void take_tasks() noexcept {
    for (std::int64_t at = next_++; at < count_; at = next_++) {
      try {
        (*task_)(at);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (at < first_failed_) {
          first_failed_ = at;
          failure_ = std::current_exception();
        }
      }
      const std::lock_guard lock(mutex_);
      if (--unfinished_ == 0) done_.notify_all();
    }
  }

  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return unfinished_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  const std::int64_t count_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  std::int64_t unfinished_;
  std::int64_t first_failed_;
  std::exception_ptr failure_;
  const std::function<void(std::int64_t)>* task_;
};

}  // namespace

void Compute::run_hosted(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (count <= 0) return;
  const auto job = std::make_shared<HostedJob>(count, task);
  const std::int64_t helpers = std::min<std::int64_t>(hosted_, count - 1);
  try {
    for (std::int64_t i = 0; i < helpers; ++i) hooks_.executor->submit([job] { job->take_tasks(); });
  } catch (...) {
    // The program has no room for more: this thread does what is left.
  }
  job->take_tasks();
  job->wait();
}

void Compute::run_job(std::uint32_t count, const std::function<void(std::int64_t)>& task) {
  std::uint32_t job = 0;
  {
    const std::lock_guard lock(mutex_);  // for those that are about to sleep
    failure_ = nullptr;
    first_failed_ = count;
    unfinished_.store(count, std::memory_order_relaxed);
    // The last job has no more tickets once anything of this one can be seen.
    const std::uint64_t last = ticket_.load(std::memory_order_relaxed);
    ticket_.store(last | kNoTask, std::memory_order_relaxed);
    task_.store(&task, std::memory_order_release);
    count_.store(count, std::memory_order_release);
    job = job_of(last) + 1;
    ticket_.store(std::uint64_t{job} << 32, std::memory_order_release);
  }
  wake_.notify_all();
  take_tasks(job);
  // Not for the threads, which may not even have woken up by now: with every task taken, nothing is left for them.
  const auto done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
  for (int look = 0; look < kLooks && !done(); ++look) pause();
  std::unique_lock lock(mutex_);
  done_.wait(lock, done);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Compute::work() {
  std::uint32_t seen = 0;
  while (true) {
    // Calls follow each other closely: looking out for the next one a while is quicker than being woken.
    const auto current = [this] { return job_of(ticket_.load(std::memory_order_acquire)); };
    for (int look = 0; look < kLooks && current() == seen; ++look) pause();
    if (current() == seen) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || current() != seen; });
      if (stopping_) return;
    }
    seen = current();
    take_tasks(seen);
  }
}

void Compute::take_tasks(std::uint32_t job) {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (true) {
    const auto* task = task_.load(std::memory_order_acquire);
    const auto at = static_cast<std::uint32_t>(ticket);
    if (job_of(ticket) != job || at >= count_.load(std::memory_order_acquire)) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
    try {
      (*task)(at);
    } catch (...) {
      note_failure(at);
    }
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::lock_guard lock(mutex_);  // whoever waits has either seen it or is asleep
      done_.notify_all();
    }
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void Compute::note_failure(std::uint32_t task) {
  const std::lock_guard lock(mutex_);
  if (task >= first_failed_) return;
  first_failed_ = task;
  failure_ = std::current_exception();
}

}  // namespace omvc
