#include "source/table/columns.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fnmatch.h>

#include "omvc/error.hpp"

#include "source/table/cell.hpp"
#include "source/table/marks.hpp"

namespace omvc {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// 2026-11-15, 15.11.26, 15-Nov-2026, 2026-11-15T10:30:00Z, 10:30.
bool looks_like_date(std::string_view text) {
  if (text.size() < 4 || text.size() > 35 || !is_digit(text.front())) return false;
  std::size_t marks = 0;
  std::size_t letters = 0;
  bool time = false;
  for (const char c : text) {
    const bool mark = c == '-' || c == '/' || c == '.' || c == ':';
    if (!mark && !is_digit(c) && !is_letter(c) && c != ' ' && c != '+') return false;
    marks += mark;
    letters += is_letter(c);
    time |= c == ':';
  }
  return (marks >= 2 || time) && letters <= 5;
}

// FALSE and TRUE for either of them, as it is written; none if the only value is no such word.
std::vector<std::string> truth_values(const std::unordered_map<std::string, std::size_t>& values) {
  for (const auto& [no, yes] : {std::pair{"false", "true"},
                                {"False", "True"},
                                {"FALSE", "TRUE"},
                                {"no", "yes"},
                                {"No", "Yes"},
                                {"NO", "YES"}}) {
    if (values.contains(no) || values.contains(yes)) return {no, yes};
  }
  return {};
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool matches(const std::string& pattern, const std::string& name, std::size_t column) {
  if (!name.empty() && fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  const auto number = parse_index(pattern);
  return number && *number == static_cast<Index>(column) + 1;
}

}  // namespace

ColumnFinder::ColumnFinder(const LayoutWishes& wishes, const TextLayout& layout, const CellFormat& cells,
                           const std::vector<std::string>& like)
    : wishes_(wishes), layout_(layout), cells_(cells), like_(like), seen_(layout.columns) {
  select();
}

// Marks the columns that the user wants. A name goes before a number that is written the same way.
void ColumnFinder::select() {
  const auto apply = [&](const std::vector<std::string>& patterns, const char* option, bool keep) {
    std::vector<bool> listed(seen_.size());
    for (const std::string& pattern : patterns) {
      const bool is_name = std::find(layout_.names.begin(), layout_.names.end(), pattern) != layout_.names.end();
      bool any = false;
      for (std::size_t j = 0; j < seen_.size(); ++j) {
        const std::string name = layout_.names.empty() ? "" : layout_.names[j];
        if (is_name ? name != pattern : !matches(pattern, name, j)) continue;
        listed[j] = any = true;
      }
      if (!any) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: {}: there is no column {}; give a name, a pattern such as 'gene*' "
                                "or a number from 1; one of several views is meant by VIEW=COLUMN",
                                wishes_.path, option, omvc::quoted(pattern)));
      }
    }
    for (std::size_t j = 0; j < seen_.size() && !patterns.empty(); ++j) {
      seen_[j].wanted &= listed[j] == keep;
      seen_[j].dropped |= listed[j] && !keep;
    }
  };
  apply(wishes_.text.columns, "--columns", true);
  apply(wishes_.text.drop, "--drop", false);
  if (layout_.id_column) seen_[*layout_.id_column].wanted = false;
}

void ColumnFinder::add(const std::vector<std::string_view>& fields) {
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    Seen& seen = seen_[j];
    if (!seen.wanted || (complete_ && !seen.closer)) continue;
    const auto number = cells_.parse(fields[j]);
    if (number && std::isnan(*number)) continue;
    ++seen.values;
    // What one of the decimal marks makes a number is no word; reading asks which it is.
    const bool is_plain = number || is_number(fields[j]);
    seen.numbers += is_plain;
    if (!complete_) continue;
    if (const auto marked = is_plain ? std::nullopt : split_mark(fields[j]); marked && is_number(marked->number)) {
      ++seen.marked[marked->mark];
    }
    seen.dates += looks_like_date(fields[j]);
    std::string value = unescape_field(fields[j]);
    if (seen.different.size() <= kMostCategories || seen.different.contains(value)) ++seen.different[std::move(value)];
  }
}

bool ColumnFinder::is_number(std::string_view cell) const {
  return cells_.parse(cell) || parse_grouped_number(cell, Decimal::point) || parse_grouped_number(cell, Decimal::comma);
}

// The mark that nine in ten of the values have beside a number; empty if there is none.
std::string ColumnFinder::common_mark(const Seen& seen) const {
  for (const auto& [mark, count] : seen.marked) {
    if (10 * count >= 9 * seen.values) return std::string(mark);
  }
  return {};
}

bool ColumnFinder::in_doubt() const {
  return std::any_of(seen_.begin(), seen_.end(), [&](const Seen& seen) { return doubtful(seen); });
}

void ColumnFinder::look_closer() {
  complete_ = true;
  for (Seen& seen : seen_) {
    if (!doubtful(seen)) continue;
    seen = {};
    seen.closer = true;
  }
}

std::string ColumnFinder::title(std::size_t column) const {
  return layout_.names.empty() ? fmt::format("column {}", column + 1) : layout_.names[column];
}

