#include "source/table/text_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

#include "source/table/marks.hpp"

namespace omvc {
namespace {

// How often a byte occurs; counting in bytes, which many fit in a register, is what makes it quick.
std::size_t count_bytes(std::string_view text, char wanted) {
  constexpr std::size_t kMost = 255;
  std::size_t all = 0;
  for (; !text.empty(); text.remove_prefix(std::min(kMost, text.size()))) {
    unsigned char some = 0;
    for (const char c : text.substr(0, kMost)) some = static_cast<unsigned char>(some + (c == wanted ? 1 : 0));
    all += some;
  }
  return all;
}

// Reads digits, with a point between them or none, and a minus before them or none, if nothing else comes before the
// separator or the end. Returns where they end, or nothing. The value is exact in the sense of from_chars: where the
// digits are a whole number below 2^53 and the power of ten is exact, a division rounds once.
const char* read_plain_number(const char* at, const char* end, char separator, double& value) {
  constexpr std::array kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10,
                               1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};
  constexpr std::ptrdiff_t kMostDigits = 18;  // which 64 bits hold
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  const char* const first = at;
  for (; at != end && is_digit(*at); ++at) digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
  std::ptrdiff_t count = at - first;
  if (count == 0) return nullptr;
  std::ptrdiff_t behind = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && is_digit(*at); ++at) digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    behind = at - fraction;
    count += behind;
    if (behind == 0) return nullptr;
  }
  if ((at != end && *at != separator) || count > kMostDigits || digits > kExact) return nullptr;
  value = static_cast<double>(digits) / kPowers[static_cast<std::size_t>(behind)];
  if (negative) value = -value;
  return at;
}

}  // namespace

std::string TextRow::title(std::size_t column) const {
  if (layout_.names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column {} ({})", column + 1, omvc::quoted(layout_.names[column]));
}

void TextRow::fail(const std::string& message) const {
  throw Error(ErrorKind::data, path_.empty() ? message : fmt::format("{}:{}: {}", path_, number_, message));
}

void TextRow::split(std::string_view line, Index number) {
  number_ = number;
  split_fields(line, layout_.separation.delimiter, fields_);
  if (layout_.trailing && fields_.size() == layout_.columns + 1 && fields_.back().empty()) fields_.pop_back();
  if (fields_.size() != layout_.columns) {
    fail(
        fmt::format("expected {} columns, found {}; every line must have as many as the others (a field with the "
                    "separator in it needs quotes; --separator says what separates)",
                    layout_.columns, fields_.size()));
  }
  if (layout_.id_column && fields_[*layout_.id_column].empty()) {
    fail("the sample id is missing; every line of a file with ids needs one");
  }
  if (layout_.id_column) id_ = fields_[*layout_.id_column];
}

void TextRow::fail_cell(std::size_t column) const {
  const std::string_view cell = fields_[column];
  const std::string what = fmt::format("{}: {} ", title(column), omvc::quoted(cell));
  const std::string& mark = columns_.all[column].mark;
  const auto marked = mark.empty() ? std::nullopt : split_mark(cell);
  const std::string number = marked ? marked->number : std::string(cell);
  const auto by_point = parse_grouped_number(number, Decimal::point);
  const auto by_comma = parse_grouped_number(number, Decimal::comma);
  if (!mark.empty() && (!marked || marked->mark != mark)) {
    fail(what + fmt::format("is not a number with {}, as the other cells of the column are; correct it, or leave the "
                            "column out with --drop {}",
                            mark,
                            layout_.names.empty() ? std::to_string(column + 1) : omvc::quoted(layout_.names[column])));
  }
  if (by_point && by_comma) {
    fail(what + fmt::format("may be {} or {}; say which mark is the decimal one: --decimal . or --decimal ,", *by_point,
                            *by_comma));
  }
  if (by_point || by_comma) {
    fail(what + fmt::format("has another decimal mark than the cells before it; correct it, or say --decimal {}",
                            by_comma ? ',' : '.'));
  }
  fail(what +
       fmt::format("is not a number{}; correct it, say --missing-values usual,{} if it stands for a missing value, or "
                   "leave the column out with --drop {}",
                   column == 0 && !layout_.id_column ? " (if the column holds sample ids, say --id-column 1)" : "",
                   omvc::quoted(cell),
                   layout_.names.empty() ? std::to_string(column + 1) : omvc::quoted(layout_.names[column])));
}

// The number in a cell without the mark that all cells of the column have.
std::optional<double> TextRow::parse(const Column& column, std::string_view cell) const {
  if (column.mark.empty() || cells_.is_missing(cell)) return cells_.parse(cell);
  const auto marked = split_mark(cell);
  return marked && marked->mark == column.mark ? cells_.parse(marked->number) : std::nullopt;
}

double TextRow::parse_cell(std::size_t column) const {
  const auto value = parse(columns_.all[column], fields_[column]);
  if (!value) fail_cell(column);
  if (std::isinf(*value)) {
    fail(fmt::format("{}: {} is infinite or too large; only finite numbers can be used", title(column),
                     omvc::quoted(fields_[column])));
  }
  return *value;
}

// Appends the features of a category; returns how many are NaN, and nothing for a new value. One that a model does not
// know says nothing.
std::optional<std::size_t> TextRow::append_category(const Column& category, std::string_view cell,
                                                    std::vector<double>& values) const {
  const std::size_t first = values.size();
  const auto found = category.place.find(unescape_field(cell));
  if (found != category.place.end()) {
    values.resize(first + category.values.size(), 0.0);
    values[first + found->second] = 1.0;
    return 0;
  }
  if (!cells_.is_missing(cell) && !columns_.known) return std::nullopt;
  values.resize(first + category.values.size(), std::numeric_limits<double>::quiet_NaN());
  return category.values.size();
}

std::size_t TextRow::append_values(std::vector<double>& values) const {
  std::size_t nans = 0;
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    const Column::Kind kind = columns_.all[j].kind;
    if (kind == Column::Kind::left_out) continue;
    if (kind == Column::Kind::category) {
      const auto missing = append_category(columns_.all[j], fields_[j], values);
      if (!missing) {
        fail(fmt::format("{}: {} is a new category, which the first lines do not have; write a pipe to a file first",
                         title(j), omvc::quoted(fields_[j])));
      }
      nans += *missing;
      continue;
    }
    values.push_back(parse_cell(j));
    nans += std::isnan(values.back());
  }
  return nans;
}

