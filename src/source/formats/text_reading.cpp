// The rows of a text file.
#include <algorithm>
#include <fmt/core.h>
#include <unordered_set>

#include "omvc/error.hpp"

#include "source/formats/text_reader.hpp"
#include "source/view_table.hpp"

namespace omvc {

bool TextReader::rewind() { return due_ || (fresh_ && records_.unchanged()) || go_back(); }

// Ids that nobody asked for so far are not kept beside the rows.
bool TextReader::go_back() {
  if (!records_.rewind()) return false;
  due_ = false;
  ids_.reset();
  records_.look_ahead(known_);
  records_.skip_titles(titles_);
  if (std::vector<TextLine> lines = records_.sample(); lines != sample_ && !same_layout(std::move(lines))) {
    throw Error(ErrorKind::data, fmt::format("{}: the columns are not those of the first reading; the file changed "
                                             "while it was used",
                                             path()));
  }
  if (layout_.header) records_.skip_first();
  fresh_ = true;
  return true;
}

// The next line that is an instance.
std::optional<std::string_view> TextReader::next_row() {
  if (due_) go_back();
  fresh_ = false;
  auto line = records_.next();
  while (line && has_ids() && trim(*line).empty()) line = records_.next();
  return line;
}

// Reads all rows for the ids in them, also for those that the first column may hold, and for the columns in doubt.
void TextReader::read_through(ColumnFinder* finder) {
  if (!fresh_ || !records_.unchanged()) go_back();
  bool gather = has_ids() || !possible_id_.empty();
  const std::size_t column = layout_.id_column.value_or(0);
  ids_.emplace();
  while (const auto line = next_row()) {
    if (trim(*line).empty()) continue;
    const auto plain = finder == nullptr ? row_.plain_id(*line) : std::nullopt;
    if (plain) {
      ids_->emplace_back(*plain);
      continue;
    }
    row_.split(*line, records_.line_number());
    if (finder != nullptr) finder->add(row_.fields());
    gather = gather && !row_.fields()[column].empty();
    if (gather) ids_->push_back(unescape_field(row_.fields()[column]));
  }
  if (!gather) ids_.reset();
  due_ = true;
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
  // A field has one byte at least, that behind it.
  const std::size_t most = lines.ends.size() * columns_.features;
  block.values.own().reserve(std::min(most, lines.text.size() + columns_.features));
  TextRow row(records_.path(), layout_, cells_, columns_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines.ends.size(); ++i, ++out.instances) {
    const std::string_view line = std::string_view(lines.text).substr(begin, lines.ends[i] - begin);
    begin = lines.ends[i];
    if (trim(line).empty()) continue;
    std::optional<std::size_t> nans = row.append_plain(line, block.values.own());
    if (!nans) {
      row.split(line, lines.numbers[i]);
      nans = row.append_values(block.values.own());
    }
    if (has_ids()) out.ids.push_back(row.id());
    if (*nans == columns_.features) {
      block.values.resize(block.values.size() - *nans);  // absent
      continue;
    }
    ++block.rows;
    out.view.present.push_back(out.instances);
  }
  out.view.block = std::move(block);
  return out;
}

std::vector<std::string> TextReader::all_ids() {
  if (!ids_) read_through(nullptr);
  std::vector<std::string> ids = std::move(*ids_);
  ids_.reset();
  return ids;
}

std::vector<std::string> TextReader::cells_of(const std::string& column) {
  const auto place = std::find(layout_.names.begin(), layout_.names.end(), column);
  const auto number = static_cast<std::size_t>(place - layout_.names.begin());
  if (!fresh_ || !records_.unchanged()) go_back();
  std::vector<std::string> cells;
  while (const auto line = next_row()) {
    std::string& cell = cells.emplace_back();
    if (trim(*line).empty()) continue;
    row_.split(*line, records_.line_number());
    if (!cells_.is_missing(row_.fields()[number])) cell = unescape_field(row_.fields()[number]);
  }
  due_ = true;
  return cells;
}

bool TextReader::has_unique_ids() {
  if (!ids_) read_through(nullptr);
  return std::unordered_set<std::string_view>(ids_->begin(), ids_->end()).size() == ids_->size();
}

std::optional<Block> TextReader::no_rows() {
  if (const std::size_t first = layout_.header ? 1 : 0; first < sample_.size()) {
    std::vector<double> values;
    row_.split(sample_[first].text, sample_[first].number);
    row_.append_values(values);
  }
  return DenseBlock<double>{0, schema_.features, {}};
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

}  // namespace omvc
