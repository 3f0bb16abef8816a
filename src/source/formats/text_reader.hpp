// The reader of text.hpp. A file is read once to be opened, for the ids of its rows and for columns that its first
// lines leave in doubt, as far as there are any, and once in every pass. What was read ahead is used: a reader that
// goes back to where it stands reads nothing, unless the file was changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "omvc/input.hpp"

#include "source/table/records.hpp"
#include "source/table/text_row.hpp"
#include "source/view_reader.hpp"

namespace omvc {

class TextReader final : public ViewReader {
 public:
  TextReader(const std::string& path, const std::string& view_name, const InputOptions& options);

  const std::string& path() const override { return records_.path(); }
  const ViewSchema& schema() const override { return schema_; }
  bool has_ids() const override { return layout_.id_column.has_value(); }
  ViewRows read(Index max_rows) override { return begin_read(max_rows).read(); }
  ViewDelivery begin_read(Index max_rows) override;
  bool rewind() override;
  std::vector<std::string> all_ids() override;
  bool has_unique_ids() override;
  std::optional<Block> no_rows() override;
  std::string place(Index row) override;
  std::string possible_id_column() const override { return possible_id_; }
  IdColumns id_columns() const override;
  std::vector<std::string> cells_of(const std::string& column) override;
  bool take_possible_ids() override;
  void drop_possible_ids() override;
  std::vector<std::string> notes() const override;

  // Turns lines into instances' columns: every line is a feature, and NaN may be anywhere.
  std::unique_ptr<ViewReader> transposed();

 private:
  // Lines as they are in the file, one behind the other.
  struct Lines {
    std::string text;
    std::vector<std::size_t> ends;
    std::vector<Index> numbers;
  };

  // What the file is where its first column is a feature.
  struct WithoutIds {
    TextLayout layout;
    Columns columns;
    ViewSchema schema;
  };

  void read_prologue();
  bool same_layout(std::vector<TextLine> lines);
  void find_columns(bool transposed);
  void find_possible_id();
  void follow_model();
  void note_ids_among_features();
  std::vector<std::string> left_out() const;
  bool go_back();
  void read_through(ColumnFinder* finder);
  std::optional<std::string_view> next_row();
  ViewRows parse(const Lines& lines) const;

  RecordReader records_;
  std::vector<std::string> missing_words_;  // none: the usual ones
  CellFormat cells_;
  LayoutWishes wishes_;
  bool known_ = false;                       // there is a model that says what the view is
  std::vector<std::string> like_;            // its feature names
  std::vector<std::string> known_left_out_;  // columns that its fit left out
  bool told_no_ids_ = false;                 // the user says --id-column none
  ViewSchema schema_;
  TextLayout layout_;
  Columns columns_;
  std::vector<TextLine> sample_;  // the first records, without titles
  std::size_t titles_ = 0;        // lines above the header
  std::string title_note_;
  std::string possible_id_;
  std::optional<WithoutIds> without_ids_;        // if the possible ids were taken
  std::optional<std::vector<std::string>> ids_;  // of all rows, until they are asked for or rows are read again
  bool fresh_ = false;                           // it stands at the first row, and no row was read
  bool due_ = false;                             // it goes back to the first row before it reads the next one
  TextRow row_{records_.path(), layout_, cells_, columns_};
};

}  // namespace omvc
