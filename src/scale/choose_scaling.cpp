#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>

#include "omvc/error.hpp"

#include "scale/log_ratio.hpp"
#include "scale/scaling.hpp"
#include "scale/spread.hpp"

namespace omvc {
namespace {

// Above this share of zeros a view is treated as sparse whatever its storage, since its zeros mean "does not occur".
constexpr double kSparseShare = 0.9;

// Dense counts: what a view is like that is compared by the logarithms of its numbers.
constexpr std::size_t kLeastCounted = 5;     // features: a ratio to the mean of fewer says little
constexpr double kCountedShare = 0.5;        // of the cells are not zero
constexpr double kByte = 255;                // pictures go no further
constexpr double kSkewed = 3;                // the largest value over the mean: beyond even and bell-shaped ones,
constexpr double kMostFeaturesSkewed = 0.9;  // in at least this share of the features,
constexpr double kWide = 8;                  // and well beyond
constexpr double kSomeFeaturesWide = 0.5;    // in this share

// Glitches of a column that make counts of what are none; more of them are the tail of counts.
constexpr double kFewestTail = 3;

// Smoothed inverse document frequency: ln((1 + n) / (1 + n_j)) + 1.
std::vector<double> inverse_frequency(const ViewSurvey& survey) {
  std::vector<double> gain;
  for (const double count : survey.nonzeros) gain.push_back(std::log((1 + survey.observed) / (1 + count)) + 1);
  return gain;
}

void check_magnitude(const ViewSurvey& survey, const std::string& name) {
  double largest = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    if (survey.minimum[j] > survey.maximum[j]) continue;  // never seen
    largest = std::max({largest, std::abs(survey.minimum[j]), std::abs(survey.maximum[j])});
  }
  if (largest <= kLargestValue && (largest == 0 || largest >= kSmallestValue)) return;
  throw Error(ErrorKind::data, fmt::format("view {}: its largest value is {:.3g}, beyond what can be scaled; bring the "
                                           "view to values between {:.0e} and {:.0e} first",
                                           name, largest, kSmallestValue, kLargestValue));
}

// Whether a dense view holds counts that differ by orders of magnitude within most features, as those of molecules do.
// Ratings, ages, years, yes and no, and columns of several units have features whose largest value is near their mean.
// Pictures are of bytes, or evenly bright, or mostly zeros.
bool is_dense_counts(const ViewSurvey& survey) {
  if (survey.log_ratios.empty() || survey.sum.size() < kLeastCounted) return false;
  double largest = 0;
  double features = 0;
  double skewed = 0;
  double wide = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    if (!(survey.nonzeros[j] > 0)) continue;
    const double ratio = survey.maximum[j] * survey.known(j) / survey.sum[j];
    largest = std::max(largest, survey.maximum[j]);
    features += 1;
    skewed += ratio >= kSkewed ? 1 : 0;
    wide += ratio >= kWide ? 1 : 0;
  }
  return survey.entries >= kCountedShare * survey.known() && largest > kByte &&
         skewed >= kMostFeaturesSkewed * features && wide >= kSomeFeaturesWide * features;
}

// Counts as log ratios, and those as dense views are scaled.
void take_log_ratios(const ViewSurvey& survey, ViewScaling& out) {
  spread_evenly(survey.log_ratios[0], out);
  out.clip = true;
  out.log_ratios = true;
  out.description = "centred log ratios, each feature to 0 .. 1, total variance 1";
}

enum class Among { cells, numbers };

// The share of zeros among the observed cells of the user's table, or among those of its columns of numbers. The
// features that a category has become are one column there, whose cells are words and not zeros.
double share_of_zeros(const ViewSurvey& survey, const ViewSchema& schema, Among among = Among::cells) {
  double cells = survey.known();
  double entries = survey.entries;
  for (const ColumnUnit& unit : column_units(survey, schema.feature_names)) {
    if (unit.last == unit.first + 1) continue;
    for (std::size_t j = unit.first; j < unit.last; ++j) {
      cells -= survey.known(j);
      entries -= survey.nonzeros[j];
    }
    if (among == Among::numbers) continue;
    cells += survey.known(unit.first);
    entries += survey.known(unit.first);
  }
  return cells > 0 ? 1 - entries / cells : 0;
}

// Zeros that mean "does not occur". A dense table of which most cells are zero and some are negative is none.
bool is_sparse_by_nature(const ViewSurvey& survey, const ViewSchema& schema) {
  if (survey.negatives > 0) return survey.sparse;
  return share_of_zeros(survey, schema) > kSparseShare;
}

// One wrong number in a column of whole numbers makes them differ by orders of magnitude.
bool is_dense_counts(const ViewSurvey& survey, const ColumnsLook* look) {
  const auto single = [](const ColumnNote& note) { return note.cells <= kFewestTail; };
  const bool glitches = look != nullptr && std::all_of(look->notes.begin(), look->notes.end(), single);
  return is_dense_counts(survey) && (!glitches || is_dense_counts(look->clean));
}

