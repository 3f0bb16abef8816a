// The part of the command line that names data: files, presence, order and truth.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "omvc/input.hpp"

namespace omvc::app {

struct InputArguments {
  std::vector<std::string> paths;
  std::string present;
  std::string order;
  bool shuffle = false;
  std::string truth;
  InputOptions options;
};

// Adds INPUT..., --present, and what a file does not tell by itself.
void add_input_options(CLI::App& command, InputArguments& arguments);
// Adds --order, --shuffle and --truth.
void add_stream_options(CLI::App& command, InputArguments& arguments);

// Opens the files, applies presence and order, and says on stderr what was found in them that is not obvious. `seed` is
// that of --shuffle. The truth is that of --truth, else what a container file holds.
Input open_arguments(const InputArguments& arguments, std::uint64_t seed);

// Throws ErrorKind::data, naming the file, unless there is a class label for every instance.
void check_truth(const InputArguments& arguments, std::size_t labels, Index instances);

// Whether a name is that of a MuData or AnnData file.
bool is_h5_name(const std::string& path);
// Throws ErrorKind::usage unless the name of an output is .h5mu or .h5ad.
void check_h5_name(const std::string& path);

}  // namespace omvc::app
