#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/suggest.hpp"

#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct SuggestArguments {
  InputArguments input;
  SuggestOptions suggest;
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
};

void show(const Suggestion& found) {
  constexpr int kWidth = 40;
  std::vector<std::vector<std::string>> rows{{"K", "stability", "+-", ""}};
  for (const KStability& k : found.tried) {
    const int bar = std::clamp(static_cast<int>(k.stability * kWidth + 0.5), 0, kWidth);
    rows.push_back({fmt::format("{}", k.clusters), fmt::format("{:.3f}", k.stability), fmt::format("{:.3f}", k.spread),
                    std::string(static_cast<std::size_t>(bar), '#') + (k.clusters == found.clusters ? " <" : " ")});
  }
  fmt::print("{}\n{}\n", format_table(rows), found.verdict);
}

void suggest(SuggestArguments& arguments) {
  arguments.suggest.options.seed = arguments.seed;
  Input input = open_arguments(arguments.input, arguments.seed);
  stop_on_signals();
  ProgressLine line(arguments.quiet);
  const Suggestion found = suggest_clusters(*input.source, arguments.suggest, [&](double share) {
    line.show(share);
    return !stop_requested();
  });
  line.clear();
  if (!arguments.json) {
    show(found);
    return;
  }
  nlohmann::json out{
      {"clusters", found.clusters}, {"clear", found.clear}, {"verdict", found.verdict}, {"sampled", found.sampled}};
  for (const KStability& k : found.tried) {
    out["tried"].push_back({{"clusters", k.clusters}, {"stability", k.stability}, {"spread", k.spread}});
  }
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

void add_suggest_k(CLI::App& app) {
  auto arguments = std::make_shared<SuggestArguments>();
  CLI::App* command = app.add_subcommand("suggest-k", "how many clusters are found again in other instances");
  add_input_options(*command, arguments->input);
  command->add_option("--from", arguments->suggest.least, "least number of clusters tried")->capture_default_str();
  command->add_option("--to", arguments->suggest.most, "largest number of clusters tried")->capture_default_str();
  command->add_option("--splits", arguments->suggest.splits, "random splits for each number")->capture_default_str();
  command->add_option("--sample", arguments->suggest.sample, "instances used, at most about")->capture_default_str();
  command->add_option("--seed", arguments->seed, "seed of all randomness")->capture_default_str();
  command->add_flag("--json", arguments->json, "print JSON");
  command->add_flag("--quiet", arguments->quiet, "no progress on stderr");
  command->callback([arguments] { suggest(*arguments); });
}

}  // namespace omvc::app
