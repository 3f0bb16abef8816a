#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

// Sums of at most a few hundred terms of size 1 or less: rounding is far below this.
constexpr double kRounding = 1e-12;

Scores score_of(const std::vector<int>& labels, const std::vector<int>& truth) {
  Contingency counts;
  counts.add(labels, truth);
  return score(counts);
}

std::vector<int> random_labels(std::size_t n, int parts, std::uint32_t stream) {
  const Random random(9, Purpose::sample, stream);
  std::vector<int> labels;
  for (std::size_t i = 0; i < n; ++i)
    labels.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(parts), i)));
  return labels;
}

void expect_near(const Scores& a, const Scores& b) {
  EXPECT_NEAR(a.nmi_geometric, b.nmi_geometric, kRounding);
  EXPECT_NEAR(a.nmi_arithmetic, b.nmi_arithmetic, kRounding);
  EXPECT_NEAR(a.accuracy, b.accuracy, kRounding);
  EXPECT_NEAR(a.ari, b.ari, kRounding);
  EXPECT_NEAR(a.purity, b.purity, kRounding);
}

// The example of Manning, Raghavan, Schuetze, "Introduction to Information Retrieval", Section 16.3: three clusters of
// 17 points. The book states purity 0.71 and NMI (arithmetic) 0.36; the digits are scikit-learn 1.9's.
TEST(Score, GivesTheFiguresOfTheTextbook) {
  const Scores scores = score_of({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2},
                                 {0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 2, 0, 0, 2, 2, 2});
  EXPECT_NEAR(scores.nmi_geometric, 0.36462479619424293, kRounding);
  EXPECT_NEAR(scores.nmi_arithmetic, 0.3645617718571899, kRounding);
  EXPECT_NEAR(scores.ari, 0.242914979757085, kRounding);
  EXPECT_NEAR(scores.purity, 12.0 / 17, kRounding);
  EXPECT_NEAR(scores.accuracy, 12.0 / 17, kRounding);
}

// normalized_mutual_info_score and adjusted_rand_score of scikit-learn 1.9.
TEST(Score, EqualsScikitLearn) {
  const Scores scores = score_of({0, 0, 1, 1, 1, 2, 2, 2, 2, 0}, {0, 0, 0, 1, 1, 1, 2, 2, 2, 2});
  EXPECT_NEAR(scores.nmi_geometric, 0.44270128334605, kRounding);
  EXPECT_NEAR(scores.ari, 0.20454545454545456, kRounding);
  EXPECT_NEAR(scores.purity, 0.7, kRounding);
  EXPECT_NEAR(scores.accuracy, 0.7, kRounding);
}

TEST(Score, AccuracyIsTheBestRenamingOfTheLabels) {
  for (const int parts : {2, 3, 5, 6}) {
    const std::vector<int> labels = random_labels(40, parts, 1);
    const std::vector<int> truth = random_labels(40, 6, 2);
    std::vector<int> names(6);
    std::iota(names.begin(), names.end(), 0);
    int best = 0;
    do {
      int hits = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) hits += names[static_cast<std::size_t>(labels[i])] == truth[i];
      best = std::max(best, hits);
    } while (std::next_permutation(names.begin(), names.end()));
    EXPECT_EQ(score_of(labels, truth).accuracy, best / 40.0);
  }
}

// Hubert and Arabie's index from the four kinds of pairs, in the form that needs no expected value.
TEST(Score, AriCountsPairs) {
  for (const int parts : {2, 3, 7}) {
    const std::vector<int> labels = random_labels(30, parts, 3);
    const std::vector<int> truth = random_labels(30, 4, 4);
    double both = 0, only_labels = 0, only_truth = 0, neither = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool a = labels[i] == labels[j];
        const bool b = truth[i] == truth[j];
        (a ? (b ? both : only_labels) : (b ? only_truth : neither)) += 1;
      }
    }
    const double expected =
        2 * (both * neither - only_labels * only_truth) /
        ((both + only_labels) * (only_labels + neither) + (both + only_truth) * (only_truth + neither));
    EXPECT_NEAR(score_of(labels, truth).ari, expected, kRounding);
  }
}

