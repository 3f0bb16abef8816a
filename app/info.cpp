#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "omvc/clusterer.hpp"
#include "omvc/explain.hpp"

#include "choice.hpp"
#include "command.hpp"
#include "json_text.hpp"
#include "summary.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct InfoArguments {
  std::string model;
  int top = 5;
  bool json = false;
};

// Those that the method has.
void print_options(const Options& options) {
  fmt::print("options\n");
  for_each_param([&](const auto& param) {
    if (!is_told(options, param.name) || !param.methods.contains(options.method)) return;
    const bool chosen = std::string_view(param.name) == "clusters" && options.clusters == 0;
    fmt::print("  {:<11} {}\n", param.name, chosen ? "0: chosen from the data" : format_option(options, param.name));
  });
}

nlohmann::json options_json(const Options& options) {
  nlohmann::json out;
  for_each_param([&](const auto& param) {
    if (is_told(options, param.name)) out[param.name] = format_option(options, param.name);
  });
  return out;
}

// The features that tell each cluster from the others, by view.
nlohmann::json clusters_json(const Clusterer& model, const std::vector<ViewReport>& views, int top) {
  nlohmann::json out = nlohmann::json::array();
  const std::vector<double> sizes = model.summary().cluster_sizes;
  for (const int cluster : model.clusters()) {
    nlohmann::json one{{"cluster", cluster}, {"features", nlohmann::json::object()}};
    if (out.size() < sizes.size()) one["size"] = std::llround(sizes[out.size()]);
    for (std::size_t v = 0; v < views.size(); ++v) {
      nlohmann::json& telling = one["features"][views[v].name] = nlohmann::json::array();
      for (const Feature& feature : top_features(model, v, cluster, top)) {
        telling.push_back({{"number", feature.number},
                           {"name", feature.name},
                           {"weight", feature.weight},
                           {"lift", feature.lift},
                           {"direction", feature.high ? "high" : "low"}});
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

void info_checkpoint(const CheckpointSummary& run, bool json) {
  if (json) {
    nlohmann::json out{{"checkpoint", true},     {"instances", run.instances},
                       {"pass", run.pass},       {"labelling", run.labelling},
                       {"chunks", run.chunks},   {"pass_instances", run.pass_instances},
                       {"seconds", run.seconds}, {"options", options_json(run.options)}};
    for (const PassReport& pass : run.passes)
      out["per_pass"].push_back(
          {{"pass", pass.pass}, {"loss", pass.loss}, {"error", pass.error}, {"seconds", pass.seconds}});
    for (const ViewSchema& view : run.schema.views) {
      out["views"].push_back({{"name", view.name}, {"features", view.features}});
    }
    fmt::print("{}\n", json_text(out));
    return;
  }
  const std::string where = run.labelling ? std::string("all passes done, labelling")
                                          : fmt::format("in pass {} of {}", run.pass, run.options.passes);
  fmt::print("checkpoint of a run over {} instances, {:.1f} s so far: {}, {} instances of it done\n\n", run.instances,
             run.seconds, where, run.pass_instances);
  std::vector<std::vector<std::string>> table{{"view", "features"}};
  for (const ViewSchema& view : run.schema.views) table.push_back({view.name, fmt::format("{}", view.features)});
  fmt::print("{}\n", format_table(table));
  table = {{"pass", "loss", "seconds"}};
  for (const PassReport& pass : run.passes) {
    table.push_back(
        {fmt::format("{}", pass.pass), fmt::format("{:.6g}", pass.loss), fmt::format("{:.2f}", pass.seconds)});
  }
  if (!run.passes.empty()) fmt::print("{}\n", format_table(table));
  print_options(run.options);
}

void info(const InfoArguments& arguments) {
  if (const auto checkpoint = read_checkpoint(arguments.model)) return info_checkpoint(*checkpoint, arguments.json);
  const Clusterer model = Clusterer::load(arguments.model);
  const ModelSummary summary = model.summary();
  const std::vector<ViewReport>& views = summary.views;
  if (arguments.json) {
    nlohmann::json out{{"instances", summary.instances}, {"rank", summary.rank},
                       {"found_by", summary.found_by},   {"prototypes", summary.prototypes},
                       {"set_aside", summary.set_aside}, {"learns", summary.learns}};
    out["options"] = options_json(model.options());
    for (const ViewReport& view : views) {
      out["views"].push_back({{"name", view.name},
                              {"features", view.features},
                              {"observed", view.observed},
                              {"missing", view.missing},
                              {"negatives", view.negatives},
                              {"scaling", view.scaling}});
    }
    out["clusters"] = clusters_json(model, views, arguments.top);
    fmt::print("{}\n", json_text(out));
    return;
  }
  fmt::print("model of {}, rank {}, learned from {} instances\n",
             cluster_count(static_cast<Index>(model.clusters().size())), summary.rank, summary.instances);
  if (!summary.found_by.empty()) fmt::print("clusters by {}\n", summary.found_by);
  if (const Index aside = summary.set_aside; aside > 0) {
    fmt::print("{} row{} far outside of what the views have shown {} set aside, and not learned until many agree\n",
               aside, aside == 1 ? "" : "s", aside == 1 ? "is" : "are");
  }
  fmt::print("\n");
  std::vector<std::vector<std::string>> table{{"view", "features", "observed"}};
  for (const ViewReport& view : views) {
    table.push_back({view.name, fmt::format("{}", view.features), fmt::format("{}", view.observed)});
  }
  fmt::print("{}\n", format_table(table));
  for (const ViewReport& view : views) fmt::print("scaling of {}: {}\n", view.name, view.scaling);
  std::vector<std::string> sizes;
  for (const double size : summary.cluster_sizes) sizes.push_back(fmt::format("{:.0f}", size));
  fmt::print("\n{}\n", feature_table(model, sizes, arguments.top));
  print_options(model.options());
}

}  // namespace

void add_info(CommandLine& line) {
  auto arguments = std::make_shared<InfoArguments>();
  Command command = line.add("info", "show what a model or a checkpoint holds");
  command.option("model", arguments->model, "file written by omvc fit --model or --checkpoint")
      .required()
      .type("MODEL");
  command.option("--top", arguments->top, "features shown for each cluster and view")
      .between(0, 1000000)
      .shows_default();
  command.flag("--json", arguments->json, "print JSON");
  command.runs([arguments] { info(*arguments); });
}

}  // namespace omvc::app
