// Each update of Algorithm 1 on a 4 x 3 example small enough to check by hand, and against dense formulas.
#include "factorise/steps.hpp"

#include <gtest/gtest.h>

#include "factorise/learn_chunk.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

// Four instances, three features. Instance 3 is missing; it is filled with the mean (1, 1, 0) and has weight 1/2.
struct Example {
  Matrix X{{2, 0, 0}, {0, 2, 0}, {1, 1, 0}};
  Vector mean{{1, 1, 0}};
  Matrix U{{1, 0}, {0, 1}, {0, 0}};
  ChunkView view{test::dense_block<double>(X), {0, 1, 2}};
  DataBlock data{view.block};
  FilledView filled{data, view.present, {3}, mean, 0.5};
  Compute compute{1};
};

FactorOptions soft_options() {
  FactorOptions options{.consensus = Consensus::soft,
                        .missing = Missing::fill,
                        .statistics = Statistics::accumulate,
                        .start = Start::random,
                        .solver = RowSolver::newton,
                        .rounds = 200,
                        .tolerance = 1e-4};
  options.alpha = {1.0};
  options.beta = {0.5};
  return options;
}

TEST(Steps, TheFilledRowIsTheMeanWithItsWeight) {
  Example e;
  Matrix XU;
  e.filled.times(e.U, XU, e.compute);
  EXPECT_EQ(XU, (Matrix{{2, 0}, {0, 2}, {1, 1}, {1, 1}}));
  // ||W X||^2 = 4 + 4 + 2 + (1/4) 2.
  EXPECT_DOUBLE_EQ(e.filled.squared_norm(e.compute), 10.5);
  const Matrix V{{1, 0}, {0, 1}, {1, 1}, {2, 0}};
  Matrix A, B;
  e.filled.sums(V, A, B, e.compute);
  // A = sum of w^2 v'v: (1 0; 0 0) + (0 0; 0 1) + (1 1; 1 1) + (1/4) (4 0; 0 0).
  EXPECT_EQ(A, (Matrix{{3, 1}, {1, 2}}));
  // B = sum of w^2 x'v: x1 gives (2 0; 0 0; 0 0), x2 (0 0; 0 2; 0 0), x3 (1 1; 1 1; 0 0), the mean (1/2 0; 1/2 0; 0 0).
  EXPECT_EQ(B, (Matrix{{3.5, 1}, {1.5, 3}, {0, 0}}));
}

