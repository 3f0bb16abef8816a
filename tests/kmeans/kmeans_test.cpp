#include "omvc/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

#include "kmeans/points.hpp"
#include "random/philox.hpp"

namespace omvc {
namespace {

void expect_same(const KMeansResult& a, const KMeansResult& b) {
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.centres, b.centres);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.iterations, b.iterations);
}

void expect_nearest(const Points& points, const KMeansResult& result) {
  double inertia = 0;
  for (Index i = 0; i < points.view().rows; ++i) {
    const int label = result.labels[static_cast<std::size_t>(i)];
    ASSERT_EQ(label, nearest_centre(points.view().row(i), result.centres)) << "row " << i;
    inertia += distance(points.view().row(i), result.centres.data() + label * points.cols);
  }
  EXPECT_EQ(inertia, result.inertia);
}

TEST(KMeans, FindsTheBestOfAllPartitionsOfTinyData) {
  constexpr int kRows = 8;
  constexpr int kClusters = 3;
  for (std::uint32_t stream = 0; stream < 3; ++stream) {
    const Points points = random_points(kRows, 2, stream);
    double best = std::numeric_limits<double>::infinity();
    for (int code = 0; code < 6561; ++code) {  // 3^8
      std::vector<int> labels;
      for (int rest = code, i = 0; i < kRows; ++i, rest /= kClusters) labels.push_back(rest % kClusters);
      double inertia = 0;
      for (int k = 0; k < kClusters; ++k) {
        // Within a cluster: the sum over pairs of squared distances, divided by the size.
        double pairs = 0;
        for (int i = 0; i < kRows; ++i) {
          for (int j = 0; j < i; ++j) {
            if (labels[static_cast<std::size_t>(i)] != k || labels[static_cast<std::size_t>(j)] != k) continue;
            pairs += distance(points.view().row(i), points.view().row(j).data());
          }
        }
        const auto count = static_cast<double>(std::count(labels.begin(), labels.end(), k));
        if (count > 0) inertia += pairs / count;
      }
      best = std::min(best, inertia);
    }
    const KMeansResult result = kmeans(points.view(), {.clusters = kClusters, .starts = 50});
    // The two formulas round differently.
    EXPECT_NEAR(result.inertia, best, 1e-12);
  }
}

TEST(KMeans, FindsPlantedClusters) {
  const Random random(5, Purpose::sample);
  Points points{{}, 4};
  std::vector<int> truth;
  for (std::uint64_t i = 0; i < 400; ++i) {
    truth.push_back(static_cast<int>(random.below(10, i)));
    for (std::uint64_t j = 0; j < 4; ++j) {
      const double place = static_cast<double>(static_cast<std::uint64_t>(truth.back()) >> j & 1);
      points.values.push_back(10 * place + random.uniform(1000 + 4 * i + j));
    }
  }
  const KMeansResult result = kmeans(points.view(), {.clusters = 10});
  Contingency counts;
  counts.add(result.labels, truth);
  EXPECT_EQ(score(counts).accuracy, 1.0);
  expect_nearest(points, result);
}

TEST(KMeans, IsTheBestOfItsStarts) {
  const Points points = random_points(200, 3);
  const KMeansOptions options{.clusters = 9, .starts = 12, .seed = 8};
  const std::vector<KMeansResult> each = kmeans_each_start(points.view(), options);
  ASSERT_EQ(each.size(), 12u);
  const auto best =
      std::min_element(each.begin(), each.end(), [](const auto& a, const auto& b) { return a.inertia < b.inertia; });
  EXPECT_NE(best->start, 0) << "the first start wins: choose other data, this test shows nothing";
  expect_same(kmeans(points.view(), options), *best);
}

TEST(KMeans, AStartDoesNotDependOnTheOthers) {
  const Points points = random_points(200, 3);
  const auto few = kmeans_each_start(points.view(), {.clusters = 9, .starts = 2, .seed = 8});
  const auto many = kmeans_each_start(points.view(), {.clusters = 9, .starts = 7, .seed = 8});
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].start, static_cast<int>(i));
    expect_same(few[i], many[i]);
  }
  EXPECT_NE(few[0].centres, few[1].centres);
}

TEST(KMeans, HasTheSameBitsForAnyNumberOfThreads) {
  const Points points = random_points(500, 6);
  KMeansOptions options{.clusters = 11, .starts = 10, .seed = 3};
  const KMeansResult one = kmeans(points.view(), options);
  for (const int threads : {2, 3, 0, 16}) {
    options.threads = threads;
    expect_same(kmeans(points.view(), options), one);
  }
}

TEST(KMeans, DifferentSeedsDrawDifferentStarts) {
  const Points points = random_points(200, 3);
  EXPECT_NE(kmeans(points.view(), {.clusters = 9, .starts = 1, .seed = 0}).centres,
            kmeans(points.view(), {.clusters = 9, .starts = 1, .seed = 1}).centres);
}

