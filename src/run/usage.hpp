// Who uses an object at the moment: one that changes it, alone, or any number that read it. A second thread that breaks
// this is told so, where it would have met an object that is half changed.
#pragma once

#include <atomic>

#include "omvc/error.hpp"

namespace omvc {

class Usage {
 public:
  // `rule` is what a thread is told that comes at the wrong time.
  explicit Usage(const char* rule) : rule_(rule) {}

  class Change {
   public:
    explicit Change(Usage& usage) : usage_(usage) {
      int nobody = 0;
      if (!usage.users_.compare_exchange_strong(nobody, kChanging)) throw Error(ErrorKind::usage, usage.rule_);
    }
    ~Change() { usage_.users_.fetch_sub(kChanging); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    Usage& usage_;
  };

  class Read {
   public:
    explicit Read(Usage& usage) : usage_(usage) {
      if (usage.users_.fetch_add(1) >= 0) return;
      usage.users_.fetch_sub(1);
      throw Error(ErrorKind::usage, usage.rule_);
    }
    ~Read() { usage_.users_.fetch_sub(1); }
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

   private:
    Usage& usage_;
  };

 private:
  static constexpr int kChanging = -(1 << 30);
  const char* rule_;
  std::atomic<int> users_ = 0;
};

}  // namespace omvc
