#include "source/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "omvc/error.hpp"

#include "source/line_reader.hpp"

namespace omvc {
namespace {

// In a quoted field, two double quotes stand for one.
std::string feature_name(std::string_view field) {
  std::string name;
  for (std::size_t i = 0; i < field.size(); ++i) {
    name += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return name;
}

class TextReader final : public ViewReader {
 public:
  TextReader(const std::string& path, const std::string& view_name) : lines_(path) {
    schema_.name = view_name;
    read_prologue();
  }

  const std::string& path() const override { return lines_.path(); }
  const ViewSchema& schema() const override { return schema_; }
  ViewRows read(Index max_rows) override;

  bool rewind() override {
    if (!lines_.rewind()) return false;
    read_prologue();
    return true;
  }

 private:
  void read_prologue();
  void read_header(const std::string& header, Index header_line);
  bool is_header(std::string_view line);
  std::optional<std::string_view> next_line();
  void parse_line(std::string_view line, Index position, DenseBlock<double>& block, std::vector<Index>& present);

  LineReader lines_;
  ViewSchema schema_;
  Delimiter delimiter_ = Delimiter::blanks;
  std::vector<std::string_view> fields_;

  // What was read ahead to learn the number of columns: empty lines, then the first line that is not empty.
  Index empty_lines_ = 0;
  std::string first_line_;
  bool first_line_pending_ = false;
};

bool TextReader::is_header(std::string_view line) {
  split_fields(line, detect_delimiter(line), fields_);
  return std::any_of(fields_.begin(), fields_.end(), [](std::string_view field) { return !parse_number(field); });
}

// Reads up to and including the first line that is not empty, which says how many columns there are.
void TextReader::read_prologue() {
  std::optional<std::string> header;
  Index header_line = 0;
  empty_lines_ = 0;
  first_line_pending_ = false;
  while (const auto line = lines_.next()) {
    const bool at_start = !header && empty_lines_ == 0;
    if (at_start && line->starts_with('#')) continue;
    if (trim(*line).empty()) {
      ++empty_lines_;
    } else if (at_start && is_header(*line)) {
      header = *line;
      header_line = lines_.line_number();
    } else {
      first_line_ = *line;
      first_line_pending_ = true;
      break;
    }
  }
  if (!first_line_pending_) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there are no data in the file; a view has one instance a line", lines_.path()));
  }
  delimiter_ = detect_delimiter(first_line_);
  split_fields(first_line_, delimiter_, fields_);
  schema_.features = static_cast<Index>(fields_.size());
  schema_.feature_names.clear();
  if (header) read_header(*header, header_line);
}

void TextReader::read_header(const std::string& header, Index header_line) {
  split_fields(header, delimiter_, fields_);
  // One column has no delimiter to show, so its name may contain blanks.
  if (schema_.features == 1) fields_ = {trim(header)};
  const Index names = static_cast<Index>(fields_.size());
  if (names != schema_.features) {
    throw Error(ErrorKind::data,
                fmt::format("{}:{}: the header names {} columns but line {} has {}; every column needs one name, and a "
                            "column of row names must be removed",
                            lines_.path(), header_line, names, lines_.line_number(), schema_.features));
  }
  if (names > 1 && fields_.front().empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}:{}: the first column has no name, so it looks like row numbers; remove it (in pandas "
                            "index=False, in R row.names=FALSE) or name it",
                            lines_.path(), header_line));
  }
  for (const std::string_view field : fields_) schema_.feature_names.push_back(feature_name(field));
}

std::optional<std::string_view> TextReader::next_line() {
  if (empty_lines_ > 0) {
    --empty_lines_;
    return std::string_view();
  }
  if (first_line_pending_) {
    first_line_pending_ = false;
    return first_line_;
  }
  return lines_.next();
}

void TextReader::parse_line(std::string_view line, Index position, DenseBlock<double>& block,
                            std::vector<Index>& present) {
  if (trim(line).empty()) return;
  split_fields(line, delimiter_, fields_);
  if (static_cast<Index>(fields_.size()) != schema_.features) {
    lines_.fail(fmt::format("expected {} columns, found {}; every line must have as many as the first line of data",
                            schema_.features, fields_.size()));
  }
  std::size_t nans = 0;
  std::size_t first_nan = 0;
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    const auto value = parse_number(fields_[j]);
    if (!value) lines_.fail(fmt::format("column {}: {} is not a number", j + 1, quoted(fields_[j])));
    if (std::isinf(*value)) {
      lines_.fail(fmt::format("column {}: {} is infinite or too large; only finite numbers can be used", j + 1,
                              quoted(fields_[j])));
    }
    if (std::isnan(*value) && nans++ == 0) first_nan = j;
    block.values.push_back(*value);
  }
  if (nans == fields_.size()) {
    block.values.resize(block.values.size() - nans);
    return;
  }
  if (nans != 0) {
    lines_.fail(
        fmt::format("column {} is NaN or empty but others of the line are not; an instance is either in a view "
                    "or not: fill the value in, or leave the whole line empty",
                    first_nan + 1));
  }
  ++block.rows;
  present.push_back(position);
}

ViewRows TextReader::read(Index max_rows) {
  ViewRows out;
  DenseBlock<double> block;
  block.cols = schema_.features;
  for (; out.instances < max_rows; ++out.instances) {
    const auto line = next_line();
    if (!line) break;
    parse_line(*line, out.instances, block, out.view.present);
  }
  out.view.block = std::move(block);
  return out;
}

}  // namespace

std::unique_ptr<ViewReader> open_text(const std::string& path, const std::string& view_name) {
  return std::make_unique<TextReader>(path, view_name);
}

}  // namespace omvc
