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
  MaskProtocol protocol = MaskProtocol::independent;
  std::string output;
};

void mask(const MaskArguments& arguments) {
  const std::vector<bool> present =
      make_mask(arguments.protocol, arguments.rows, arguments.views, arguments.rate, arguments.seed);
  write_presence(arguments.output, present, arguments.views);
}

}  // namespace

void add_mask(CLI::App& app) {
  auto arguments = std::make_shared<MaskArguments>();
  CLI::App* command = app.add_subcommand("mask", "make a presence file, to try incomplete data on complete ones");
  const std::map<std::string, MaskProtocol> protocols{
      {"independent", MaskProtocol::independent}, {"cyclic", MaskProtocol::cyclic}, {"partial", MaskProtocol::partial}};
  command->add_option("output", arguments->output, "where to write N x views of 0 and 1, for --present")
      ->required()
      ->type_name("FILE");
  command->add_option("--rows", arguments->rows, "number of instances")->check(CLI::PositiveNumber)->required();
  command->add_option("--views", arguments->views, "number of views")->required();
  command->add_option("--rate", arguments->rate, "share that is lost")->capture_default_str();
  command->add_option("--seed", arguments->seed, "seed")->capture_default_str();
  command
      ->add_option(
          "--protocol", arguments->protocol,
          "independent: each view loses each instance with probability RATE; cyclic: the authors', consecutive slices "
          "of one permutation; partial: a share RATE of the instances loses 1 .. V-1 views")
      ->transform(CLI::CheckedTransformer(protocols).description(""))
      ->type_name("independent|cyclic|partial");
  command->callback([arguments] { mask(*arguments); });
}

}  // namespace omvc::app
