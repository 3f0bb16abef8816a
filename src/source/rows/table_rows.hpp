// Lines of a table as rows of a stream. They are read as those of a file are (source/table); what a file shows by its
// first thousand lines the header, the model and the first line of data must show here, since every row is answered at
// once:
//   - the separator: the one that the header shows, else the first line of data decides;
//   - the decimal mark: the first line that shows it; what could be either until then is refused;
//   - the ids and the views: the header and the model (column_views.hpp);
//   - categories and what is left out: the model, else columns.hpp.
// A line that is refused decides nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/rows/column_views.hpp"
#include "source/rows/row_builder.hpp"
#include "source/table/text_row.hpp"

namespace omvc {

class TableRows {
 public:
  explicit TableRows(const RowsLike& like);

  // Adds the row of this line to the builder, between begin() and end(); false if it is none: a comment, a title, the
  // names of the columns. `id` becomes its id as JSON as soon as it is known. Throws ErrorKind::data, and
  // ErrorKind::usage for columns that cannot be used.
  bool read(std::string_view line, Index number, RowBuilder& row, std::string& id);

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct View {
    std::string name;
    std::size_t place = 0;              // in the model
    std::vector<std::string> features;  // those that its columns are
    std::vector<std::size_t> columns;   // the column of each
    std::vector<double> values;         // of a row
  };
  struct Target {
    std::size_t view = 0;  // of views_
    std::size_t feature = 0;
  };

  bool is_prologue(std::string_view line, Index number, const RowBuilder& row);
  bool is_all_numbers(std::string_view line, const RowBuilder& row) const;
  bool is_header_below(std::string_view line, const RowBuilder& row) const;
  void find_layout(std::string_view line, Index number, RowBuilder& row);
  std::string find_id(const std::string& separator, std::string_view line, const ColumnViews& views) const;
  std::vector<std::string> features_of_model(const std::vector<ColumnPlace>& places, const Schema& model) const;
  void leave_out_extra(const std::vector<ColumnPlace>& places, const ColumnViews& views, bool ignore_extra);
  void group(const std::vector<ColumnPlace>& places);
  void match(RowBuilder& row);
  void find_decimal();
  void add(RowBuilder& row);

  LayoutWishes wishes_;
  CellFormat cells_;
  TextLayout layout_;
  Columns columns_;
  TextRow row_;
  TextLine header_;  // without text until it has come
  std::optional<std::string> comment_;
  bool decided_ = false;  // a row has shown what the columns are
  std::vector<View> views_;
  std::vector<Target> targets_;  // of the values of a line
  std::vector<std::string> notes_;
  std::vector<double> values_;
};

}  // namespace omvc
