#include "scale/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <variant>

#include "omvc/error.hpp"

namespace omvc {
namespace {

// Above this share of zeros a view is treated as sparse whatever its storage, since its zeros mean "does not occur".
constexpr double kSparseShare = 0.9;

// Smoothed inverse document frequency: ln((1 + n) / (1 + n_j)) + 1.
std::vector<double> inverse_frequency(const ViewSurvey& survey) {
  std::vector<double> gain;
  for (const double count : survey.nonzeros) gain.push_back(std::log((1 + survey.observed) / (1 + count)) + 1);
  return gain;
}

// Variance of a feature over the observed instances.
double variance_of(const ViewSurvey& survey, std::size_t j) {
  const double known = std::max(survey.known(j), 1e-300);
  const double mean = survey.sum[j] / known;
  return std::max(0.0, survey.squares[j] / known - mean * mean);
}

constexpr double kLargest = 1e140;  // whose square, and sums of such squares, are finite
constexpr double kSmallest = 1 / kLargest;

// Every feature shifted to minimum 0 and multiplied by gain(its range, its variance).
template <class F>
void shift_and_scale(const ViewSurvey& survey, ViewScaling& out, const F& gain) {
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    // A feature that is stored for some instances only is zero for the others.
    const double low = survey.nonzeros[j] < survey.known(j) ? std::min(survey.minimum[j], 0.0) : survey.minimum[j];
    const double range = survey.maximum[j] - low;
    out.shift.push_back(std::isfinite(low) ? low : 0);
    out.gain.push_back(range > kSmallest ? gain(range, variance_of(survey, j)) : 0);
  }
  out.refuse_negatives = survey.sparse && survey.negatives > 0;
}

// The factor that brings the view, with the gains it has, to total variance 1.
double equal_variance(const ViewSurvey& survey, const ViewScaling& scaling) {
  double variance = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    variance += variance_of(survey, j) * scaling.gain[j] * scaling.gain[j];
  }
  return variance > 0 ? 1 / std::sqrt(variance) : 1;
}

// The mean of every feature, which stands in for its missing cells.
std::vector<double> means_of(const ViewSurvey& survey) {
  std::vector<double> means;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    means.push_back(survey.known(j) > 0 ? survey.sum[j] / survey.known(j) : 0);
  }
  return means;
}

void check_magnitude(const ViewSurvey& survey, const std::string& name) {
  double largest = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    if (survey.minimum[j] > survey.maximum[j]) continue;  // never seen
    largest = std::max({largest, std::abs(survey.minimum[j]), std::abs(survey.maximum[j])});
  }
  if (largest <= kLargest && (largest == 0 || largest >= kSmallest)) return;
  throw Error(ErrorKind::data, fmt::format("view {}: its largest value is {:.3g}, beyond what can be scaled; bring the "
                                           "view to values between {:.0e} and {:.0e} first",
                                           name, largest, kSmallest, kLargest));
}

ViewScaling choose_automatic(const ViewSurvey& survey) {
  ViewScaling out{.known = true};
  const double cells = survey.observed * static_cast<double>(survey.sum.size());
  const bool mostly_zero = survey.entries < (1 - kSparseShare) * cells;
  if (!mostly_zero && !(survey.sparse && survey.negatives > 0)) {
    shift_and_scale(survey, out, [](double range, double) { return 1 / range; });
    out.factor = equal_variance(survey, out);
    out.description = "dense: each feature to 0 .. 1, total variance 1";
    return out;
  }
  out.clip = true;
  out.unit_rows = true;
  if (survey.fractions == 0 && survey.negatives == 0) {
    out.gain = inverse_frequency(survey);
    out.description = "sparse counts: tf-idf, rows of length 1";
  } else {
    out.description = fmt::format("sparse weights: {}rows of length 1", survey.negatives > 0 ? "negatives to 0, " : "");
  }
  return out;
}