ViewScaling choose_automatic(const ViewSurvey& survey, const ViewSchema& schema, const ColumnsLook* look) {
  ViewScaling out{.known = true};
  const double zeros = 100 * share_of_zeros(survey, schema, Among::numbers);
  if (is_dense_counts(survey, look)) {
    take_log_ratios(survey, out);
    out.description = "dense counts: " + out.description;
    out.reason = "whole numbers that differ by orders of magnitude within most features";
    return out;
  }
  if (!is_sparse_by_nature(survey, schema)) {
    if (look != nullptr) {
      spread_columns(*look, schema, out);
    } else {
      spread_evenly(survey, out);
      out.description = "each feature to 0 .. 1, total variance 1";
    }
    out.refuse_negatives = false;
    out.description = "dense: " + out.description;
    out.reason = fmt::format("{:.0f} % of its numbers are zero, and features may have different units", zeros);
    return out;
  }
  out.clip = true;
  out.unit_rows = true;
  if (survey.fractions == 0 && survey.negatives == 0) {
    out.gain = inverse_frequency(survey);
    out.description = "sparse counts: tf-idf, rows of length 1";
    out.reason = fmt::format("{:.0f} % of its numbers are zero, and the others are whole numbers", zeros);
  } else {
    out.description = fmt::format("sparse weights: {}rows of length 1", survey.negatives > 0 ? "negatives to 0, " : "");
    out.reason = survey.negatives > 0 ? "it is stored sparse and has negative values"
                                      : fmt::format("{:.0f} % of its numbers are zero", zeros);
  }
  return out;
}

// Every feature by its logarithm, and those as dense views are scaled.
void take_logarithms(const ColumnsLook* look, const ViewSchema& schema, bool sparse, ViewScaling& out) {
  if (look == nullptr || look->unit.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("view {}: scaling log is for method omvc; give another scaling", schema.name));
  }
  spread_columns(*look, schema, out);
  out.refuse_negatives = sparse;
  const auto plain = std::count(out.unit.begin(), out.unit.end(), 0.0);
  out.description =
      fmt::format("logarithms{}, {}", plain > 0 ? fmt::format(" of all but {} features", plain) : "", out.description);
}

ViewScaling choose_form(Scaling scaling, const ViewSurvey& survey, const ViewSchema& schema, const ColumnsLook* look) {
  const std::string& name = schema.name;
  ViewScaling out{.known = true, .reason = "asked for"};
  switch (scaling) {
    case Scaling::automatic:
      return choose_automatic(survey, schema, look);
    case Scaling::none:
      out.refuse_negatives = true;
      out.description = "as it is";
      return out;
    case Scaling::total:
      out.clip = true;
      out.factor = survey.total > 0 ? 1 / survey.total : 1;
      out.description = fmt::format("negatives to 0, divided by the total {:.6g}", survey.total);
      return out;
    case Scaling::minmax:
      spread_ranges(survey, out);
      out.description = "each feature to 0 .. 1";
      return out;
    case Scaling::standard:
      spread_deviations(survey, out);
      out.description = "each feature shifted to minimum 0, standard deviation 1";
      return out;
    case Scaling::variance:
      shift_only(survey, out);
      out.description = "each feature shifted to minimum 0, total variance 1";
      return out;
    case Scaling::clr:
      if (survey.log_ratios.empty()) {
        throw Error(ErrorKind::data,
                    fmt::format("view {}: scaling clr is for counts, which are whole and not negative, of at most {} "
                                "features",
                                name, kMostLogRatios));
      }
      take_log_ratios(survey, out);
      out.refuse_negatives = true;
      return out;
    case Scaling::log:
      take_logarithms(look, schema, survey.sparse, out);
      return out;
    case Scaling::l2:
    case Scaling::tfidf:
      out.clip = true;
      out.unit_rows = true;
      if (scaling == Scaling::tfidf) out.gain = inverse_frequency(survey);
      out.description = fmt::format("{}{}rows of length 1", survey.negatives > 0 ? "negatives to 0, " : "",
                                    scaling == Scaling::tfidf ? "tf-idf, " : "");
      return out;
  }
  return out;
}

