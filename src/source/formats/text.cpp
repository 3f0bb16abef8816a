#include "source/formats/text.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"
#include "source/table/text_layout.hpp"
#include "source/view_table.hpp"

namespace omvc {
namespace {

class TextReader final : public ViewReader {
 public:
  TextReader(const std::string& path, const std::string& view_name, std::string id_column)
      : lines_(path), id_column_(std::move(id_column)) {
    read_prologue();
    schema_ = {view_name, static_cast<Index>(layout_.features()), layout_.names};
  }

  const std::string& path() const override { return lines_.path(); }
  const ViewSchema& schema() const override { return schema_; }
  bool has_ids() const override { return layout_.id_column.has_value(); }
  ViewRows read(Index max_rows) override;
  std::vector<std::string> all_ids() override;
  std::string place(Index row) override;

  bool rewind() override {
    if (!lines_.rewind()) return false;
    const TextLayout before = layout_;
    read_prologue();
    if (layout_ != before) {
      throw Error(ErrorKind::data, fmt::format("{}: the columns are not those of the first reading; the file changed "
                                               "while it was used",
                                               path()));
    }
    return true;
  }

  // Turns lines into instances' columns: every line is a feature, and NaN may be anywhere.
  std::unique_ptr<ViewReader> transposed();

 private:
  void read_prologue();
  std::optional<TextLine> look_ahead();
  std::optional<std::string_view> next_line();
  std::optional<std::string_view> next_row();
  void split_line(std::string_view line);
  std::string id_of_line() const { return unescape_field(fields_[*layout_.id_column]); }
  std::size_t parse_values(std::vector<double>& values, std::size_t& first_nan);
  bool parse_line(DenseBlock<double>& block);
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::data, fmt::format("{}:{}: {}", path(), line_, message));
  }

  LineReader lines_;
  std::string id_column_;
  ViewSchema schema_;
  TextLayout layout_;
  std::vector<std::string_view> fields_;
  std::string line_text_;

  Index line_ = 0;              // the number of the line that next_line() returned last
  std::deque<TextLine> ahead_;  // read to learn the layout and not yet returned; empty lines between them are left out
};

// The next line that is not empty, to be returned by next_line() later. Empty lines at the end of the file become one.
std::optional<TextLine> TextReader::look_ahead() {
  Index empty = 0;
  while (const auto line = lines_.next()) {
    if (!trim(*line).empty()) {
      ahead_.push_back({lines_.line_number(), std::string(*line)});
      return ahead_.back();
    }
    empty = lines_.line_number();
  }
  if (empty != 0) ahead_.push_back({empty, ""});
  return std::nullopt;
}

void TextReader::read_prologue() {
  line_ = 0;
  ahead_.clear();
  std::optional<TextLine> first = look_ahead();
  while (first && first->text.starts_with('#') && first->number == line_ + 1) {
    line_ = first->number;
    ahead_.clear();
    first = look_ahead();
  }
  const bool at_start = first && first->number == line_ + 1;
  const std::optional<TextLine> second = first ? look_ahead() : std::nullopt;
  // Names come before everything else: after an empty line there are data.
  if (first) layout_ = detect_text_layout(path(), *first, second, id_column_, at_start);
  if (!first || (layout_.header && !second)) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there are no data in the file; a view has one instance a line", path()));
  }
  if (layout_.header) {
    line_ = first->number;
    ahead_.pop_front();
  }
}

std::optional<std::string_view> TextReader::next_line() {
  if (ahead_.empty()) {
    const auto line = lines_.next();
    line_ = lines_.line_number();
    return line;
  }
  ++line_;
  if (line_ < ahead_.front().number) return std::string_view();
  line_text_ = std::move(ahead_.front().text);
  ahead_.pop_front();
  return line_text_;
}

// The next line that is an instance.
std::optional<std::string_view> TextReader::next_row() {
  auto line = next_line();
  while (line && has_ids() && trim(*line).empty()) line = next_line();
  return line;
}

