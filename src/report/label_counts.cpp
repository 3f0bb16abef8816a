#include "report/label_counts.hpp"

#include <fmt/format.h>

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
      "Clusters without any instance: {}. The data have fewer distinct groups than were asked for.", empty));
}

}  // namespace

void LabelCounts::merge(const LabelCounts& other) {
  tally.merge(other.tally);
  patterns.merge(other.patterns);
}

void LabelCounts::put(Archive& archive) const {
  tally.save(archive, "tally");
  patterns.save(archive, "patterns");
}

LabelCounts LabelCounts::get(const Archive& archive, double outlier, std::size_t views) {
  return {.tally = Tally::load(archive, "tally", outlier), .patterns = PatternCounts::load(archive, "patterns", views)};
}

void LabelCounts::report(Report& report) const {
  tally.report(report);
  warn_of_empty(report);
  patterns.report(report);
}

}  // namespace omvc
