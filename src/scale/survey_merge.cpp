#include <algorithm>
#include <limits>

#include "scale/log_ratio.hpp"
#include "scale/survey.hpp"

namespace omvc {
namespace {

ViewSurvey survey_of(std::size_t features) {
  ViewSurvey survey;
  survey.minimum.assign(features, std::numeric_limits<double>::infinity());
  survey.maximum.assign(features, -std::numeric_limits<double>::infinity());
  survey.sum.assign(features, 0);
  survey.squares.assign(features, 0);
  survey.nonzeros.assign(features, 0);
  return survey;
}

void add_features(ViewSurvey& to, const ViewSurvey& wider) {
  for (const auto values : kOfFeatures) {
    const auto had = static_cast<std::ptrdiff_t>((to.*values).size());
    (to.*values).insert((to.*values).end(), (wider.*values).begin() + had, (wider.*values).end());
  }
  if (!to.missing.empty()) to.missing.resize(wider.sum.size(), 0);
}

void merge_view(ViewSurvey& to, const ViewSurvey& from) {
  const auto add = [](std::vector<double>& sum, const std::vector<double>& more) {
    if (more.empty()) return;
    sum.resize(more.size(), 0);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += more[j];
  };
  to.observed += from.observed;
  to.entries += from.entries;
  to.negatives += from.negatives;
  to.fractions += from.fractions;
  to.total += from.total;
  to.cells += from.cells;
  to.sparse = to.sparse || from.sparse;
  for (std::size_t j = 0; j < to.sum.size(); ++j) {
    to.minimum[j] = std::min(to.minimum[j], from.minimum[j]);
    to.maximum[j] = std::max(to.maximum[j], from.maximum[j]);
  }
  add(to.sum, from.sum);
  add(to.squares, from.squares);
  add(to.nonzeros, from.nonzeros);
  add(to.missing, from.missing);
  if (from.log_ratios.empty()) to.log_ratios.clear();  // what is not all counts has no log ratios
  if (!to.log_ratios.empty()) merge_view(to.log_ratios[0], from.log_ratios[0]);
}

void decay_view(ViewSurvey& view, double factor) {
  for (double* count : {&view.observed, &view.entries, &view.total, &view.cells}) *count *= factor;
  for (std::vector<double>* values : {&view.sum, &view.squares, &view.nonzeros, &view.missing}) {
    for (double& value : *values) value *= factor;
  }
  for (ViewSurvey& ratios : view.log_ratios) decay_view(ratios, factor);
}

}  // namespace

Survey::Survey(const Schema& schema, bool wanted) : totals(wanted) {
  for (const ViewSchema& view : schema.views) {
    const auto d = static_cast<std::size_t>(view.features);
    views.push_back(survey_of(d));
    if (view.features <= kMostLogRatios) views.back().log_ratios.push_back(survey_of(d));
  }
}

void Survey::widen(const Schema& wider) {
  const Survey more(wider);
  for (std::size_t v = 0; v < more.views.size(); ++v) {
    if (v == views.size()) {
      views.push_back(more.views[v]);
      continue;
    }
    add_features(views[v], more.views[v]);
    if (more.views[v].log_ratios.empty()) views[v].log_ratios.clear();
    if (views[v].log_ratios.empty()) continue;
    // The rows so far have zeros there, which lie about as low as anything of theirs.
    ViewSurvey& ratios = views[v].log_ratios[0];
    const auto had = static_cast<std::ptrdiff_t>(ratios.sum.size());
    add_features(ratios, more.views[v].log_ratios[0]);
    if (!(ratios.observed > 0)) continue;
    const auto added = ratios.minimum.begin() + had;
    const double lowest = *std::min_element(ratios.minimum.begin(), added);
    std::fill(added, ratios.minimum.end(), lowest);
    std::fill(ratios.maximum.begin() + had, ratios.maximum.end(), lowest);
  }
}

void Survey::narrow(const Schema& schema) {
  for (std::size_t v = 0; v < views.size(); ++v) {
    const auto features = static_cast<std::size_t>(schema.views[v].features);
    const auto keep = [&](ViewSurvey& view) {
      for (const auto values : kOfFeatures) (view.*values).resize(features);
      if (!view.missing.empty()) view.missing.resize(features);
    };
    keep(views[v]);
    for (ViewSurvey& ratios : views[v].log_ratios) keep(ratios);
  }
}

void Survey::merge(const Survey& other) {
  instances += other.instances;
  unobserved += other.unobserved;
  for (std::size_t v = 0; v < views.size(); ++v) merge_view(views[v], other.views[v]);
}

void Survey::decay(double factor) {
  instances *= factor;
  unobserved *= factor;
  for (ViewSurvey& view : views) decay_view(view, factor);
}

}  // namespace omvc
