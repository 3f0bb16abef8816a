// One line of a text file as the values of an instance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/table/columns.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {

class TextRow {
 public:
  // What it refers to is the reader's, and may change from line to line. `like`: the features of a model, if any.
  TextRow(const std::string& path, const TextLayout& layout, const CellFormat& cells, const Columns& columns,
          const std::vector<std::string>& like)
      : path_(path), layout_(layout), cells_(cells), columns_(columns), like_(like) {}

  // Takes the line of this number. This and what follows throw ErrorKind::data with line and column.
  void split(std::string_view line, Index number);
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string id() const { return unescape_field(fields_[*layout_.id_column]); }
  // Appends the features of the line; returns how many are NaN.
  std::size_t append_values(std::vector<double>& values) const;

 private:
  double parse_cell(std::size_t column) const;
  std::size_t append_category(std::size_t column, std::vector<double>& values) const;
  std::string title(std::size_t column) const;
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_cell(std::size_t column) const;

  const std::string& path_;
  const TextLayout& layout_;
  const CellFormat& cells_;
  const Columns& columns_;
  const std::vector<std::string>& like_;
  std::vector<std::string_view> fields_;
  Index number_ = 0;  // of the line
};

}  // namespace omvc
