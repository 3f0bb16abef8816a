#include "run/presence_patterns.hpp"

#include <gtest/gtest.h>

#include "support/random_data.hpp"

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
  patterns.count(0, labels);
  Report report;
  report.cluster_numbers = {0, 1, 2};
  patterns.report(report);
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
  patterns.count(0, labels);
  Report report;
  report.cluster_numbers = {0, 1};
  patterns.report(report);
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

}  // namespace
}  // namespace omvc
