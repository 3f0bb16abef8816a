// A line of CSV as a row: the columns of a view are those whose names begin with its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/rows/row_builder.hpp"
#include "source/table/cell.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {

class CsvRows {
 public:
  // The first line: names of columns. Throws ErrorKind::usage if they cannot be used.
  void read_header(std::string_view line, RowBuilder& row);
  bool has_header() const { return columns_ > 0; }

  // Adds the row to the builder, between begin() and end(). `id` becomes its id as JSON as soon as it is known. Throws
  // ErrorKind::data.
  void read(std::string_view line, RowBuilder& row, std::string& id);

 private:
  struct View {
    std::string name;
    std::vector<std::string> features;
    std::vector<std::size_t> from;               // columns of the file
    std::vector<std::optional<std::size_t>> to;  // the feature that each is; nothing: left out
    bool matched = false;
    bool left_out = false;
  };

  void group(const std::vector<std::string>& names);
  void match(View& view, std::size_t place, RowBuilder& row);

  Delimiter delimiter_ = Delimiter::comma;
  CellFormat cells_{{}, Decimal::point};
  std::size_t columns_ = 0;
  std::optional<std::size_t> id_;
  std::vector<View> views_;
  std::vector<std::string_view> fields_;
  std::vector<double> values_;
};

}  // namespace omvc
