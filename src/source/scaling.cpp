#include "source/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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

// Every feature to 0 .. 1, and the view to total variance 1.
void scale_to_range(const ViewSurvey& survey, ViewScaling& out) {
  double variance = 0;
  for (std::size_t j = 0; j < survey.sum.size(); ++j) {
    // A feature that is stored for some instances only is zero for the others.
    const double low = survey.nonzeros[j] < survey.observed ? std::min(survey.minimum[j], 0.0) : survey.minimum[j];
    const double range = survey.maximum[j] - low;
    out.shift.push_back(std::isfinite(low) ? low : 0);
    out.gain.push_back(range > 0 ? 1 / range : 0);
    const double mean = survey.sum[j] / survey.observed;
    variance += std::max(0.0, survey.squares[j] / survey.observed - mean * mean) * out.gain[j] * out.gain[j];
  }
  out.factor = variance > 0 ? 1 / std::sqrt(variance) : 1;
}

ViewScaling choose_automatic(const ViewSurvey& survey) {
  ViewScaling out{.known = true};
  const double cells = survey.observed * static_cast<double>(survey.sum.size());
  const bool mostly_zero = survey.entries < (1 - kSparseShare) * cells;
  if (!mostly_zero && !(survey.sparse && survey.negatives > 0)) {
    scale_to_range(survey, out);
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
  if constexpr (requires { X.offsets; }) {
    for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
      f(X.values[e], static_cast<std::size_t>(X.columns[e]));
    }
  } else {
    const auto d = static_cast<std::size_t>(X.cols);
    for (std::size_t j = 0; j < d; ++j) f(X.values[static_cast<std::size_t>(i) * d + j], j);
  }
}

// `refuse(i)` reports that row i holds a negative value that the scaling does not allow.
template <class B, class Refuse>
Index apply(const ViewScaling& scaling, B& X, const Refuse& refuse) {
  using T = typename B::Scalar;
  Index clipped = 0;
  const bool keep_sign = !scaling.clip && !scaling.refuse_negatives && scaling.shift.empty();
  for (Index i = 0; i < X.rows; ++i) {
    double squares = 0;
    for_row(X, i, [&](T& entry, std::size_t j) {
      auto x = static_cast<double>(entry);
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
      entry = static_cast<T>(x);
    });
    const double factor = scaling.factor * (scaling.unit_rows && squares > 0 ? 1 / std::sqrt(squares) : 1);
    if (factor == 1) continue;
    for_row(X, i, [&](T& entry, std::size_t) { entry = static_cast<T>(static_cast<double>(entry) * factor); });
  }
  return clipped;
}

}  // namespace

ViewScaling choose_scaling(Scaling scaling, const ViewSurvey& survey) {
  if (scaling == Scaling::automatic) return choose_automatic(survey);
  if (scaling == Scaling::total) {
    ViewScaling out{.known = true, .clip = true, .factor = survey.total > 0 ? 1 / survey.total : 1};
    out.description = fmt::format("negatives to 0, divided by the total {:.6g}", survey.total);
    return out;
  }
  return {.known = true, .refuse_negatives = true, .description = "as it is"};
}

std::vector<Index> apply_scaling(const std::vector<ViewScaling>& scaling, const Schema& schema, Chunk& chunk) {
  std::vector<Index> clipped;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const auto refuse = [&](Index i) {
      const Index row = chunk.rows[static_cast<std::size_t>(chunk.views[v].present[static_cast<std::size_t>(i)])];
      throw Error(
          ErrorKind::data,
          fmt::format("view {}, row {}: a negative value, which a nonnegative factorisation cannot represent; choose "
                      "scaling auto (shifts dense views) or total (sets negatives to 0)",
                      schema.views[v].name, row));
    };
    clipped.push_back(std::visit([&](auto& X) { return apply(scaling[v], X, refuse); }, chunk.views[v].block));
  }
  return clipped;
}

}  // namespace omvc
