#include "scale/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace omvc {
namespace {

void add_entry(ViewSurvey& view, std::size_t feature, double x) {
  if (std::isnan(x)) {
    view.cells += 1;
    view.missing.resize(view.sum.size(), 0);
    view.missing[feature] += 1;
    return;
  }
  view.minimum[feature] = std::min(view.minimum[feature], x);
  view.maximum[feature] = std::max(view.maximum[feature], x);
  if (x == 0) return;
  view.entries += 1;
  view.nonzeros[feature] += 1;
  view.sum[feature] += x;
  view.squares[feature] += x * x;
  if (x < 0) {
    view.negatives += 1;
  } else {
    view.total += x;
  }
  if (x != std::floor(x)) view.fractions += 1;
}

}  // namespace

Survey::Survey(const Schema& schema) {
  for (const ViewSchema& view : schema.views) {
    const auto d = static_cast<std::size_t>(view.features);
    ViewSurvey survey;
    survey.minimum.assign(d, std::numeric_limits<double>::infinity());
    survey.maximum.assign(d, -std::numeric_limits<double>::infinity());
    survey.sum.assign(d, 0);
    survey.squares.assign(d, 0);
    survey.nonzeros.assign(d, 0);
    views.push_back(std::move(survey));
  }
}

void Survey::widen(const Schema& wider) {
  const Survey more(wider);
  for (std::size_t v = 0; v < more.views.size(); ++v) {
    if (v == views.size()) {
      views.push_back(more.views[v]);
      continue;
    }
    const std::size_t d = more.views[v].sum.size();
    for (const auto values :
         {&ViewSurvey::minimum, &ViewSurvey::maximum, &ViewSurvey::sum, &ViewSurvey::squares, &ViewSurvey::nonzeros}) {
      const std::size_t had = (views[v].*values).size();
      (views[v].*values)
          .insert((views[v].*values).end(), (more.views[v].*values).begin() + static_cast<std::ptrdiff_t>(had),
                  (more.views[v].*values).end());
    }
    if (!views[v].missing.empty()) views[v].missing.resize(d, 0);
  }
}

void Survey::add(const Chunk& chunk) {
  std::vector<bool> seen(chunk.rows.size(), false);
  for (std::size_t v = 0; v < views.size(); ++v) {
    ViewSurvey& view = views[v];
    view.observed += static_cast<double>(chunk.views[v].present.size());
    for (const Index at : chunk.views[v].present) seen[static_cast<std::size_t>(at)] = true;
    std::visit(
        [&](const auto& X) {
          if constexpr (requires { X.offsets; }) {
            view.sparse = true;
            for (std::size_t e = 0; e < X.values.size(); ++e) {
              add_entry(view, static_cast<std::size_t>(X.columns[e]), static_cast<double>(X.values[e]));
            }
          } else {
            const auto d = static_cast<std::size_t>(X.cols);
            for (std::size_t e = 0; e < X.values.size(); ++e) add_entry(view, e % d, static_cast<double>(X.values[e]));
          }
        },
        chunk.views[v].block);
  }
  instances += static_cast<double>(chunk.size());
  unobserved += static_cast<double>(std::count(seen.begin(), seen.end(), false));
}

void Survey::merge(const Survey& other) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    if (from.empty()) return;
    to.resize(from.size(), 0);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j];
  };
  instances += other.instances;
  unobserved += other.unobserved;
  for (std::size_t v = 0; v < views.size(); ++v) {
    ViewSurvey& to = views[v];
    const ViewSurvey& from = other.views[v];
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
  }
}

void Survey::decay(double factor) {
  instances *= factor;
  unobserved *= factor;
  for (ViewSurvey& view : views) {
    for (double* count : {&view.observed, &view.entries, &view.total, &view.cells}) *count *= factor;
    for (std::vector<double>* values : {&view.sum, &view.squares, &view.nonzeros, &view.missing}) {
      for (double& value : *values) value *= factor;
    }
  }
}

}  // namespace omvc
