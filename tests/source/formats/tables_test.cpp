// Tables as people have them (tests/tables): each is read as expected.json says, or refused with what it says. A row is
// [] where the instance is absent, and a value null where it is missing. Where `columns` is given, only the first ones
// are listed.
#include "support/tables.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "omvc/input.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

using nlohmann::json;

// One array a row, as in expected.json.
json rows_of(const Chunk& chunk, std::size_t columns) {
  json rows = json::array();
  for (std::vector<double> row : test::dense_rows(chunk.views.at(0), chunk.size())) {
    json cells = json::array();
    if (!row.empty()) row.resize(columns);
    for (const double value : row) cells.push_back(std::isnan(value) ? json() : json(value));
    rows.push_back(std::move(cells));
  }
  return rows;
}

void expect_read(const json& table) {
  Input input = open_input({test::kTables + table["file"].get<std::string>()}, test::options_of(table));
  const ViewSchema view = input.source->schema().views.at(0);
  const Chunk all = read_all(*input.source);
  ASSERT_EQ(input.source->schema().views.size(), 1u);
  std::size_t columns = 0;
  for (const json& row : table["rows"]) columns = std::max(columns, row.size());
  EXPECT_EQ(view.features, table.value("columns", static_cast<Index>(columns)));
  json expected = table["rows"];
  for (json& row : expected) {
    for (json& cell : row) {
      if (cell.is_number()) cell = cell.get<double>();
    }
  }
  EXPECT_EQ(rows_of(all, columns), expected);
  const auto names = table["names"].get<std::vector<std::string>>();
  ASSERT_GE(view.feature_names.size(), names.size());
  if (!table.contains("columns")) {
    EXPECT_EQ(view.feature_names.size(), names.size());
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    // A name that is not UTF-8 is kept byte by byte; JSON cannot hold it.
    if (table["file"] != "latin1.csv") {
      EXPECT_EQ(view.feature_names[j], names[j]);
    }
  }
  EXPECT_EQ(input.source->ids(0, all.size()), table["ids"].get<std::vector<std::string>>());
  for (const json& note : table.value("notes", json::array())) {
    std::string said;
    for (const std::string& one : input.notes) said += one + "\n";
    EXPECT_NE(said.find(note.get<std::string>()), std::string::npos) << note << " is not in: " << said;
  }
}

TEST(Tables, AreReadOrRefusedAsExpected) {
  const std::vector<json> all = test::all_tables();
  ASSERT_GE(all.size(), 60u);
  for (const json& table : all) {
    SCOPED_TRACE(table["file"].get<std::string>());
    if (!table.contains("error")) {
      EXPECT_NO_THROW(expect_read(table));
      continue;
    }
    test::expect_error(ErrorKind::data, table["error"].get<std::vector<std::string>>(), [&] {
      Input input = open_input({test::kTables + table["file"].get<std::string>()}, test::options_of(table));
      read_all(*input.source);
    });
  }
}

}  // namespace
}  // namespace omvc
