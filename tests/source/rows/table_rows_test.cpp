// The tables of tests/tables as streams: line by line they are what they are as files, or refused for the same reason.
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "omvc/rows.hpp"

#include "support/chunks.hpp"
#include "support/tables.hpp"

namespace omvc {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Rows;

// What no stream is: packed, something else than text, without a header, or with a row on several lines.
const std::set<std::string> kNoStream{"old-mac-line-ends.csv",
                                      "quoted-line-end.csv",
                                      "packed-without-saying.csv",
                                      "excel.csv",
                                      "utf16.csv",
                                      "json.csv",
                                      "web-page.csv",
                                      "transposed.csv",
                                      "header-only.csv",
                                      "empty.csv",
                                      "comments-only.csv"};

// What a stream that knows no model cannot see in its first line, and what it does instead.
const std::map<std::string, std::string> kNeedsAModel{
    {"category.csv", "refuses the words"},      {"category-first.csv", "refuses the words"},
    {"category-none.csv", "refuses the words"}, {"free-text.csv", "refuses the words"},
    {"empty-column.csv", "keeps the column"},   {"numeric-not-ids.csv", "takes them for ids"},
    {"header-yes.csv", "sees no names"},        {"pandas-no-names.csv", "sees no names"},
};

struct Read {
  Schema schema;
  std::vector<std::string> ids;  // as JSON
  Rows rows;                     // empty where absent; NaN as a number that no table has
  std::vector<std::pair<Index, std::string>> refused;
};

Rows comparable(const Chunk& chunk) {
  if (chunk.views.empty()) return Rows(static_cast<std::size_t>(chunk.size()));
  Rows rows = test::dense_rows(chunk.views.at(0), chunk.size());
  for (auto& row : rows) {
    for (double& value : row) value = std::isnan(value) ? -12345 : value;
  }
  return rows;
}

std::vector<std::string> lines_of_table(const json& table) {
  std::ifstream in(test::kTables + table["file"].get<std::string>(), std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Read read_stream(const json& table, const std::vector<std::string>& lines, const Schema& model) {
  const InputOptions options = test::options_of(table);
  RowReader reader({.schema = model,
                    .sparse = std::vector<bool>(model.views.size()),
                    .grows = model.views.empty(),
                    .ignore_extra = false,
                    .text = options.text,
                    .id_column = options.id_column.empty() ? "" : options.id_column.back()});
  Read read;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      if (reader.add(lines[i])) read.ids.push_back(reader.id());
    } catch (const Error& error) {
      read.refused.emplace_back(static_cast<Index>(i) + 1, error.what());
      if (error.kind() != ErrorKind::data) break;
    }
  }
  read.schema = reader.schema();
  const Chunk chunk = reader.take();
  check_chunk(chunk, read.schema);
  read.rows = comparable(chunk);
  return read;
}

Read read_file(const json& table) {
  Input input = open_input({test::kTables + table["file"].get<std::string>()}, test::options_of(table));
  Read read;
  read.schema = input.source->schema();
  const Chunk chunk = read_all(*input.source);
  for (const std::string& id : input.source->ids(0, chunk.size())) read.ids.push_back(json(id).dump());
  if (read.ids.empty()) read.ids.assign(static_cast<std::size_t>(chunk.size()), "null");
  read.rows = comparable(chunk);
  return read;
}

bool is_stream(const json& table) {
  const std::string file = table["file"];
  const std::string extension = std::filesystem::path(file).extension();
  if (extension != ".csv" && extension != ".tsv" && extension != ".txt") return false;
  return !kNoStream.contains(file) && (table.contains("error") || !table["names"].empty()) &&
         !(table.contains("names") && table["names"][0].get<std::string>().starts_with("column "));
}

void expect_same(const Read& stream, const Read& file) {
  EXPECT_EQ(stream.schema.views.at(0).feature_names, file.schema.views.at(0).feature_names);
  EXPECT_EQ(stream.ids, file.ids);
  EXPECT_EQ(stream.rows, file.rows);
}

// A title that looks like two names is one line that is refused; the table below it is found all the same.
std::size_t titles_refused(const json& table) { return table["file"] == "titles.csv" ? 1 : 0; }

TEST(TableRows, AModelOfTheFileReadsTheSameFromItsLines) {
  std::size_t count = 0;
  for (const json& table : test::all_tables()) {
    if (!is_stream(table) || table.contains("error")) continue;
    SCOPED_TRACE(table["file"].get<std::string>());
    const Read file = read_file(table);
    const Read stream = read_stream(table, lines_of_table(table), file.schema);
    EXPECT_EQ(stream.schema, file.schema);
    EXPECT_EQ(stream.refused.size(), titles_refused(table)) << json(stream.refused);
    expect_same(stream, file);
    ++count;
  }
  EXPECT_GE(count, 55u);
}

TEST(TableRows, FromNothingTheFirstLinesSayTheSameAsTheFile) {
  for (const json& table : test::all_tables()) {
    if (!is_stream(table) || table.contains("error")) continue;
    SCOPED_TRACE(table["file"].get<std::string>());
    const Read file = read_file(table);
    const Read stream = read_stream(table, lines_of_table(table), {});
    const bool same = stream.refused.size() == titles_refused(table) && !stream.schema.views.empty() &&
                      stream.schema.views[0].feature_names == file.schema.views[0].feature_names &&
                      stream.ids == file.ids && stream.rows == file.rows;
    EXPECT_EQ(same, !kNeedsAModel.contains(table["file"])) << json(stream.refused) << json(stream.schema.views.size());
  }
}

TEST(TableRows, WhatAFileIsRefusedForIsRefusedInItsLine) {
  std::size_t count = 0;
  for (const json& table : test::all_tables()) {
    if (!is_stream(table) || !table.contains("error")) continue;
    if (table["file"] == "percent.csv") continue;  // its first row has the sign, and the others are refused
    const auto parts = table["error"].get<std::vector<std::string>>();
    SCOPED_TRACE(table["file"].get<std::string>());
    const Read stream = read_stream(table, lines_of_table(table), {});
    ASSERT_FALSE(stream.refused.empty());
    const auto& [line, message] = stream.refused.front();
    // "file.csv:3:" is the line; the rest stands in the message.
    if (parts[0].ends_with(":") && !parts[0].ends_with(":1:")) {
      EXPECT_TRUE(parts[0].ends_with(fmt::format(":{}:", line))) << line;
      for (std::size_t i = 1; i < parts.size(); ++i) {
        EXPECT_NE(message.find(parts[i]), std::string::npos) << parts[i] << " is not in: " << message;
      }
      EXPECT_EQ(stream.refused.size() + stream.rows.size() + 1, lines_of_table(table).size()) << "the others are rows";
      ++count;
    }
  }
  EXPECT_GE(count, 8u);
}

// After a restart any line may be the first: it is the row that it was, or it is refused because the decimal mark has
// not been shown yet.
TEST(TableRows, AnyLineCanBeTheFirstAfterARestart) {
  for (const json& table : test::all_tables()) {
    if (!is_stream(table) || table.contains("error") || titles_refused(table) > 0) continue;
    SCOPED_TRACE(table["file"].get<std::string>());
    const std::vector<std::string> lines = lines_of_table(table);
    const Read file = read_file(table);
    const Read whole = read_stream(table, lines, file.schema);
    const std::size_t head = lines.size() - whole.rows.size();
    if (table["file"] == "comments-inside.csv" || table["file"] == "empty-lines-ids.csv") continue;  // no rows between
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
      std::vector<std::string> again(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
      again.push_back(lines[head + i]);
      const Read one = read_stream(table, again, file.schema);
      if (one.refused.empty()) {
        ASSERT_EQ(one.rows.size(), 1u) << lines[head + i];
        EXPECT_EQ(one.rows[0], whole.rows[i]) << lines[head + i];
        EXPECT_EQ(one.ids[0], whole.ids[i]);
      } else {
        EXPECT_NE(one.refused[0].second.find("--decimal"), std::string::npos) << one.refused[0].second;
      }
    }
  }
}

}  // namespace
}  // namespace omvc
