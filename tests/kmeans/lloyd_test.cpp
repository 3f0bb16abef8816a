#include "kmeans/lloyd.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "omvc/kmeans.hpp"

#include "kmeans/points.hpp"
#include "kmeans/seeding.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

// Lloyd's algorithm as the header states it, without bounds.
class PlainLloyd {
 public:
  PlainLloyd(const Points& points, std::vector<double> centres, int max_iterations)
      : rows_(points.view()),
        clusters_(static_cast<int>(static_cast<Index>(centres.size()) / points.cols)),
        labels_(static_cast<std::size_t>(rows_.rows)),
        centres_(std::move(centres)) {
    assign();
    bool changed = true;
    while (changed && iterations_ < max_iterations) {
      fill_empty();
      move();
      changed = assign();
      ++iterations_;
    }
  }

  const std::vector<int>& labels() const { return labels_; }
  const std::vector<double>& centres() const { return centres_; }
  int iterations() const { return iterations_; }
  int refilled() const { return refilled_; }

 private:
  double* centre(Index k) { return centres_.data() + k * rows_.cols; }
  int& label(Index i) { return labels_[static_cast<std::size_t>(i)]; }
  Index count(int k) { return std::count(labels_.begin(), labels_.end(), k); }

  bool assign() {
    const std::vector<int> before = labels_;
    for (Index i = 0; i < rows_.rows; ++i) label(i) = nearest_centre(rows_.row(i), centres_);
    return before != labels_;
  }

  void fill_empty() {
    std::set<Index> moved;
    for (int k = 0; k < clusters_; ++k) {
      if (count(k) > 0) continue;
      Index farthest = -1;
      double most = 0;
      for (Index i = 0; i < rows_.rows; ++i) {
        const double d = distance(rows_.row(i), centre(label(i)));
        if (d > most && count(label(i)) > 1 && !moved.contains(i)) {
          most = d;
          farthest = i;
        }
      }
      if (farthest < 0) return;
      label(farthest) = k;
      moved.insert(farthest);
      ++refilled_;
    }
  }

  void move() {
    for (int k = 0; k < clusters_; ++k) {
      if (count(k) == 0) continue;
      for (Index j = 0; j < rows_.cols; ++j) {
        double sum = 0;
        for (Index i = 0; i < rows_.rows; ++i) {
          if (label(i) == k) sum += rows_.row(i)[static_cast<std::size_t>(j)];
        }
        centre(k)[j] = sum / static_cast<double>(count(k));
      }
    }
  }

  RowsView rows_;
  int clusters_;
  std::vector<int> labels_;
  std::vector<double> centres_;
  int iterations_ = 0;
  int refilled_ = 0;
};

void expect_plain(const Points& points, const KMeansOptions& options) {
  Compute alone;
  for (const KMeansResult& result : kmeans_each_start(points.view(), options)) {
    const Random random(options.seed, Purpose::seeding, static_cast<std::uint32_t>(result.start));
    const PlainLloyd plain(points, seed_centres(points.view(), {}, options.clusters, random, alone),
                           options.max_iterations);
    EXPECT_EQ(result.labels, plain.labels());
    EXPECT_EQ(result.centres, plain.centres());
    EXPECT_EQ(result.iterations, plain.iterations());
  }
}

TEST(Lloyd, BoundsChangeNoBitOfThePlainAlgorithm) {
  for (const int clusters : {1, 2, 7, 8, 9, 19}) {
    expect_plain(random_points(300, 3), {.clusters = clusters, .starts = 4, .seed = 1});
    expect_plain(lattice_points(200, 2, 5), {.clusters = clusters, .starts = 4, .seed = 2});
  }
  expect_plain(random_points(200, 17), {.clusters = 10, .starts = 3, .seed = 3});
  // A single start has all threads.
  expect_plain(random_points(3000, 9), {.clusters = 50, .starts = 1, .seed = 4, .threads = 3});
  expect_plain(lattice_points(3000, 9, 2), {.clusters = 50, .starts = 1, .seed = 4, .threads = 3});
}

TEST(Lloyd, BoundsHoldWhereSquaresUnderflow) {
  Points points = random_points(100, 2);
  for (double& value : points.values) value *= 1e-160;
  expect_plain(points, {.clusters = 5, .starts = 4});
}

TEST(Lloyd, AClusterWithoutRowsTakesTheFarthestRow) {
  const Points points{{0, 1, 2, 9, 20, 21}, 1};
  // All rows below 10 are nearest to 1, where 9 is the farthest; nothing is near 500.
  Compute alone;
  Lloyd lloyd(points.view(), {1, 500, 20.5}, {}, alone);
  EXPECT_TRUE(lloyd.assign());
  lloyd.update();
  EXPECT_FALSE(lloyd.assign());
  const KMeansResult result = lloyd.take();
  EXPECT_EQ(result.labels, (std::vector<int>{0, 0, 0, 1, 2, 2}));
  EXPECT_EQ(result.centres, (std::vector<double>{1, 9, 20.5}));
  EXPECT_EQ(result.inertia, 2.5);
}

TEST(Lloyd, ManyClustersWithoutRowsAreFilledAsInThePlainAlgorithm) {
  for (const Points& points : {random_points(100, 2), lattice_points(100, 2, 4)}) {
    std::vector<double> centres(24, 50.0);
    for (std::size_t j = 0; j < 6; ++j) centres[4 * j] = points.values[7 * j];
    const PlainLloyd plain(points, centres, 100);
    EXPECT_GE(plain.refilled(), 5);
    Compute alone;
    Lloyd lloyd(points.view(), centres, {}, alone);
    lloyd.assign();
    bool changed = true;
    while (changed) {
      lloyd.update();
      changed = lloyd.assign();
    }
    const KMeansResult result = lloyd.take();
    EXPECT_EQ(result.labels, plain.labels());
    EXPECT_EQ(result.centres, plain.centres());
  }
}

TEST(SeedCentres, AreRowsAndDistinctWhereRowsAre) {
  Compute alone;
  const Points points = random_points(40, 2);
  const std::vector<double> centres = seed_centres(points.view(), {}, 40, Random(1, Purpose::seeding), alone);
  std::set<std::pair<double, double>> rows, seeds;
  for (std::size_t i = 0; i < 80; i += 2) {
    rows.emplace(points.values[i], points.values[i + 1]);
    seeds.emplace(centres[i], centres[i + 1]);
  }
  EXPECT_EQ(rows, seeds);
}

// Of three rows at 0, 1 and 3, with the first seed at 0 the second is 3 with probability 9 / 10, and so on.
TEST(SeedCentres, AreDrawnByTheSquaredDistance) {
  Compute alone;
  const Points points{{0, 1, 3}, 1};
  constexpr int kDraws = 6000;
  int from_zero = 0;
  int zero_to_three = 0;
  for (std::uint32_t stream = 0; stream < kDraws; ++stream) {
    const std::vector<double> centres = seed_centres(points.view(), {}, 2, Random(2, Purpose::seeding, stream), alone);
    if (centres[0] != 0) continue;
    ++from_zero;
    zero_to_three += centres[1] == 3;
  }
  // Standard deviations sqrt(6000 * 1/3 * 2/3) = 36.5 and, of about 2000 draws, sqrt(2000 * 0.9 * 0.1) = 13.4.
  EXPECT_NEAR(from_zero, kDraws / 3, 5 * 36.5);
  EXPECT_NEAR(zero_to_three, 0.9 * from_zero, 5 * 13.4);
}

}  // namespace
}  // namespace omvc
