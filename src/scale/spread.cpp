#include "scale/spread.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace omvc {
namespace {

// Columns of measurements among those of a view: where fewer are, columns of two values are what the view is.
constexpr double kLeastMeasured = 0.1;
constexpr double kRelated = 0.5;       // relation of a column of few values that counts fully,
constexpr double kUnrelated = 0.1;     // and that of one of which the others tell next to nothing
constexpr double kLeastWeight = 0.02;  // so that what it is in a cluster can still be told
constexpr double kMostAbove = 1;       // ranges above its range that a later value may lie

// Variance of a feature over the observed instances.
double variance_of(const ViewSurvey& survey, std::size_t j) {
  const double known = std::max(survey.known(j), 1e-300);
  const double mean = survey.sum[j] / known;
  return std::max(0.0, survey.squares[j] / known - mean * mean);
}

// Every feature shifted to minimum 0 and multiplied by gain(its range, its variance).
template <class F>
void shift_and_scale(const ViewSurvey& survey, ViewScaling& out, const F& gain) {
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    // A feature that is stored for some instances only is zero for the others.
    const double low = survey.nonzeros[j] < survey.known(j) ? std::min(survey.minimum[j], 0.0) : survey.minimum[j];
    const double range = survey.maximum[j] - low;
    out.shift.push_back(std::isfinite(low) ? low : 0);
    out.gain.push_back(range > kSmallestValue ? gain(range, variance_of(survey, j)) : 0);
  }
  out.refuse_negatives = survey.sparse;
}

// The factor that brings the view, with the gains it has, to total variance 1.
double equal_variance(const ViewSurvey& survey, const ViewScaling& scaling) {
  double variance = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    variance += variance_of(survey, j) * scaling.gain[j] * scaling.gain[j];
  }
  return variance > 0 ? 1 / std::sqrt(variance) : 1;
}

double scaled_variance(const ViewSurvey& survey, const ViewScaling& scaling, std::size_t j) {
  return variance_of(survey, j) * scaling.gain[j] * scaling.gain[j];
}

// A category, and a column of two values, is brought down to the variance of one column of measurements: the median of
// those of the view. Where there are next to none of these, all columns are of one kind and stay as they are. Returns
// how many were brought down.
std::size_t weigh_units(const ViewSurvey& survey, const std::vector<ColumnUnit>& units, ViewScaling& out) {
  std::vector<double> measured;
  for (const ColumnUnit& unit : units) {
    if (!unit.two_values && out.gain[unit.first] > 0) measured.push_back(scaled_variance(survey, out, unit.first));
  }
  if (measured.empty() || static_cast<double>(measured.size()) < kLeastMeasured * static_cast<double>(units.size())) {
    return 0;
  }
  const auto middle = measured.begin() + static_cast<std::ptrdiff_t>(measured.size() / 2);
  std::nth_element(measured.begin(), middle, measured.end());
  std::size_t lowered = 0;
  for (const ColumnUnit& unit : units) {
    double own = 0;
    for (std::size_t j = unit.first; j < unit.last; ++j) own += scaled_variance(survey, out, j);
    if (!unit.two_values || !(own > *middle)) continue;
    for (std::size_t j = unit.first; j < unit.last; ++j) out.gain[j] *= std::sqrt(*middle / own);
    ++lowered;
  }
  return lowered;
}

// Columns of few values count by what neighbours by the others tell of them: fully from kRelated on. Returns the names
// of those of which they tell next to nothing.
std::vector<std::string> weigh_relations(const ColumnsLook& look, const ViewSchema& schema, ViewScaling& out) {
  std::vector<std::string> unrelated;
  for (std::size_t u = 0; u < look.units.size(); ++u) {
    const double weight = std::clamp(look.relation[u] / kRelated, kLeastWeight, 1.0);
    for (std::size_t j = look.units[u].first; j < look.units[u].last; ++j) out.gain[j] *= weight;
    if (look.relation[u] < kUnrelated) unrelated.push_back(unit_name(look.units[u], schema));
  }
  return unrelated;
}

// The first names in quotes, and how many more there are.
std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) {
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  return names.size() > kNamed ? fmt::format("{} and {} more", out, names.size() - kNamed) : out;
}

}  // namespace

std::vector<double> means_of(const ViewSurvey& survey) {
  std::vector<double> means;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    means.push_back(survey.known(j) > 0 ? survey.sum[j] / survey.known(j) : 0);
  }
  return means;
}

void spread_ranges(const ViewSurvey& survey, ViewScaling& out) {
  shift_and_scale(survey, out, [](double range, double) { return 1 / range; });
}

void spread_deviations(const ViewSurvey& survey, ViewScaling& out) {
  shift_and_scale(survey, out, [](double, double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 0; });
}

void shift_only(const ViewSurvey& survey, ViewScaling& out) {
  shift_and_scale(survey, out, [](double, double) { return 1.0; });
  out.factor = equal_variance(survey, out);
}

void spread_evenly(const ViewSurvey& survey, ViewScaling& out) {
  spread_ranges(survey, out);
  out.factor = equal_variance(survey, out);
}

std::size_t spread_units(const ColumnsLook& look, ViewScaling& out) {
  spread_ranges(look.clean, out);
  return weigh_units(look.clean, look.units, out);
}

void spread_columns(const ColumnsLook& look, const ViewSchema& schema, ViewScaling& out) {
  const std::size_t lowered = spread_units(look, out);
  const std::vector<std::string> unrelated = weigh_relations(look, schema, out);
  out.factor = equal_variance(look.clean, out);
  out.unit = look.unit;
  out.notes = look.notes;
  out.missing_below = look.missing_below;
  out.missing_above = look.missing_above;
  for (double& low : out.missing_below) low = std::max(low, -kLargestValue);  // which no value reaches
  for (double& high : out.missing_above) high = std::min(high, kLargestValue);
  for (std::size_t j = 0; j < look.ceiling.size(); ++j) {
    const double high = look.clean.maximum[j];
    const double range = high - out.shift[j];
    // A feature that has one value only has no range to leave.
    out.ceiling.push_back(std::isfinite(look.ceiling[j]) ? look.ceiling[j]
                          : range > kSmallestValue       ? std::min(high + kMostAbove * range, kLargestValue)
                                                         : kLargestValue);
  }
  out.description = "each feature to 0 .. 1, total variance 1";
  const auto columns = [](std::size_t count) { return count == 1 ? "1 column" : fmt::format("{} columns", count); };
  if (lowered > 0) {
    out.description += fmt::format("; {} of two values or of categories weigh{} no more than one of measurements",
                                   columns(lowered), lowered == 1 ? "s" : "");
  }
  if (!unrelated.empty()) {
    const bool one = unrelated.size() == 1;
    out.description += fmt::format(
        "; {} of few values ({}) weigh{} next to nothing, since neighbours by the other columns tell next to nothing "
        "of {}",
        columns(unrelated.size()), list_names(unrelated), one ? "s" : "", one ? "it" : "them");
  }
}

}  // namespace omvc
