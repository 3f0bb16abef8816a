#include <algorithm>
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

// Labels and classes of the same instances, and how these were found.
struct Pairs {
  std::vector<int> labels;
  std::vector<int> truth;
  std::size_t unmatched = 0;  // ids of the labels that the truth lacks
  bool by_id = false;
};

// By sample id where both files have them, else by row.
Pairs read_pairs(const EvaluateArguments& arguments) {
  LabelTable labels = read_label_table(arguments.labels);
  LabelTable truth = read_label_table(arguments.truth);
  Pairs pairs{std::move(labels.labels), {}, 0, !labels.ids.empty() && !truth.ids.empty()};
  if (pairs.by_id) {
    pairs.truth = labels_of_ids(truth, labels.ids, arguments.truth);
    pairs.unmatched = static_cast<std::size_t>(std::count(pairs.truth.begin(), pairs.truth.end(), kNoClass));
    return pairs;
  }
  if (labels.ids.empty() != truth.ids.empty()) {
    const auto& [without, with] = labels.ids.empty() ? std::pair{arguments.labels, arguments.truth}
                                                     : std::pair{arguments.truth, arguments.labels};
    fmt::print(stderr,
               "omvc: note: {} has no sample ids, so it is joined by row with {}, whatever order that is in; write "
               "labels to a .csv file to have their ids\n",
               without, with);
  }
  pairs.truth = std::move(truth.labels);
  if (pairs.labels.size() == pairs.truth.size()) return pairs;
  throw Error(ErrorKind::data, fmt::format("{} has {} labels and {} has {}: they must be of the same instances",
                                           arguments.labels, pairs.labels.size(), arguments.truth, pairs.truth.size()));
}

void evaluate(const EvaluateArguments& arguments) {
  const Pairs pairs = read_pairs(arguments);
  Contingency counts;
  counts.add(pairs.labels, pairs.truth);
  if (counts.scored() == 0) {
    throw Error(ErrorKind::data, fmt::format("{} has no label but -1: there is nothing to score", arguments.labels));
  }
  const Scores scores = score(counts);
  if (arguments.json) {
    const nlohmann::json out{{"n", counts.scored()},
                             {"unlabelled", counts.unlabelled()},
                             {"joined_by", pairs.by_id ? "id" : "row"},
                             {"without_class", pairs.unmatched},
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
  if (pairs.by_id) {
    fmt::print("ids matched       {} of {}\n", pairs.labels.size() - pairs.unmatched, pairs.labels.size());
  }
  fmt::print("clusters          {}\nclasses           {}\n", counts.labels().size(), counts.classes().size());
  fmt::print("NMI (geometric)   {:.4f}\nNMI (arithmetic)  {:.4f}\nAC                {:.4f}\n", scores.nmi_geometric,
             scores.nmi_arithmetic, scores.accuracy);
  fmt::print("ARI               {:.4f}\npurity            {:.4f}\n", scores.ari, scores.purity);
}

}  // namespace

void add_evaluate(CommandLine& line) {
  auto arguments = std::make_shared<EvaluateArguments>();
  Command command = line.add("evaluate", "NMI, AC, ARI and purity of labels against the truth");
  command.option("labels", arguments->labels, "one label a line, or a table of ids and labels; -1 is not scored")
      .required()
      .type("LABELS");
  command.option("truth", arguments->truth, "one class a line, or a table of ids and classes, which is joined by id")
      .required()
      .type("TRUTH");
  command.flag("--json", arguments->json, "print JSON");
  command.runs([arguments] { evaluate(*arguments); });
}

}  // namespace omvc::app
