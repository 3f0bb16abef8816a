#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/page.hpp"
#include "omvc/planted.hpp"

#include "command.hpp"
#include "page_context.hpp"
#include "sketch.hpp"
#include "summary.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct DemoArguments {
  std::string folder = "omvc-demo";
  Index instances = 6000;
  bool quiet = false;
};

PlantedOptions planted_options(const DemoArguments& arguments) {
  return {.instances = arguments.instances,
          .features = {120, 2000, 400},
          .density = {1.0, 0.01, 0.05},
          .clusters = 6,
          .missing = 0.4,
          .separation = 1.0,
          .noise = 2.0,
          .seed = 2016};
}

// Found clusters against planted ones, each planted cluster above the found one that matches it best.
void show_clusters(const Contingency& counts) {
  const auto found = counts.labels();
  const auto planted = counts.classes();
  const auto table = counts.table();
  const std::vector<int> match = best_matching(table);
  std::vector<std::vector<std::string>> rows{{"found"}};
  for (const int c : planted) rows[0].push_back(fmt::format("planted {}", c));
  rows[0].emplace_back("matches");
  for (std::size_t i = 0; i < found.size(); ++i) {
    rows.push_back({fmt::format("cluster {}", found[i])});
    for (std::size_t j = 0; j < planted.size(); ++j) {
      rows.back().push_back(table[i][j] > 0 ? fmt::format("{:.0f}", table[i][j]) : ".");
    }
    rows.back().push_back(match[i] < 0 ? "-" : fmt::format("planted {}", planted[static_cast<std::size_t>(match[i])]));
  }
  fmt::print("Found clusters against planted ones (instances)\n{}\n", format_table(rows));
}

void demo(const DemoArguments& arguments) {
  std::error_code failure;
  std::filesystem::create_directories(arguments.folder, failure);
  if (failure) {
    throw Error(ErrorKind::io, fmt::format("cannot create the folder {}: {}", arguments.folder, failure.message()));
  }
  const std::filesystem::path folder(arguments.folder);
  const std::string labels = (folder / "labels.txt").string();
  const std::string embedding = (folder / "embedding.npy").string();
  const std::string model_path = (folder / "model.omvc").string();
  const std::string page = (folder / "report.html").string();

  const PlantedOptions planted = planted_options(arguments);
  const auto source = make_planted_source(planted);
  std::optional<std::vector<int>> truth(std::in_place);
  for (Index i = 0; i < planted.instances; ++i) truth->push_back(planted_label(planted, i));
  fmt::print("Planted data: {} instances in {} clusters, {} views; each view lacks 40 % of the instances.\n",
             planted.instances, planted.clusters, planted.features.size());

  Options options;
  options.clusters = planted.clusters;
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(make_label_sink(labels));
  sinks.push_back(make_embedding_sink(embedding));
  auto scoring = std::make_unique<ScoringSink>(truth);
  const ScoringSink& scored = *scoring;
  sinks.push_back(std::move(scoring));
  const auto sink = make_sink_list(std::move(sinks));
  stop_on_signals();
  ScoringObserver observer(arguments.quiet, truth, options);
  Clusterer model(options);
  const Report report = model.fit(*source, *sink, {.observer = &observer});
  model.save(model_path);
  PageContext context{.report = &report, .scored = &scored.counts(), .title = "omvc demo", .command = command_line()};
  context.class_of = [&planted](Index row) { return planted_label(planted, row); };
  write_page(page, model, context);

  fmt::print("\n");
  show_clusters(scored.counts());
  const Scores scores = score(scored.counts());
  fmt::print("Labels as written: NMI {:.4f}, AC {:.4f}, ARI {:.4f}; {:.2f} s\n\n", scores.nmi_geometric,
             scores.accuracy, scores.ari, report.seconds);
  fmt::print("{}\n", describe_clusters(report, model));
  if (is_terminal(STDOUT_FILENO)) fmt::print("{}\n", describe_map(prototype_map(model)));
  fmt::print("labels     {}\nembedding  {}\nmodel      {}      (try: omvc info {})\n", labels, embedding, model_path,
             model_path);
  fmt::print("page       {}      (open it in a browser)\n", page);
  fmt::print("next       omvc look A.csv B.csv      (what would be read of tables of yours)\n");
  if (report.stopped) throw Error(ErrorKind::interrupted, "interrupted: the tables show what was learned so far");
}

}  // namespace

void add_demo(CommandLine& line) {
  auto arguments = std::make_shared<DemoArguments>();
  Command command = line.add("demo", "cluster planted data with missing views and show the result");
  command.option("--out", arguments->folder, "folder for labels, embedding, model and page")
      .shows_default()
      .type("DIR");
  command.option("--instances", arguments->instances, "number of instances").shows_default().between(100, 100000000);
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { demo(*arguments); });
}

}  // namespace omvc::app