// Calls f(entry value, feature) for the entries of row i.
template <class B, class F>
void for_row(B& X, Index i, const F& f) {
  auto* values = X.values.data();
  if constexpr (requires { X.offsets; }) {
    for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
      f(values[e], static_cast<std::size_t>(X.columns[e]));
    }
  } else {
    const auto d = static_cast<std::size_t>(X.cols);
    for (std::size_t j = 0; j < d; ++j) f(values[static_cast<std::size_t>(i) * d + j], j);
  }
}

// Whether the scaling leaves finite values as they are.
bool changes_nothing(const ViewScaling& scaling) {
  return !scaling.clip && !scaling.unit_rows && scaling.factor == 1 && scaling.shift.empty() && scaling.gain.empty();
}

// Features shifted and stretched, without regard to the rest of the row: most dense views.
template <class T>
void apply_by_feature(const ViewScaling& scaling, bool keep_sign, DenseBlock<T>& X) {
  const auto d = static_cast<std::size_t>(X.cols);
  std::vector<double> shift = scaling.shift;
  std::vector<double> gain = scaling.gain;
  shift.resize(d, 0.0);
  gain.resize(d, 1.0);
  std::vector<double> fill = scaling.fill;  // which models of older versions may lack
  fill.resize(d, 0.0);
  const double least = keep_sign ? -std::numeric_limits<double>::infinity() : 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(X.rows); ++i) {
    T* row = X.values.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) {
      const double cell = row[j] == row[j] ? static_cast<double>(row[j]) : fill[j];
      const double x = (cell - shift[j]) * gain[j];
      row[j] = static_cast<T>((x < least ? least : x) * scaling.factor);
    }
  }
}

// `refuse(i)` reports that row i holds a negative value that the scaling does not allow.
template <class B, class Refuse>
Index apply(const ViewScaling& scaling, B& X, const Refuse& refuse) {
  using T = typename B::Scalar;
  Index clipped = 0;
  if (changes_nothing(scaling)) {
    const B& same = X;  // which may be lent, and stays so
    bool gaps = false;
    for (Index i = 0; i < same.rows; ++i) {
      for_row(same, i, [&](const T& entry, std::size_t) {
        gaps = gaps || entry != entry;
        if (scaling.refuse_negatives && entry < 0) refuse(i);
      });
    }
    if (!gaps) return 0;
  }
  const bool keep_sign = !scaling.clip && !scaling.refuse_negatives && scaling.shift.empty();
  if constexpr (requires(const B& block) { block.row(0); }) {
    if (!scaling.clip && !scaling.refuse_negatives && !scaling.unit_rows) {
      apply_by_feature(scaling, keep_sign, X);
      return 0;
    }
  }
  for (Index i = 0; i < X.rows; ++i) {
    double squares = 0;
    for_row(X, i, [&](T& entry, std::size_t j) {
      auto x = static_cast<double>(entry);
      if (x != x) x = scaling.fill.empty() ? 0 : scaling.fill[j];
      if (scaling.refuse_negatives && x < 0) refuse(i);
      if (scaling.clip && x < 0) {
        x = 0;
        ++clipped;
      }
      if (!scaling.shift.empty()) x -= scaling.shift[j];
      if (!scaling.gain.empty()) x *= scaling.gain[j];
      // A new instance may lie below the range of those the scaling was chosen on.
      if (!keep_sign) x = std::max(x, 0.0);
      squares += x * x;
      entry = static_cast<T>(scaling.unit_rows ? x : x * scaling.factor);
    });
    if (!scaling.unit_rows) continue;
    const double factor = scaling.factor * (squares > 0 ? 1 / std::sqrt(squares) : 1);
    for_row(X, i, [&](T& entry, std::size_t) { entry = static_cast<T>(static_cast<double>(entry) * factor); });
  }
  return clipped;
}

