#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/explain.hpp"
#include "omvc/sink.hpp"

#include "choice.hpp"
#include "command.hpp"
#include "inputs.hpp"

namespace omvc::app {
namespace {

struct CutArguments {
  std::string model;
  std::string output;
  int clusters = 0;
  int most = 12;
  int threads = 0;
  bool tree = false;
};

void cut(const CutArguments& arguments) {
  if (!arguments.output.empty()) check_writable(arguments.output);
  // Nobody else may change the model between reading and replacing it.
  const std::optional<ModelLock> lock = lock_output_model(arguments.output);
  Clusterer model = Clusterer::load(arguments.model);
  model.set_threads(arguments.threads);
  if (arguments.tree) {
    fmt::print("{}", describe_tree(cluster_tree(model, arguments.most)));
    if (arguments.output.empty() && arguments.clusters == 0) return;
  }
  model.cut(arguments.clusters);
  const ModelSummary summary = model.summary();
  if (summary.choice) fmt::print("{}\n", describe_choice(*summary.choice));
  fmt::print("{}, by {}\n{}", cluster_count(static_cast<Index>(model.clusters().size())), summary.found_by,
             describe_events(model.events()));
  if (arguments.output.empty()) {
    fmt::print(stderr, "nothing was written: give -o NEW for a model with these clusters\n");
    return;
  }
  model.save(arguments.output);
  fmt::print("model: {}\n", arguments.output);
}

}  // namespace

void add_cut(CommandLine& line) {
  auto arguments = std::make_shared<CutArguments>();
  Command command = line.add("cut", "other clusters from the same model, without the data");
  command.option("model", arguments->model, "model written by omvc fit --model").required().type("MODEL");
  command.option("-k,--clusters", arguments->clusters, "number of clusters; 0: as many as the data show")
      .between(0, 1 << 20)
      .type("NUMBER");
  command.option("-o,--output", arguments->output, "write the model with these clusters").type("NEW");
  command.flag("--tree", arguments->tree, "show how clusters split as their number grows");
  command.option("--to", arguments->most, "the largest number of clusters in the tree")
      .between(2, 1000)
      .shows_default();
  command.option("--threads", arguments->threads, "threads; 0 = all cores").between(0, 4096);
  command.runs([arguments] { cut(*arguments); });
}

}  // namespace omvc::app
