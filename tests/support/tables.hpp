// The tables of tests/tables, and what expected.json says of each.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "omvc/input.hpp"

namespace omvc::test {

inline const std::string kTables = OMVC_SOURCE_DIR "/tests/tables/";

inline std::vector<nlohmann::json> all_tables() {
  std::ifstream in(kTables + "expected.json");
  return nlohmann::json::parse(in).get<std::vector<nlohmann::json>>();
}

inline InputOptions options_of(const nlohmann::json& table) {
  InputOptions options;
  const nlohmann::json asked = table.value("options", nlohmann::json::object());
  const auto list = [&](const char* name) { return asked.value(name, std::vector<std::string>()); };
  options.id_column = list("id_column");
  options.transpose = asked.value("transpose", false);
  options.text.header = asked.value("header", "");
  options.text.decimal = asked.value("decimal", "");
  options.text.separator = asked.value("separator", "");
  options.text.missing_values = list("missing_values");
  options.text.columns = list("columns");
  options.text.drop = list("drop");
  return options;
}

}  // namespace omvc::test
