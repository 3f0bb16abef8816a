#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/clusterer.hpp"

#include "command.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

struct InfoArguments {
  std::string model;
  int top = 5;
  bool json = false;
};

std::string feature_list(Clusterer& model, std::size_t view, int cluster, int count) {
  std::string text;
  for (const Feature& feature : model.top_features(view, cluster, count)) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", feature.name);
  }
  return text;
}

void info(const InfoArguments& arguments) {
  Clusterer model = Clusterer::load(arguments.model);
  const std::vector<ViewReport> views = model.views();
  if (arguments.json) {
    nlohmann::json out{{"instances", model.instances()}, {"rank", model.rank()}};
    for_each_param([&](const auto& param) { out["options"][param.name] = format_option(model.options(), param.name); });
    for (const ViewReport& view : views) {
      out["views"].push_back(
          {{"name", view.name}, {"features", view.features}, {"observed", view.observed}, {"scaling", view.scaling}});
    }
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("model of {} clusters, rank {}, learned from {} instances\n\n", model.options().clusters, model.rank(),
             model.instances());
  std::vector<std::vector<std::string>> table{{"view", "features", "observed", "scaling"}};
  for (const ViewReport& view : views) {
    table.push_back({view.name, fmt::format("{}", view.features), fmt::format("{}", view.observed), view.scaling});
  }
  fmt::print("{}\n", format_table(table));
  table = {{"cluster", "view", "features that tell it from the others"}};
  for (int cluster = 0; cluster < model.options().clusters; ++cluster) {
    for (std::size_t v = 0; v < views.size(); ++v) {
      table.push_back(
          {v == 0 ? fmt::format("{}", cluster) : "", views[v].name, feature_list(model, v, cluster, arguments.top)});
    }
  }
  fmt::print("{}\noptions\n", format_table(table));
  for_each_param(
      [&](const auto& param) { fmt::print("  {:<11} {}\n", param.name, format_option(model.options(), param.name)); });
}

}  // namespace

void add_info(CLI::App& app) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* command = app.add_subcommand("info", "show what a model holds");
  command->add_option("model", arguments->model, "model written by omvc fit --model")->required()->type_name("MODEL");
  command->add_option("--top", arguments->top, "features shown for each cluster and view")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { info(*arguments); });
}

}  // namespace omvc::app
