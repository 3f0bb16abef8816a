#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"

namespace omvc::app {
namespace {

struct AssignArguments {
  std::string model;
  InputArguments input;
  std::string labels;
  std::string embedding;
  std::string membership;
  std::string output;
  Index chunk = 0;
  bool ignore_extra = false;
  bool quiet = false;
};

// Labels on stdout, one per line, where no file was asked for.
class PrintingSink : public Sink {
 public:
  void write(const ResultRows& rows) override {
    for (const int label : rows.labels) fmt::print("{}\n", label);
    flush_results();  // whoever reads them may be waiting
  }
  bool wants_embedding() const override { return false; }
};

// Counts the instances without a label.
class UnlabelledCount : public Sink {
 public:
  void write(const ResultRows& rows) override {
    all_ += static_cast<Index>(rows.labels.size());
    without_ += std::count(rows.labels.begin(), rows.labels.end(), -1);
  }
  bool wants_embedding() const override { return false; }
  Index all() const { return all_; }
  Index without() const { return without_; }

 private:
  Index all_ = 0;
  Index without_ = 0;
};

void assign(const AssignArguments& arguments) {
  std::vector<std::string> inputs = input_files(arguments.input);
  inputs.push_back(arguments.model);
  check_outputs({arguments.labels, arguments.embedding, arguments.membership, arguments.output}, inputs);
  std::vector<std::unique_ptr<Sink>> sinks;
  if (!arguments.labels.empty()) check_writable(arguments.labels);
  if (!arguments.embedding.empty()) check_writable(arguments.embedding);
  if (!arguments.membership.empty()) check_writable(arguments.membership);
  if (!arguments.output.empty()) {
    check_h5_name(arguments.output);
    check_writable(arguments.output);
  }

  const Clusterer model = Clusterer::load(arguments.model);
  check_membership(arguments.membership, model.options());
  InputArguments data = arguments.input;
  data.options.like = model.schema();
  Input input = open_arguments(data, 0);
  std::vector<std::string> notes;
  input.source = make_matched_source(std::move(input.source), model.schema(), arguments.ignore_extra, &notes);
  for (const std::string& note : notes) fmt::print(stderr, "omvc: note: {}\n", note);
  if (!arguments.labels.empty()) sinks.push_back(make_label_sink(arguments.labels, input.source.get()));
  if (!arguments.embedding.empty()) {
    sinks.push_back(make_embedding_sink(arguments.embedding, input.source.get()));
  }
  if (!arguments.membership.empty()) {
    sinks.push_back(make_membership_sink(arguments.membership, input.source.get()));
  }
  if (!arguments.output.empty()) {
    const std::string& first = arguments.input.paths[0];
    sinks.push_back(make_h5_sink(arguments.output, is_h5_name(first) ? first : "", *input.source));
  }
  if (sinks.empty()) sinks.push_back(std::make_unique<PrintingSink>());
  auto counting = std::make_unique<UnlabelledCount>();
  const UnlabelledCount& counted = *counting;
  sinks.push_back(std::move(counting));
  const auto sink = make_sink_list(std::move(sinks));
  stop_on_signals();
  ConsoleObserver observer(arguments.quiet);
  observer.expect(input.source->size().value_or(0));
  model.assign(*input.source, *sink, observer, arguments.chunk);
  if (counted.without() > 0) {
    fmt::print(stderr, "omvc: warning: {} of {} instances have no view that the model knows: label -1\n",
               counted.without(), counted.all());
  }
}

}  // namespace

void add_assign(CommandLine& line) {
  auto arguments = std::make_shared<AssignArguments>();
  Command command =
      line.add("assign", "label new instances with a model: views and features by name, any views missing");
  command.option("model", arguments->model, "model written by omvc fit --model").required().type("MODEL");
  add_input_options(command, arguments->input);
  command.option("--labels", arguments->labels, "write labels here instead of stdout").type("FILE");
  command.option("--embedding", arguments->embedding, "write the embedding rows").type("FILE");
  command
      .option("--membership", arguments->membership,
              "write the chance of every cluster (.npy, .csv, .tsv, else blanks): rows sum to 1, the largest is the "
              "confidence")
      .type("FILE");
  command
      .option("--output", arguments->output,
              "write labels and embedding as obs and obsm of a MuData or AnnData file (.h5mu, .h5ad)")
      .type("FILE");
  command
      .option("--chunk", arguments->chunk,
              "instances labelled at a time, and written to stdout at once; 0: those of the model, 256 or more")
      .between(Index{0}, Index{1} << 24)
      .type("NUMBER");
  command.flag("--ignore-extra", arguments->ignore_extra, "leave out views and features that the model lacks");
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { assign(*arguments); });
}

}  // namespace omvc::app
