#include "parallel/workers.hpp"

#include <exception>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

namespace omvc {
namespace {

constexpr int kLooks = 2000;  // some tens of microseconds

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Workers::Workers(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The machine allows no more threads. Results do not depend on their number: those that run will do.
  } catch (const std::bad_alloc&) {
    // Nor has it memory for more.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_ = 0;
    failure_ = nullptr;
    first_failed_ = std::numeric_limits<std::int64_t>::max();
    unfinished_ = count;
    ++generation_;
  }
  wake_.notify_all();
  take_tasks();
  std::unique_lock lock(mutex_);
  // Not for the threads, which may not even have woken up by now: with every task taken, nothing is left for them.
  done_.wait(lock, [this] { return unfinished_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::work() {
  std::uint64_t seen = 0;
  while (true) {
    {
      // Calls follow each other closely: looking out for the next one a while is quicker than being woken.
      for (int look = 0; look < kLooks && generation_.load(std::memory_order_acquire) == seen; ++look) pause();
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
    }
    take_tasks();
  }
}

void Workers::take_tasks() {
  std::unique_lock lock(mutex_);
  while (next_ < count_) {
    const std::int64_t i = next_++;
    const auto* task = task_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task)(i);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && i < first_failed_) {
      first_failed_ = i;
      failure_ = failure;
    }
    if (--unfinished_ == 0) done_.notify_all();
  }
}

}  // namespace omvc