TEST(KMeans, LabelsAreNearestEvenWhereIterationsRunOut) {
  const Points points = random_points(300, 3);
  const KMeansResult result = kmeans(points.view(), {.clusters = 8, .starts = 3, .max_iterations = 2});
  EXPECT_EQ(result.iterations, 2);
  expect_nearest(points, result);
}

TEST(KMeans, OneClusterIsTheMean) {
  const Points points{{1, 2, 3, 6, 5, 1}, 2};
  const KMeansResult result = kmeans(points.view(), {.clusters = 1});
  EXPECT_EQ(result.centres, (std::vector<double>{3, 3}));
  EXPECT_EQ(result.labels, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(result.inertia, 4 + 1 + 0 + 9 + 4 + 4);
}

TEST(KMeans, AsManyClustersAsRowsFitExactly) {
  const Points points = random_points(23, 3);
  const KMeansResult result = kmeans(points.view(), {.clusters = 23});
  EXPECT_EQ(result.inertia, 0.0);
  EXPECT_EQ(std::set<int>(result.labels.begin(), result.labels.end()).size(), 23u);
}

TEST(KMeans, FewerDistinctRowsThanClustersFitExactly) {
  const Points points{{1, 1, 4, 4, 1, 1, 4, 4, 1, 1}, 2};
  const KMeansResult result = kmeans(points.view(), {.clusters = 4, .starts = 5});
  EXPECT_EQ(result.inertia, 0.0);
  EXPECT_EQ(result.labels[0], result.labels[2]);
  EXPECT_NE(result.labels[0], result.labels[1]);
  for (const double value : result.centres) EXPECT_TRUE(value == 1 || value == 4) << value;
}

TEST(KMeans, RowsOfZerosAreRows) {
  const Points zeros{std::vector<double>(12, 0.0), 3};
  const KMeansResult result = kmeans(zeros.view(), {.clusters = 3});
  EXPECT_EQ(result.inertia, 0.0);
  EXPECT_EQ(result.centres, std::vector<double>(9, 0.0));
  EXPECT_EQ(result.labels, std::vector<int>(4, 0));
}

TEST(KMeans, InertiaDoesNotCancelFarFromTheOrigin) {
  const Points points{{1e8, 1e8 + 0.5, 1e8 + 4, 1e8 + 4.5}, 1};
  EXPECT_EQ(kmeans(points.view(), {.clusters = 2}).inertia, 4 * 0.25 * 0.25);
}

ErrorKind kind_of(const Points& points, const KMeansOptions& options) {
  try {
    kmeans(points.view(), options);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no exception";
  return ErrorKind::io;
}

TEST(KMeans, RefusesWhatItCannotCluster) {
  const Points points{{1, 2, 3}, 1};
  EXPECT_EQ(kind_of(points, {.clusters = 4}), ErrorKind::data);
  EXPECT_EQ(kind_of({{}, 1}, {.clusters = 1}), ErrorKind::data);
  EXPECT_EQ(kind_of(points, {.clusters = 0}), ErrorKind::usage);
  EXPECT_EQ(kind_of(points, {.starts = 0}), ErrorKind::usage);
  EXPECT_EQ(kind_of(points, {.max_iterations = 0}), ErrorKind::usage);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    EXPECT_EQ(kind_of({{1, bad, 3}, 1}, {.clusters = 2}), ErrorKind::data);
  }
  EXPECT_THROW(kmeans_each_start(points.view(), {.starts = -1}), Error);
}

TEST(ToUnitLength, KeepsDirectionsAndZeroRows) {
  std::vector<double> rows = {3, -4, 0, 0, 0, 5, 3e-100, 4e-100};
  to_unit_length(rows.data(), 4, 2);
  const std::vector<double> expected = {0.6, -0.8, 0, 0, 0, 1, 0.6, 0.8};
  // Four roundings of numbers below 1.
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-15) << i;
}

TEST(NearestCentre, IsTheLowestNumberAmongEquals) {
  const std::vector<double> centres = {2, 0, 0, 2, -2, 0, 0.5, 0.5};
  EXPECT_EQ(nearest_centre(std::vector<double>{5, 5}, std::span(centres).first(6)), 0);
  EXPECT_EQ(nearest_centre(std::vector<double>{0, 0}, std::span(centres).first(6)), 0);
  EXPECT_EQ(nearest_centre(std::vector<double>{-1, 2}, std::span(centres).first(6)), 1);
  EXPECT_EQ(nearest_centre(std::vector<double>{0, 0}, centres), 3);
}

TEST(NearestCentre, RefusesCentresOfAnotherWidth) {
  EXPECT_THROW(nearest_centre(std::vector<double>{1, 2}, std::vector<double>{1, 2, 3}), Error);
  EXPECT_THROW(nearest_centre(std::vector<double>{1, 2}, {}), Error);
}

}  // namespace
}  // namespace omvc
