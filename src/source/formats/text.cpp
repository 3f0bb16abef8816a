#include "source/formats/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <unordered_set>

#include "omvc/error.hpp"

#include "source/formats/text_row.hpp"
#include "source/table/records.hpp"
#include "source/table/titles.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

// Lines as they are in the file, one behind the other.
struct Lines {
  std::string text;
  std::vector<std::size_t> ends;
  std::vector<Index> numbers;
};

class TextReader final : public ViewReader {
 public:
  TextReader(const std::string& path, const std::string& view_name, const InputOptions& options)
      : records_(path), cells_(options.text.missing_values) {
    wishes_.path = records_.path();
    wishes_.id_column = options.id_column.empty() ? "" : options.id_column.back();
    wishes_.text = options.text;
    known_ = !options.like.views.empty();
    if (known_) like_ = options.like.views.front().feature_names;
    read_prologue();
    find_possible_id();
    follow_model();
    find_columns(options.transpose);
    schema_ = {view_name, static_cast<Index>(columns_.features), columns_.feature_names};
  }

  const std::string& path() const override { return records_.path(); }
  const ViewSchema& schema() const override { return schema_; }
  bool has_ids() const override { return layout_.id_column.has_value(); }
  ViewRows read(Index max_rows) override { return begin_read(max_rows).read(); }
  ViewDelivery begin_read(Index max_rows) override;
  std::vector<std::string> all_ids() override;
  std::string place(Index row) override;
  std::string possible_id_column() const override { return possible_id_; }

  std::vector<std::string> notes() const override {
    std::vector<std::string> all = layout_.notes;
    if (titles_ > 0) all.insert(all.begin(), title_note_);
    all.insert(all.end(), columns_.notes.begin(), columns_.notes.end());
    return all;
  }

  bool rewind() override {
    if (!records_.rewind()) return false;
    records_.look_ahead(known_);
    records_.skip_titles(titles_);
    if (std::vector<TextLine> lines = records_.sample(); lines != sample_ && !same_layout(std::move(lines))) {
      throw Error(ErrorKind::data, fmt::format("{}: the columns are not those of the first reading; the file changed "
                                               "while it was used",
                                               path()));
    }
    if (layout_.header) records_.skip_first();
    return true;
  }

  // Turns lines into instances' columns: every line is a feature, and NaN may be anywhere.
  std::unique_ptr<ViewReader> transposed();

 private:
  void read_prologue();
  bool same_layout(std::vector<TextLine> lines);
  void find_columns(bool transposed);
  void find_possible_id();
  void follow_model();
  std::optional<std::string_view> next_row();
  ViewRows parse(const Lines& lines) const;

  RecordReader records_;
  CellFormat cells_;
  LayoutWishes wishes_;
  bool known_ = false;             // there is a model that says what the view is
  std::vector<std::string> like_;  // its feature names
  ViewSchema schema_;
  TextLayout layout_;
  Columns columns_;
  std::vector<TextLine> sample_;  // the first records, without titles
  std::size_t titles_ = 0;        // lines above the header
  std::string title_note_;
  std::string possible_id_;
  TextRow row_{records_.path(), layout_, cells_, columns_, like_};
};

void TextReader::read_prologue() {
  records_.look_ahead(known_);
  sample_ = records_.sample();
  if (wishes_.text.separator.empty()) wishes_.text.separator = records_.separator();
  wishes_.names_line = records_.last_comment();
  titles_ = count_titles(wishes_, sample_, cells_);
  records_.skip_titles(titles_);
  const Index last_title = titles_ > 0 ? sample_[titles_ - 1].number : 0;
  sample_ = records_.sample();
  if (!sample_.empty()) layout_ = detect_text_layout(wishes_, sample_, cells_);
  if (sample_.empty() || layout_.columns == 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there are no data in the file; a view has one instance a line", path()));
  }
  if (titles_ > 0) {
    title_note_ = fmt::format("{}: the lines up to {} stand above the table and are left out", path(), last_title);
  }
  cells_.set_decimal(layout_.separation.decimal);
  if (layout_.header) records_.skip_first();
}

// Whether lines that have changed since the first reading still say the same of the columns; other values do not
// matter.
bool TextReader::same_layout(std::vector<TextLine> lines) {
  sample_ = std::move(lines);
  return !sample_.empty() && detect_text_layout(wishes_, sample_, cells_) == layout_;
}

// Most files hold numbers only, which their first lines show. Where they leave a doubt the whole file is looked at, as
// far as it can be read twice.
void TextReader::find_columns(bool transposed) {
  if (transposed) {
    if (!wishes_.text.columns.empty() || !wishes_.text.drop.empty()) {
      throw Error(ErrorKind::usage, fmt::format("{}: --columns and --drop do not go with --transpose", path()));
    }
    columns_.all.resize(layout_.columns);
    columns_.features = layout_.columns - (has_ids() ? 1 : 0);
    if (has_ids()) columns_.all[*layout_.id_column].kind = Column::Kind::left_out;
    return;
  }
  ColumnFinder finder(wishes_, layout_, cells_, like_);
  std::vector<std::string_view> fields;
  const auto add_sample = [&] {
    for (std::size_t i = layout_.header ? 1 : 0; i < sample_.size(); ++i) {
      split_fields(sample_[i].text, layout_.separation.delimiter, fields);
      if (fields.size() >= layout_.columns) finder.add(fields);
    }
  };
  add_sample();
  if (finder.in_doubt()) {
    finder.look_closer();
    if (rewind()) {
      while (const auto line = next_row()) {
        if (trim(*line).empty()) continue;
        row_.split(*line, records_.line_number());
        finder.add(row_.fields());
      }
      rewind();
    } else {
      add_sample();
    }
  }
  columns_ = finder.finish();
}

