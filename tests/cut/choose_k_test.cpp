#include "cut/choose_k.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "cut/refine.hpp"
#include "cut/spectrum.hpp"
#include "support/plain_sample.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr Index kPrototypes = 48;
constexpr int kMost = 12;
const Recipe kRecipe{.most_clusters = kMost};
constexpr Index kInstances = 1500;
constexpr Index kFeatures = 8;

// Prototypes that the first instances began and the complete rows moved to rest, and what of them is counted.
FinePrototypes learned(Chunk complete, const Chunk& counted, const Schema& schema, Index prototypes = kPrototypes) {
  Compute compute;
  std::vector<Chunk> pieces;
  pieces.push_back(std::move(complete));
  const Sample sample(std::move(pieces));
  std::vector<std::int32_t> labels;
  for (Index k = 0; k < prototypes; ++k) labels.push_back(static_cast<std::int32_t>(k));
  const FineRule rule{.direction = std::vector<bool>(schema.views.size(), false),
                      .quantum = std::vector<double>(schema.views.size(), 0x1.0p-24)};
  FinePrototypes fine = refine(sample, 1, schema, static_cast<int>(prototypes), labels, rule, 20, compute).prototypes;
  fine.forget(compute);
  const PreparedChunk data(counted);
  const Near near = fine.near(data, compute);
  fine.count({&data, 1}, {&near, 1}, 1, compute);
  return fine;
}

FinePrototypes learned(const Chunk& table, const Schema& schema, Index prototypes = kPrototypes) {
  return learned(table, table, schema, prototypes);
}

// Cubes in two views, of which each cluster's is moved along an axis of its own. Prototypes are found with every view;
// then each view lacks one instance in so many, 0: none.
FinePrototypes blobs(int clusters, double moved, Index lacking) {
  Chunk complete{test::iota(kInstances), {}};
  Chunk counted{test::iota(kInstances), {}};
  for (const std::uint64_t view : {0u, 1u}) {
    Matrix X = test::random_matrix(kInstances, kFeatures, 4 + view);
    std::vector<Index> present;
    for (Index i = 0; i < kInstances; ++i) {
      X(i, i % clusters) += moved;
      if (lacking == 0 || (i / clusters + static_cast<Index>(view)) % lacking != 0) present.push_back(i);
    }
    complete.views.push_back(test::view_of(X, test::iota(kInstances), test::dense_block<double>));
    counted.views.push_back(test::view_of(X, present, test::dense_block<double>));
  }
  return learned(std::move(complete), counted, test::schema_of({kFeatures, kFeatures}));
}

// Of D^-1/2 W D^-1/2, descending.
std::vector<double> plain_eigenvalues(const Matrix& W) {
  const Vector scale = W.rowwise().sum().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd M = scale.asDiagonal() * W * scale.asDiagonal();
  const Vector values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues().reverse();
  return {values.begin(), values.end()};
}

// The adjusted Rand index of two groupings of things that count many times, from its definition by pairs.
double plain_ari(const std::vector<int>& one, const std::vector<int>& other, const Vector& mass) {
  std::map<std::pair<int, int>, double> both;
  std::map<int, double> first, second;
  double n = 0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const double members = mass(static_cast<Index>(k));
    both[{one[k], other[k]}] += members;
    first[one[k]] += members;
    second[other[k]] += members;
    n += members;
  }
  const auto pairs = [](const auto& counts) {
    double sum = 0;
    for (const auto& [key, count] : counts) sum += count * (count - 1) / 2;
    return sum;
  };
  const double chance = pairs(first) * pairs(second) / (n * (n - 1) / 2);
  return (pairs(both) - chance) / ((pairs(first) + pairs(second)) / 2 - chance);
}

// Eigenvalues of the prototypes stand for those of the first cut.
ClusterChoice chosen(const FinePrototypes& fine, std::uint64_t seed, Compute& compute, bool text = false,
                     const Recipe& recipe = kRecipe) {
  std::vector<double> values = plain_eigenvalues(fine.sums().affinity_of_both());
  values.resize(
      std::min<std::size_t>(values.size(), static_cast<std::size_t>(most_clusters(fine.sums(), kRecipe)) + 1));
  return choose_clusters(fine.sums(), values, text, seed, recipe, compute);
}

TEST(ChooseK, ThePlantedNumberIsFoundAndClear) {
  Compute compute(2);
  for (const int clusters : {3, 5}) {
    for (const Index lacking : {0, 4}) {
      for (const double moved : {0.7, 1.0, 2.0}) {
        const ClusterChoice choice = chosen(blobs(clusters, moved, lacking), 1, compute);
        EXPECT_EQ(choice.clusters, clusters) << choice.verdict;
        EXPECT_TRUE(choice.clear) << choice.verdict;
      }
    }
  }
}

TEST(ChooseK, WithoutStructureThereIsOneCluster) {
  Compute compute(2);
  const ClusterChoice choice = chosen(blobs(1, 0, 0), 1, compute);
  EXPECT_FALSE(choice.clear) << choice.verdict;
  EXPECT_EQ(choice.clusters, 1) << choice.verdict;
  EXPECT_NE(choice.verdict.find("No clusters"), std::string::npos) << choice.verdict;
}