// The values that the column has as a category in the model; none if it is no category there.
std::vector<std::string> ColumnFinder::values_in_model(std::size_t column) const {
  const std::string start = title(column) + "=";
  std::vector<std::string> values;
  if (std::find(like_.begin(), like_.end(), title(column)) != like_.end()) return values;
  for (const std::string& name : like_) {
    if (name.starts_with(start)) values.push_back(name.substr(start.size()));
  }
  return values;
}

Column ColumnFinder::decide(std::size_t j, Columns& out) const {
  const Seen& seen = seen_[j];
  Column column;
  if (!seen.wanted) {
    column.dropped = seen.dropped;
    column.kind = Column::Kind::left_out;
    return column;
  }
  const auto leave_out = [&](const std::string& why) {
    out.notes.push_back(fmt::format("{}: column {} is left out: {}", wishes_.path, omvc::quoted(title(j)), why));
    column.kind = Column::Kind::left_out;
    return column;
  };
  std::vector<std::string> values = values_in_model(j);
  if (!values.empty()) return category(j, std::move(values), out);
  column.mark = common_mark(seen);
  const auto numbers = [&] {
    if (!column.mark.empty()) {
      out.notes.push_back(fmt::format("{}: column {} is read as numbers without the {} of its cells", wishes_.path,
                                      omvc::quoted(title(j)), column.mark));
    }
    return column;
  };
  const bool in_model = std::find(like_.begin(), like_.end(), title(j)) != like_.end();
  if (in_model || !seen.closer) return numbers();
  if (wishes_.streamed) {
    if (!like_.empty() && seen.numbers == 0) return leave_out("the model has no such feature, and it is no number");
    values = truth_values(seen.different);
    if (!values.empty()) return category(j, std::move(values), out);
    if (seen.values == 0 || seen.dates == 0) return numbers();
  }
  if (seen.values == 0) return leave_out("it has no values");
  if (2 * seen.numbers >= seen.values || !column.mark.empty()) return numbers();
  if (seen.dates == seen.values) return leave_out("it holds dates; turn them into numbers to use them");
  std::size_t measures = seen.numbers;
  for (const auto& [mark, count] : seen.marked) measures += count;
  if (!seen.marked.empty() && 10 * measures >= 9 * seen.values) {
    return leave_out(
        "its numbers do not all have the same mark (%, €, $); write all of them in the same way to use them");
  }
  column.words = true;
  if (seen.different.size() > kMostCategories) {
    return leave_out(fmt::format("it holds text with more than {} different values", kMostCategories));
  }
  if (3 * seen.different.size() > 2 * seen.values) {
    return leave_out(fmt::format("it holds text with {} in {}", counted(seen.different.size(), "different value"),
                                 counted(seen.values, "row")));
  }
  for (const auto& [value, count] : seen.different) values.push_back(value);
  std::sort(values.begin(), values.end());
  out.notes.push_back(fmt::format(
      "{}: column {} is a category of {}", wishes_.path, omvc::quoted(title(j)),
      values.size() == 1 ? "1 value: one feature" : fmt::format("{} values: a feature each", values.size())));
  return category(j, std::move(values), out);
}

Column ColumnFinder::category(std::size_t j, std::vector<std::string> values, Columns& out) const {
  Column column;
  column.kind = Column::Kind::category;
  column.values = std::move(values);
  for (std::size_t i = 0; i < column.values.size(); ++i) column.place.emplace(column.values[i], i);
  std::string unknown;
  for (const auto& [value, count] : seen_[j].different) {
    if (!column.place.contains(value) && (unknown.empty() || value < unknown)) unknown = value;
  }
  if (!unknown.empty()) {
    out.notes.push_back(
        fmt::format("{}: column {} has values that the model does not know, such as {}, which count as "
                    "missing",
                    wishes_.path, omvc::quoted(title(j)), omvc::quoted(unknown)));
  }
  return column;
}

Columns ColumnFinder::finish() const {
  Columns out;
  out.known = !like_.empty() || wishes_.streamed;
  bool categories = false;
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    const Column& column = out.all.emplace_back(decide(j, out));
    categories |= column.kind == Column::Kind::category;
  }
  for (std::size_t j = 0; j < seen_.size(); ++j) {
    const Column& column = out.all[j];
    if (column.kind == Column::Kind::left_out) continue;
    out.features += column.kind == Column::Kind::category ? column.values.size() : 1;
    if (layout_.names.empty() && !categories) continue;
    if (column.kind == Column::Kind::number) out.feature_names.push_back(title(j));
    for (const std::string& value : column.values) out.feature_names.push_back(title(j) + "=" + value);
  }
  if (out.features == 0) {
    std::string reasons;
    for (const std::string& note : out.notes) reasons += "\n  " + note;
    const bool unsplit = seen_.size() == 1 && title(0).find_first_of(",;|\t") != std::string::npos;
    if (unsplit) reasons += "\n  every line is one field: give the separator that the file has (--separator)";
    throw Error(ErrorKind::data,
                fmt::format("{}: no column is left to be a feature; a view needs columns of numbers or "
                            "categories (see --columns, --id-column){}",
                            wishes_.path, reasons));
  }
  return out;
}

}  // namespace omvc
