#include "source/formats/svmlight.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <unordered_map>
#include <utility>

#include "omvc/error.hpp"

#include "source/formats/sizes.hpp"
#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

struct Entry {
  Index feature = 0;  // as written
  double value = 0.0;
};

struct Line {
  bool absent = false;         // an empty line
  std::string_view label;      // until the next line
  std::vector<Entry> entries;  // by feature
};

class SvmlightLines {
 public:
  explicit SvmlightLines(const std::string& path) : lines_(path) {}

  // The next instance; nothing after the last. It stays valid until the next call.
  const Line* next();

  // Returns false where the lines cannot be read again (a pipe).
  bool rewind() { return lines_.rewind(); }
  [[noreturn]] void fail(const std::string& message) const { lines_.fail(message); }
  std::string place() const { return fmt::format("{}:{}", lines_.path(), lines_.line_number()); }

 private:
  void parse(std::string_view text);
  Entry parse_entry(std::string_view field) const;

  LineReader lines_;
  Line line_;
  std::vector<std::string_view> fields_;
};

Entry SvmlightLines::parse_entry(std::string_view field) const {
  const std::size_t colon = field.find(':');
  if (colon == std::string_view::npos) {
    fail(fmt::format("{} is not of the form feature:value", omvc::quoted(field)));
  }
  const auto feature = parse_index(field.substr(0, colon));
  if (!feature || *feature < 0) {
    fail(fmt::format("{}: the number of a feature is a whole number from 1 (or 0) on", omvc::quoted(field)));
  }
  if (*feature >= std::numeric_limits<std::int32_t>::max()) {
    fail(fmt::format("feature {} is out of range; there are at most {}", *feature,
                     std::numeric_limits<std::int32_t>::max()));
  }
  const auto value = parse_number(field.substr(colon + 1));
  if (!value || !std::isfinite(*value)) {
    fail(fmt::format("{}: the value must be a finite number; of an absent instance leave the line empty",
                     omvc::quoted(field)));
  }
  return {*feature, *value};
}

void SvmlightLines::parse(std::string_view text) {
  split_fields(text, Delimiter::blanks, fields_);
  if (fields_[0].find(':') != std::string_view::npos) {
    fail(fmt::format("the line starts with {}; a label comes before the features (0 if there are no classes)",
                     omvc::quoted(fields_[0])));
  }
  if (fields_[0].find('\0') != std::string_view::npos) {
    fail(fmt::format("{} is no label: there are bytes in it that are no text; the file is damaged",
                     omvc::quoted(fields_[0])));
  }
  line_.label = fields_[0];
  for (std::size_t j = 1; j < fields_.size(); ++j) {
    if (!fields_[j].starts_with("qid:")) line_.entries.push_back(parse_entry(fields_[j]));
  }
  const auto by_feature = [](const Entry& a, const Entry& b) { return a.feature < b.feature; };
  if (!std::is_sorted(line_.entries.begin(), line_.entries.end(), by_feature)) {
    std::sort(line_.entries.begin(), line_.entries.end(), by_feature);
  }
  const auto same = std::adjacent_find(line_.entries.begin(), line_.entries.end(),
                                       [](const Entry& a, const Entry& b) { return a.feature == b.feature; });
  if (same != line_.entries.end()) fail(fmt::format("feature {} is given twice; keep one of the two", same->feature));
}

const Line* SvmlightLines::next() {
  while (const auto text = lines_.next()) {
    const std::string_view line = trim(*text);
    if (line.starts_with('#')) continue;
    line_.label = {};
    line_.entries.clear();
    line_.absent = line.empty();
    if (!line_.absent) parse(line.substr(0, line.find('#')));
    return &line_;
  }
  return nullptr;
}

// What a first reading tells.
struct Facts {
  Index rows = 0;
  Index entries = 0;
  Index lowest = std::numeric_limits<Index>::max();
  Index highest = -1;
  ViewLabels labels;
  bool several_classes = false;  // in some line
};

Facts survey(SvmlightLines& lines) {
  Facts facts;
  std::unordered_map<std::string, int> numbers;
  while (const Line* line = lines.next()) {
    ++facts.rows;
    facts.entries += static_cast<Index>(line->entries.size());
    if (!line->entries.empty()) {
      facts.lowest = std::min(facts.lowest, line->entries.front().feature);
      facts.highest = std::max(facts.highest, line->entries.back().feature);
    }
    int label = -1;
    if (!line->absent) {
      facts.several_classes |= line->label.find(',') != std::string_view::npos;
      const auto [found, is_new] = numbers.try_emplace(std::string(line->label), static_cast<int>(numbers.size()));
      if (is_new) facts.labels.words.emplace_back(line->label);
      label = found->second;
    }
    facts.labels.of_row.push_back(label);
  }
  return facts;
}

