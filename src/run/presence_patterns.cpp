#include "run/presence_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMaxViews = 52;     // bits that a double holds exactly
constexpr std::size_t kCounted = 1024;    // patterns told apart, so that memory is bounded; further ones are left out
constexpr std::size_t kMaxPatterns = 64;  // reported
constexpr double kFollows = 0.3;          // NMI of pattern and cluster above which the user is warned

}  // namespace

PresencePatterns::PresencePatterns(std::size_t views, const RowFolder& folder)
    : views_(views), store_(folder.open("patterns", 1)) {}

void PresencePatterns::remember(const Chunk& chunk) {
  if (views_ > kMaxViews) return;
  std::vector<double> patterns(chunk.rows.size(), 0);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    for (const Index at : chunk.views[v].present)
      patterns[static_cast<std::size_t>(at)] += std::ldexp(1.0, static_cast<int>(v));
  }
  store_->write(chunk.rows, patterns.data());
}

void PresencePatterns::count(Index first, const std::vector<int>& labels) {
  if (views_ > kMaxViews) return;
  std::vector<double> patterns(labels.size());
  store_->read(first, static_cast<Index>(labels.size()), patterns.data());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || std::isnan(patterns[i])) continue;
    const auto pattern = static_cast<std::uint64_t>(patterns[i]);
    if (counts_.size() >= kCounted && !counts_.contains(pattern)) continue;
    ++counts_[pattern][labels[i]];
  }
}

void PresencePatterns::report(Report& report) const {
  Contingency together;
  int number = 0;
  for (const auto& [bits, sizes] : counts_) {
    PatternReport pattern;
    for (std::size_t v = 0; v < views_; ++v) pattern.present.push_back((bits >> v & 1u) != 0);
    for (const int cluster : report.cluster_numbers) {
      const auto found = sizes.find(cluster);
      pattern.cluster_sizes.push_back(found == sizes.end() ? 0 : found->second);
      pattern.instances += pattern.cluster_sizes.back();
      together.add(cluster, number, pattern.cluster_sizes.back());
    }
    report.patterns.push_back(std::move(pattern));
    ++number;
  }
  std::stable_sort(report.patterns.begin(), report.patterns.end(),
                   [](const PatternReport& a, const PatternReport& b) { return a.instances > b.instances; });
  if (counts_.size() > 1 && together.scored() > 0) report.pattern_nmi = score(together).nmi_geometric;
  if (report.patterns.size() > kMaxPatterns) report.patterns.resize(kMaxPatterns);
  if (report.pattern_nmi > kFollows) {
    report.warnings.push_back(fmt::format(
        "The clusters follow which views are present (NMI {:.2f} of presence pattern and cluster): look at the "
        "table of patterns before trusting them; scaling or fewer views may help.",
        report.pattern_nmi));
  }
}

}  // namespace omvc
