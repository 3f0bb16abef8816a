#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

namespace omvc::app {
namespace {

namespace fs = std::filesystem;

// Where a file is or will be, whatever links lead there.
fs::path place_of(fs::path path) {
  std::error_code failure;
  // A link whose target is not there yet is not resolved by what follows.
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, failure) && !fs::exists(path, failure); ++i) {
    path = path.parent_path() / fs::read_symlink(path, failure);
  }
  // Of a name alone that is not there yet nothing would be resolved.
  fs::path place = fs::weakly_canonical(fs::absolute(path, failure), failure);
  return failure ? fs::absolute(path, failure).lexically_normal() : place;
}

bool same_file(const std::string& left, const std::string& right) {
  std::error_code ignored;
  return fs::equivalent(left, right, ignored) || place_of(left) == place_of(right);
}

bool lies_in(const std::string& path, const fs::path& folder) {
  const fs::path place = place_of(path);
  return std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first == folder.end();
}

// Whether a file is one that is read along with a Matrix Market file: those of 10x Genomics.
bool belongs_to_market(const std::string& path, const std::string& input) {
  if (input.find(".mtx") == std::string::npos || !lies_in(path, place_of(input).parent_path())) return false;
  const std::string name = fs::path(path).filename().string();
  return name.find("barcodes") != std::string::npos || name.find("features") != std::string::npos ||
         name.find("genes") != std::string::npos;
}

}  // namespace

std::vector<std::string> input_files(const InputArguments& arguments) {
  std::vector<std::string> files = arguments.paths;
  files.insert(files.end(), {arguments.present, arguments.order, arguments.truth});
  for (std::string& file : files) {
    // Of FILE.mat:3 and of NAME=FILE the file.
    std::error_code ignored;
    const std::size_t equals = file.find('=');
    if (equals != std::string::npos && !fs::exists(file, ignored)) file.erase(0, equals + 1);
    const std::size_t colon = file.rfind(':');
    if (colon != std::string::npos && !fs::exists(file, ignored)) file.resize(colon);
  }
  return files;
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                   const std::string& rows) {
  const auto refuse = [](const std::string& path, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} {}: give each output a name of its own", path, why));
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output.empty()) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[j].empty() || !same_file(output, outputs[j])) continue;
      refuse(output, outputs[j] == output ? "is the same name for two outputs" : "is the same file as " + outputs[j]);
    }
    for (const std::string& input : inputs) {
      if (input.empty()) continue;
      if (same_file(output, input)) refuse(output, "is an input, which would be replaced");
      std::error_code ignored;
      const bool inside = fs::is_directory(input, ignored) && lies_in(output, place_of(input));
      if ((inside || belongs_to_market(output, input)) && fs::exists(output, ignored)) {
        refuse(output, fmt::format("is a part of the input {}, which would be replaced", input));
      }
    }
  }
  if (rows.empty()) return;
  const fs::path folder = place_of(rows);
  for (const auto* files : {&outputs, &inputs}) {
    for (const std::string& file : *files) {
      if (!file.empty() && lies_in(file, folder))
        refuse(file, fmt::format("lies in the folder of the checkpoint {}", rows));
    }
  }
}

std::optional<ModelLock> lock_output_model(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))) return std::nullopt;
  return std::make_optional<ModelLock>(path);
}

