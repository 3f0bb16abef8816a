// Threads for libraries that have none of their own. They spin between two calls: a floor does not pay for waking up.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int threads) : parts_(threads) {
    for (int part = 1; part < threads; ++part) threads_.emplace_back([this, part] { work(part); });
  }
  ~Pool() {
    task_ = nullptr;
    round_.fetch_add(1, std::memory_order_release);
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int parts() const { return parts_; }

  // Calls task(part) for part = 0 .. parts - 1, each on a thread of its own, and returns when all are done.
  void run(const std::function<void(int)>& task) {
    task_ = &task;
    left_.store(parts_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    task(0);
    spin([this] { return left_.load(std::memory_order_acquire) == 0; });
  }

 private:
  template <class F>
  static void spin(const F& done) {
    constexpr int kPatience = 20000;  // looks before the core is offered to others
    for (int looks = 0; !done(); ++looks) {
      if (looks > kPatience) std::this_thread::yield();
    }
  }

  void work(int part) {
    for (unsigned seen = 0;;) {
      spin([&] { return round_.load(std::memory_order_acquire) != seen; });
      ++seen;
      if (task_ == nullptr) return;
      (*task_)(part);
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  int parts_;
  const std::function<void(int)>* task_ = nullptr;
  std::atomic<unsigned> round_ = 0;
  std::atomic<int> left_ = 0;
  std::vector<std::thread> threads_;
};
