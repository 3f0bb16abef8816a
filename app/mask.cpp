#include "omvc/mask.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "omvc/error.hpp"
#include "omvc/sink.hpp"

#include "command.hpp"

namespace omvc::app {
namespace {

struct MaskArguments {
  Index rows = 0;
  Index views = 0;
  double rate = 0.4;
  std::uint64_t seed = 0;
  int protocol = static_cast<int>(MaskProtocol::independent);
  std::string output;
};

void mask(const MaskArguments& arguments) {
  const std::vector<bool> present = make_mask(static_cast<MaskProtocol>(arguments.protocol), arguments.rows,
                                              arguments.views, arguments.rate, arguments.seed);
  write_presence(arguments.output, present, arguments.views);
}

}  // namespace

void add_mask(CommandLine& line) {
  auto arguments = std::make_shared<MaskArguments>();
  Command command = line.add("mask", "make a presence file, to try incomplete data on complete ones");
  command.option("output", arguments->output, "where to write N x views of 0 and 1, for --present")
      .required()
      .type("FILE");
  command.option("--rows", arguments->rows, "number of instances").positive().required();
  command.option("--views", arguments->views, "number of views").required();
  command.option("--rate", arguments->rate, "share that is lost").shows_default();
  command.option("--seed", arguments->seed, "seed").shows_default();
  command
      .option(
          "--protocol", arguments->protocol,
          "independent: each view loses each instance with probability RATE; cyclic: the authors', consecutive slices "
          "of one permutation; partial: a share RATE of the instances loses 1 .. V-1 views")
      .one_of_numbered({{"independent", static_cast<int>(MaskProtocol::independent)},
                        {"cyclic", static_cast<int>(MaskProtocol::cyclic)},
                        {"partial", static_cast<int>(MaskProtocol::partial)}})
      .type("independent|cyclic|partial");
  command.runs([arguments] { mask(*arguments); });
}

}  // namespace omvc::app