TEST(Steps, LatentUpdateByHand) {
  Example e;
  const FactorOptions options = soft_options();
  ViewWork work{.X = e.filled, .V = Matrix::Zero(4, 2), .XU = {}, .UtU = {}, .share = {}, .total = {}};
  refresh_products(e.U, work, e.compute);
  const Matrix consensus = Matrix::Ones(4, 2);
  update_latent(options, 0, consensus, work, e.compute);
  // Eq. (22) with G = U'U + alpha I = 2 I and q = x U + v*: z = (q - l / 2) / 2, l = beta / w^2 = 1/2, and 2 for the
  // filled row. x1: q = (3, 1): (1.375, 0.375). x3: q = (2, 2): (0.875, 0.875). Filled: q = (2, 2): (0.5, 0.5).
  const Matrix expected{{1.375, 0.375}, {0.375, 1.375}, {0.875, 0.875}, {0.5, 0.5}};
  EXPECT_LE((work.V - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Steps, BasisUpdateByHand) {
  Example e;
  const FactorOptions options = soft_options();
  ViewWork work{
      .X = e.filled, .V = Matrix{{1, 0}, {0, 1}, {0, 0}, {0, 0}}, .XU = {}, .UtU = {}, .share = {}, .total = {}};
  Sums past;
  past.reset(3, 2);
  past.A = Matrix{{1, 0}, {0, 3}};
  past.B = Matrix{{0, 0}, {4, 0}, {0, 8}};
  refresh_sums(past, work, e.compute);
  // A = (2 0; 0 4); B = past + X'V = (2 0; 4 2; 0 8); Eq. (16) reaches B A^-1 = (1 0; 2 1/2; 0 2), which is feasible.
  Matrix U = e.U;
  update_basis(options, work, U, e.compute);
  EXPECT_LE((U - Matrix{{1, 0}, {2, 0.5}, {0, 2}}).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Steps, ConsensusByHand) {
  Example e;
  FactorOptions options = soft_options();
  options.alpha = {1.0, 3.0};
  const ChunkView other{test::dense_block<double>(Matrix::Ones(2, 1)), {0, 3}};
  const DataBlock other_data(other.block);
  ChunkWork work;
  work.views.push_back(
      {.X = e.filled, .V = Matrix{{2, 0}, {0, 2}, {1, 1}, {4, 4}}, .XU = {}, .UtU = {}, .share = {}, .total = {}});
  work.views.push_back({.X = FilledView(other_data, other.present),
                        .V = Matrix{{6, 0}, {8, 0}},
                        .XU = {},
                        .UtU = {},
                        .share = {},
                        .total = {}});
  work.consensus.setZero(4, 2);
  update_consensus(options, work);
  // Eq. (25). Instance 0: (1 * (2, 0) + 3 * (6, 0)) / 4. Instance 3: (1/4 (4, 4) + 3 (8, 0)) / 3.25.
  const Matrix expected{{5, 0}, {0, 2}, {1, 1}, {25 / 3.25, 1 / 3.25}};
  EXPECT_LE((work.consensus - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Steps, JointLatentUpdateByHand) {
  FactorOptions options;
  options.solver = RowSolver::newton;
  // View 1 sees component 0 and view 2 component 1. Instance 0 has both views, instance 1 only the first.
  const ChunkView first{test::dense_block<double>(Matrix{{4}, {6}}), {0, 1}};
  const ChunkView second{test::dense_block<double>(Matrix{{8}}), {0}};
  ChunkWork work;
  Compute compute(1);
  const DataBlock first_data(first.block), second_data(second.block);
  work.views.push_back(
      {.X = FilledView(first_data, first.present), .V = {}, .XU = {}, .UtU = {}, .share = {}, .total = {}});
  work.views.push_back(
      {.X = FilledView(second_data, second.present), .V = {}, .XU = {}, .UtU = {}, .share = {}, .total = {}});
  refresh_products(Matrix{{1, 0}}, work.views[0], compute);
  refresh_products(Matrix{{0, 1}}, work.views[1], compute);
  work.consensus.setZero(2, 2);
  work.groups = group_by_pattern(work);
  work.ridge = 1;
  update_joint_latent(options, 1, 0, work, compute);
  // Both views: G = 2 I, q = (4, 8). First only: G = diag(2, 1), q = (6, 0).
  EXPECT_LE((work.consensus - Matrix{{2, 4}, {3, 0}}).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(work.views[1].V.rows(), 1);
}

TEST(Steps, FilledSparseViewEqualsItsDensifiedCopy) {
  const Matrix X = test::random_sparse(40, 90, 0.1, 3);
  std::vector<Index> present, missing;
  for (Index i = 0; i < 40; ++i) (i % 3 == 1 ? missing : present).push_back(i);
  const Vector mean = test::random_matrix(90, 1, 4);
  const ChunkView sparse = test::view_of(X, present, test::csr_block<double>);
  const DataBlock data(sparse.block);
  const FilledView filled(data, sparse.present, missing, mean, 0.6);
  // The dense copy holds the filled rows for real, weighted by 0.6 on both sides.
  Matrix all(40, 90);
  for (Index i = 0; i < 40; ++i) {
    const Index at = filled.positions()[static_cast<std::size_t>(i)];
    all.row(i) = at % 3 == 1 ? RowVector(mean.transpose()) : RowVector(X.row(at));
  }
  Vector w2 = Vector::Constant(40, 0.36);
  w2.head(filled.observed()).setOnes();
  const Matrix U = test::random_matrix(90, 5, 5), V = test::random_matrix(40, 5, 6);
  Compute compute(1);
  Matrix XU, A, B;
  filled.times(U, XU, compute);
  filled.sums(V, A, B, compute);
  EXPECT_LE((XU - all * U).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((A - V.transpose() * w2.asDiagonal() * V).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((B - all.transpose() * w2.asDiagonal() * V).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(filled.squared_norm(compute), (w2.cwiseSqrt().asDiagonal() * all).squaredNorm(), 1e-12);
}

TEST(Steps, RescalingKeepsTheReconstructionAndBringsColumnsToOne) {
  Compute compute(1);
  FactorOptions options = soft_options();
  const Index d = 30, r = 3, n = 20;
  State state(test::schema_of({d}), r);
  const Matrix X = test::random_matrix(n, d, 1), V = test::random_matrix(n, r, 2);
  state.views[0].U = test::random_matrix(d, r, 3);
  state.views[0].U.col(1).setZero();
  state.views[0].seen = {Matrix(V.transpose() * V), Matrix(X.transpose() * V), X.squaredNorm()};
  state.views[0].pass = state.views[0].seen;
  const Matrix UtU = state.views[0].U.transpose() * state.views[0].U;
  const double before = reconstruction_error(state.views[0].seen, state.views[0].U, UtU, compute);
  EXPECT_NEAR(before, (X - V * state.views[0].U.transpose()).squaredNorm(), 1e-9);
  rescale_basis(options, state, nullptr, compute);
  const Matrix& U = state.views[0].U;
  EXPECT_NEAR(reconstruction_error(state.views[0].seen, U, U.transpose() * U, compute), before, 1e-9);
  EXPECT_NEAR(U.col(0).sum(), 1, 1e-12);
  EXPECT_EQ(U.col(1).sum(), 0);
}

}  // namespace
}  // namespace omvc
