// MultiNMF and MIC against their formulas on filled, dense data.
#include "compare/offline_factors.hpp"

#include <gtest/gtest.h>

#include "compare/mic.hpp"
#include "compare/multinmf.hpp"
#include "support/method_data.hpp"

namespace omvc {
namespace {

FactorOptions options_of(Algorithm method) {
  Options options = method_options(method);
  options.clusters = 3;
  options.alpha = {0.3, 0.7};
  options.beta = {method == Algorithm::mic ? 0.05 : 0.0};
  return factor_options(options);
}

// The factors of one view as plain dense matrices, a row for every observed instance.
struct Plain {
  Matrix X, U, V, C;  // C: the rows of V*
  Vector w;
};

class OfflineFactorsTest : public testing::Test {
 protected:
  void start(Algorithm method) {
    options = options_of(method);
    state = State(test::small_schema(), 3);
    work = start_factors(options, data, state, compute);
  }

  // Every view in the order of its own rows.
  std::vector<Plain> plain() const {
    std::vector<Plain> out;
    for (std::size_t v = 0; v < 2; ++v) {
      const ViewWork& view = work.views[v];
      const Matrix all = test::filled_rows(chunk.views[v], chunk.size(), test::mean_row(chunk.views[v]));
      Plain p{Matrix(view.X.rows(), all.cols()), state.views[v].U, view.V, consensus_of(work, view),
              Vector(view.X.rows())};
      for (Index i = 0; i < view.X.rows(); ++i) {
        p.X.row(i) = all.row(view.X.positions()[static_cast<std::size_t>(i)]);
        p.w(i) = std::sqrt(view.X.squared_weights()[i]);
      }
      out.push_back(std::move(p));
    }
    return out;
  }

  void expect_near(const Matrix& a, const Matrix& b) const {
    ASSERT_EQ(a.rows(), b.rows());
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-10 * (1 + b.cwiseAbs().maxCoeff()));
  }

