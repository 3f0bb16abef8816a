#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"

#include "choice.hpp"
#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "json_text.hpp"
#include "option_flags.hpp"
#include "page_context.hpp"
#include "ranks.hpp"
#include "sketch.hpp"
#include "summary.hpp"

namespace omvc::app {
namespace {

struct FitArguments {
  InputArguments input;
  OptionFlags flags;
  std::string labels;
  std::string embedding;
  std::string membership;
  std::string model;
  std::string predictor;
  Checkpointing checkpoint;
  std::string output;
  std::string report;
  bool json = false;
  bool profile = false;
  bool quiet = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Stands for an output that only the first process has: it wants what that one wants, and gets nothing.
class NoSink final : public Sink {
 public:
  void write(const ResultRows&) override {}
};

class SilentObserver final : public Observer {
 public:
  bool on_survey(Index) override { return !stop_requested(); }
  bool on_chunk(const ChunkReport&) override { return !stop_requested(); }
  bool on_wait() override { return !stop_requested(); }
};

// The outputs that have rows of text or numbers, which processes write together.
std::vector<std::unique_ptr<Sink>> row_sinks(const FitArguments& arguments, Source& source) {
  const int rank = ranks().rank();
  std::vector<std::unique_ptr<Sink>> sinks;
  if (!arguments.labels.empty()) sinks.push_back(make_label_sink(arguments.labels, &source, rank));
  if (!arguments.embedding.empty()) sinks.push_back(make_embedding_sink(arguments.embedding, &source, rank));
  if (!arguments.membership.empty()) sinks.push_back(make_membership_sink(arguments.membership, &source, rank));
  return sinks;
}

// One of several processes that is not the first: it reads and counts its own rows, and writes them where the first one
// says.
void take_part(const FitArguments& arguments, const Options& options) {
  const Input input = open_arguments(arguments.input, options.seed);
  std::vector<std::unique_ptr<Sink>> sinks = row_sinks(arguments, *input.source);
  if (!arguments.output.empty()) sinks.push_back(std::make_unique<NoSink>());
  stop_on_signals();
  SilentObserver observer;
  Clusterer(options).fit(*input.source, *make_sink_list(std::move(sinks)),
                         {.observer = &observer, .checkpointing = arguments.checkpoint, .exchange = &ranks()});
}

void fit(const FitArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const Options options = chosen_options(arguments.flags);
  const std::vector<std::string> given = input_files(arguments.input);
  if (ranks().size() > 1 && std::find(given.begin(), given.end(), "-") != given.end()) {
    throw Error(ErrorKind::usage,
                "standard input is one process's alone: write it to a file that all of them can read");
  }
  check_same_command(given);
  if (ranks().rank() > 0) return take_part(arguments, options);
  if (!arguments.output.empty()) check_h5_name(arguments.output);
  check_membership(arguments.membership, options);
  const std::array outputs{arguments.labels,    arguments.embedding, arguments.membership, arguments.model,
                           arguments.predictor, arguments.output,    arguments.report,     arguments.checkpoint.file};
  const std::string& checkpoint = arguments.checkpoint.file;
  std::vector<std::string> inputs = input_files(arguments.input);
  inputs.push_back(arguments.flags.config);
  check_outputs({outputs.begin(), outputs.end()}, inputs, checkpoint.empty() ? "" : checkpoint + ".rows");
  // Outputs are opened first: a path that cannot be written is found before the work, not after it.
  for (const std::string& path : outputs) {
    if (!path.empty()) check_writable(path);
  }
  lock_output_model(arguments.model);  // refused now rather than after the work
  const bool wants_nothing =
      !arguments.checkpoint.file.empty() && !arguments.json &&
      std::all_of(outputs.begin(), outputs.end() - 1, [](const std::string& o) { return o.empty(); });
  if (wants_nothing) {
    throw Error(ErrorKind::usage,
                "--checkpoint keeps a run until its results are written, and none are asked for: give --labels, "
                "--embedding, --output, --model, --report or --json");
  }
  if (arguments.checkpoint.resume && arguments.checkpoint.file.empty()) {
    throw Error(ErrorKind::usage, "--resume needs to know where from: give --checkpoint FILE");
  }

  const bool nothing =
      !arguments.json && !arguments.quiet &&
      std::all_of(outputs.begin(), outputs.end(), [](const std::string& path) { return path.empty(); });
  if (nothing) {
    fmt::print(stderr,
               "omvc: note: nothing will be written but the summary: give --labels, --embedding, --output, --model or "
               "--report "
               "to keep results\n");
  }
  Input input = open_arguments(arguments.input, options.seed);
  std::vector<std::unique_ptr<Sink>> sinks = row_sinks(arguments, *input.source);
  if (!arguments.output.empty()) {
    const bool is_h5 = is_h5_name(arguments.input.paths[0]);
    sinks.push_back(make_h5_sink(arguments.output, is_h5 ? arguments.input.paths[0] : "", *input.source));
  }
  auto scoring = std::make_unique<ScoringSink>(input.truth);
  const ScoringSink& scored = *scoring;
  sinks.push_back(std::move(scoring));
  const auto sink = make_sink_list(std::move(sinks));

  stop_on_signals();
  ScoringObserver observer(arguments.quiet, input.truth, options,
                           [&](Index instances) { check_truth(arguments.input, input.truth->size(), instances); });
  Clusterer model(options);
  const double opening = seconds_since(start);
  Report report = model.fit(*input.source, *sink,
                            {.observer = &observer, .checkpointing = arguments.checkpoint, .exchange = &ranks()});
  const auto fitted = std::chrono::steady_clock::now();
  if (!arguments.model.empty()) {
    const std::optional<ModelLock> lock = lock_output_model(arguments.model);
    model.save(arguments.model);
  }
  if (!arguments.predictor.empty()) model.save(arguments.predictor, ModelKind::prediction);
  const double saving = seconds_since(fitted);
  if (!arguments.report.empty())
    write_page(arguments.report, model, page_context(report, scored.counts(), arguments.input, input));
  // What the command did before and after the run.
  report.profile.push_back({.name = "opening", .seconds = opening});
  report.profile.push_back({.name = "saving", .seconds = saving});
  if (!arguments.report.empty()) report.profile.push_back({.name = "page", .seconds = seconds_since(fitted) - saving});

  const bool tables = !arguments.json && !arguments.quiet;
  for (const std::string& warning : report.warnings) {
    if (tables && report.choice && warning == report.choice->verdict) continue;  // they begin with it
    fmt::print(stderr, "omvc: warning: {}\n", warning);
  }
  nlohmann::json summary = summarise(report, observer.scores(), scored.counts());
  if (arguments.json) name_members(summary, *input.source);
  if (arguments.json) {
    fmt::print("{}\n", json_text(summary));
  } else if (tables) {
    // Results, so on standard output; what the run said on its way is on stderr.
    fmt::print("{}\n", describe_clusters(report, model));
    if (is_terminal(STDOUT_FILENO)) {
      const PrototypeMap map = prototype_map(model);
      fmt::print("{}\n", report.choice ? draw_map(map) : describe_map(map));
    }
    fmt::print("{} instances in {} in {:.2f} s, peak memory {:.0f} MB\n", report.instances,
               cluster_count(report.clusters), report.seconds, static_cast<double>(peak_rss_bytes()) / 1e6);
    const bool card = !report.device.empty() && report.device != "processors";
    if (card) fmt::print("computed on {}\n", report.device);
    if (summary.contains("nmi_best")) {
      fmt::print("labels against the truth: NMI {:.4f}, AC {:.4f}, ARI {:.4f}\n", summary["nmi_best"].get<double>(),
                 summary["ac_best"].get<double>(), summary["ari_best"].get<double>());
    }
    for (const auto& [what, path] : {std::pair{"labels", &arguments.labels},
                                     {"embedding", &arguments.embedding},
                                     {"membership", &arguments.membership},
                                     {"model", &arguments.model},
                                     {"model for prediction", &arguments.predictor},
                                     {"output", &arguments.output},
                                     {"page", &arguments.report}}) {
      if (!path->empty()) fmt::print("{}: {}\n", what, *path);
    }
  }
  flush_results();
  // Only now that every result is where it was asked for.
  if (!checkpoint.empty()) remove_checkpoint(checkpoint);
  if (arguments.profile) fmt::print(stderr, "\n{}", describe_profile(report));
  if (report.stopped) {
    throw Error(
        ErrorKind::interrupted,
        fmt::format("interrupted in pass {}: the outputs hold what was learned so far; instances not reached in the "
                    "first pass have label -1",
                    report.passes.back().pass));
  }
}

}  // namespace

void add_fit(CommandLine& line) {
  auto arguments = std::make_shared<FitArguments>();
  Command command = line.add("fit", "learn clusters; write labels, embedding and model");
  add_input_options(command, arguments->input);
  add_stream_options(command, arguments->input);
  command
      .option("--labels", arguments->labels,
              "write one label per line, in the row order of the input (.csv, .tsv: with the ids)")
      .type("FILE");
  command.option("--embedding", arguments->embedding, "write the embedding rows (.npy, .csv, .tsv, else blanks)")
      .type("FILE");
  command
      .option("--membership", arguments->membership,
              "write the chance of every cluster (.npy, .csv, .tsv, else blanks): rows sum to 1, the largest is the "
              "confidence")
      .type("FILE");
  command.option("--model", arguments->model, "write the model, for assign and info").type("FILE");
  command
      .option("--output", arguments->output,
              "write labels and embedding as obs and obsm of a MuData or AnnData file (.h5mu, .h5ad): a copy of the "
              "input if that is one")
      .type("FILE");
  command.option("--report", arguments->report, "write one HTML page that explains the result").type("FILE");
  command.option("--predictor", arguments->predictor, "write a smaller model that only assigns").type("FILE");
  const Argument checkpoint =
      command
          .option("--checkpoint", arguments->checkpoint.file,
                  "keep the state of the run here (and in FILE.rows), so that it can be resumed; removed at the end")
          .type("FILE");
  command.flag("--resume", arguments->checkpoint.resume,
               "go on from the checkpoint, or from the start where there is none yet");
  command
      .option("--checkpoint-seconds", arguments->checkpoint.seconds, "time between checkpoints, about; 0: not by time")
      .not_negative()
      .shows_default()
      .needs(checkpoint);
  command.option("--checkpoint-chunks", arguments->checkpoint.chunks, "chunks between checkpoints; 0: not by chunks")
      .not_negative()
      .shows_default()
      .needs(checkpoint);
  command.flag("--json", arguments->json, "print a summary as JSON on stdout");
  command.flag("--profile", arguments->profile, "say on stderr where the time went");
  command.flag("--quiet", arguments->quiet, "no summary, and no progress on stderr");
  add_option_flags(command, arguments->flags);
  command.runs([arguments] { fit(*arguments); });
}

}  // namespace omvc::app