ViewScaling choose_form(Scaling scaling, const ViewSurvey& survey) {
  ViewScaling out{.known = true};
  switch (scaling) {
    case Scaling::automatic:
      return choose_automatic(survey);
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
      shift_and_scale(survey, out, [](double range, double) { return 1 / range; });
      out.description = "each feature to 0 .. 1";
      return out;
    case Scaling::standard:
      shift_and_scale(survey, out, [](double, double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 0; });
      out.description = "each feature shifted to minimum 0, standard deviation 1";
      return out;
    case Scaling::variance:
      shift_and_scale(survey, out, [](double, double) { return 1.0; });
      out.factor = equal_variance(survey, out);
      out.description = "each feature shifted to minimum 0, total variance 1";
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

}  // namespace

std::vector<double> unscaled(const ViewScaling& scaling, const ViewSurvey& survey, std::vector<double> row) {
  double total = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double shift = scaling.shift.empty() ? 0 : scaling.shift[j];
    const double gain = scaling.factor * (scaling.gain.empty() ? 1 : scaling.gain[j]);
    // A gain of 0 belongs to a feature that has one value only, which the shift holds.
    row[j] = shift + (gain != 0 ? row[j] / gain : 0);
    total += row[j];
  }
  if (!scaling.unit_rows || !(total > 0) || !(survey.observed > 0)) return row;
  const double entries = std::accumulate(survey.sum.begin(), survey.sum.end(), 0.0);
  for (double& value : row) value *= std::max(entries, 0.0) / survey.observed / total;
  return row;
}

ViewScaling choose_scaling(Scaling scaling, const ViewSurvey& survey, const std::string& name) {
  check_magnitude(survey, name);
  ViewScaling out = choose_form(scaling, survey);
  // Also where no cell is missing yet: later rows may lack some.
  out.fill = means_of(survey);
  bool finite = std::isfinite(out.factor);
  for (const std::vector<double>* values : {&out.shift, &out.gain, &out.fill}) {
    finite = finite && std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); });
  }
  if (finite) return out;
  throw Error(ErrorKind::data,
              fmt::format("view {}: its values cannot be brought to scale; give --scaling none", name));
}

void check_magnitudes(const Chunk& chunk, const Schema& schema) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto check = [&](const auto& X) {
      const auto too_large = [](auto x) { return std::abs(static_cast<double>(x)) > kLargest; };
      const auto found = std::find_if(X.values.begin(), X.values.end(), too_large);
      if (found == X.values.end()) return;
      const Index at = found - X.values.begin();
      Index row = at / std::max<Index>(X.cols, 1);
      if constexpr (requires { X.offsets; }) {
        row = std::upper_bound(X.offsets.begin(), X.offsets.end(), at) - X.offsets.begin() - 1;
      }
      throw Error(
          ErrorKind::data,
          fmt::format("view {}, row {}: {:.3g} is too large to be squared: bring the view to values below {:.0e} first",
                      schema.views[v].name,
                      chunk.rows[static_cast<std::size_t>(chunk.views[v].present[static_cast<std::size_t>(row)])],
                      static_cast<double>(*found), kLargest));
    };
    std::visit(check, chunk.views[v].block);
  }
}

std::vector<Index> apply_scaling(const std::vector<ViewScaling>& scaling, const Schema& schema, Chunk& chunk) {
  std::vector<Index> clipped;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto refuse = [&](Index i) {
      const Index row = chunk.rows[static_cast<std::size_t>(chunk.views[v].present[static_cast<std::size_t>(i)])];
      throw Error(
          ErrorKind::data,
          fmt::format(
              "view {}, row {}: a negative value, which a nonnegative factorisation cannot represent; choose "
              "scaling auto, minmax or standard (shift dense views), or l2, tfidf or total (set negatives to 0)",
              schema.views[v].name, row));
    };
    clipped.push_back(std::visit([&](auto& X) { return apply(scaling[v], X, refuse); }, chunk.views[v].block));
  }
  return clipped;
}

void clamp_to_narrow(Chunk& chunk) {
  for (ChunkView& view : chunk.views) {
    std::visit(
        [](auto& X) {
          using Number = typename std::remove_reference_t<decltype(X)>::Scalar;
          constexpr auto kFar = static_cast<Number>(kNarrowValue);
          const auto& same = X.values;  // reading through this makes no copy of what is lent
          if (std::none_of(same.begin(), same.end(), [](Number x) { return std::abs(x) > kFar; })) return;
          for (Number& x : X.values.own()) x = std::clamp(x, -kFar, kFar);
        },
        view.block);
  }
}

}  // namespace omvc
