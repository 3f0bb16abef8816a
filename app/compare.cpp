#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "command.hpp"
#include "compare_run.hpp"
#include "console.hpp"
#include "contestants.hpp"
#include "inputs.hpp"
#include "json_text.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct CompareArguments {
  InputArguments input;
  int clusters = 0;
  std::vector<std::string> methods;
  std::uint64_t seed = 0;
  int passes = 0;
  Index chunk = -1;
  int threads = 0;
  bool json = false;
  bool quiet = false;
};

struct Compared {
  std::string name;
  MethodRun run;
};

Options options_of(const Contestant& method, const CompareArguments& arguments) {
  Options options = method.options;
  options.clusters = arguments.clusters;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  if (!method.offline && arguments.passes != 0) options.passes = arguments.passes;
  if (!method.offline && arguments.chunk >= 0) options.chunk = arguments.chunk;
  check_options(options);
  return options;
}

// Data that cannot be opened, or be read once for every method, are found before any method runs.
void check_input(const InputArguments& arguments) {
  const Input input = open_input(arguments.paths);
  if (!input.source->rewind()) {
    throw Error(ErrorKind::usage, fmt::format("{} can be read only once, and every method has to read it: give files",
                                              arguments.paths[0]));
  }
}

double agreement(const std::vector<int>& a, const std::vector<int>& b) {
  Contingency counts;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] >= 0 && b[i] >= 0) counts.add(a[i], b[i]);
  }
  return score(counts).ari;
}

std::vector<const Compared*> finished(const std::vector<Compared>& all) {
  std::vector<const Compared*> done;
  for (const Compared& one : all) {
    if (one.run.failure.empty()) done.push_back(&one);
  }
  return done;
}

void print_tables(const std::vector<Compared>& all) {
  const std::vector<const Compared*> done = finished(all);
  const bool scored = std::any_of(done.begin(), done.end(), [](const Compared* one) { return one->run.scored; });
  std::vector<std::vector<std::string>> rows{{"method"}};
  if (scored) rows[0].insert(rows[0].end(), {"NMI", "AC", "ARI"});
  rows[0].insert(rows[0].end(), {"explained", "loss", "seconds", "MB"});
  for (const Compared* one : done) {
    rows.push_back({one->name});
    if (scored) {
      for (const double value : {one->run.nmi, one->run.ac, one->run.ari})
        rows.back().push_back(fmt::format("{:.4f}", value));
    }
    rows.back().insert(rows.back().end(),
                       {fmt::format("{:.4f}", one->run.explained), fmt::format("{:.5g}", one->run.loss),
                        fmt::format("{:.2f}", one->run.seconds), fmt::format("{:.0f}", one->run.bytes / 1e6)});
  }
  if (!done.empty()) {
    fmt::print(
        "{}\nexplained: share of the variance of the views that the clusters explain, the same measure for all;\n"
        "loss: each method's own, not comparable; MB: peak memory of a process that runs the method alone\n",
        format_table(rows));
  }
  for (const Compared& one : all) {
    if (!one.run.failure.empty()) fmt::print("\n{}: no result: {}\n", one.name, one.run.failure);
  }
  if (done.size() < 2) return;
  rows = {{"ARI"}};
  for (const Compared* one : done) rows[0].push_back(one->name);
  for (const Compared* one : done) {
    rows.push_back({one->name});
    for (const Compared* other : done)
      rows.back().push_back(fmt::format("{:.3f}", agreement(one->run.labels, other->run.labels)));
  }
  fmt::print("\nHow far the methods agree\n{}", format_table(rows));
}

nlohmann::json as_json(const std::vector<Compared>& all) {
  nlohmann::json out{{"methods", nlohmann::json::array()}};
  for (const Compared& one : all) {
    nlohmann::json entry{{"name", one.name}};
    if (!one.run.failure.empty()) {
      entry["failure"] = one.run.failure;
    } else {
      entry.update({{"explained", one.run.explained},
                    {"loss", one.run.loss},
                    {"seconds", one.run.seconds},
                    {"peak_rss_bytes", one.run.bytes},
                    {"warnings", one.run.warnings}});
      if (one.run.scored) entry.update({{"nmi", one.run.nmi}, {"ac", one.run.ac}, {"ari", one.run.ari}});
    }
    out["methods"].push_back(entry);
  }
  for (const Compared* one : finished(all)) {
    for (const Compared* other : finished(all)) {
      out["agreement_ari"][one->name][other->name] = agreement(one->run.labels, other->run.labels);
    }
  }
  return out;
}

void compare(const CompareArguments& arguments) {
  const std::vector<Contestant> methods =
      find_contestants(arguments.methods.empty() ? all_contestants() : arguments.methods);
  std::vector<Options> options;
  for (const Contestant& method : methods) options.push_back(options_of(method, arguments));
  check_input(arguments.input);

  stop_on_signals();
  std::vector<Compared> all;
  bool stopped = false;
  for (std::size_t i = 0; i < methods.size() && !stopped; ++i) {
    if (!arguments.quiet) fmt::print(stderr, "{}:\n", methods[i].name);
    MethodRun run = run_method(arguments.input, options[i], arguments.quiet);
    stopped = run.stopped || stop_requested();
    if (!run.stopped) all.push_back({methods[i].name, std::move(run)});
  }
  if (!stopped && finished(all).empty()) {
    throw Error(all[0].run.kind, all.size() == 1 || all[0].run.failure == all.back().run.failure
                                     ? all[0].run.failure
                                     : fmt::format("no method has a result; {}: {}", all[0].name, all[0].run.failure));
  }
  if (arguments.json) {
    fmt::print("{}\n", json_text(as_json(all)));
  } else {
    print_tables(all);
  }
  if (stopped) {
    throw Error(ErrorKind::interrupted, fmt::format("stopped; {} of {} methods were done", all.size(), methods.size()));
  }
}

}  // namespace

void add_compare(CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  Command command = line.add("compare", "run several methods on your data: quality, agreement, time and memory");
  add_input_options(command, arguments->input);
  add_stream_options(command, arguments->input);
  command.option("-k,--clusters", arguments->clusters, "number of clusters K").required().type("NUMBER");
  command
      .option("--methods", arguments->methods,
              fmt::format("some of {}; all by default. Each runs with its stated defaults",
                          fmt::join(all_contestants(), ", ")))
      .one_list()
      .type("NAME,...");
  command.option("--passes", arguments->passes, "passes of the on-line methods; each method's own by default");
  command.option("--chunk", arguments->chunk, "instances learned at a time by the on-line methods");
  command.option("--seed", arguments->seed, "seed of all randomness").shows_default();
  command.option("--threads", arguments->threads, "threads; 0 = all cores").shows_default();
  command.flag("--json", arguments->json, "print JSON on stdout");
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { compare(*arguments); });
}

}  // namespace omvc::app