// Where no number is found again as surely as asked, the widest gap counts if it is found again a little and stands
// out.
TEST(ChooseK, AGapThatStandsOutNeedsLessAgreement) {
  Compute compute(2);
  const FinePrototypes fine = blobs(3, 1.0, 0);
  Recipe strict;
  strict.by_chance = 2;
  EXPECT_EQ(chosen(fine, 1, compute, false, strict).clusters, 3);
  Recipe surer = strict;
  surer.by_chance_widest = 2;
  EXPECT_EQ(chosen(fine, 1, compute, false, surer).clusters, 1) << "no agreement is enough";
  Recipe wider = strict;
  wider.widest = 1e6;
  EXPECT_EQ(chosen(fine, 1, compute, false, wider).clusters, 1) << "no gap stands out";
}

TEST(ChooseK, AGapThatTheHalvesDoNotFindAgainIsNotClear) {
  Compute compute(2);
  const ClusterChoice choice = chosen(blobs(5, 0.5, 4), 1, compute);
  double rival = 0;
  for (const KSigns& signs : choice.signs) {
    if (signs.clusters != choice.clusters) rival = std::max(rival, signs.gap);
  }
  const KSigns& best = choice.signs[static_cast<std::size_t>(choice.clusters) - 2];
  ASSERT_GT(best.gap, 2 * rival) << "the gap alone would be clear";
  ASSERT_LT(best.agreement, 0.8);
  EXPECT_FALSE(choice.clear) << choice.verdict;
  EXPECT_NE(choice.verdict.find("found again"), std::string::npos) << choice.verdict;
}

TEST(ChooseK, SignsAreGapsOfEigenvaluesAndTheAgreementOfTheHalves) {
  Compute compute(2);
  for (const FinePrototypes& fine : {blobs(4, 0.5, 3), blobs(1, 0, 0)}) {
    const ClusterChoice choice = chosen(fine, 9, compute);
    const std::vector<double> values = plain_eigenvalues(fine.sums().affinity_of_both());
    ASSERT_EQ(choice.eigenvalues.size(), static_cast<std::size_t>(kMost) + 1);
    for (std::size_t i = 0; i < choice.eigenvalues.size(); ++i) EXPECT_NEAR(choice.eigenvalues[i], values[i], 1e-10);
    ASSERT_EQ(choice.signs.size(), static_cast<std::size_t>(kMost) - 1);
    const Spectrum first = spectrum_of(fine.sums().affinity[0], kMost, compute);
    const Spectrum second = spectrum_of(fine.sums().affinity[1], kMost, compute);
    const KSigns* best = nullptr;
    double worth = -1;
    for (const KSigns& signs : choice.signs) {
      const auto k = static_cast<std::size_t>(signs.clusters);
      EXPECT_EQ(k, static_cast<std::size_t>(&signs - choice.signs.data()) + 2);
      EXPECT_NEAR(signs.gap, values[k - 1] - values[k], 1e-10);
      const double agreement = plain_ari(cut_spectrum(first, signs.clusters, 9, 20, compute),
                                         cut_spectrum(second, signs.clusters, 9, 20, compute), fine.sums().mass);
      EXPECT_NEAR(signs.agreement, agreement, 1e-10);
      const double own = signs.gap / std::sqrt(1 - values[k]) * signs.agreement * std::abs(signs.agreement);
      if (own <= worth) continue;
      worth = own;
      best = &signs;
    }
    ASSERT_NE(best, nullptr);
    const auto found = [](const KSigns& signs) { return signs.agreement >= kRecipe.by_chance; };
    const bool any = std::any_of(choice.signs.begin(), choice.signs.end(), found);
    EXPECT_EQ(choice.clusters, any ? best->clusters : 1);
  }
}

TEST(ChooseK, OfTextTheGapAloneDecidesAndIsNeverClear) {
  Compute compute(2);
  const FinePrototypes fine = blobs(4, 1.0, 0);
  const ClusterChoice choice = chosen(fine, 1, compute, true);
  EXPECT_EQ(choice.clusters, 4);
  EXPECT_FALSE(choice.clear);
  for (const KSigns& signs : choice.signs) EXPECT_LE(signs.gap, choice.signs[2].gap);
}

TEST(ChooseK, TooFewPrototypesTellNothing) {
  Chunk table{test::iota(30), {}};
  table.views.push_back(test::view_of(test::random_matrix(30, 6, 4), test::iota(30), test::dense_block<double>));
  Compute compute(1);
  const ClusterChoice choice = chosen(learned(table, test::schema_of({6}), 2), 1, compute);
  EXPECT_EQ(choice.clusters, 2);
  EXPECT_FALSE(choice.clear);
  EXPECT_TRUE(choice.signs.empty());
  EXPECT_NE(choice.verdict.find("too few"), std::string::npos) << choice.verdict;
}

}  // namespace
}  // namespace omvc
