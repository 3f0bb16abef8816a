#include "run/presence_patterns.hpp"

#include <cmath>

#include "report/pattern_counts.hpp"

namespace omvc {
PresencePatterns::PresencePatterns(std::size_t views, const RowFolder& folder)
    : views_(views), store_(folder.open("patterns", 1)) {}

void PresencePatterns::remember(const Chunk& chunk) {
  if (views_ > PatternCounts::kMostViews) return;
  std::vector<double> patterns(chunk.rows.size(), 0);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    for (const Index at : chunk.views[v].present)
      patterns[static_cast<std::size_t>(at)] += std::ldexp(1.0, static_cast<int>(v));
  }
  store_->write(chunk.rows, patterns.data());
}

void PresencePatterns::count(Index first, const std::vector<int>& labels) {
  if (views_ > PatternCounts::kMostViews) return;
  std::vector<double> patterns(labels.size());
  store_->read(first, static_cast<Index>(labels.size()), patterns.data());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || std::isnan(patterns[i])) continue;
    const auto bits = static_cast<std::uint64_t>(patterns[i]);
    if (counts_.size() >= PatternCounts::kCounted && !counts_.contains(bits)) continue;
    ++counts_[bits][labels[i]];
  }
}

void PresencePatterns::report(Report& report) const {
  PatternCounts counts;
  for (const auto& [bits, sizes] : counts_) {
    std::vector<bool> present(views_);
    for (std::size_t v = 0; v < views_; ++v) present[v] = (bits >> v & 1u) != 0;
    for (const auto& [label, size] : sizes) counts.add(present, label, size);
  }
  counts.report(report);
}

}  // namespace omvc
