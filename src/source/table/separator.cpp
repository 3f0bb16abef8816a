#include "source/table/separator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <utility>

#include "omvc/error.hpp"

namespace omvc {
namespace {

using Fields = std::vector<std::string_view>;

constexpr std::array kCandidates{Delimiter::tab, Delimiter::semicolon, Delimiter::comma, Delimiter::pipe,
                                 Delimiter::blanks};

// What a separator would make of the lines.
struct Trial {
  Delimiter delimiter = Delimiter::blanks;
  Decimal decimal = Decimal::unknown;
  bool separates = false;  // most lines of data, or numbers in the first line
  double score = 0;
};

Decimal decimal_by_name(const std::string& name) {
  if (name == "." || name == "point") return Decimal::point;
  if (name == "," || name == "comma") return Decimal::comma;
  throw Error(ErrorKind::usage, fmt::format("the decimal mark {} is not known; say . or ,", omvc::quoted(name)));
}

// The mark that most of the cells show which show one. In a file of commas only a point is likely.
Decimal find_decimal(const std::vector<Fields>& rows, Delimiter delimiter) {
  std::size_t points = 0;
  std::size_t commas = 0;
  for (const Fields& row : rows) {
    for (const std::string_view cell : row) {
      const Decimal shown = decimal_of(cell);
      points += shown == Decimal::point;
      commas += shown == Decimal::comma;
    }
  }
  if (commas > points) return Decimal::comma;
  return points > 0 || delimiter == Delimiter::comma ? Decimal::point : Decimal::unknown;
}

double number_share(const std::vector<Fields>& rows, CellFormat cells, Decimal decimal) {
  cells.set_decimal(decimal);
  std::size_t numbers = 0;
  std::size_t all = 0;
  for (const Fields& row : rows) {
    for (const std::string_view cell : row) {
      if (cell.empty()) continue;
      ++all;
      numbers += cells.parse(cell).has_value();
    }
  }
  return all == 0 ? 0.0 : static_cast<double>(numbers) / static_cast<double>(all);
}

Trial attempt(const std::vector<std::string_view>& lines, Delimiter delimiter, std::optional<Decimal> decimal,
              const CellFormat& cells) {
  std::vector<Fields> rows(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) split_fields(lines[i], delimiter, rows[i]);
  const std::size_t head = rows.front().size();
  const bool numbers_first = head > 1 && number_share({rows.front()}, cells, Decimal::point) == 1.0;
  if (rows.size() > 1) rows.erase(rows.begin());
  std::map<std::size_t, std::size_t> uses;
  for (const Fields& row : rows) ++uses[row.size()];
  const auto most =
      std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Trial trial{delimiter, decimal.value_or(find_decimal(rows, delimiter)), numbers_first || most->first > 1, 0.0};
  // A header has as many names as there are columns, or (R) one less.
  const double header = head == most->first ? 0.25 : head + 1 == most->first ? 0.1 : 0.0;
  trial.score = static_cast<double>(most->second) / static_cast<double>(rows.size()) +
                number_share(rows, cells, trial.decimal) + header;
  return trial;
}

}  // namespace

std::optional<Delimiter> shown_separator(std::string_view line) {
  std::optional<Delimiter> shown;
  Fields fields;
  for (const Delimiter delimiter : kCandidates) {
    if (delimiter == Delimiter::blanks) continue;
    split_fields(line, delimiter, fields);
    if (fields.size() > 1 && std::exchange(shown, delimiter)) return std::nullopt;
  }
  return shown;
}

Delimiter separator_by_name(const std::string& name) {
  static const std::map<std::string, Delimiter> kNames{{"comma", Delimiter::comma}, {"tab", Delimiter::tab},
                                                       {"\\t", Delimiter::tab},     {"semicolon", Delimiter::semicolon},
                                                       {"pipe", Delimiter::pipe},   {"blanks", Delimiter::blanks},
                                                       {"space", Delimiter::blanks}};
  if (const auto found = kNames.find(name); found != kNames.end()) return found->second;
  const bool usable =
      name.size() == 1 && name != "\"" && name != "\n" && name != "\r" && static_cast<unsigned char>(name[0]) < 0x80;
  if (!usable) {
    throw Error(ErrorKind::usage, fmt::format("the separator {} is not known; say comma, tab, semicolon, pipe, blanks, "
                                              "or give one character",
                                              omvc::quoted(name)));
  }
  return static_cast<Delimiter>(name[0]);
}

Separation find_separation(const std::vector<std::string_view>& lines, const std::string& separator,
                           const std::string& decimal, const CellFormat& cells) {
  std::optional<Decimal> asked;
  if (!decimal.empty()) asked = decimal_by_name(decimal);
  if (!separator.empty()) {
    const Trial trial = attempt(lines, separator_by_name(separator), asked, cells);
    return {trial.delimiter, trial.decimal};
  }
  std::optional<Trial> best;
  for (const Delimiter delimiter : kCandidates) {
    const Trial trial = attempt(lines, delimiter, asked, cells);
    if (trial.separates && (!best || trial.score > best->score + 1e-9)) best = trial;
  }
  // One column has no separator; blanks in it may only be in its name.
  if (!best) best = attempt(lines, Delimiter::blanks, asked, cells);
  return {best->delimiter, best->decimal};
}

}  // namespace omvc
