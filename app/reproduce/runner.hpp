// Runs the jobs of a study that are not done yet, several at a time, one thread each.
#pragma once

#include "reproduce/study.hpp"

namespace omvc::app {

struct RunSummary {
  std::size_t jobs = 0;    // of the study
  std::size_t done = 0;    // of them, before and now
  std::size_t failed = 0;  // in this run
  bool stopped = false;    // on request, after the jobs that were under way
};

// First loads what is needed and tries every method on a few instances, so that what cannot work ends the run before
// hours are spent; then says how long it may take, and works with progress on stderr.
RunSummary run_study(const Study& study, ResultFile& results, int parallel, bool quiet);

}  // namespace omvc::app
