#include "factorise/row_problem.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr RowSolver kSolvers[] = {RowSolver::newton, RowSolver::diagonal, RowSolver::hals};

// The minimum over z >= 0 by trying every set of free coordinates: the definition, for small r.
RowVector brute_force(const RowProblem& problem, const RowVector& q, double l) {
  const Index r = q.size();
  RowVector best = RowVector::Zero(r);
  for (unsigned set = 1; set < (1u << r); ++set) {
    std::vector<Index> free;
    for (Index k = 0; k < r; ++k) {
      if ((set >> k & 1u) != 0) free.push_back(k);
    }
    const auto n = static_cast<Index>(free.size());
    Eigen::MatrixXd G(n, n);
    Eigen::VectorXd right(n);
    for (Index i = 0; i < n; ++i) {
      right(i) = q(free[static_cast<std::size_t>(i)]) - l / 2;
      for (Index j = 0; j < n; ++j)
        G(i, j) = problem.G()(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
    }
    const Eigen::VectorXd solution = G.fullPivLu().solve(right);
    RowVector z = RowVector::Zero(r);
    for (Index i = 0; i < n; ++i) z(free[static_cast<std::size_t>(i)]) = solution(i);
    if (z.minCoeff() < 0) continue;
    if (problem.objective(z, q, l) < problem.objective(best, q, l)) best = z;
  }
  return best;
}

TEST(RowProblem, NewtonStepByHand) {
  // G = [2 1; 1 2], q = (3, 3), l = 0. The unconstrained minimum q G^-1 = (1, 1) is feasible, so one step reaches it.
  Matrix G(2, 2);
  G << 2, 1, 1, 2;
  Matrix Q(1, 2);
  Q << 3, 3;
  Matrix Z = Matrix::Zero(1, 2);
  Compute compute(1);
  RowProblem(RowSolver::newton, G).improve(Q, {}, 1, Z, compute);
  EXPECT_NEAR(Z(0, 0), 1, 1e-9);
  EXPECT_NEAR(Z(0, 1), 1, 1e-9);
}

TEST(RowProblem, HalsSweepByHand) {
  // From 0: z1 = 3 / 2; then z2 = (3 - 1 * 3/2) / 2 = 3/4.
  Matrix G(2, 2);
  G << 2, 1, 1, 2;
  Matrix Q(1, 2);
  Q << 3, 3;
  Matrix Z = Matrix::Zero(1, 2);
  Compute compute(1);
  RowProblem(RowSolver::hals, G).improve(Q, {}, 1, Z, compute);
  EXPECT_DOUBLE_EQ(Z(0, 0), 1.5);
  EXPECT_DOUBLE_EQ(Z(0, 1), 0.75);
}

TEST(RowProblem, DiagonalStepByHand) {
  // From (1, 0): grad / 2 = (2 - 3, 1 - 3) = (-1, -2); direction = (1/2, 1). Full step (3/2, 1):
  // slope = 2 (-1/2 - 2) = -5, curvature = (1/2, 1) G (1/2, 1)' = 3.5, and 0.99 * -5 + 3.5 <= 0: accepted.
  Matrix G(2, 2);
  G << 2, 1, 1, 2;
  Matrix Q(1, 2);
  Q << 3, 3;
  Matrix Z(1, 2);
  Z << 1, 0;
  Compute compute(1);
  RowProblem(RowSolver::diagonal, G).improve(Q, {}, 1, Z, compute);
  EXPECT_DOUBLE_EQ(Z(0, 0), 1.5);
  EXPECT_DOUBLE_EQ(Z(0, 1), 1.0);
}

TEST(RowProblem, TheLinearTermPullsToZero) {
  Matrix G(1, 1);
  G << 2;
  Matrix Q(2, 1);
  Q << 3, 3;
  Compute compute(1);
  for (const RowSolver solver : kSolvers) {
    Matrix Z = Matrix::Zero(2, 1);
    // The minimum is (q - l/2) / G: 1 for l = 2, and 0 for l = 8.
    RowProblem(solver, G).improve(Q, {.first = 1, .head = 2, .rest = 8}, 20, Z, compute);
    EXPECT_NEAR(Z(0, 0), 1, 1e-9);
    EXPECT_NEAR(Z(1, 0), 0, 1e-9);
  }
}

TEST(RowProblem, ConvergesToTheBruteForceMinimum) {
  Compute compute(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index r = 2 + static_cast<Index>(seed % 4);
    const Matrix G = test::random_gram(r, seed);
    // Negative q as well, so that constraints are active.
    const Matrix Q = test::random_matrix(7, r, seed + 100) * 4 - Matrix::Constant(7, r, 1.5);
    const TwoRuns l{.first = 4, .head = 0.1, .rest = 0.6};
    for (const RowSolver solver : kSolvers) {
      const RowProblem problem(solver, G);
      Matrix Z = test::random_matrix(7, r, seed + 200);
      problem.improve(Q, l, 20000, Z, compute);
      for (Index i = 0; i < Z.rows(); ++i) {
        const RowVector best = brute_force(problem, Q.row(i), l[i]);
        EXPECT_NEAR(problem.objective(Z.row(i), Q.row(i), l[i]), problem.objective(best, Q.row(i), l[i]), 1e-9)
            << name_of(solver) << " seed " << seed << " row " << i;
        EXPECT_LE(problem.kkt_residual(Z.row(i), Q.row(i), l[i]), 1e-5) << name_of(solver) << " seed " << seed;
        EXPECT_LE(problem.kkt_residual(best, Q.row(i), l[i]), 1e-9);
      }
    }
  }
}

TEST(RowProblem, NoStepRaisesTheLoss) {
  Compute compute(1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Index r = 6;
    Matrix G = test::random_gram(r, seed);
    if (seed % 3 == 0)
      G = Matrix(test::random_matrix(r, 2, seed) * test::random_matrix(r, 2, seed).transpose());  // singular
    const Matrix Q = test::random_matrix(50, r, seed + 1) * 6 - Matrix::Constant(50, r, 2);
    for (const RowSolver solver : kSolvers) {
      const RowProblem problem(solver, G);
      Matrix Z = test::random_matrix(50, r, seed + 2) * 3;
      for (int step = 0; step < 30; ++step) {
        const Matrix before = Z;
        problem.improve(Q, {.first = 0, .head = 0, .rest = 0.2}, 1, Z, compute);
        ASSERT_GE(Z.minCoeff(), 0);
        for (Index i = 0; i < Z.rows(); ++i) {
          const double was = problem.objective(before.row(i), Q.row(i), 0.2);
          const double is = problem.objective(Z.row(i), Q.row(i), 0.2);
          ASSERT_LE(is, was + 1e-12 * (1 + std::abs(was))) << name_of(solver) << " seed " << seed << " step " << step;
        }
      }
    }
  }
}

TEST(RowProblem, ANewtonStepThatWouldAscendFallsBackToTheGradient) {
  // The unconstrained minimum lies far outside the feasible set and G is ill-conditioned, so the projection of the
  // Newton step is no descent for some rows; every row that is not at its minimum must descend all the same.
  Matrix G(2, 2);
  G << 1, 0.999, 0.999, 1;
  const RowProblem problem(RowSolver::newton, G);
  Compute compute(1);
  const Matrix Q = test::random_matrix(200, 2, 3) * 2 - Matrix::Constant(200, 2, 0.5);
  Matrix Z = test::random_matrix(200, 2, 4);
  const Matrix before = Z;
  problem.improve(Q, {}, 1, Z, compute);
  for (Index i = 0; i < Z.rows(); ++i) {
    if (problem.kkt_residual(before.row(i), Q.row(i), 0) < 1e-9) continue;
    EXPECT_LT(problem.objective(Z.row(i), Q.row(i), 0), problem.objective(before.row(i), Q.row(i), 0)) << i;
  }
}

TEST(RowProblem, AZeroMatrixLeavesRowsAlone) {
  Compute compute(1);
  for (const RowSolver solver : kSolvers) {
    Matrix Z = Matrix::Ones(3, 2);
    RowProblem(solver, Matrix::Zero(2, 2)).improve(Matrix::Zero(3, 2), {}, 3, Z, compute);
    EXPECT_TRUE(Z.allFinite());
    EXPECT_EQ(Z, Matrix::Ones(3, 2));
  }
}

TEST(RowProblem, ADeadComponentStaysFiniteBesideALiveOne) {
  Matrix G = Matrix::Zero(2, 2);
  G(0, 0) = 4;
  Matrix Q = Matrix::Zero(1, 2);
  Q(0, 0) = 8;
  Compute compute(1);
  for (const RowSolver solver : kSolvers) {
    Matrix Z = Matrix::Ones(1, 2);
    RowProblem(solver, G).improve(Q, {}, 50, Z, compute);
    EXPECT_NEAR(Z(0, 0), 2, 1e-6) << name_of(solver);
    EXPECT_TRUE(Z.allFinite());
  }
}

TEST(RowProblem, RowsDoNotDependOnTheirNeighboursOrOnThreads) {
  const Matrix G = test::random_gram(5, 1);
  const Matrix Q = test::random_matrix(8000, 5, 2);
  for (const RowSolver solver : kSolvers) {
    const RowProblem problem(solver, G);
    Matrix one = test::random_matrix(8000, 5, 3), two = one;
    Compute single(1), pair(2);
    problem.improve(Q, {}, 3, one, single);
    problem.improve(Q, {}, 3, two, pair);
    EXPECT_TRUE((one.array() == two.array()).all()) << name_of(solver);
  }
}

// A row that is listed comes out as it would alone, wherever it stands in the list and whoever its neighbours are, also
// where rows stop by themselves.
TEST(RowProblem, ListedRowsComeOutAsTheyWouldAlone) {
  const Index n = 70, r = 6;
  const Matrix Q = test::random_matrix(n, r, 2).array() - 0.2;
  const Matrix start = test::random_matrix(n, r, 3);
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) rows.push_back((i * 37 + 11) % n);
  rows.resize(45);  // one full group of lanes, and a short one
  for (const RowSolver solver : {RowSolver::hals, RowSolver::newton, RowSolver::diagonal}) {
    const RowProblem problem(solver, test::random_gram(r, 1), 1e-3);
    Compute compute(2);
    Matrix together = start;
    problem.improve(Q, 30, rows, together, compute);
    for (Index i = 0; i < n; ++i) {
      if (std::find(rows.begin(), rows.end(), i) == rows.end()) {
        EXPECT_EQ(together.row(i), start.row(i)) << "a row that is not listed";
        continue;
      }
      Matrix alone = start.row(i);
      problem.improve(Q.middleRows(i, 1), {}, 30, alone, compute);
      EXPECT_EQ(together.row(i), alone) << "row " << i;
    }
  }
}

// Where the share of a chunk was taken out of sums again, rounding is left of a component that nobody else uses.
TEST(RowProblem, AComponentOfWhichRoundingIsLeftHasNoSay) {
  constexpr Index r = 5;
  const Matrix half = test::random_matrix(40, r, 3);
  Matrix G = half.transpose() * half;
  const Matrix right = G.topLeftCorner(r - 1, r - 1);
  const Matrix Q = test::random_matrix(70, r, 4);
  for (const double left : {4e-197, 1e-20, 0.0, -6e-15}) {
    G.row(r - 1).setConstant(left);
    G.col(r - 1).setConstant(left);
    Compute compute;
    Matrix Z = test::random_matrix(70, r, 5);
    Matrix without = Z.leftCols(r - 1);
    RowProblem(RowSolver::hals, G).improve(Q, {}, 20, Z, compute);
    RowProblem(RowSolver::hals, right).improve(Matrix(Q.leftCols(r - 1)), {}, 20, without, compute);
    EXPECT_TRUE((Z.col(r - 1).array() == 0).all()) << left;
    EXPECT_LT((Z.leftCols(r - 1) - without).cwiseAbs().maxCoeff(), 1e-12) << left;
  }
}

}  // namespace
}  // namespace omvc
