#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/input.hpp"

#include "command.hpp"
#include "inputs.hpp"
#include "stream_labels.hpp"
#include "table.hpp"

namespace omvc::app {
namespace {

constexpr std::size_t kMostShown = 20;  // clusters or classes of a table on a terminal

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
  std::size_t classes = 0;    // ids of the truth that have a class
  bool by_id = false;
  std::vector<std::string> names = {};  // of classes by number, where the truth has words
};

LabelTable read_either(const std::string& path) {
  std::optional<LabelTable> of_stream = read_stream_labels(path);
  return of_stream ? std::move(*of_stream) : read_label_table(path);
}

// By sample id where both files have them, else by row.
Pairs read_pairs(const EvaluateArguments& arguments) {
  LabelTable labels = read_either(arguments.labels);
  LabelTable truth = read_label_table(arguments.truth);
  for (const auto& [table, file] : {std::pair(&labels, &arguments.labels), std::pair(&truth, &arguments.truth)}) {
    for (const std::string& note : {note_unlabelled(*file, *table), note_column(*file, *table)}) {
      if (!note.empty()) fmt::print(stderr, "omvc: note: {}\n", note);
    }
  }
  Pairs pairs{.labels = std::move(labels.labels),
              .truth = {},
              .by_id = !labels.ids.empty() && !truth.ids.empty(),
              .names = truth.names};
  if (pairs.by_id) {
    pairs.truth = labels_of_ids(truth, labels.ids, arguments.truth);
    pairs.unmatched = static_cast<std::size_t>(std::count(pairs.truth.begin(), pairs.truth.end(), kNoClass));
    pairs.classes =
        truth.labels.size() - static_cast<std::size_t>(std::count(truth.labels.begin(), truth.labels.end(), kNoClass));
    return pairs;
  }
  for (const auto& [table, file] : {std::pair(&labels, &arguments.labels), std::pair(&truth, &arguments.truth)}) {
    if (table->unlabelled_line == 0) continue;
    throw Error(ErrorKind::data,
                fmt::format("{}:{}: the label is missing, and the other file has no sample ids by which "
                            "those below it could be found: give every line a label",
                            *file, table->unlabelled_line));
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

// Clusters by classes, those that match first, so that what agrees is on the diagonal.
struct Confusion {
  explicit Confusion(const Contingency& counts) : table(counts.table()) {
    const std::vector<int> match = best_matching(table);
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match[i] < 0) continue;
      rows.push_back(i);
      columns.push_back(static_cast<std::size_t>(match[i]));
    }
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match[i] < 0) rows.push_back(i);
    }
    for (std::size_t j = 0; j < counts.classes().size(); ++j) {
      if (std::find(columns.begin(), columns.end(), j) == columns.end()) columns.push_back(j);
    }
  }

  std::vector<std::vector<double>> table;
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
};

// What people call each of the classes: its word, or else its number.
std::vector<std::string> class_names(const Contingency& counts, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const int number : counts.classes()) {
    const bool known = number >= 0 && static_cast<std::size_t>(number) < words.size();
    names.push_back(known ? words[static_cast<std::size_t>(number)] : fmt::format("class {}", number));
  }
  return names;
}

std::string describe(const Contingency& counts, const std::vector<std::string>& words) {
  const Confusion confusion(counts);
  std::vector<std::vector<std::string>> lines{{"cluster"}};
  const std::vector<std::string> names = class_names(counts, words);
  for (const std::size_t j : confusion.columns) lines[0].push_back(names[j]);
  for (const std::size_t i : confusion.rows) {
    lines.push_back({fmt::format("{}", counts.labels()[i])});
    for (const std::size_t j : confusion.columns) lines.back().push_back(fmt::format("{:.0f}", confusion.table[i][j]));
  }
  return format_table(lines);
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
    nlohmann::json out{{"n", counts.scored()},
                       {"unlabelled", counts.unlabelled()},
                       {"joined_by", pairs.by_id ? "id" : "row"},
                       {"without_class", pairs.unmatched},
                       {"clusters", counts.labels().size()},
                       {"classes", counts.classes().size()},
                       {"nmi", scores.nmi_geometric},
                       {"nmi_arithmetic", scores.nmi_arithmetic},
                       {"ac", scores.accuracy},
                       {"ari", scores.ari},
                       {"purity", scores.purity},
                       {"cluster_numbers", counts.labels()},
                       {"class_numbers", counts.classes()},
                       {"counts", counts.table()}};
    if (!pairs.names.empty()) out["class_names"] = class_names(counts, pairs.names);
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("instances         {}\n", counts.scored());
  if (counts.unlabelled() > 0) fmt::print("without a label   {} (not scored)\n", counts.unlabelled());
  if (pairs.by_id) {
    fmt::print("ids matched       {} of {} with a label, of {} with a class\n", pairs.labels.size() - pairs.unmatched,
               pairs.labels.size(), pairs.classes);
  }
  fmt::print("clusters          {}\nclasses           {}\n", counts.labels().size(), counts.classes().size());
  fmt::print("NMI (geometric)   {:.4f}\nNMI (arithmetic)  {:.4f}\nAC                {:.4f}\n", scores.nmi_geometric,
             scores.nmi_arithmetic, scores.accuracy);
  fmt::print("ARI               {:.4f}\npurity            {:.4f}\n", scores.ari, scores.purity);
  if (std::max(counts.labels().size(), counts.classes().size()) <= kMostShown) {
    fmt::print("\nInstances of each class in each cluster\n{}", describe(counts, pairs.names));
  }
}

}  // namespace

void add_evaluate(CommandLine& line) {
  auto arguments = std::make_shared<EvaluateArguments>();
  Command command = line.add("evaluate", "NMI, AC, ARI and purity of labels against the truth");
  command
      .option("labels", arguments->labels,
              "one label per line, a table of ids and labels, or the lines of omvc stream; -1 is not scored")
      .required()
      .type("LABELS");
  command.option("truth", arguments->truth, "one class a line, or a table of ids and classes, which is joined by id")
      .required()
      .type("TRUTH");
  command.flag("--json", arguments->json, "print JSON");
  command.runs([arguments] { evaluate(*arguments); });
}

}  // namespace omvc::app
