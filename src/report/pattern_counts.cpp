#include "report/pattern_counts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMaxPatterns = 64;  // reported
constexpr double kFollows = 0.3;          // NMI of pattern and cluster above which the user is warned

}  // namespace

void PatternCounts::add(const std::vector<bool>& present, int label, Index count) {
  if (label < 0) return;
  if (counts_.size() >= kCounted && !counts_.contains(present)) return;
  counts_[present][label] += count;
}

void PatternCounts::report(Report& report) const {
  Contingency together;
  int number = 0;
  for (const auto& [present, sizes] : counts_) {
    PatternReport pattern{.present = present, .instances = 0, .cluster_sizes = {}};
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
