#include <algorithm>
#include <cmath>
#include <string_view>

#include "scale/columns.hpp"
#include "scale/extremes.hpp"

namespace omvc {
namespace {

constexpr double kTwoValues = 1e-9;       // how far from two values the sums may be, which were rounded,
constexpr double kRounded = 8 * 2.3e-16;  // and by how much of the squares that cancel in them,
constexpr double kTellable = 1e-3;        // as long as that is little beside the range

// Whether every value of a feature is its smallest or its largest: then the products of the distances to both add up
// to nothing.
bool has_two_values(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  if (!(low < high) || !std::isfinite(high - low)) return false;
  const double known = survey.known(j);
  const double between = (low + high) * survey.sum[j] - survey.squares[j] - known * low * high;
  const double square = (high - low) * (high - low);
  const double rounded = kRounded * std::max(low * low, high * high);
  return rounded <= kTellable * square && std::abs(between) <= known * std::max(kTwoValues * square, rounded);
}

bool is_constant(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  return !(low < high);
}

// 0 and 1, or one of them.
bool is_flag(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  return (has_two_values(survey, j) && low == 0 && high == 1) || (is_constant(survey, j) && (low == 0 || low == 1));
}

// What a name begins with, up to the last of these marks; empty where there is none.
std::string_view title_of(std::string_view name, std::string_view marks) {
  const std::size_t at = name.find_last_of(marks);
  return at == std::string_view::npos ? std::string_view() : name.substr(0, at);
}

// The end of the category that begins with feature j; j where none does.
std::size_t end_of_category(const ViewSurvey& survey, const std::vector<std::string>& names, std::size_t j) {
  if (names.empty() || !is_flag(survey, j)) return j;
  for (const std::string_view marks : {std::string_view("="), std::string_view("_.")}) {
    const std::string_view title = title_of(names[j], marks);
    if (title.empty()) continue;
    std::size_t end = j;
    double ones = 0;
    for (; end < names.size() && title_of(names[end], marks) == title && is_flag(survey, end); ++end) {
      ones += survey.sum[end];
    }
    if (end > j + 1 && (marks == "=" || std::abs(ones - survey.known(j)) <= kTwoValues * ones)) return end;
  }
  return j;
}

}  // namespace

std::vector<ColumnUnit> column_units(const ViewSurvey& survey, const std::vector<std::string>& names) {
  std::vector<ColumnUnit> units;
  for (std::size_t j = 0; j < survey.sum.size();) {
    const std::size_t end = end_of_category(survey, names, j);
    const bool category = end > j;
    units.push_back({j, category ? end : j + 1, category || has_two_values(survey, j)});
    j = units.back().last;
  }
  return units;
}

TableColumns table_columns(const ViewSurvey& survey, const ViewSchema& schema) {
  TableColumns out;
  double missing = 0;
  for (const ColumnUnit& unit : column_units(survey, schema.feature_names)) {
    ++out.count;
    if (unit.first < survey.missing.size()) missing += survey.missing[unit.first];
  }
  out.missing = static_cast<Index>(missing);
  return out;
}

std::string unit_name(const ColumnUnit& unit, const ViewSchema& schema) {
  const std::vector<std::string>& names = schema.feature_names;
  if (names.empty()) return "feature " + schema.feature_name(static_cast<Index>(unit.first));
  if (unit.last == unit.first + 1) return names[unit.first];
  const std::string_view by_value = title_of(names[unit.first], "=");
  return std::string(by_value.empty() ? title_of(names[unit.first], "_.") : by_value);
}

}  // namespace omvc