void TextReader::split_line(std::string_view line) {
  split_fields(line, layout_.delimiter, fields_);
  if (fields_.size() != layout_.columns) {
    fail(fmt::format("expected {} columns, found {}; every line must have as many as the first line of data",
                     layout_.columns, fields_.size()));
  }
  if (has_ids() && fields_[*layout_.id_column].empty()) {
    fail("the sample id is missing; every line of a file with ids needs one");
  }
}

// Appends the features of the line; returns how many are NaN and the column of the first of them.
std::size_t TextReader::parse_values(std::vector<double>& values, std::size_t& first_nan) {
  std::size_t nans = 0;
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    if (j == layout_.id_column) continue;
    const auto value = parse_number(fields_[j]);
    if (!value) {
      fail(fmt::format("column {}: {} is not a number{}", j + 1, quoted(fields_[j]),
                       j == 0 && !has_ids() ? "; if the column holds sample ids, say --id-column 1" : ""));
    }
    if (std::isinf(*value)) {
      fail(fmt::format("column {}: {} is infinite or too large; only finite numbers can be used", j + 1,
                       quoted(fields_[j])));
    }
    if (std::isnan(*value) && nans++ == 0) first_nan = j;
    values.push_back(*value);
  }
  return nans;
}

// Appends the instance to the block; returns false, with the block as it was, if it is absent.
bool TextReader::parse_line(DenseBlock<double>& block) {
  std::size_t first_nan = 0;
  const std::size_t nans = parse_values(block.values, first_nan);
  if (nans == layout_.features()) {
    block.values.resize(block.values.size() - nans);
    return false;
  }
  if (nans != 0) {
    fail(
        fmt::format("column {} is NaN or empty but others of the line are not; an instance is either in a view "
                    "or not: fill the value in, or leave the whole line empty",
                    first_nan + 1));
  }
  ++block.rows;
  return true;
}

ViewRows TextReader::read(Index max_rows) {
  ViewRows out;
  DenseBlock<double> block;
  block.cols = schema_.features;
  for (; out.instances < max_rows; ++out.instances) {
    const auto line = next_row();
    if (!line) break;
    if (trim(*line).empty()) continue;
    split_line(*line);
    if (has_ids()) out.ids.push_back(id_of_line());
    if (parse_line(block)) out.view.present.push_back(out.instances);
  }
  out.view.block = std::move(block);
  return out;
}

std::vector<std::string> TextReader::all_ids() {
  std::vector<std::string> ids;
  rewind();
  while (const auto line = next_row()) {
    split_line(*line);
    ids.push_back(id_of_line());
  }
  rewind();
  return ids;
}

std::string TextReader::place(Index row) {
  if (!rewind()) return ViewReader::place(row);
  for (Index i = 0; i <= row; ++i) next_row();
  const Index line = line_;
  rewind();
  return fmt::format("{}:{}", path(), line);
}

std::unique_ptr<ViewReader> TextReader::transposed() {
  std::vector<double> by_column;
  std::vector<std::string> feature_names;
  Index features = 0;
  std::size_t ignored = 0;
  while (const auto line = next_line()) {
    if (trim(*line).empty()) continue;
    split_line(*line);
    if (has_ids()) feature_names.push_back(id_of_line());
    parse_values(by_column, ignored);
    ++features;
  }
  const Index rows = schema_.features;
  DenseBlock<double> block{rows, features, std::vector<double>(by_column.size())};
  for (Index j = 0; j < features; ++j) {
    for (Index i = 0; i < rows; ++i) {
      block.values[static_cast<std::size_t>(i * features + j)] = by_column[static_cast<std::size_t>(j * rows + i)];
    }
  }
  return make_memory_reader(path(), {schema_.name, features, std::move(feature_names)},
                            view_from_rows(std::move(block), path()), rows, layout_.names);
}

}  // namespace

std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name,
                                      const InputOptions& options) {
  auto reader = std::make_unique<TextReader>(path, view_name, options.id_column);
  if (options.transpose) return reader->transposed();
  return reader;
}

}  // namespace omvc