  const Chunk chunk = test::small_chunk(0, 43);
  const PreparedChunk data{chunk};
  Compute compute{1};
  FactorOptions options;
  State state;
  ChunkWork work;
};

TEST_F(OfflineFactorsTest, TheStartIsPositiveAndNormalised) {
  for (const Algorithm method : {Algorithm::multinmf, Algorithm::mic}) {
    start(method);
    EXPECT_EQ(work.observed, 40);
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_EQ(work.views[v].X.rows(), 40);
      EXPECT_GT(state.views[v].U.minCoeff(), 0);
      EXPECT_GT(work.views[v].V.minCoeff(), 0);
      EXPECT_LT((state.views[v].U.colwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    }
  }
}

TEST_F(OfflineFactorsTest, MultiNmfIsItsFormula) {
  start(Algorithm::multinmf);
  std::vector<Plain> views = plain();
  const double objective = update_multinmf(options, state, work, compute);
  Matrix consensus = Matrix::Zero(chunk.size(), 3);
  double expected = 0;
  for (std::size_t v = 0; v < 2; ++v) {
    auto& [X, U, V, C, w] = views[v];
    EXPECT_EQ(w.minCoeff(), 1) << "filled rows count in full";
    const double lambda = options.alpha[v];
    V = (V.array() * (X * U + lambda * C).array() / (V * U.transpose() * U + lambda * V).array()).matrix();
    const Matrix XtV = X.transpose() * V;
    const Matrix UVtV = U * V.transpose() * V;
    Matrix next = U;
    for (Index i = 0; i < U.rows(); ++i) {
      for (Index k = 0; k < 3; ++k) {
        next(i, k) = U(i, k) * (XtV(i, k) + lambda * V.col(k).dot(C.col(k))) /
                     (UVtV(i, k) + lambda * U.col(k).sum() * V.col(k).squaredNorm());
      }
    }
    const RowVector Q = next.colwise().sum();
    U = next * Q.cwiseInverse().asDiagonal();
    V = V * Q.asDiagonal();
    expect_near(state.views[v].U, U);
    expect_near(work.views[v].V, V);
    for (Index i = 0; i < V.rows(); ++i) {
      consensus.row(work.views[v].X.positions()[static_cast<std::size_t>(i)]) += lambda * V.row(i);
    }
  }
  consensus /= 0.3 + 0.7;
  expect_near(work.consensus, consensus);
  for (std::size_t v = 0; v < 2; ++v) {
    const Matrix C = consensus_of(work, work.views[v]);
    expected += (views[v].X - views[v].V * views[v].U.transpose()).squaredNorm() +
                options.alpha[v] * (views[v].V - C).squaredNorm();
  }
  EXPECT_NEAR(objective, expected, 1e-9 * expected);
}

TEST_F(OfflineFactorsTest, MultiNmfNeverRises) {
  start(Algorithm::multinmf);
  double last = update_multinmf(options, state, work, compute);
  const double first = last;
  for (int round = 0; round < 100; ++round) {
    const double next = update_multinmf(options, state, work, compute);
    EXPECT_LE(next, last * (1 + 1e-12));
    last = next;
  }
  EXPECT_LT(last, 0.999 * first);
}

double mic_objective(const FactorOptions& options, const std::vector<Plain>& views) {
  double sum = 0;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const auto& [X, U, V, C, w] = views[v];
    sum += (w.asDiagonal() * (X - V * U.transpose())).squaredNorm() +
           options.alpha[v] * (w.asDiagonal() * (V - C)).squaredNorm();
    for (Index i = 0; i < V.rows(); ++i) sum += options.beta[0] * V.row(i).norm();
  }
  return sum;
}

TEST_F(OfflineFactorsTest, MicReturnsItsObjectiveAndNeverRises) {
  start(Algorithm::mic);
  double last = mic_objective(options, plain());
  for (int round = 0; round < 60; ++round) {
    const double next = update_mic_factors(options, state, work, compute);
    EXPECT_LE(next, last * (1 + 1e-12)) << round;
    const double direct = mic_objective(options, plain());
    EXPECT_NEAR(next, direct, 1e-9 * direct);
    last = next;
  }
}

TEST_F(OfflineFactorsTest, MicEndsWhereItsGradientsSaySo) {
  start(Algorithm::mic);
  for (int round = 0; round < 4000; ++round) update_mic_factors(options, state, work, compute);
  const std::vector<Plain> views = plain();
  EXPECT_NEAR(views[0].w.minCoeff(), 32.0 / 40, 1e-12) << "32 of the 40 that have some view have the first";
  for (std::size_t v = 0; v < 2; ++v) {
    const auto& [X, U, V, C, w] = views[v];
    const Matrix W2 = w.cwiseAbs2().asDiagonal();
    Matrix of_V = W2 * (V * U.transpose() * U - X * U + options.alpha[v] * (V - C));
    for (Index i = 0; i < V.rows(); ++i) of_V.row(i) += options.beta[0] / 2 * V.row(i) / V.row(i).norm();
    const Matrix of_U = (V * U.transpose() - X).transpose() * W2 * V;
    // Complementary slackness: an entry is zero or its gradient is, measured by what cancels in it.
    EXPECT_LT(of_V.cwiseProduct(V).cwiseAbs().maxCoeff(), 1e-3 * (W2 * X * U).cwiseProduct(V).maxCoeff());
    EXPECT_LT(of_U.cwiseProduct(U).cwiseAbs().maxCoeff(), 1e-3 * (X.transpose() * W2 * V).cwiseProduct(U).maxCoeff());
  }
}

TEST_F(OfflineFactorsTest, RoundsAreSpreadOverThePassesAndTheLossFalls) {
  for (const Algorithm method : {Algorithm::multinmf, Algorithm::mic}) {
    Options chosen = method_options(method);
    chosen.clusters = 3;
    chosen.passes = 3;
    chosen.rounds = 30;
    chosen.tolerance = 0;
    test::MethodRun run(chosen, {test::small_chunk(0, 20), test::small_chunk(20, 23)});
    double last = std::numeric_limits<double>::infinity();
    for (int pass = 1; pass <= 3; ++pass) {
      run.pass(pass);
      EXPECT_LT(run.loss(), last);
      EXPECT_EQ(run.method().pass_after(pass), pass + 1);
      last = run.loss();
    }
  }
}

}  // namespace
}  // namespace omvc
