// One method on a user's data, in a process of its own, so that its peak memory is its own and a method that runs out
// of memory does not end the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/error.hpp"
#include "omvc/options.hpp"

#include "inputs.hpp"

namespace omvc::app {

struct MethodRun {
  std::string failure;  // why there is no result; empty where there is one
  ErrorKind kind = ErrorKind::usage;
  bool stopped = false;  // the user interrupted it
  std::vector<int> labels;
  bool scored = false;  // there is a truth, and so are nmi, ac, ari
  double nmi = 0;
  double ac = 0;
  double ari = 0;
  double explained = 0;  // share of a view's variance about its mean that the clusters explain, mean over views
  double loss = 0;       // of the last pass, in the method's own terms
  double seconds = 0;
  double bytes = 0;  // peak memory
  std::vector<std::string> warnings;
};

// Opens the input anew, fits and scores, all in a forked child. Must be called while the process has one thread.
MethodRun run_method(const InputArguments& input, const Options& options, bool quiet);

}  // namespace omvc::app
