// Processor seconds of the passes of `--preset paper` over data, all threads together: what a pass takes where nothing
// else is to be done. Prints as JSON what bench/end_to_end.py has of `omvc fit --json`.
//
//     omvc_passes INPUT... -k 10 [--present FILE] [--order FILE] [--chunk 50] [--passes 1] [--seed 0] [--threads 1]
#include <CLI/CLI.hpp>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/sink.hpp"
#include "omvc/trial.hpp"

#include "inputs.hpp"

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Passes final : public omvc::Observer {
 public:
  void on_start(const omvc::Report& /*known*/, int /*passes*/) override { start_ = processor_seconds(); }
  void on_pass(const omvc::PassReport& pass, const omvc::Embedding& /*embedding*/) override {
    nlohmann::json products = nlohmann::json::array();
    for (const omvc::ProductCount& one : pass.products) {
      products.push_back({{"columns", one.columns}, {"times", one.times}, {"transpose_times", one.transpose_times}});
    }
    all_.push_back({{"seconds", processor_seconds() - start_}, {"products", products}});
    start_ = processor_seconds();
  }
  const nlohmann::json& all() const { return all_; }

 private:
  double start_ = 0;
  nlohmann::json all_ = nlohmann::json::array();
};

void measure(const omvc::app::InputArguments& arguments, const omvc::Options& options) {
  const omvc::Input input = omvc::app::open_arguments(arguments, options.seed);
  omvc::Clusterer model(options);
  Passes passes;
  omvc::MemorySink sink;
  const omvc::Report report = model.fit(*input.source, sink, {.observer = &passes});
  const nlohmann::json out{
      {"n", report.instances}, {"chunk", report.chunk}, {"views", report.views.size()}, {"per_pass", passes.all()}};
  fmt::print("{}\n", out.dump());
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = omvc::answer_trial(argc, argv)) return *code;
  CLI::App app("processor seconds of passes");
  omvc::app::Command command(&app);
  omvc::app::InputArguments arguments;
  omvc::Options options = omvc::preset_options(omvc::Preset::paper);
  options.passes = 1;
  options.threads = 1;
  app.add_option("-k", options.clusters)->required();
  app.add_option("--chunk", options.chunk);
  app.add_option("--passes", options.passes);
  app.add_option("--seed", options.seed);
  app.add_option("--threads", options.threads);
  omvc::app::add_input_options(command, arguments);
  omvc::app::add_stream_options(command, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    measure(arguments, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "omvc_passes: {}\n", error.what());
    return 1;
  }
  return 0;
}
