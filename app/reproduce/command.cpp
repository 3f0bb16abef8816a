#include "command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <thread>

#include "omvc/error.hpp"

#include "console.hpp"
#include "reproduce/outputs.hpp"
#include "reproduce/runner.hpp"

namespace omvc::app {
namespace {

struct ReproduceArguments {
  StudyArguments study;
  int parallel = 0;
  bool quiet = false;
};

void reproduce(const ReproduceArguments& arguments) {
  const Study study(arguments.study);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (arguments.parallel < 0)
    throw Error(ErrorKind::usage, fmt::format("--parallel {}: give 1 or more", arguments.parallel));
  std::error_code failure;
  std::filesystem::create_directories(arguments.study.out, failure);
  if (failure) throw Error(ErrorKind::io, fmt::format("{}: {}", arguments.study.out, failure.message()));
  if (!arguments.quiet) {
    for (const std::string& sentence : study.found().absent) fmt::print(stderr, "{}\n", sentence);
  }
  stop_on_signals();
  ResultFile results(arguments.study.out + "/results.csv");
  const RunSummary summary =
      run_study(study, results, arguments.parallel > 0 ? arguments.parallel : cores, arguments.quiet);
  for (const std::string& remark : write_outputs(study, results)) fmt::print(stderr, "omvc: warning: {}\n", remark);
  if (summary.stopped) {
    throw Error(
        ErrorKind::interrupted,
        fmt::format("stopped: {} of {} runs are done and kept in {}/results.csv; run the same command again to go on",
                    summary.done, summary.jobs, arguments.study.out));
  }
  if (!arguments.quiet) {
    fmt::print(stderr, "{} runs; {}/README.md shows ours beside the paper's\n", summary.done, arguments.study.out);
    if (summary.failed > 0) fmt::print(stderr, "{} runs failed; the page says why\n", summary.failed);
  }
}

}  // namespace

void add_reproduce(CommandLine& line) {
  auto arguments = std::make_shared<ReproduceArguments>();
  StudyArguments& study = arguments->study;
  Command command = line.add("reproduce", "run the paper's evaluation again: tables and figures beside its numbers");
  command.option("what", study.what, "which table or figure")
      .required()
      .type(fmt::format("{}", fmt::join(study_names(), "|")));
  command.option("--data", study.data, "folder of the data sets").required().type("DIR");
  command.option("--out", study.out, "folder for results, tables, figures and the page").required().type("DIR");
  command.flag("--grid", study.grid, "tune every method with the class labels, as the paper did");
  command.option("--seeds", study.seeds, "masks and orders 0 .. N-1").shows_default().type("N");
  command.option("--passes", study.passes, "passes of the on-line methods").shows_default().type("N");
  command
      .option("--methods", study.methods,
              fmt::format("some of {}; those of the paper by default", fmt::join(all_contestants(), ", ")))
      .one_list()
      .type("NAME,...");
  command.option("--sets", study.sets, "some of webkb, digit, reuters, youtube; all by default")
      .one_list()
      .type("NAME,...");
  command.option("--alphas", study.alphas, "grid of alpha, for fig13 and --grid").one_list().type("NUMBER,...");
  command.option("--betas", study.betas, "grid of beta, for fig13 and --grid").one_list().type("NUMBER,...");
  command.option("--parallel", arguments->parallel, "runs at a time, one thread each; 0: one a core").shows_default();
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { reproduce(*arguments); });
}

}  // namespace omvc::app
