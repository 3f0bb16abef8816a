#include "report/layout.hpp"

#include <gtest/gtest.h>

#include "random/philox.hpp"

namespace omvc {
namespace {

// Groups of nodes with much between them inside, and `between` between one group and the next.
Matrix graph_of(Index groups, Index nodes, double between) {
  const Index m = groups * nodes;
  Matrix W = Matrix::Zero(m, m);
  const Random random(4, Purpose::sample);
  for (Index i = 0; i < m; ++i) {
    W(i, i) = 10;
    for (Index j = 0; j < i; ++j) {
      const double draw = random.uniform(static_cast<std::uint64_t>(i * m + j));
      if (i / nodes == j / nodes && draw < 0.4) W(i, j) = W(j, i) = 1 + draw;
      if (i / nodes == j / nodes + 1 && draw < 0.02) W(i, j) = W(j, i) = between;
    }
  }
  return W;
}

Matrix laid_out(const Matrix& W, int threads) {
  Compute compute(threads);
  return lay_out(W, spectrum_of(W, 3, compute), compute);
}

TEST(Layout, PutsNodesOfAGroupTogetherAndGroupsApart) {
  constexpr Index kGroups = 4;
  constexpr Index kNodes = 40;
  const Matrix at = laid_out(graph_of(kGroups, kNodes, 0.5), 1);
  EXPECT_LE(at.cwiseAbs().maxCoeff(), 1 + 1e-12);
  EXPECT_NEAR(at.col(0).maxCoeff(), 1, 1e-9) << "the picture fills its width";
  for (Index g = 0; g < kGroups; ++g) {
    const RowVector middle = at.middleRows(g * kNodes, kNodes).colwise().mean();
    double nearest = 1e9;
    for (Index other = 0; other < kGroups; ++other) {
      if (other != g)
        nearest = std::min(nearest, (at.middleRows(other * kNodes, kNodes).colwise().mean() - middle).norm());
    }
    const double spread = (at.middleRows(g * kNodes, kNodes).rowwise() - middle).rowwise().norm().mean();
    EXPECT_LT(2 * spread, nearest) << "group " << g;
  }
}

TEST(Layout, IsTheSameForAnyNumberOfThreads) {
  const Matrix W = graph_of(5, 50, 0.5);
  EXPECT_EQ(laid_out(W, 1), laid_out(W, 3));
}

TEST(Layout, TakesGraphsOfAnyKind) {
  for (const Index m : {1, 2, 3}) {
    const Matrix at = laid_out(Matrix(Matrix::Ones(m, m)), 1);
    EXPECT_EQ(at.rows(), m);
    EXPECT_TRUE(at.allFinite());
  }
  const Matrix apart = laid_out(Matrix(Matrix::Identity(30, 30)), 1);  // nothing between any two
  EXPECT_TRUE(apart.allFinite());
  Matrix lonely = graph_of(2, 20, 0);
  lonely.row(5).setZero();
  lonely.col(5).setZero();  // a node that nothing is near to
  EXPECT_TRUE(laid_out(lonely, 1).allFinite());
}

}  // namespace
}  // namespace omvc
