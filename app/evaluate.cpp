#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/input.hpp"

#include "command.hpp"

namespace omvc::app {
namespace {

struct EvaluateArguments {
  std::string labels;
  std::string truth;
  bool json = false;
};

void evaluate(const EvaluateArguments& arguments) {
  const std::vector<int> labels = read_labels(arguments.labels);
  const std::vector<int> truth = read_labels(arguments.truth);
  if (labels.size() != truth.size()) {
    throw Error(ErrorKind::data, fmt::format("{} has {} labels and {} has {}: they must be of the same instances",
                                             arguments.labels, labels.size(), arguments.truth, truth.size()));
  }
  Contingency counts;
  counts.add(labels, truth);
  if (counts.scored() == 0) {
    throw Error(ErrorKind::data, fmt::format("{} has no label but -1: there is nothing to score", arguments.labels));
  }
  const Scores scores = score(counts);
  if (arguments.json) {
    const nlohmann::json out{{"n", counts.scored()},
                             {"unlabelled", counts.unlabelled()},
                             {"clusters", counts.labels().size()},
                             {"classes", counts.classes().size()},
                             {"nmi", scores.nmi_geometric},
                             {"nmi_arithmetic", scores.nmi_arithmetic},
                             {"ac", scores.accuracy},
                             {"ari", scores.ari},
                             {"purity", scores.purity}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("instances         {}\n", counts.scored());
  if (counts.unlabelled() > 0) fmt::print("without a label   {} (not scored)\n", counts.unlabelled());
  fmt::print("clusters          {}\nclasses           {}\n", counts.labels().size(), counts.classes().size());
  fmt::print("NMI (geometric)   {:.4f}\nNMI (arithmetic)  {:.4f}\nAC                {:.4f}\n", scores.nmi_geometric,
             scores.nmi_arithmetic, scores.accuracy);
  fmt::print("ARI               {:.4f}\npurity            {:.4f}\n", scores.ari, scores.purity);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command = app.add_subcommand("evaluate", "NMI, AC, ARI and purity of labels against the truth");
  command->add_option("labels", arguments->labels, "one label a line; -1 is not scored")
      ->required()
      ->type_name("LABELS");
  command->add_option("truth", arguments->truth, "one class a line")->required()->type_name("TRUTH");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace omvc::app