// The total of every row of the sample in a view whose features are parts of a whole: nearly all of them are positive,
// and all rows have one total. Nothing where they are not, or too few to tell.
std::optional<double> total_of_parts(const ViewSurvey& survey, std::span<const Chunk> rows, std::size_t view) {
  constexpr Index kFewestRows = 20;
  constexpr std::size_t kFewestParts = 3;
  constexpr double kPositiveShare = 0.9;
  constexpr double kAlike = 0.01;
  const double cells = survey.observed * static_cast<double>(survey.sum.size());
  if (survey.sparse || survey.negatives > 0 || survey.fractions == 0 || survey.sum.size() < kFewestParts ||
      survey.entries < kPositiveShare * cells) {
    return std::nullopt;
  }
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  Index counted = 0;
  const auto look = [&](const auto& X) {
    if constexpr (!requires { X.offsets; }) {
      for (Index i = 0; i < X.rows; ++i) {
        double total = 0;
        for (const auto value : X.row(i)) total += static_cast<double>(value);
        if (std::isnan(total)) continue;
        least = std::min(least, total);
        most = std::max(most, total);
        ++counted;
      }
    }
  };
  for (const Chunk& chunk : rows) std::visit(look, chunk.views[view].block);
  if (counted < kFewestRows || !(least > 0) || most > (1 + kAlike) * least) return std::nullopt;
  return (least + most) / 2;
}

}  // namespace

std::vector<double> unscaled(const ViewScaling& scaling, const ViewSurvey& survey, std::vector<double> row) {
  double total = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double shift = scaling.shift.empty() ? 0 : scaling.shift[j];
    const double gain = scaling.factor * (scaling.gain.empty() ? 1 : scaling.gain[j]);
    // A gain of 0 belongs to a feature that has one value only, which the shift holds.
    row[j] = shift + (gain != 0 ? row[j] / gain : 0);
    if (scaling.log_ratios) row[j] = std::exp(row[j]);
    if (!scaling.unit.empty() && scaling.unit[j] > 0) row[j] = scaling.unit[j] * std::expm1(row[j]);
    total += row[j];
  }
  if (!(scaling.unit_rows || scaling.log_ratios) || !(total > 0) || !(survey.observed > 0)) return row;
  const double entries = std::accumulate(survey.sum.begin(), survey.sum.end(), 0.0);
  const double usual = std::max(entries, 0.0) / survey.observed;
  if (scaling.log_ratios) {
    // The ratios are those of the counts plus 1.
    const double each = (usual + static_cast<double>(row.size())) / total;
    for (double& value : row) value = std::max(value * each - 1, 0.0);
    return row;
  }
  for (double& value : row) value *= usual / total;
  return row;
}

bool needs_columns(Scaling scaling, const ViewSurvey& survey, const ViewSchema& schema) {
  if (scaling == Scaling::log) return true;
  if (scaling == Scaling::automatic) return !is_sparse_by_nature(survey, schema);
  const bool by_range = scaling == Scaling::minmax || scaling == Scaling::standard || scaling == Scaling::variance;
  return by_range && share_of_zeros(survey, schema) <= kSparseShare;
}

std::vector<ViewScaling> choose_scalings(const std::vector<Scaling>& asked, const Schema& schema, const Survey& survey,
                                         std::span<const Chunk> rows, std::vector<ViewScaling> before) {
  for (std::size_t v = 0; v < before.size(); ++v) {
    const ViewSurvey& view = survey.views[v];
    if (!(view.observed > 0)) continue;
    Scaling own = of_view(asked, v);
    std::optional<double> total;
    if (own == Scaling::automatic) total = total_of_parts(view, rows, v);
    if (total) own = Scaling::log;
    std::optional<ColumnsLook> look;
    if (needs_columns(own, view, schema.views[v]))
      look = look_at_columns(view, schema.views[v], rows, v, own == Scaling::log);
    before[v] = choose_scaling(own, view, schema.views[v], look ? &*look : nullptr);
    if (!total) continue;
    before[v].description = "composition: " + before[v].description;
    before[v].reason = fmt::format("its rows sum to {:.4g}: parts of a whole, which count by their ratios", *total);
  }
  return before;
}

ViewScaling choose_scaling(Scaling scaling, const ViewSurvey& survey, const ViewSchema& schema,
                           const ColumnsLook* look) {
  check_magnitude(survey, schema.name);
  ViewScaling out = choose_form(scaling, survey, schema, look);
  // Also where no cell is missing yet: later rows may lack some.
  const bool columns = !out.ceiling.empty();
  out.fill = means_of(out.log_ratios ? survey.log_ratios[0] : columns ? look->clean : survey);
  // A scaling that was asked for is what it is called, and what was found in the columns is told all the same.
  if (look != nullptr && !out.log_ratios) out.notes = look->notes;
  bool finite = std::isfinite(out.factor);
  for (const std::vector<double>* values :
       {&out.shift, &out.gain, &out.fill, &out.ceiling, &out.unit, &out.missing_below, &out.missing_above}) {
    finite = finite && std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); });
  }
  if (finite) return out;
  throw Error(ErrorKind::data,
              fmt::format("view {}: its values cannot be brought to scale; give --scaling none", schema.name));
}

}  // namespace omvc