void add_text_options(Command& command, InputOptions& options, bool header) {
  struct Word {
    const char* name;
    const char* type;
    std::string* value;
    const char* help;
  };
  struct List {
    const char* name;
    const char* type;
    std::vector<std::string>* values;
    const char* help;
  };
  TextOptions& text = options.text;
  const std::array words{
      Word{"--separator", "NAME", &text.separator,
           "what separates fields: comma, tab, semicolon, pipe, blanks or a character; found by itself in most files"},
      Word{"--decimal", "MARK", &text.decimal, "the decimal mark, . or ,; found by itself in most files"},
      Word{"--header", "yes|no|auto", &text.header, "whether the first line names the columns"},
  };
  const std::array lists{
      List{"--id-column", "COLUMN", &options.id_column,
           "the column of sample ids, by name or number from 1, or none; found by itself in most files; for one view: "
           "VIEW=COLUMN"},
      List{"--columns", "COLUMN,...", &text.columns,
           "use these columns only: names, patterns such as gene*, numbers from 1; for one view: VIEW=COLUMN"},
      List{"--drop", "COLUMN,...", &text.drop, "leave these columns out"},
      List{"--missing-values", "WORD,...", &text.missing_values,
           "what stands for a missing value, in the place of NA, N/A, null, -, ? and the like; with the word usual, "
           "beside them"},
  };
  for (const Word& word : words) {
    if (word.value == &text.header && !header) continue;
    command.option(word.name, *word.value, word.help).type(word.type).group("Text files");
  }
  for (const List& list : lists) {
    command.option(list.name, *list.values, list.help)
        .type(list.type)
        .lists()

        .group("Text files");
  }
}

namespace {}  // namespace

std::string note_unlabelled(const std::string& path, const LabelTable& table) {
  if (table.unlabelled == 0) return {};
  return fmt::format("{}: {} no label (empty, or a word for a missing value such as NA), which {} not scored", path,
                     table.unlabelled == 1 ? "1 line has" : fmt::format("{} lines have", table.unlabelled),
                     table.unlabelled == 1 ? "is" : "are");
}

std::string note_column(const std::string& path, const LabelTable& table) {
  if (table.guessed_column.empty()) return {};
  return fmt::format(
      "{}: the labels are those of column '{}', the second; if others are meant, call their column label", path,
      table.guessed_column);
}

namespace {

// The truth by instance: by sample id where both sides have ids, else by row.
std::vector<int> read_truth(const InputArguments& arguments, Input& input) {
  LabelTable table = read_label_table(arguments.truth);
  input.class_names = table.names;
  for (const std::string& note : {note_unlabelled(arguments.truth, table), note_column(arguments.truth, table)}) {
    if (!note.empty()) input.notes.push_back(note);
  }
  const auto refuse_order = [&] {
    throw Error(ErrorKind::data,
                fmt::format("{}: the classes have no sample ids, and the rows of {} are not in the order of the "
                            "instances, which were joined by id: give a table of ids and classes",
                            arguments.truth, input.out_of_order));
  };
  const auto refuse_gap = [&] {
    if (table.unlabelled_line == 0) return;
    throw Error(ErrorKind::data,
                fmt::format("{}:{}: the label is missing, and the instances have no sample ids by which "
                            "those below it could be found: give every line a label",
                            arguments.truth, table.unlabelled_line));
  };
  if (table.ids.empty()) {
    if (!input.out_of_order.empty()) refuse_order();
    const std::vector<std::string> first = input.source->ids(0, 1);
    if (!first.empty()) {
      input.notes.push_back(
          fmt::format("{}: the classes have no sample ids and are taken by row; the first is that of {}",
                      arguments.truth, first[0]));
    }
    return table.labels;
  }
  const std::vector<std::string> ids = input.source->ids(0, input.source->size().value_or(0));
  if (ids.empty()) {
    refuse_gap();
    input.notes.push_back(
        fmt::format("{}: the classes are taken by row, since the data have no sample ids beforehand", arguments.truth));
    return table.labels;
  }
  std::vector<int> truth = labels_of_ids(table, ids, arguments.truth);
  const auto unknown = std::count(truth.begin(), truth.end(), kNoClass);
  input.notes.push_back(fmt::format("{}: has classes for {} of the {} sample ids{}", arguments.truth,
                                    static_cast<std::ptrdiff_t>(ids.size()) - unknown, ids.size(),
                                    unknown > 0 ? "; the others are not scored" : ""));
  return truth;
}

}  // namespace

