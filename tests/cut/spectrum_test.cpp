#include "cut/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <gtest/gtest.h>
#include <set>

#include "cut/names.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

// A graph of groups that hang together by little.
Matrix blocks(Index groups, Index each, double between) {
  Matrix W = Matrix::Constant(groups * each, groups * each, between);
  for (Index g = 0; g < groups; ++g) W.block(g * each, g * each, each, each).setConstant(1);
  return W;
}

void expect_groups(const std::vector<int>& found, Index groups, Index each) {
  std::set<int> seen;
  for (Index g = 0; g < groups; ++g) {
    const int label = found[static_cast<std::size_t>(g * each)];
    for (Index i = 0; i < each; ++i) EXPECT_EQ(found[static_cast<std::size_t>(g * each + i)], label);
    seen.insert(label);
  }
  EXPECT_EQ(static_cast<Index>(seen.size()), groups);
}

TEST(Spectrum, TheGapAndTheCutFindTheGroups) {
  Compute compute(2);
  const Matrix W = blocks(4, 12, 0.01);
  const Spectrum spectrum = spectrum_of(W, 8, compute);
  EXPECT_NEAR(spectrum.values[0], 1, 1e-12);
  EXPECT_GT(spectrum.values[3] - spectrum.values[4], 0.5);
  expect_groups(cut_spectrum(spectrum, 4, 1, 20, compute), 4, 12);
}

TEST(Spectrum, GroupsWithNothingBetweenThemAreFoundInALargeGraph) {
  Compute compute(2);
  for (const Index each : {12, 70}) {
    const Spectrum spectrum = spectrum_of(blocks(6, each, 0), 6, compute);
    for (const double value : spectrum.values) EXPECT_NEAR(value, 1, 1e-9);
    expect_groups(cut_spectrum(spectrum, 6, 1, 20, compute), 6, each);
  }
}

TEST(Spectrum, FewEigenpairsAreThoseOfAll) {
  Compute compute(2);
  // Groups with nothing between them, so that the largest eigenvalue is there five times; random weights within.
  const Index each = 24;
  Matrix W = Matrix::Zero(5 * each, 5 * each);
  for (Index g = 0; g < 5; ++g) {
    const Matrix part = test::random_matrix(each, each, 3 + static_cast<std::uint64_t>(g));
    W.block(g * each, g * each, each, each) = part * part.transpose();
  }
  const Spectrum few = spectrum_of(W, 12, compute);
  const Spectrum all = spectrum_of(W, W.rows(), compute);
  const Vector scale = W.rowwise().sum().cwiseSqrt().cwiseInverse();
  const Matrix M = scale.asDiagonal() * W * scale.asDiagonal();
  for (Index j = 0; j < 12; ++j) {
    const auto at = static_cast<std::size_t>(j);
    EXPECT_NEAR(few.values[at], all.values[at], 1e-12);
    EXPECT_LT((M * few.vectors.col(j) - few.values[at] * few.vectors.col(j)).norm(), 1e-12);
  }
  EXPECT_LT((few.vectors.transpose() * few.vectors - Matrix::Identity(12, 12)).norm(), 1e-12);
}

// Eigenvalues descending, and of each pair of ours what it leaves.
void expect_pairs(const Spectrum& found, const Eigen::MatrixXd& M, const std::vector<Index>& used) {
  const Vector values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues().reverse();
  ASSERT_LE(static_cast<Index>(found.values.size()), values.size());
  for (Index j = 0; j < static_cast<Index>(found.values.size()); ++j) {
    EXPECT_NEAR(found.values[static_cast<std::size_t>(j)], values(j), 1e-11) << j;
    const Vector x = found.vectors(used, j);
    EXPECT_NEAR(x.norm(), 1, 1e-11);
    EXPECT_LT((M * x - values(j) * x).norm(), 1e-10) << j;
  }
}

TEST(Spectrum, IsThatOfADenseSolver) {
  Compute compute(2);
  for (const Index n : {1, 2, 17, 90}) {
    // Random weights, and a last node that has no edges.
    const Matrix half = test::random_sparse(n, n, 0.5, static_cast<std::uint64_t>(n));
    Matrix W = Matrix::Zero(n + 1, n + 1);
    W.topLeftCorner(n, n) = half + half.transpose() + Matrix::Identity(n, n);
    const std::vector<Index> used = test::iota(n);
    const Vector degree = W.rowwise().sum();
    const Vector root = degree(used).cwiseSqrt();
    const Eigen::MatrixXd M =
        root.cwiseInverse().asDiagonal() * W.topLeftCorner(n, n) * root.cwiseInverse().asDiagonal();
    for (const Index count : {Index{1}, n / 2, n + 5}) {
      const Spectrum found = spectrum_of(W, count, compute);
      EXPECT_EQ(static_cast<Index>(found.values.size()), std::min(count, n));
      EXPECT_EQ(found.degree, degree);
      expect_pairs(found, M, used);
      EXPECT_TRUE((found.vectors.row(n).array() == 0).all());
    }
  }
}

