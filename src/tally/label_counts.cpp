#include "tally/label_counts.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

#include "chunk/presence.hpp"
#include "recipe/recipe.hpp"

namespace omvc {
namespace {

void warn_of_empty(Report& report) {
  std::string empty;
  for (std::size_t k = 0; k < report.cluster_sizes.size(); ++k) {
    if (report.cluster_sizes[k] == 0)
      empty += fmt::format("{}{}", empty.empty() ? "" : ", ", report.cluster_numbers[k]);
  }
  if (empty.empty()) return;
  report.warnings.push_back(fmt::format(
      "No instance is in these of the clusters: number {}. The data show fewer groups than were asked for.", empty));
}

}  // namespace

LabelCounts::LabelCounts(const std::vector<int>& clusters, std::size_t views)
    : tally_(clusters, kOutlier), views_(views) {}

void LabelCounts::add(const ResultRows& rows, std::span<const double> patterns, Sink& sink, Index place) {
  std::map<std::pair<double, int>, Index> sizes;  // by pattern and label
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    tally_.add(place + rows.first_row + static_cast<Index>(i), rows.labels[i],
               rows.confidence.empty() ? kNan : rows.confidence[i], rows.distance.empty() ? kNan : rows.distance[i]);
    if (!std::isnan(patterns[i])) ++sizes[{patterns[i], rows.labels[i]}];
  }
  for (const auto& [kind, size] : sizes) patterns_.add(presence_from(kind.first, views_), kind.second, size);
  sink.write(rows);
}

void LabelCounts::merge(const LabelCounts& other) {
  tally_.merge(other.tally_);
  patterns_.merge(other.patterns_);
}

void LabelCounts::put(Archive& archive) const {
  tally_.save(archive, "tally");
  patterns_.save(archive, "patterns");
}

LabelCounts LabelCounts::get(const Archive& archive, std::size_t views) {
  LabelCounts out({}, views);
  out.tally_ = ClusterTally::load(archive, "tally", kOutlier);
  out.patterns_ = PatternCounts::load(archive, "patterns", views);
  return out;
}

void LabelCounts::report(Report& report) const {
  tally_.report(report);
  warn_of_empty(report);
  patterns_.report(report);
}

}  // namespace omvc
