// A Compute that belongs to one process. Threads do not survive a fork: the child has the memory of the pool, but none
// of its threads, and waiting for them would never end. It leaves the pool of its parent alone and starts its own.
#pragma once

#include <functional>
#include <memory>
#include <unistd.h>

#include "parallel/compute.hpp"

namespace omvc {

// Makes what does the heavy operations, or nothing: processors do them (kernels/backend.hpp).
using BackendMaker = std::function<std::shared_ptr<Backend>()>;

class Team {
 public:
  Team() = default;
  ~Team() { leave(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // As many as Compute takes; they are started when they are first needed.
  void set_threads(int threads) {
    leave();
    threads_ = threads;
  }

  // Likewise: the threads that there were are given up.
  void set_hooks(Hooks hooks) {
    leave();
    hooks_ = std::move(hooks);
  }
  const Hooks& hooks() const { return hooks_; }

  // Asked when threads are first needed, in each process for itself: a card that a parent has opened is of no use to
  // its child.
  void set_backend(BackendMaker maker) {
    leave();
    maker_ = std::move(maker);
  }

  Compute& get() {
    if (!compute_ || owner_ != ::getpid()) {
      leave();
      std::shared_ptr<Backend> backend = maker_ ? maker_() : nullptr;  // may throw: there is no team then
      compute_ = std::make_unique<Compute>(threads_, hooks_);
      compute_->hold_backend(std::move(backend));
      owner_ = ::getpid();
    }
    return *compute_;
  }

 private:
  void leave() {
    if (owner_ == ::getpid()) {
      compute_.reset();
    } else {
      static_cast<void>(compute_.release());  // the child of a fork cannot end what only its parent has
    }
  }

  int threads_ = 1;
  Hooks hooks_;
  BackendMaker maker_;
  pid_t owner_ = 0;
  std::unique_ptr<Compute> compute_;
};

}  // namespace omvc
