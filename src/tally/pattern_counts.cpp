#include "tally/pattern_counts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "chunk/presence.hpp"

namespace omvc {
namespace {

constexpr std::size_t kMaxPatterns = 64;  // reported
constexpr double kFollows = 0.3;          // NMI of pattern and cluster above which the user is warned

}  // namespace

void PatternCounts::add(const std::vector<bool>& present, int label, Index count) {
  if (label < 0) return;
  if (counts_.size() >= kCounted && counts_.rbegin()->first < present) return;
  counts_[present][label] += count;
  if (counts_.size() > kCounted) counts_.erase(std::prev(counts_.end()));
}

void PatternCounts::merge(const PatternCounts& other) {
  for (const auto& [present, sizes] : other.counts_) {
    for (const auto& [label, size] : sizes) add(present, label, size);
  }
}

// Of every pattern and label: the bits of the pattern, the label, the instances.
void PatternCounts::save(Archive& archive, const std::string& key) const {
  std::vector<Index> numbers;
  for (const auto& [present, sizes] : counts_) {
    Index bits = 0;
    for (std::size_t v = 0; v < present.size(); ++v) bits |= Index{present[v]} << v;
    for (const auto& [label, size] : sizes) numbers.insert(numbers.end(), {bits, label, size});
  }
  archive.put(key, std::move(numbers));
}

PatternCounts PatternCounts::load(const Archive& archive, const std::string& key, std::size_t views) {
  const std::vector<Index>& numbers = archive.integers(key);
  PatternCounts out;
  bool sound = numbers.size() % 3 == 0 && (views <= kMostPatternViews || numbers.empty());
  for (std::size_t i = 0; sound && i < numbers.size(); i += 3) {
    const auto bits = static_cast<std::uint64_t>(numbers[i]);
    sound = bits >> views == 0 && numbers[i + 1] >= 0 && numbers[i + 1] <= std::numeric_limits<int>::max() &&
            numbers[i + 2] >= 0;
    if (sound)
      out.add(presence_from(static_cast<double>(bits), views), static_cast<int>(numbers[i + 1]), numbers[i + 2]);
  }
  if (!sound) throw Error(ErrorKind::data, "what was counted of presence patterns contradicts itself");
  return out;
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
