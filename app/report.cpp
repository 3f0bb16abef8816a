#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "omvc/clusterer.hpp"
#include "omvc/page.hpp"
#include "omvc/sink.hpp"

#include "command.hpp"
#include "inputs.hpp"
#include "page_context.hpp"
#include "sketch.hpp"

namespace omvc::app {
namespace {

struct ReportArguments {
  std::string model;
  std::string output;
  int threads = 0;
  bool json = false;
};

void report(const ReportArguments& arguments) {
  const std::filesystem::path path(arguments.model);
  const std::string page = arguments.output.empty() ? path.stem().string() + ".html" : arguments.output;
  if (!arguments.json) {
    check_outputs({page}, {arguments.model});
    check_writable(page);
  }
  Clusterer model = Clusterer::load(arguments.model);
  model.set_threads(arguments.threads);
  PageContext context{.title = "Clusters of " + path.filename().string(), .command = command_line(), .files = {}};
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  context.files.emplace_back(arguments.model, unknown ? 0 : size);
  if (arguments.json) {
    fmt::print("{}\n", page_facts(model, context));
    return;
  }
  write_page(page, model, context);
  if (is_terminal(STDOUT_FILENO)) fmt::print("{}\n", describe_map(prototype_map(model)));
  fmt::print("page: {}\n", page);
}

}  // namespace

void add_report(CommandLine& line) {
  auto arguments = std::make_shared<ReportArguments>();
  Command command = line.add("report", "write one HTML page that explains a model");
  command.option("model", arguments->model, "model written by omvc fit --model").required().type("MODEL");
  command.option("-o,--output", arguments->output, "the page; otherwise the model's name with .html, here")
      .type("FILE");
  command.flag("--json", arguments->json, "print the facts of the page as JSON instead");
  command.option("--threads", arguments->threads, "threads; 0 = all cores").between(0, 4096);
  command.runs([arguments] { report(*arguments); });
}

}  // namespace omvc::app
