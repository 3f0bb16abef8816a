// One line of a table as the values of an instance, whether it comes from a file or from a stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/table/columns.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {

class TextRow {
 public:
  // What it refers to is the reader's, and may change from line to line. Without a path, as in a stream, messages do
  // not name file and line.
  TextRow(const std::string& path, const TextLayout& layout, const CellFormat& cells, const Columns& columns)
      : path_(path), layout_(layout), cells_(cells), columns_(columns) {}

  // Takes the line of this number. This and what follows throw ErrorKind::data with line and column; the fields are
  // known also where their number is wrong.
  void split(std::string_view line, Index number);
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string id() const { return unescape_field(id_); }
  // Appends the features of the line; returns how many are NaN.
  std::size_t append_values(std::vector<double>& values) const;

  // The same as split() and append_values() in one go, for a line without quotes whose fields a character separates and
  // in which nothing is wrong; of any other it appends nothing and returns nothing. It leaves the id, not the fields.
  std::optional<std::size_t> append_plain(std::string_view line, std::vector<double>& values);
  // The id of such a line, which has as many fields as the others; the fields are not looked at.
  std::optional<std::string_view> plain_id(std::string_view line) const;

 private:
  double parse_cell(std::size_t column) const;
  std::optional<double> parse(const Column& column, std::string_view cell) const;
  bool is_plain(std::string_view line) const;
  std::optional<std::size_t> append_cell(std::size_t column, std::string_view cell, std::vector<double>& values) const;
  std::optional<std::size_t> append_category(const Column& category, std::string_view cell,
                                             std::vector<double>& values) const;
  std::string title(std::size_t column) const;
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_cell(std::size_t column) const;

  const std::string& path_;
  const TextLayout& layout_;
  const CellFormat& cells_;
  const Columns& columns_;
  std::vector<std::string_view> fields_;
  std::string_view id_;
  Index number_ = 0;  // of the line
};

}  // namespace omvc
