#include "run/presence_patterns.hpp"

#include <cmath>
#include <map>
#include <utility>

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

void PresencePatterns::count(Index first, const std::vector<int>& labels, PatternCounts& counts) const {
  if (views_ > PatternCounts::kMostViews) return;
  std::vector<double> patterns(labels.size());
  store_->read(first, static_cast<Index>(labels.size()), patterns.data());
  std::map<std::pair<std::uint64_t, int>, Index> sizes;  // by pattern and label
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!std::isnan(patterns[i])) ++sizes[{static_cast<std::uint64_t>(patterns[i]), labels[i]}];
  }
  for (const auto& [kind, size] : sizes) {
    std::vector<bool> present(views_);
    for (std::size_t v = 0; v < views_; ++v) present[v] = (kind.first >> v & 1u) != 0;
    counts.add(present, kind.second, size);
  }
}

}  // namespace omvc
