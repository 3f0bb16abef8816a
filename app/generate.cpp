#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "omvc/convert.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"

namespace omvc::app {
namespace {

struct GenerateArguments {
  std::string output;
  std::string shape;
  std::optional<Index> rows;
  std::vector<Index> features;
  std::vector<double> density;
  std::optional<int> clusters;
  std::optional<double> missing;
  std::uint64_t seed = 0;
  int compression = 0;
  bool quiet = false;
};

PlantedOptions planted_options(const GenerateArguments& arguments) {
  PlantedOptions planted = arguments.shape.empty() ? PlantedOptions() : planted_shape(arguments.shape);
  if (arguments.rows) planted.instances = *arguments.rows;
  if (!arguments.features.empty()) {
    planted.features = arguments.features;
    planted.density.clear();
  }
  if (!arguments.density.empty()) planted.density = arguments.density;
  if (arguments.clusters) planted.clusters = *arguments.clusters;
  if (arguments.missing) planted.missing = *arguments.missing;
  planted.seed = arguments.seed;
  return planted;
}

void generate(const GenerateArguments& arguments) {
  check_h5_name(arguments.output);
  const PlantedOptions planted = planted_options(arguments);
  const auto source = make_planted_source(planted);
  stop_on_signals();
  ProgressLine line(arguments.quiet);
  ConvertOptions options;
  options.label = [&](Index row) { return planted_label(planted, row); };
  options.compression = arguments.compression;
  options.progress = [&](Index instances) {
    line.show(instances, planted.instances);
    return !stop_requested();
  };
  write_mudata(*source, arguments.output, options);
  line.clear();
  if (!arguments.quiet) {
    std::error_code ignored;
    fmt::print(stderr, "{}: {} instances in {} clusters, {} views, {:.1f} MB; labels in the obs column truth\n",
               arguments.output, planted.instances, planted.clusters, planted.features.size(),
               static_cast<double>(std::filesystem::file_size(arguments.output, ignored)) / 1e6);
  }
}

}  // namespace

void add_generate(CommandLine& line) {
  auto arguments = std::make_shared<GenerateArguments>();
  Command command = line.add("generate", "write planted data of any size and shape, for trials");
  command.option("output", arguments->output, "the new file: .h5mu, or .h5ad for one view").required().type("FILE");
  command.option("--shape", arguments->shape, "that of a known data set; the other options change it")
      .one_of({"reuters", "youtube", "digit"});
  command.option("--rows", arguments->rows, "number of instances").positive();
  command.option("--features", arguments->features, "of each view, as 200,3000").list();
  command.option("--density", arguments->density, "share of entries that are not zero in each view, as 1,0.01").list();
  command.option("-k,--clusters", arguments->clusters, "number of clusters").positive();
  command.option("--missing", arguments->missing, "share of instances that each view lacks").between(0.0, 0.99);
  command.option("--seed", arguments->seed, "seed").shows_default();
  command.option("--compress", arguments->compression, "gzip level; 0: none, which reads fastest")
      .shows_default()
      .between(0, 9);
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { generate(*arguments); });
}

}  // namespace omvc::app