// I = H(labels) + H(truth) - H(pairs), with entropies taken over instances instead of over cells.
TEST(Score, NmiFollowsFromThreeEntropies) {
  const std::vector<int> labels = random_labels(60, 5, 5);
  const std::vector<int> truth = random_labels(60, 3, 6);
  const auto entropy = [](const std::vector<int>& parts) {
    double sum = 0;
    for (const int part : parts)
      sum -= std::log(static_cast<double>(std::count(parts.begin(), parts.end(), part)) / 60);
    return sum / 60;
  };
  std::vector<int> pairs;
  for (std::size_t i = 0; i < labels.size(); ++i) pairs.push_back(10 * labels[i] + truth[i]);
  const double shared = entropy(labels) + entropy(truth) - entropy(pairs);
  const Scores scores = score_of(labels, truth);
  EXPECT_NEAR(scores.nmi_geometric, shared / std::sqrt(entropy(labels) * entropy(truth)), kRounding);
  EXPECT_NEAR(scores.nmi_arithmetic, 2 * shared / (entropy(labels) + entropy(truth)), kRounding);
}

TEST(Score, DoesNotDependOnTheNamesOfParts) {
  const std::vector<int> labels = random_labels(50, 4, 7);
  const std::vector<int> truth = random_labels(50, 3, 8);
  std::vector<int> other_labels, other_truth;
  for (const int label : labels) other_labels.push_back(1000 - 7 * label);
  for (const int part : truth) other_truth.push_back(part == 0 ? 5 : -part);
  expect_near(score_of(labels, truth), score_of(other_labels, other_truth));
}

TEST(Score, IsOneForEqualPartitions) {
  const std::vector<int> truth = random_labels(50, 4, 9);
  std::vector<int> labels;
  for (const int part : truth) labels.push_back(3 - part);
  expect_near(score_of(labels, truth), {1, 1, 1, 1, 1});
  expect_near(score_of({0, 1, 2}, {5, 4, 3}), {1, 1, 1, 1, 1});
}

TEST(Score, HandlesPartitionsWithOnePart) {
  expect_near(score_of({3, 3, 3}, {1, 1, 1}), {1, 1, 1, 1, 1});
  expect_near(score_of({0}, {7}), {1, 1, 1, 1, 1});
  expect_near(score_of({0, 0, 0, 0}, {1, 1, 1, 2}), {0, 0, 0.75, 0, 0.75});
  expect_near(score_of({0, 1, 2, 3}, {1, 1, 1, 1}), {0, 0, 0.25, 0, 1});
}

TEST(Score, ThrowsWhereNothingIsLabelled) {
  Contingency counts;
  EXPECT_THROW(score(counts), Error);
  counts.add(-1, 2);
  EXPECT_THROW(score(counts), Error);
}

TEST(Contingency, CountsPairsAndSetsUnlabelledOnesApart) {
  Contingency counts;
  counts.add(std::vector<int>{4, 4, 0, -1, 4}, std::vector<int>{-2, 9, 9, 3, 9});
  EXPECT_EQ(counts.scored(), 4);
  EXPECT_EQ(counts.unlabelled(), 1);
  EXPECT_EQ(counts.labels(), (std::vector<int>{0, 4}));
  EXPECT_EQ(counts.classes(), (std::vector<int>{-2, 9}));
  EXPECT_EQ(counts.table(), (std::vector<std::vector<double>>{{0, 1}, {1, 2}}));
}

TEST(Contingency, AddsUpOverChunks) {
  const std::vector<int> labels = random_labels(30, 4, 10);
  const std::vector<int> truth = random_labels(30, 3, 11);
  Contingency whole, parts;
  whole.add(labels, truth);
  parts.add(std::span(labels).first(13), std::span(truth).first(13));
  parts.add(std::span(labels).subspan(13), std::span(truth).subspan(13));
  EXPECT_EQ(whole.table(), parts.table());
}

TEST(Contingency, RefusesDifferentLengths) {
  Contingency counts;
  try {
    counts.add(std::vector<int>{1, 2}, std::vector<int>{1});
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

}  // namespace
}  // namespace omvc
