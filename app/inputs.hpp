// The part of the command line that names data: files, presence, order and truth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "omvc/input.hpp"
#include "omvc/stream.hpp"

#include "command_line.hpp"

namespace omvc::app {

struct InputArguments {
  std::vector<std::string> paths;
  std::string present;
  std::string order;
  bool shuffle = false;
  bool once = false;
  std::string truth;
  InputOptions options;
};

// Adds what text does not show by itself: --separator, --decimal and so on; --header where it may be left out.
void add_text_options(Command& command, InputOptions& options, bool header = true);
// Adds INPUT..., --present, and what a file does not tell by itself.
void add_input_options(Command& command, InputArguments& arguments);
// Adds --order, --shuffle, --once and --truth.
void add_stream_options(Command& command, InputArguments& arguments);

// Opens the files, applies presence and order, and says on stderr what was found in them that is not obvious. `seed` is
// that of --shuffle. The truth is that of --truth, else what a container file holds.
Input open_arguments(const InputArguments& arguments, std::uint64_t seed);
// The same for data that are opened already.
Input apply_arguments(Input input, const InputArguments& arguments, std::uint64_t seed);

// The files that the arguments name.
std::vector<std::string> input_files(const InputArguments& arguments);

// Throws ErrorKind::usage if an output would replace an input, or two outputs are one file, by whatever names. Empty
// names are none. `rows` is the folder of a checkpoint, which must hold neither.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                   const std::string& rows = "");

// Keeps `stream` and `update` from learning the model that is about to be replaced, and refuses where one does. Nothing
// where there is no model to write, or where the path is no plain file.
std::optional<ModelLock> lock_output_model(const std::string& path);

// What to tell of lines without a label; nothing where there are none.
std::string note_unlabelled(const std::string& path, const LabelTable& table);

// What is to be said of the column that was taken for the labels because no column is called so; else nothing.
std::string note_column(const std::string& path, const LabelTable& table);

// Throws ErrorKind::data, naming the file, unless there is a class label for every instance.
void check_truth(const InputArguments& arguments, std::size_t labels, Index instances);

// Whether a name is that of a MuData or AnnData file.
bool is_h5_name(const std::string& path);
// Throws ErrorKind::usage unless the name of an output is .h5mu or .h5ad.
void check_h5_name(const std::string& path);
// Throws ErrorKind::usage where chances of all clusters are asked for of a method that has none.
void check_membership(const std::string& path, const Options& options);

}  // namespace omvc::app