void add_input_options(Command& command, InputArguments& arguments) {
  command
      .option("input", arguments.paths,
              "one container file with all views (.h5mu, .h5ad, .npz, .mat), or one file per view: text (.csv, .tsv, "
              "blanks; .gz, .bz2, .xz, .zst), .npy, .npz, .mtx, .svm; NAME=FILE names the view; - is text on "
              "standard input")
      .required()
      .type("INPUT");
  command
      .option("--present", arguments.present,
              "N x views of 0 and 1, which instance is present in which view: text, .npy, .npz, or .mat (:3 its third "
              "fold)")
      .type("FILE");
  InputOptions& options = arguments.options;
  command.option("--format", options.format, "read the files as this (see docs/formats.md) whatever they are called")
      .type("NAME");
  command.flag("--transpose", options.transpose, "instances are columns (text, .npy, .mtx)");
  command.flag("--allow-disjoint", options.allow_disjoint, "accept views without a sample id in common");
  command.option("--layer", options.layer, "HDF5: read this layer in the place of X").type("NAME");
  command
      .option("--view", options.views,
              "HDF5: use these views only: a modality, or an entry of obsm as modality:X_pca (or X_pca)")
      .type("NAME,...")
      .lists();
  command
      .option("--label-column", options.label_column,
              "HDF5: the column of obs with the class labels (or modality:column)")
      .type("NAME");
  command
      .option("--names", options.names,
              "a file with the names of a view's features, one a line, where the data have none: VIEW=FILE")
      .type("VIEW=FILE,...")
      .lists();
  add_text_options(command, options);
}

void add_stream_options(Command& command, InputArguments& arguments) {
  const Argument order =
      command
          .option("--order", arguments.order,
                  "text file with the row numbers 0 .. N-1 in the order of the stream (through a temporary file)")
          .type("FILE");
  command.flag("--shuffle", arguments.shuffle, "stream the rows in a random order (through a temporary file)")
      .excludes(order);
  command.flag("--once", arguments.once, "read the data only once, as from a pipe");
  command
      .option(
          "--truth", arguments.truth,
          "text file of class labels, one per line or a table of ids and labels; found in container files by itself")
      .type("FILE");
}

void check_truth(const InputArguments& arguments, std::size_t labels, Index instances) {
  if (static_cast<Index>(labels) == instances) return;
  throw Error(ErrorKind::data,
              fmt::format("{}: there are {} class labels for {} instances: give one per row",
                          arguments.truth.empty() ? arguments.paths[0] : arguments.truth, labels, instances));
}

Input open_arguments(const InputArguments& arguments, std::uint64_t seed) {
  return apply_arguments(open_input(arguments.paths, arguments.options), arguments, seed);
}

Input apply_arguments(Input input, const InputArguments& arguments, std::uint64_t seed) {
  const auto views = static_cast<Index>(input.source->schema().views.size());
  if (!arguments.present.empty()) {
    input.source =
        make_masked_source(std::move(input.source), read_presence(arguments.present, views), arguments.present);
  }
  if (!arguments.truth.empty()) input.truth = read_truth(arguments, input);
  for (const std::string& note : input.notes) fmt::print(stderr, "omvc: note: {}\n", note);
  if (!arguments.order.empty()) {
    input.source = make_ordered_source(std::move(input.source), read_order(arguments.order), arguments.order);
  } else if (arguments.shuffle) {
    input.source = make_shuffled_source(std::move(input.source), seed);
  }
  if (const auto rows = input.source->size(); input.truth && rows) check_truth(arguments, input.truth->size(), *rows);
  if (arguments.once) input.source = make_once_source(std::move(input.source));
  return input;
}

bool is_h5_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".h5mu" || extension == ".h5ad";
}

void check_membership(const std::string& path, const Options& options) {
  if (path.empty() || options.method == Algorithm::omvc) return;
  throw Error(ErrorKind::usage,
              fmt::format("method {} does not know how sure its labels are: leave --membership out, or fit with "
                          "--method omvc",
                          name_of(options.method)));
}

void check_h5_name(const std::string& path) {
  if (is_h5_name(path)) return;
  throw Error(ErrorKind::usage, fmt::format("{}: name a MuData file (.h5mu) or an AnnData file (.h5ad)", path));
}

}  // namespace omvc::app
