#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/stream.hpp"

#include "choice.hpp"
#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "json_text.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct UpdateArguments {
  std::string model;
  InputArguments input;
  std::string output;
  int threads = 0;
  bool ignore_extra = false;
  bool json = false;
  bool quiet = false;
};

std::string describe(const UpdateReport& report, Index before) {
  std::string out =
      fmt::format("{} instances learned, {} before: {} in all\n", report.instances, before, report.instances + before);
  if (report.unobserved > 0) out += fmt::format("{} of them are in no view\n", report.unobserved);
  out += fmt::format("{}, {} before\n{}", cluster_count(report.clusters), report.clusters_before,
                     describe_events(report.events));
  if (report.distance > 0) {
    const bool sure = !std::isnan(report.confidence);
    out += fmt::format("on arrival: distance {:.2f} (1 is usual), {}{} outliers\n", report.distance,
                       sure ? fmt::format("confidence {:.2f}, ", report.confidence) : "", report.outliers);
  }
  if (report.set_aside > 0) {
    out +=
        fmt::format("{} rows are far outside of what their views have shown, and not learned until more are: rows {}\n",
                    report.set_aside, fmt::join(report.strange_rows, ", "));
  }
  std::vector<std::vector<std::string>> rows{{"view", "instances", "drift of its mean, in standard deviations"}};
  for (const ViewDrift& view : report.views) {
    std::string drift = "not seen";
    if (view.observed > 0) drift = "new";
    if (!std::isnan(view.drift)) {
      drift = fmt::format("{:.3f} (by chance about {:.3f}){}", view.drift, view.chance,
                          view.drift > 3 * view.chance ? "  moved" : "");
    }
    rows.push_back({view.name, fmt::format("{}", view.observed), drift});
  }
  return out + format_table(rows);
}

nlohmann::json summary(const UpdateReport& report, Index before) {
  // JSON has no NaN: what is not known is null.
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); };
  nlohmann::json out{{"instances", report.instances},
                     {"instances_before", before},
                     {"unobserved", report.unobserved},
                     {"clusters", report.clusters},
                     {"clusters_before", report.clusters_before},
                     {"outliers", report.outliers},
                     {"set_aside", report.set_aside},
                     {"strange_rows", report.strange_rows},
                     {"distance", number(report.distance)},
                     {"confidence", number(report.confidence)},
                     {"seconds", report.seconds},
                     {"events", nlohmann::json::array()},
                     {"views", nlohmann::json::array()}};
  for (const ClusterEvent& event : report.events) {
    out["events"].push_back({{"event", name_of(event.kind)},
                             {"cluster", event.cluster},
                             {"other", event.other},
                             {"instances", event.instances}});
  }
  for (const ViewDrift& view : report.views) {
    out["views"].push_back({{"name", view.name},
                            {"observed", view.observed},
                            {"drift", number(view.drift)},
                            {"chance", number(view.chance)}});
  }
  return out;
}

void update(const UpdateArguments& arguments) {
  const std::string& target = arguments.output.empty() ? arguments.model : arguments.output;
  std::vector<std::string> inputs = input_files(arguments.input);
  check_outputs({target}, inputs);
  check_writable(target);
  // Nobody else may change the model between reading and replacing it.
  const ModelLock lock(target);
  Clusterer model = Clusterer::load(arguments.model);
  if (!model.summary().learns) {
    throw Error(ErrorKind::usage, fmt::format("{} does not go on learning: it was saved for prediction only, or is of "
                                              "another method; fit again with --model",
                                              arguments.model));
  }
  model.set_threads(arguments.threads);
  const Index before = model.summary().instances;
  InputArguments data = arguments.input;
  data.options.like = model.schema();
  Input input = open_arguments(data, model.options().seed);
  std::vector<std::string> notes;
  input.source = make_matched_source(std::move(input.source), model.schema(), arguments.ignore_extra, &notes);
  for (const std::string& note : notes) fmt::print(stderr, "omvc: note: {}\n", note);
  stop_on_signals();
  UpdateReport report;
  {
    ConsoleObserver observer(arguments.quiet);
    observer.expect(input.source->size().value_or(0));
    try {
      report = model.update(*input.source, observer);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      throw Error(ErrorKind::interrupted, fmt::format("{}; {} is left as it was", error.what(), target));
    }
  }
  if (!report.not_built.empty()) {
    fmt::print(stderr, "omvc: warning: prototypes stay as they were: {}\n", report.not_built);
  }
  // Results first and the model last: who cannot hear of an update can try it again.
  if (arguments.json) {
    fmt::print("{}\n", json_text(summary(report, before)));
  } else {
    fmt::print("{}model: {}\n", describe(report, before), target);
  }
  try {
    flush_results();
  } catch (const Error& error) {
    if (!reader_gone()) throw Error(error.kind(), fmt::format("{}; {} is left as it was", error.what(), target));
  }
  model.save(target);
}

}  // namespace

void add_update(CommandLine& line) {
  auto arguments = std::make_shared<UpdateArguments>();
  Command command =
      line.add("update",
               "go on learning from a model with new files: views and features by name, a subset of the views will do");
  command.option("model", arguments->model, "model written by omvc fit --model, update or stream; it is replaced")
      .required()
      .type("MODEL");
  add_input_options(command, arguments->input);
  command.flag("--shuffle", arguments->input.shuffle, "learn the rows in a random order (through a temporary file)");
  command.option("-o,--output", arguments->output, "write the model here, and leave MODEL as it is").type("NEW");
  command.flag("--ignore-extra", arguments->ignore_extra, "leave out views and features that the model lacks");
  command.option("--threads", arguments->threads, "threads; 0 = all cores").between(0, 4096);
  command.flag("--json", arguments->json, "print what changed as JSON on stdout");
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { update(*arguments); });
}

}  // namespace omvc::app