// A first column of whole numbers, each once, under a name: ids, if the other files have the same.
void TextReader::find_possible_id() {
  if (has_ids() || layout_.names.empty() || layout_.columns < 2 || !wishes_.id_column.empty()) return;
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> fields;
  for (std::size_t i = layout_.header ? 1 : 0; i < sample_.size(); ++i) {
    split_fields(sample_[i].text, layout_.separation.delimiter, fields);
    if (!parse_index(fields[0]) || !seen.insert(fields[0]).second) return;
  }
  if (seen.size() >= 2) possible_id_ = layout_.names[0];
}

// A first column that is a feature of the model holds no ids; one of possible ids that is none of its features does.
void TextReader::follow_model() {
  if (like_.empty() || layout_.names.empty() || !wishes_.id_column.empty()) return;
  const std::string& name = layout_.names[0];
  const bool is_feature = std::any_of(like_.begin(), like_.end(), [&](const std::string& feature) {
    return feature == name || feature.starts_with(name + "=");
  });
  if (is_feature && has_ids()) {
    wishes_.id_column = "none";
  } else if (!is_feature && !possible_id_.empty()) {
    wishes_.id_column = possible_id_;
  } else {
    return;
  }
  layout_ = detect_text_layout(wishes_, sample_, cells_);
}

// The next line that is an instance.
std::optional<std::string_view> TextReader::next_row() {
  auto line = records_.next();
  while (line && has_ids() && trim(*line).empty()) line = records_.next();
  return line;
}

// Finding the ends of lines is quick, and is done in their order; numbers are read from them on any thread.
ViewDelivery TextReader::begin_read(Index max_rows) {
  auto lines = std::make_shared<Lines>();
  while (static_cast<Index>(lines->ends.size()) < max_rows) {
    const auto line = next_row();
    if (!line) break;
    lines->text += *line;
    lines->ends.push_back(lines->text.size());
    lines->numbers.push_back(records_.line_number());
  }
  return {static_cast<Index>(lines->ends.size()), [this, lines] { return parse(*lines); }};
}

ViewRows TextReader::parse(const Lines& lines) const {
  ViewRows out;
  DenseBlock<double> block;
  block.cols = schema_.features;
  TextRow row(records_.path(), layout_, cells_, columns_, like_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines.ends.size(); ++i, ++out.instances) {
    const std::string_view line = std::string_view(lines.text).substr(begin, lines.ends[i] - begin);
    begin = lines.ends[i];
    if (trim(line).empty()) continue;
    row.split(line, lines.numbers[i]);
    if (has_ids()) out.ids.push_back(row.id());
    const std::size_t nans = row.append_values(block.values.own());
    if (nans == columns_.features) {
      block.values.resize(block.values.size() - nans);  // absent
      continue;
    }
    ++block.rows;
    out.view.present.push_back(out.instances);
  }
  out.view.block = std::move(block);
  return out;
}

std::vector<std::string> TextReader::all_ids() {
  std::vector<std::string> ids;
  rewind();
  while (const auto line = next_row()) {
    row_.split(*line, records_.line_number());
    ids.push_back(row_.id());
  }
  rewind();
  return ids;
}

std::string TextReader::place(Index row) {
  if (!rewind()) return ViewReader::place(row);
  for (Index i = 0; i <= row; ++i) next_row();
  const Index line = records_.line_number();
  rewind();
  return fmt::format("{}:{}", path(), line);
}

std::unique_ptr<ViewReader> TextReader::transposed() {
  std::vector<double> by_column;
  std::vector<std::string> feature_names;
  Index features = 0;
  while (const auto line = records_.next()) {
    if (trim(*line).empty()) continue;
    row_.split(*line, records_.line_number());
    if (has_ids()) feature_names.push_back(row_.id());
    row_.append_values(by_column);
    ++features;
  }
  const Index rows = schema_.features;
  DenseBlock<double> block{rows, features, std::vector<double>(by_column.size())};
  for (Index j = 0; j < features; ++j) {
    for (Index i = 0; i < rows; ++i) {
      block.values[static_cast<std::size_t>(i * features + j)] = by_column[static_cast<std::size_t>(j * rows + i)];
    }
  }
  std::vector<std::string> ids = layout_.names;
  if (has_ids() && !ids.empty()) ids.erase(ids.begin() + static_cast<Index>(*layout_.id_column));
  return make_memory_reader(path(), {schema_.name, features, std::move(feature_names)},
                            view_from_rows(std::move(block), path()), rows, std::move(ids));
}

}  // namespace

std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name,
                                      const InputOptions& options) {
  auto reader = std::make_unique<TextReader>(path, view_name, options);
  if (options.transpose) return reader->transposed();
  return reader;
}

}  // namespace omvc
