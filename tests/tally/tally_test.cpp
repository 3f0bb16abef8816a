#include "tally/tally.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace omvc {
namespace {

struct Labelled {
  Index row;
  int label;
  double confidence;
  double distance;
};

std::vector<Labelled> some_labels(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Labelled> all;
  for (Index row = 0; row < 500; ++row) {
    // Few different values, so that there are ties.
    const int label = static_cast<int>(random() % 5) - 1;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    all.push_back({row, label, label < 0 ? nan : static_cast<double>(random() % 11) / 10,
                   label < 0 ? nan : static_cast<double>(random() % 40) / 8});
  }
  return all;
}

Report tally(const std::vector<Labelled>& all) {
  ClusterTally counted({0, 1, 2, 3, 9}, 3);
  for (const Labelled& one : all) counted.add(one.row, one.label, one.confidence, one.distance);
  Report report;
  counted.report(report);
  return report;
}

std::vector<Index> rows_of(const std::vector<Notable>& notables) {
  std::vector<Index> rows;
  for (const Notable& one : notables) rows.push_back(one.row);
  return rows;
}

TEST(Tally, CountsWhatANaiveCountCounts) {
  const std::vector<Labelled> all = some_labels(1);
  const Report report = tally(all);
  EXPECT_EQ(report.cluster_numbers, (std::vector<int>{0, 1, 2, 3, 9})) << "one without instances is told";
  double confident = 0;
  Index labelled = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    std::vector<Labelled> own;
    for (const Labelled& one : all) {
      if (one.label == report.cluster_numbers[k]) own.push_back(one);
    }
    double sum = 0;
    for (const Labelled& one : own) sum += one.confidence;
    confident += sum;
    labelled += static_cast<Index>(own.size());
    EXPECT_EQ(report.cluster_sizes[k], static_cast<Index>(own.size()));
    if (!own.empty()) {
      EXPECT_NEAR(report.cluster_members[k].confidence, sum / static_cast<double>(own.size()), 1e-12);
    }
    std::sort(own.begin(), own.end(), [](const Labelled& a, const Labelled& b) {
      return std::tuple(-a.confidence, a.distance, a.row) < std::tuple(-b.confidence, b.distance, b.row);
    });
    const std::vector<Index> typical = rows_of(report.cluster_members[k].typical);
    ASSERT_EQ(typical.size(), std::min(own.size(), ClusterTally::kMembers));
    for (std::size_t i = 0; i < typical.size(); ++i) EXPECT_EQ(typical[i], own[i].row);
    std::sort(own.begin(), own.end(), [](const Labelled& a, const Labelled& b) {
      return std::tuple(a.confidence, -a.distance, a.row) < std::tuple(b.confidence, -b.distance, b.row);
    });
    const std::vector<Index> borderline = rows_of(report.cluster_members[k].borderline);
    for (std::size_t i = 0; i < borderline.size(); ++i) EXPECT_EQ(borderline[i], own[i].row);
  }
  EXPECT_NEAR(report.confidence, confident / static_cast<double>(labelled), 1e-12);
  Index steps = 0;
  for (const Index step : report.confidence_histogram) steps += step;
  EXPECT_EQ(steps, labelled);
  const auto surest = std::count_if(all.begin(), all.end(), [](const Labelled& one) { return one.confidence >= 0.95; });
  EXPECT_EQ(report.confidence_histogram.back(), surest);
  const auto far = std::count_if(all.begin(), all.end(), [](const Labelled& one) { return one.distance > 3; });
  EXPECT_EQ(report.outliers, far);
  ASSERT_EQ(report.farthest.size(), ClusterTally::kFarthest);
  for (std::size_t i = 1; i < report.farthest.size(); ++i)
    EXPECT_GE(report.farthest[i - 1].distance, report.farthest[i].distance);
}

TEST(Tally, DoesNotDependOnTheOrder) {
  std::vector<Labelled> all = some_labels(2);
  const Report one = tally(all);
  std::shuffle(all.begin(), all.end(), std::mt19937(3));
  const Report other = tally(all);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(rows_of(one.cluster_members[k].typical), rows_of(other.cluster_members[k].typical));
    EXPECT_EQ(rows_of(one.cluster_members[k].borderline), rows_of(other.cluster_members[k].borderline));
  }
  EXPECT_EQ(rows_of(one.farthest), rows_of(other.farthest));
  EXPECT_EQ(one.confidence_histogram, other.confidence_histogram);
}

TEST(Tally, PartsThatAreMergedAreTheWhole) {
  std::vector<Labelled> all = some_labels(3);
  for (Labelled& one : all) one.confidence = std::round(one.confidence * 4096) / 4096;  // as prototypes vote
  std::vector<ClusterTally> parts(4, ClusterTally({0, 1, 2, 3, 9}, 3));
  ClusterTally whole({0, 1, 2, 3, 9}, 3);
  for (const Labelled& one : all) {
    whole.add(one.row, one.label, one.confidence, one.distance);
    parts[static_cast<std::size_t>(one.row * one.row % 4 + one.row / 300)].add(one.row, one.label, one.confidence,
                                                                               one.distance);
  }
  ClusterTally merged({0, 1, 2, 3, 9}, 3);
  for (const ClusterTally& part : parts) {
    Archive archive;
    part.save(archive, "part");
    merged.merge(ClusterTally::load(archive, "part", 3));
  }
  Archive one;
  Archive other;
  whole.save(one, "tally");
  merged.save(other, "tally");
  EXPECT_TRUE(one.to_bytes() == other.to_bytes());
}

TEST(Tally, WithoutConfidenceTellsSizesAlone) {
  ClusterTally counted({0, 1}, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  counted.add(0, 1, nan, nan);
  counted.add(1, -1, nan, nan);
  Report report;
  counted.report(report);
  EXPECT_EQ(report.cluster_sizes, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(report.confidence_histogram.empty());
  EXPECT_TRUE(report.cluster_members.empty());
  EXPECT_EQ(report.outliers, 0);
}

}  // namespace
}  // namespace omvc
