#include "omvc/options.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "support/chunks.hpp"

namespace omvc {
namespace {

Options valid() {
  Options options;
  options.clusters = 3;
  return options;
}

TEST(Options, EveryOptionSurvivesItsText) {
  for (const Preset preset : {Preset::standard, Preset::paper}) {
    Options options = preset_options(preset);
    options.clusters = 7;
    options.alpha = {0.1, 1.0 / 3};
    options.seed = std::numeric_limits<std::uint64_t>::max();
    Options copy;
    for_each_param([&](const auto& param) { parse_option(copy, param.name, format_option(options, param.name)); });
    EXPECT_EQ(copy, options);
  }
}

TEST(Options, PresetsAreValidOnceClustersAreSet) {
  for (const Preset preset : {Preset::standard, Preset::paper}) {
    Options options = preset_options(preset);
    options.clusters = 2;
    EXPECT_NO_THROW(check_options(options));
  }
}

TEST(Options, MessagesNameOptionValueAndRule) {
  Options options = valid();
  options.clusters = 1;
  test::expect_error(ErrorKind::usage, {"clusters", "1", "2"}, [&] { check_options(options); });
  options = valid();
  options.alpha = {std::numeric_limits<double>::quiet_NaN()};
  test::expect_error(ErrorKind::usage, {"alpha", "nan"}, [&] { check_options(options); });
  options = valid();
  options.beta.clear();
  test::expect_error(ErrorKind::usage, {"beta"}, [&] { check_options(options); });
  test::expect_error(ErrorKind::usage, {"solver", "simplex", "hals", "newton"},
                     [&] { parse_option(options, "solver", "simplex"); });
  test::expect_error(ErrorKind::usage, {"chunk", "5x"}, [&] { parse_option(options, "chunk", "5x"); });
  test::expect_error(ErrorKind::usage, {"colour"}, [&] { parse_option(options, "colour", "red"); });
}

TEST(Options, AnOptionOfOtherMethodsIsRefused) {
  Options options = valid();
  options.alpha = {0.5};
  test::expect_error(ErrorKind::usage, {"alpha", "omvc", "omvc-paper", "mic", "multinmf"},
                     [&] { check_options(options); });
  options = method_options(Algorithm::masked_kmeans);
  options.clusters = 3;
  options.half_life = 100;
  test::expect_error(ErrorKind::usage, {"half-life", "masked-kmeans"}, [&] { check_options(options); });
}

TEST(Options, OnlyMethodOmvcChoosesTheNumberOfClusters) {
  Options options;
  EXPECT_NO_THROW(check_options(options));
  options.clusters = 1;
  test::expect_error(ErrorKind::usage, {"clusters = 1"}, [&] { check_options(options); });
  test::expect_error(ErrorKind::usage, {"clusters", "opimc"}, [&] { check_options(method_options(Algorithm::opimc)); });
}

// docs/parameters.md is this table as text. To write it anew: OMVC_UPDATE_DOCS=1 build/tests/omvc_tests
// --gtest_filter='Options.TheDocumentedParameters*'.
TEST(Options, TheDocumentedParametersAreTheTable) {
  const Options standard = preset_options(Preset::standard);
  const Options paper = preset_options(Preset::paper);
  std::string page =
      "# Options\n\nEvery option is a flag of `omvc fit` (`--name VALUE`), a key of a TOML file (`--config FILE`, "
      "overridden by "
      "flags) and a field of\n`omvc::Options`. This page is written from the table in `include/omvc/options.hpp`, and "
      "a test "
      "compares them.\n\n| option | default | `--preset paper` | methods | meaning |\n| --- | --- | --- | --- | --- "
      "|\n";
  for_each_param([&](const auto& param) {
    const std::string name = param.name;
    const auto value = [&](const Options& options) { return name == "clusters" ? "" : format_option(options, name); };
    const auto methods = [](const Methods& some) { return some.bits == Methods().bits ? "all" : methods_of(some); };
    page += "| `" + name + "` | " + value(standard) + " | " + value(paper) + " | " + methods(param.methods) + " | " +
            param.help + " |\n";
  });
  const std::string path = std::string(OMVC_SOURCE_DIR) + "/docs/parameters.md";
  if (std::getenv("OMVC_UPDATE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), page);
}

}  // namespace
}  // namespace omvc
