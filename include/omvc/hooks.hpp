// How the library works inside a program that has threads, a log and a stop button of its own.
//
//     model.set_hooks({.stopping = [&] { return stop.load(); },
//                      .progress = [&](const omvc::PhaseReport& now) { show(omvc::name_of(now.phase), now.share); },
//                      .log = [&](omvc::LogLevel level, std::string_view words) { logger.write(level, words); },
//                      .executor = std::make_shared<MyPool>(pool)});
//
// Hooks belong to one object, nothing is global, and no result depends on them. All of them are called by the thread
// that has called the object (of a Stream also by the one that learns), never by two at the same time for one object.
// What they throw ends the call.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "omvc/export.hpp"

namespace omvc {

// What a call is at. Phases follow each other in this order, but for those that a call does not need; learning comes
// once a pass, and prototypes and clusters again where a stream has grown.
enum class Phase {
  reading,     // the first look at the data
  prototypes,  // are made from the sample
  clusters,    // are cut
  confidence,  // models of other rows say how sure labels are
  learning,    // rows are learned, a chunk at a time
  labelling,   // rows are labelled and handed to the sink
};

struct PhaseReport {
  Phase phase = Phase::reading;
  double share = 0;  // of the phase that is done, from 0 to 1; it does not fall within a phase. 0 where nobody knows
};

enum class LogLevel { info, warning };

// Threads of the program that the library works on in the place of its own. The thread that calls the library works as
// well, and does everything alone where no other comes: nothing waits for work that was not begun.
class OMVC_API Executor {
 public:
  virtual ~Executor() = default;
  // How many threads can work at the same time beside the one that calls.
  virtual int threads() const = 0;
  // Runs `work` once, now or later, on any thread; it is short, waits for nothing and throws nothing. It may come to
  // run after the call that it was for has ended, and does nothing then.
  virtual void submit(std::function<void()> work) = 0;
};

struct Hooks {
  // Asked often during long calls; true ends the call with ErrorKind::interrupted. A fit, a refresh and a cut leave the
  // model as it was. A partial_fit has learned its chunk, and makes prototypes again with the next one.
  std::function<bool()> stopping = {};
  // Told how far a call is.
  std::function<void(const PhaseReport&)> progress = {};
  // Told what happens: a line each, without an end of line.
  std::function<void(LogLevel, std::string_view)> log = {};
  // None: the library starts threads of its own, as many as Options::threads says. With one, rows are read by the
  // calling thread and not ahead of it.
  std::shared_ptr<Executor> executor = {};
};

// The name of a phase, for people.
constexpr std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, 6> kNames{"reading",    "prototypes", "clusters",
                                                   "confidence", "learning",   "labelling"};
  return kNames[static_cast<std::size_t>(phase)];
}

}  // namespace omvc
