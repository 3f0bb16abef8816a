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
  bool quiet = false;
};

// Labels on stdout, one per line, where no file was asked for.
class PrintingSink : public Sink {
 public:
  void write(const ResultRows& rows) override {
    for (const int label : rows.labels) fmt::print("{}\n", label);
  }
  bool wants_embedding() const override { return false; }
};

void assign(const AssignArguments& arguments) {
  std::vector<std::string> inputs = input_files(arguments.input);
  inputs.push_back(arguments.model);
  check_outputs({arguments.labels, arguments.embedding}, inputs);
  std::vector<std::unique_ptr<Sink>> sinks;
  if (!arguments.labels.empty()) check_writable(arguments.labels);
  if (!arguments.embedding.empty()) sinks.push_back(make_embedding_sink(arguments.embedding));

  const Clusterer model = Clusterer::load(arguments.model);
  Input input = open_arguments(arguments.input, 0);
  if (!arguments.labels.empty()) sinks.push_back(make_label_sink(arguments.labels, input.source.get()));
  if (sinks.empty()) sinks.push_back(std::make_unique<PrintingSink>());
  const auto sink = make_sink_list(std::move(sinks));
  const Schema& data = input.source->schema();
  const Schema& known = model.schema();
  if (data.views.size() != known.views.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} knows {} views, and the data have {}: give the views it was fitted on, in the "
                            "same order",
                            arguments.model, known.views.size(), data.views.size()));
  }
  for (std::size_t v = 0; v < known.views.size(); ++v) {
    if (data.views[v].features == known.views[v].features) continue;
    throw Error(ErrorKind::data,
                fmt::format("view {} ({}): {} has {} features, and the data have {}", v + 1, known.views[v].name,
                            arguments.model, known.views[v].features, data.views[v].features));
  }
  stop_on_signals();
  ConsoleObserver observer(arguments.quiet);
  observer.expect(input.source->size().value_or(0));
  model.assign(*input.source, *sink, observer);
}

}  // namespace

void add_assign(CLI::App& app) {
  auto arguments = std::make_shared<AssignArguments>();
  CLI::App* command = app.add_subcommand("assign", "label new instances with a model, any views missing");
  command->add_option("model", arguments->model, "model written by omvc fit --model")->required()->type_name("MODEL");
  add_input_options(*command, arguments->input);
  command->add_option("--labels", arguments->labels, "write labels here instead of stdout")->type_name("FILE");
  command->add_option("--embedding", arguments->embedding, "write the embedding rows")->type_name("FILE");
  command->add_flag("--quiet", arguments->quiet, "no progress on stderr");
  command->callback([arguments] { assign(*arguments); });
}

}  // namespace omvc::app
