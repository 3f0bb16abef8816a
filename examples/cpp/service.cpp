// A service: one thread learns what comes in, and others label requests at the same time, with the newest clusters and
// without a lock. The program has threads of its own, on which the library works, a log and a stop button.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <omvc/clusterer.hpp>
#include <omvc/error.hpp>
#include <omvc/planted.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

// The threads of the program. Yours will be those of its framework.
class Pool final : public omvc::Executor {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int threads() const override { return static_cast<int>(threads_.size()); }
  void submit(std::function<void()> work) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

class Service {
 public:
  explicit Service(const omvc::Options& options) : model_(options) {
    model_.set_hooks({.stopping = [this] { return stop_.load(); },
                      .log = [this](omvc::LogLevel, std::string_view words) { log_.emplace_back(words); },
                      .executor = std::make_shared<Pool>(2)});
  }

  // The thread that learns.
  void learn(omvc::Source& source) {
    try {
      while (std::optional<omvc::Chunk> chunk = source.next(200)) {
        model_.partial_fit(std::move(*chunk), source.schema());
        if (!model_.clusters().empty()) publish();
      }
      model_.save("service.omvc");
    } catch (const omvc::Error& error) {
      if (error.kind() != omvc::ErrorKind::interrupted) throw;
      log_.emplace_back("learning was stopped");
    }
  }

  // Any number of threads. No label before there are clusters.
  std::optional<omvc::Assignment> label(omvc::Chunk chunk) const {
    const std::shared_ptr<const omvc::Snapshot> now = newest();
    if (!now) return std::nullopt;
    return now->assign(std::move(chunk));
  }

  void stop() { stop_ = true; }
  // Once the thread that learns has ended.
  const std::vector<std::string>& log() const { return log_; }

 private:
  // A lock for as long as a pointer is copied. std::atomic<std::shared_ptr> would do the same, but in the standard
  // library of g++ 12 its load() does not order what it reads before the next store().
  void publish() {
    auto made = std::make_shared<const omvc::Snapshot>(model_.snapshot());
    const std::lock_guard lock(newest_mutex_);
    newest_ = std::move(made);
  }
  std::shared_ptr<const omvc::Snapshot> newest() const {
    const std::lock_guard lock(newest_mutex_);
    return newest_;
  }

  omvc::Clusterer model_;
  mutable std::mutex newest_mutex_;
  std::shared_ptr<const omvc::Snapshot> newest_;
  std::atomic<bool> stop_ = false;
  std::vector<std::string> log_;  // by the thread that learns
};

void serve() {
  omvc::Options options;
  options.clusters = 4;
  Service service(options);
  const omvc::PlantedOptions data{.instances = 2000, .features = {20, 30}, .clusters = 4, .missing = 0.3};
  const std::unique_ptr<omvc::Source> source = omvc::make_planted_source(data);

  std::atomic<bool> open = true;
  std::atomic<long> answered = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      const std::unique_ptr<omvc::Source> requests = omvc::make_planted_source(data);
      while (open) {
        std::optional<omvc::Chunk> request = requests->next(5);
        if (!request) {
          requests->rewind();
          continue;
        }
        if (const auto found = service.label(std::move(*request))) {
          answered += static_cast<long>(found->labels.size());
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  std::thread learner([&] { service.learn(*source); });
  learner.join();
  while (answered == 0) std::this_thread::yield();
  open = false;
  for (std::thread& reader : readers) reader.join();
  for (const std::string& line : service.log()) std::cout << "log: " << line << '\n';
  std::cout << "requests were labelled while 2000 rows were learned\n";
}

}  // namespace

int main() {
  try {
    serve();
  } catch (const omvc::Error& error) {
    std::cerr << "service: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
