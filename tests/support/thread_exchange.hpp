// Processes of one fit as threads of a test: what they send each other goes through queues.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "omvc/error.hpp"
#include "omvc/exchange.hpp"

namespace omvc::test {

class Post {
 public:
  void put(int from, int to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    sent_ += bytes.size();
    boxes_[{from, to}].push_back(std::move(bytes));
    changed_.notify_all();
  }

  std::string take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    changed_.wait(lock, [&] { return !box.empty(); });
    std::string bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

  std::size_t sent() const { return sent_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::string>> boxes_;
  std::size_t sent_ = 0;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int beside() const override { return size_; }
  void send(int to, std::string_view bytes) override { post_.put(rank_, to, std::string(bytes)); }
  std::string receive(int from) override { return post_.take(from, rank_); }

 private:
  Post& post_;
  int rank_;
  int size_;
};

// Another exchange, of which a test changes what it needs.
class WrappedExchange : public Exchange {
 public:
  explicit WrappedExchange(Exchange& other) : other_(other) {}
  int rank() const override { return other_.rank(); }
  int size() const override { return other_.size(); }
  void send(int to, std::string_view bytes) override { other_.send(to, bytes); }
  std::string receive(int from) override { return other_.receive(from); }

 private:
  Exchange& other_;
};

// Calls work(exchange) for every rank, on a thread each. What each of them threw, by rank; empty where it threw
// nothing.
template <class F>
std::vector<std::string> run_ranks(int size, const F& work) {
  Post post;
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadExchange exchange(post, rank, size);
      try {
        work(exchange);
      } catch (const Error& error) {
        failures[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace omvc::test
