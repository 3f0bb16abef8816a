#include "tally/presence_patterns.hpp"

#include <gtest/gtest.h>

#include "support/collected.hpp"
#include "support/random_data.hpp"
#include "tally/label_counts.hpp"

namespace omvc {
namespace {

// Sixty instances of two views: the first twenty have both, the next only the first, the others only the second.
Chunk make_chunk() {
  Chunk chunk{test::iota(60), {}};
  std::vector<Index> first = test::iota(40), second = test::iota(20);
  for (Index i = 40; i < 60; ++i) second.push_back(i);
  chunk.views.push_back({test::dense_block<double>(Matrix::Ones(40, 2)), first});
  chunk.views.push_back({test::dense_block<double>(Matrix::Ones(40, 3)), second});
  return chunk;
}

TEST(PresencePatterns, WarnsWhereClustersFollowWhatIsMissing) {
  PresencePatterns patterns(2, {});
  patterns.remember(make_chunk());
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(i / 20);
  LabelCounts counts({0, 1, 2}, 2);
  test::Collected results;
  counts.add({.first_row = 0, .labels = labels, .embedding = {}}, patterns.read(0, 60), results);
  Report report;
  counts.report(report);
  ASSERT_EQ(report.patterns.size(), 3u);
  EXPECT_NEAR(report.pattern_nmi, 1, 1e-12);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("which views are present"), std::string::npos);
}

TEST(PresencePatterns, CountsClustersByPatternAndIsSilentWhereTheyAreIndependent) {
  PresencePatterns patterns(2, {});
  patterns.remember(make_chunk());
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(i % 2);
  labels[0] = -1;
  LabelCounts counts({0, 1}, 2);
  test::Collected results;
  counts.add({.first_row = 0, .labels = labels, .embedding = {}}, patterns.read(0, 60), results);
  Report report;
  counts.report(report);
  ASSERT_EQ(report.patterns.size(), 3u);
  Index both = 0;
  for (const PatternReport& pattern : report.patterns) {
    if (pattern.present == std::vector<bool>{true, true}) both = pattern.instances;
    EXPECT_EQ(pattern.cluster_sizes.size(), 2u);
  }
  EXPECT_EQ(both, 19) << "an instance without a label is not counted";
  EXPECT_LT(report.pattern_nmi, 0.01);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(PatternCounts, OfTooManyPatternsTheSameAreToldApartInAnyOrder) {
  constexpr std::size_t kViews = 12;  // 4,096 patterns
  const auto of_bits = [](Index bits) {
    std::vector<bool> present(kViews);
    for (std::size_t v = 0; v < kViews; ++v) present[v] = (bits >> v & 1) != 0;
    return present;
  };
  constexpr Index kAll = 3 * 4096;
  const auto report_of = [&](const std::vector<Index>& order, std::size_t parts) {
    std::vector<PatternCounts> counts(parts);
    for (std::size_t i = 0; i < order.size(); ++i) {
      counts[i * parts / order.size()].add(of_bits(order[i] % 4096), static_cast<int>(order[i] / 4096));
    }
    for (std::size_t p = 1; p < parts; ++p) counts[0].merge(counts[p]);
    Report report;
    report.cluster_numbers = {0, 1, 2};
    counts[0].report(report);
    return report;
  };
  std::vector<Index> order = test::iota(kAll);
  const Report expected = report_of(order, 1);
  for (Index& at : order) at = at * 7919 % kAll;
  for (const std::size_t parts : {1u, 2u, 5u}) {
    const Report other = report_of(order, parts);
    EXPECT_EQ(other.pattern_nmi, expected.pattern_nmi);
    ASSERT_EQ(other.patterns.size(), expected.patterns.size());
    for (std::size_t i = 0; i < expected.patterns.size(); ++i) {
      EXPECT_EQ(other.patterns[i].present, expected.patterns[i].present);
      EXPECT_EQ(other.patterns[i].cluster_sizes, expected.patterns[i].cluster_sizes);
    }
  }
}

}  // namespace
}  // namespace omvc
