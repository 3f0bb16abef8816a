#include "contestants.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "omvc/error.hpp"

namespace omvc::app {
namespace {

const GridAxis kAlpha{"alpha", {"1e-4", "1e-3", "1e-2", "1e-1", "1", "10"}};
const GridAxis kBeta{"beta", {"1e-9", "1e-8", "1e-7", "1e-6", "1e-5"}};
const GridAxis kGamma{"ridge", {"0.01", "0.1", "1", "10"}};  // of OPIMC

std::vector<Contestant> everybody() {
  return {
      {"omvc", "omvc default", method_options(Algorithm::omvc), false, true, {}},
      {"omvc-paper", "OMVC", preset_options(Preset::paper), false, false, {kAlpha, kBeta}},
      {"onmf-i", "ONMF-I", method_options(Algorithm::onmf_i), false, false, {}},
      {"onmf-da", "ONMF-DA", method_options(Algorithm::onmf_da), false, false, {}},
      {"mic", "MIC", method_options(Algorithm::mic), true, false, {kAlpha, kBeta}},
      {"multinmf", "MultiNMF", method_options(Algorithm::multinmf), true, false, {kAlpha}},
      {"opimc", "OPIMC", method_options(Algorithm::opimc), false, true, {kGamma}},
      {"masked-kmeans", "masked k-means", method_options(Algorithm::masked_kmeans), true, true, {}},
      {"concat-kmeans", "concat k-means", method_options(Algorithm::concat_kmeans), true, true, {}},
  };
}

}  // namespace

std::string setting_text(const Setting& setting) {
  std::string text;
  for (const auto& [option, value] : setting) text += fmt::format("{}{}={}", text.empty() ? "" : " ", option, value);
  return text;
}

std::vector<Contestant> find_contestants(const std::vector<std::string>& names) {
  std::vector<Contestant> found;
  const std::vector<Contestant> all = everybody();
  for (const std::string& name : names) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Contestant& one) { return one.name == name; });
    if (known == all.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("there is no method '{}': choose from {}", name, fmt::join(all_contestants(), ", ")));
    }
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw Error(ErrorKind::usage, fmt::format("method {} is given twice: name each once", name));
    }
    found.push_back(*known);
  }
  if (found.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("no method is given: choose from {}", fmt::join(all_contestants(), ", ")));
  }
  return found;
}

std::vector<std::string> paper_contestants() { return {"omvc-paper", "onmf-i", "onmf-da", "mic", "multinmf"}; }

std::vector<std::string> all_contestants() {
  std::vector<std::string> names;
  for (const Contestant& one : everybody()) names.push_back(one.name);
  return names;
}

void apply_setting(Options& options, const Setting& setting) {
  for (const auto& [option, value] : setting) parse_option(options, option, value);
}

std::vector<Setting> grid_points(const std::vector<GridAxis>& grid) {
  std::vector<Setting> points{{}};
  for (const GridAxis& axis : grid) {
    if (axis.values.empty()) {
      throw Error(ErrorKind::usage, fmt::format("the grid has no value for {}: give at least one", axis.option));
    }
    std::vector<Options> seen;
    std::vector<Setting> longer;
    for (const std::string& value : axis.values) {
      Options options = preset_options(Preset::paper);
      options.clusters = 2;
      parse_option(options, axis.option, value);
      check_options(options);
      if (std::find(seen.begin(), seen.end(), options) != seen.end()) {
        throw Error(ErrorKind::usage,
                    fmt::format("the grid has {} = {} twice: give each value once", axis.option, value));
      }
      seen.push_back(options);
    }
    for (const Setting& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().emplace_back(axis.option, value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace omvc::app
