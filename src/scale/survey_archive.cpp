#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "scale/scaling.hpp"
#include "scale/survey_blocks.hpp"

namespace omvc {
namespace {

constexpr double kSlack = 1 + 1e-6;  // counts that decay are rounded each on its own

// Counts that contradict each other would be divided by, or give a scaling that is none. Negatives and fractions only
// tell the kind of the view, which a half-life does not forget, so they may be more than the entries that still count.
void check_survey(const ViewSurvey& view, const std::string& name) {
  bool sound = view.observed <= kCount.high && view.cells <= kCount.high;
  for (std::size_t j = 0; j < view.sum.size(); ++j) {
    const bool seen = view.minimum[j] <= view.maximum[j];
    const bool sensible = seen ? std::max(std::abs(view.minimum[j]), std::abs(view.maximum[j])) <= kLargestValue &&
                                     std::abs(view.sum[j]) <= kLargestValue * std::max(view.observed, 1.0) &&
                                     view.squares[j] <= kLargestValue * kLargestValue * std::max(view.observed, 1.0)
                               : view.nonzeros[j] == 0 && view.sum[j] == 0 && view.squares[j] == 0;
    const double counted = view.nonzeros[j] + (view.missing.empty() ? 0 : view.missing[j]);
    sound = sound && sensible && counted <= view.observed * kSlack;
  }
  if (!sound) throw Error(ErrorKind::data, fmt::format("what the model knows of view {} contradicts itself", name));
}

void put_view(Archive& archive, const std::string& name, const ViewSurvey& view) {
  archive.put(name + "/counts", std::vector<double>{view.observed, view.entries, view.negatives, view.fractions,
                                                    view.total, view.cells, view.sparse ? 1.0 : 0.0});
  archive.put(name + "/minimum", view.minimum);
  archive.put(name + "/maximum", view.maximum);
  archive.put(name + "/sum", view.sum);
  archive.put(name + "/squares", view.squares);
  archive.put(name + "/nonzeros", view.nonzeros);
  archive.put(name + "/missing", view.missing);
}

void get_view(const Archive& archive, const std::string& name, const ViewSchema& schema, ViewSurvey& view) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr Range kExtremes{-kInfinite, kInfinite};  // infinite for a feature that was never seen
  const Vector counts = archive.vector(name + "/counts", 7, kNonnegative);
  view.observed = counts(0);
  view.entries = counts(1);
  view.negatives = counts(2);
  view.fractions = counts(3);
  view.total = counts(4);
  view.cells = counts(5);
  view.sparse = counts(6) != 0;
  const auto values = [&](const char* entry, Range range) {
    const Vector stored = archive.vector(name + entry, schema.features, range);
    return std::vector<double>(stored.begin(), stored.end());
  };
  view.minimum = values("/minimum", kExtremes);
  view.maximum = values("/maximum", kExtremes);
  view.sum = values("/sum", kFinite);
  view.squares = values("/squares", kNonnegative);
  view.nonzeros = values("/nonzeros", kCount);
  if (!archive.numbers(name + "/missing").empty()) view.missing = values("/missing", kCount);
  check_survey(view, schema.name);
}

}  // namespace

void put_survey(Archive& archive, const std::string& key, const Survey& survey) {
  archive.put(key + "/instances", std::vector<double>{survey.instances, survey.unobserved});
  for (std::size_t v = 0; v < survey.views.size(); ++v) {
    const std::string name = fmt::format("{}/view{}", key, v);
    put_view(archive, name, survey.views[v]);
    for (const ViewSurvey& ratios : survey.views[v].log_ratios) put_view(archive, name + "/log_ratios", ratios);
  }
}

Survey get_survey(const Archive& archive, const std::string& key, const Schema& schema) {
  Survey survey(schema);
  const Vector instances = archive.vector(key + "/instances", 2, kCount);
  survey.instances = instances(0);
  survey.unobserved = instances(1);
  for (std::size_t v = 0; v < survey.views.size(); ++v) {
    ViewSurvey& view = survey.views[v];
    const std::string name = fmt::format("{}/view{}", key, v);
    get_view(archive, name, schema.views[v], view);
    // A file may be older than log ratios, and then nothing is known of those of its rows.
    if (!archive.has(name + "/log_ratios/counts")) view.log_ratios.clear();
    if (view.negatives > 0 || view.fractions > 0) view.log_ratios.clear();
    for (ViewSurvey& ratios : view.log_ratios) get_view(archive, name + "/log_ratios", schema.views[v], ratios);
    if (!(view.observed <= (survey.instances - survey.unobserved) * kSlack)) {
      throw Error(ErrorKind::data,
                  fmt::format("what the model knows of view {} contradicts '{}/instances'", schema.views[v].name, key));
    }
  }
  return survey;
}

}  // namespace omvc
