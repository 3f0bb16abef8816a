// A stream from standard input to standard output, as long as rows come.
#pragma once

#include <string>
#include <vector>

#include "omvc/stream.hpp"

#include "inputs.hpp"
#include "option_flags.hpp"

namespace omvc::app {

struct StreamArguments {
  std::string model;
  std::string format = "auto";
  InputOptions table;  // of which text and id_column are used
  OptionFlags flags;
  std::vector<std::string> every{"500", "1s"};
  std::string save_every = "30s";
  bool no_learn = false;
  bool in_step = false;
  bool membership = false;
  bool strict = false;
  bool ignore_extra = false;
  bool quiet = false;
  Index max_features = 0;  // 0: by the memory
};

// Labels the rows of standard input until it ends or a signal comes. Throws ErrorKind::interrupted then.
void run_session(const StreamArguments& arguments, Stream stream);

}  // namespace omvc::app