class SvmlightReader final : public ViewReader {
 public:
  SvmlightReader(const std::string& path, const std::string& view_name) : path_(path), lines_(path) {
    if (!lines_.rewind()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: svmlight files are read twice, which a pipe cannot be; write it to a file", path_));
    }
    facts_ = survey(lines_);
    lines_.rewind();
    if (facts_.entries == 0) {
      throw Error(ErrorKind::data, fmt::format("{}: there are no data in the file; a view has one instance a line, a "
                                               "label and feature:value pairs",
                                               path_));
    }
    base_ = facts_.lowest == 0 ? 0 : 1;
    schema_ = {view_name, facts_.highest - base_ + 1, {}};
    schema_.first_number = base_;
    check_sparse_shape(path_, facts_.rows, schema_.features, facts_.entries);
    dense_ = static_cast<double>(facts_.entries) >
             2.0 / 3.0 * static_cast<double>(schema_.features) * static_cast<double>(facts_.rows);
  }

  const std::string& path() const override { return path_; }
  const ViewSchema& schema() const override { return schema_; }
  std::optional<Index> rows() const override { return facts_.rows; }
  const ViewLabels* labels() const override { return facts_.several_classes ? nullptr : &facts_.labels; }

  bool rewind() override { return lines_.rewind(); }

  ViewRows read(Index max_rows) override {
    return dense_ ? read_block<DenseBlock<double>>(max_rows) : read_block<CsrBlock<double>>(max_rows);
  }

  std::string place(Index row) override {
    rewind();
    for (Index i = 0; i <= row; ++i) lines_.next();
    std::string found = lines_.place();
    rewind();
    return found;
  }

 private:
  template <class B>
  ViewRows read_block(Index max_rows) {
    ViewRows out;
    B block;
    block.cols = schema_.features;
    for (; out.instances < max_rows; ++out.instances) {
      const Line* line = lines_.next();
      if (line == nullptr) break;
      if (line->absent) continue;
      append(block, line->entries);
      out.view.present.push_back(out.instances);
    }
    out.view.block = std::move(block);
    return out;
  }

  Index column(const Entry& entry) const {
    const Index column = entry.feature - base_;
    if (column < 0 || column >= schema_.features) {
      lines_.fail(fmt::format("feature {} was not there on the first reading; the file changed while it was used",
                              entry.feature));
    }
    return column;
  }
  void append(CsrBlock<double>& block, const std::vector<Entry>& entries) const {
    for (const Entry& entry : entries) {
      block.columns.push_back(static_cast<std::int32_t>(column(entry)));
      block.values.push_back(entry.value);
    }
    block.offsets.push_back(static_cast<Index>(block.values.size()));
    ++block.rows;
  }
  void append(DenseBlock<double>& block, const std::vector<Entry>& entries) const {
    const std::size_t first = block.values.size();
    block.values.resize(first + static_cast<std::size_t>(block.cols));
    for (const Entry& entry : entries) block.values[first + static_cast<std::size_t>(column(entry))] = entry.value;
    ++block.rows;
  }

  std::string path_;
  SvmlightLines lines_;
  Facts facts_;
  ViewSchema schema_;
  Index base_ = 1;
  bool dense_ = false;
};

}  // namespace

std::unique_ptr<ViewReader> open_svmlight(const std::string& path, const std::string& view_name,
                                          const InputOptions& options) {
  if (options.transpose) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: svmlight files have one instance a line; leave --transpose out", path));
  }
  return std::make_unique<SvmlightReader>(path, view_name);
}

bool looks_like_svmlight(std::string_view start) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  while (!start.empty()) {
    const std::size_t end = start.find('\n');
    std::string_view line = trim(start.substr(0, end));
    const bool cut = end == std::string_view::npos;
    start.remove_prefix(cut ? start.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> fields;
    split_fields(line, Delimiter::blanks, fields);
    // The last field may have been cut off in the middle.
    if (cut && fields.size() > 2) fields.pop_back();
    if (fields.size() < 2 || fields[0].find_first_of(":;\"") != std::string_view::npos) return false;
    return std::all_of(fields.begin() + 1, fields.end(), [](std::string_view field) {
      const std::size_t colon = field.find(':');
      if (colon == std::string_view::npos || colon + 1 == field.size()) return false;
      const std::string_view feature = field.substr(0, colon);
      return (feature == "qid" || parse_index(feature)) && parse_number(field.substr(colon + 1));
    });
  }
  return false;
}

}  // namespace omvc
