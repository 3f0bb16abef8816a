#include "omvc/convert.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "command.hpp"
#include "console.hpp"
#include "inputs.hpp"
#include "reproduce/archives.hpp"

namespace omvc::app {
namespace {

struct ConvertArguments {
  InputArguments input;
  std::string output;
  std::uint64_t seed = 0;
  int compression = 0;
  bool quiet = false;
};

void convert(const ConvertArguments& arguments) {
  check_h5_name(arguments.output);
  check_outputs({arguments.output}, input_files(arguments.input));
  const std::string& format = arguments.input.options.format;
  Input input = apply_arguments(is_archive_name(format) ? open_archive(format, arguments.input.paths)
                                                        : open_input(arguments.input.paths, arguments.input.options),
                                arguments.input, arguments.seed);
  ConvertOptions options;
  options.compression = arguments.compression;
  if (input.truth) {
    options.label = [&](Index row) {
      const std::vector<int>& truth = *input.truth;
      if (row >= static_cast<Index>(truth.size())) check_truth(arguments.input, truth.size(), row + 1);
      const int label = truth[static_cast<std::size_t>(row)];
      return label == kNoClass ? -1 : label;
    };
  }
  stop_on_signals();
  ProgressLine line(arguments.quiet);
  const auto total = input.source->size();
  options.progress = [&](Index instances) {
    line.show(instances, total);
    return !stop_requested();
  };
  const Index instances = write_mudata(*input.source, arguments.output, options);
  line.clear();
  if (!arguments.quiet) {
    std::error_code ignored;
    fmt::print(stderr, "{}: {} instances, {} views, {:.1f} MB\n", arguments.output, instances,
               input.source->schema().views.size(),
               static_cast<double>(std::filesystem::file_size(arguments.output, ignored)) / 1e6);
  }
}

}  // namespace

void add_convert(CommandLine& line) {
  auto arguments = std::make_shared<ConvertArguments>();
  Command command = line.add("convert", "write any data as MuData (.h5mu), which is read by row ranges");
  add_input_options(command, arguments->input);
  add_stream_options(command, arguments->input);
  command.option("-o,--output", arguments->output, "the new file: .h5mu, or .h5ad for one view")
      .required()
      .type("FILE");
  command
      .option("--from", arguments->input.options.format,
              "the format, where name and content do not tell it, or that of a raw archive (docs/data.md)")
      .type("FORMAT");
  command.option("--seed", arguments->seed, "seed of --shuffle").shows_default();
  command.option("--compress", arguments->compression, "gzip level; 0: none, which reads fastest")
      .shows_default()
      .between(0, 9);
  command.flag("--quiet", arguments->quiet, "no progress on stderr");
  command.runs([arguments] { convert(*arguments); });
}

}  // namespace omvc::app