bool TextRow::is_plain(std::string_view line) const {
  return layout_.separation.delimiter != Delimiter::blanks && line.find('"') == std::string_view::npos;
}

std::optional<std::string_view> TextRow::plain_id(std::string_view line) const {
  const char separator = static_cast<char>(layout_.separation.delimiter);
  if (!layout_.id_column || !is_plain(line) || count_bytes(line, separator) + 1 != layout_.columns) return std::nullopt;
  std::size_t first = 0;
  for (std::size_t j = 0; j < *layout_.id_column; ++j) first = line.find(separator, first) + 1;
  const std::string_view field = trim(line.substr(first, line.find(separator, first) - first));
  return field.empty() ? std::nullopt : std::optional(field);
}

// Appends what a field without quotes says; returns how many of its features are NaN, and nothing where it is wrong.
std::optional<std::size_t> TextRow::append_cell(std::size_t column, std::string_view cell,
                                                std::vector<double>& values) const {
  const Column& known = columns_.all[column];
  if (known.kind == Column::Kind::left_out) return 0;
  if (known.kind == Column::Kind::category) return append_category(known, cell, values);
  const auto value = parse(known, cell);
  if (!value || std::isinf(*value)) return std::nullopt;
  values.push_back(*value);
  return std::isnan(*value) ? 1 : 0;
}

std::optional<std::size_t> TextRow::append_plain(std::string_view line, std::vector<double>& values) {
  if (!is_plain(line)) return std::nullopt;
  const char separator = static_cast<char>(layout_.separation.delimiter);
  const bool plain_numbers = cells_.reads_plainly();
  const std::size_t before = values.size();
  const char* at = line.data();
  const char* const end = at + line.size();
  std::size_t nans = 0;
  for (std::size_t j = 0; j < layout_.columns; ++j) {
    const Column& known = columns_.all[j];
    double value = 0.0;
    const char* behind = nullptr;
    const bool plain = plain_numbers && known.kind == Column::Kind::number && known.mark.empty();
    if (plain) behind = read_plain_number(at, end, separator, value);
    if (behind != nullptr) {
      values.push_back(value);
    } else {
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      const std::string_view field = rest.substr(0, rest.find(separator));
      const std::string_view cell = trim(field);
      behind = at + field.size();
      if (layout_.id_column == j) id_ = cell;
      const auto missing = append_cell(j, cell, values);
      if (!missing || (layout_.id_column == j && cell.empty())) break;
      nans += *missing;
    }
    const bool last = j + 1 == layout_.columns;
    if ((behind == end) != last) break;
    if (last) return nans;
    at = behind + 1;
  }
  values.resize(before);
  return std::nullopt;
}

}  // namespace omvc