TEST(Spectrum, ThreadsChangeNoBit) {
  Matrix W = test::random_matrix(150, 150, 8);
  W = (W * W.transpose()).eval();
  Compute one;
  const Spectrum alone = spectrum_of(W, 20, one);
  for (const int threads : {2, 5}) {
    Compute compute(threads);
    const Spectrum shared = spectrum_of(W, 20, compute);
    EXPECT_EQ(shared.values, alone.values);
    EXPECT_TRUE(shared.vectors == alone.vectors);
  }
}

#ifndef OMVC_SANITIZED  // minutes there
TEST(Spectrum, FewEigenpairsOfALargeGraphAreThoseOfAll) {
  Compute compute(2);
  const Index n = 1300;  // beyond the size up to which all pairs are computed
  Matrix W = test::random_matrix(n, n, 3);
  W = (W * W.transpose()).eval();
  const Spectrum few = spectrum_of(W, 5, compute);
  const Spectrum all = spectrum_of(W, n, compute);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(few.values[i], all.values[i], 1e-8);
}
#endif

TEST(Spectrum, ANodeWithoutEdgesIsNoError) {
  Compute compute(2);
  Matrix W = blocks(2, 5, 0.01);
  W.conservativeResize(11, 11);
  W.row(10).setZero();
  W.col(10).setZero();
  const std::vector<int> groups = cut_spectrum(spectrum_of(W, 2, compute), 2, 1, 20, compute);
  EXPECT_EQ(groups.size(), 11u);
  EXPECT_NE(groups[0], groups[9]);
}

TEST(Names, BySizeTheLargestIsFirst) {
  EXPECT_EQ(name_by_size({3, 9, 5}).numbers, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(name_by_size({4, 4, 5}, {7, 2, 1}).numbers, (std::vector<int>{2, 1, 0})) << "equals by what comes first";
}

TEST(Names, WhatMatchesKeepsItsNumberAndTheRestIsAnEvent) {
  // Old clusters 4, 7, 9. New: the old 7; half of 4 and half of 4; 9 has gone into the old 7.
  Matrix shared(3, 3);
  shared << 0, 30, 25, 50, 0, 0, 20, 0, 0;
  const Naming same = match_names(shared, Vector::Zero(3), {4, 7, 9}, 12);
  EXPECT_EQ(same.numbers, (std::vector<int>{7, 4, 12}));
  EXPECT_EQ(same.next, 13);
  ASSERT_EQ(same.events.size(), 2u);
  EXPECT_EQ(same.events[0].kind, ClusterEvent::Kind::split);
  EXPECT_EQ(same.events[0].cluster, 12);
  EXPECT_EQ(same.events[0].other, 4);
  EXPECT_EQ(same.events[1].kind, ClusterEvent::Kind::merged);
  EXPECT_EQ(same.events[1].cluster, 9);
  EXPECT_EQ(same.events[1].other, 7);
}

TEST(Names, AClusterOfNewInstancesIsBorn) {
  Matrix shared(1, 2);
  shared << 40, 1;
  Vector fresh(2);
  fresh << 0, 30;
  const Naming naming = match_names(shared, fresh, {0}, 1);
  EXPECT_EQ(naming.numbers, (std::vector<int>{0, 1}));
  ASSERT_EQ(naming.events.size(), 1u);
  EXPECT_EQ(naming.events[0].kind, ClusterEvent::Kind::born);
}

TEST(Names, ANewClusterDoesNotTakeTheNumberOfAHalfThatGoesBackToTheOther) {
  // Clusters 3 and 8 were halves and are one again; most rows of the new cluster were given to 3 before it was there.
  Matrix shared(2, 2);
  shared << 265, 64, 240, 0;
  Vector fresh(2);
  fresh << 0, 20;
  const Naming naming = match_names(shared, fresh, {3, 8}, 9);
  EXPECT_EQ(naming.numbers, (std::vector<int>{3, 9}));
  ASSERT_EQ(naming.events.size(), 2u);
  EXPECT_EQ(naming.events[0].kind, ClusterEvent::Kind::split);
  EXPECT_EQ(naming.events[0].other, 3);
  EXPECT_EQ(naming.events[1].kind, ClusterEvent::Kind::merged);
  EXPECT_EQ(naming.events[1].cluster, 8);
}

TEST(Names, OneClusterInManyPiecesLivesOnInTheLargest) {
  Matrix shared(1, 6);
  shared << 10, 11, 12, 15, 14, 13;
  const Naming naming = match_names(shared, Vector::Zero(6), {0}, 1);
  EXPECT_EQ(naming.numbers, (std::vector<int>{1, 2, 3, 0, 4, 5}));
}

}  // namespace
}  // namespace omvc
