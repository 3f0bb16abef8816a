#include "source/formats/text_row.hpp"

#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "omvc/error.hpp"

namespace omvc {

std::string TextRow::title(std::size_t column) const {
  if (layout_.names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column {} ({})", column + 1, omvc::quoted(layout_.names[column]));
}

void TextRow::fail(const std::string& message) const {
  throw Error(ErrorKind::data, fmt::format("{}:{}: {}", path_, number_, message));
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
}

void TextRow::fail_cell(std::size_t column) const {
  const std::string_view cell = fields_[column];
  const std::string what = fmt::format("{}: {} ", title(column), omvc::quoted(cell));
  const auto by_point = parse_grouped_number(cell, Decimal::point);
  const auto by_comma = parse_grouped_number(cell, Decimal::comma);
  if (by_point && by_comma) {
    fail(what + fmt::format("may be {} or {}; say which mark is the decimal one: --decimal . or --decimal ,", *by_point,
                            *by_comma));
  }
  if (by_point || by_comma) {
    fail(what + fmt::format("has another decimal mark than the cells before it; correct it, or say --decimal {}",
                            by_comma ? ',' : '.'));
  }
  fail(what +
       fmt::format("is not a number{}; correct it, say --missing-values {} if it stands for a missing value, or "
                   "leave the column out with --drop {}",
                   column == 0 && !layout_.id_column ? " (if the column holds sample ids, say --id-column 1)" : "",
                   omvc::quoted(cell),
                   layout_.names.empty() ? std::to_string(column + 1) : omvc::quoted(layout_.names[column])));
}

double TextRow::parse_cell(std::size_t column) const {
  const auto value = cells_.parse(fields_[column]);
  if (!value) fail_cell(column);
  if (std::isinf(*value)) {
    fail(fmt::format("{}: {} is infinite or too large; only finite numbers can be used", title(column),
                     omvc::quoted(fields_[column])));
  }
  return *value;
}

// Appends the features of a category; returns how many are NaN. A value that a model does not know says nothing.
std::size_t TextRow::append_category(std::size_t column, std::vector<double>& values) const {
  const Column& category = columns_.all[column];
  const std::size_t first = values.size();
  const auto found = category.place.find(unescape_field(fields_[column]));
  if (found != category.place.end()) {
    values.resize(first + category.values.size(), 0.0);
    values[first + found->second] = 1.0;
    return 0;
  }
  if (!cells_.is_missing(fields_[column]) && like_.empty()) {
    fail(fmt::format("{}: {} is a new category, which the first lines do not have; write a pipe to a file first",
                     title(column), omvc::quoted(fields_[column])));
  }
  values.resize(first + category.values.size(), std::numeric_limits<double>::quiet_NaN());
  return category.values.size();
}

std::size_t TextRow::append_values(std::vector<double>& values) const {
  std::size_t nans = 0;
  for (std::size_t j = 0; j < fields_.size(); ++j) {
    const Column::Kind kind = columns_.all[j].kind;
    if (kind == Column::Kind::left_out) continue;
    if (kind == Column::Kind::category) {
      nans += append_category(j, values);
      continue;
    }
    values.push_back(parse_cell(j));
    nans += std::isnan(values.back());
  }
  return nans;
}

}  // namespace omvc
