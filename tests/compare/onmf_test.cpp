// On-line NMF against the concatenation of the filled views.
#include "compare/onmf.hpp"

#include <gtest/gtest.h>

#include "factorise/row_problem.hpp"
#include "factorise/start_basis.hpp"
#include "support/method_data.hpp"

namespace omvc {
namespace {

Options options_of(Algorithm method) {
  Options options = method_options(method);
  options.clusters = 3;
  options.passes = 2;
  options.rounds = 500;
  options.tolerance = 0;
  return options;
}

Matrix concatenated(const Chunk& chunk, const std::vector<RowVector>& means) {
  const Matrix left = test::filled_rows(chunk.views[0], chunk.size(), means[0]);
  const Matrix right = test::filled_rows(chunk.views[1], chunk.size(), means[1]);
  Matrix out(chunk.size(), left.cols() + right.cols());
  out << left, right;
  return out;
}

Matrix stacked(const State& state, bool sums) {
  Matrix out(21, 3);
  for (std::size_t v = 0; v < 2; ++v) {
    out.middleRows(v == 0 ? 0 : 6, v == 0 ? 6 : 15) = sums ? state.views[v].seen.B : state.views[v].U;
  }
  return out;
}

class OnmfTest : public testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(Both, OnmfTest, testing::Values(Algorithm::onmf_i, Algorithm::onmf_da));

TEST_P(OnmfTest, AChunkIsOneViewWithItsMissingRowsFilled) {
  const Chunk chunk = test::small_chunk(1, 19);  // every instance has some view
  const Options options = options_of(GetParam());
  Compute compute(1);
  State begun(test::small_schema(), 3);
  start_basis(factor_options(options), PreparedChunk(chunk), begun, compute);

  test::MethodRun run(options, {chunk});
  run.pass(1);
  const Matrix V = run.embedding().middleRows(1, 19);
  const auto factors = run.method().model().factors;
  const State& state = factors->state();
  const Matrix X = concatenated(chunk, {test::mean_row(chunk.views[0]), test::mean_row(chunk.views[1])});

  // V solves the least squares for the basis that there was, in that basis's scale.
  const Matrix U0 = stacked(begun, false);
  const RowVector back = begun.scale.cwiseQuotient(state.scale);
  const RowProblem latent(RowSolver::hals, U0.transpose() * U0);
  for (Index i = 0; i < 19; ++i) {
    EXPECT_LT(latent.kkt_residual(V.row(i).cwiseProduct(back), X.row(i) * U0, 0), 1e-6);
  }
  // The sums are those of the concatenation.
  EXPECT_LT((state.views[0].seen.A - V.transpose() * V).norm(), 1e-9 * V.squaredNorm());
  EXPECT_LT((state.views[1].seen.A - V.transpose() * V).norm(), 1e-9 * V.squaredNorm());
  EXPECT_LT((stacked(state, true) - X.transpose() * V).norm(), 1e-9 * (X.transpose() * V).norm());
  // U minimises <A, U'U> - 2 <B, U>.
  const RowProblem basis(RowSolver::hals, V.transpose() * V);
  const Matrix U = stacked(state, false);
  const Matrix B = X.transpose() * V;
  const double scale = B.cwiseAbs().maxCoeff();
  for (Index j = 0; j < 21; ++j) EXPECT_LT(basis.kkt_residual(U.row(j), B.row(j), 0), 1e-4 * scale);
}

TEST_P(OnmfTest, TheLossIsThatOfTheConcatenation) {
  const std::vector<Chunk> chunks{test::small_chunk(1, 19), test::small_chunk(21, 19)};
  test::MethodRun run(options_of(GetParam()), chunks);
  run.pass(1);
  const Matrix V = run.embedding();
  const double loss = run.loss();
  const auto factors = run.method().model().factors;
  const Matrix U = stacked(factors->state(), false);
  // The first chunk was filled with its own means, the second with those of both.
  const auto mean_of_both = [&](std::size_t v) {
    const Matrix a = naive::densify(chunks[0].views[v].block), b = naive::densify(chunks[1].views[v].block);
    return RowVector((a.colwise().sum() + b.colwise().sum()) / static_cast<double>(a.rows() + b.rows()));
  };
  const Matrix first =
      concatenated(chunks[0], {test::mean_row(chunks[0].views[0]), test::mean_row(chunks[0].views[1])});
  const Matrix second = concatenated(chunks[1], {mean_of_both(0), mean_of_both(1)});
  const double direct = (first - V.middleRows(1, 19) * U.transpose()).squaredNorm() +
                        (second - V.middleRows(21, 19) * U.transpose()).squaredNorm();
  EXPECT_NEAR(loss, direct / 38, 1e-9 * direct);
}

TEST_P(OnmfTest, LaterPassesAccumulate) {
  test::MethodRun run(options_of(GetParam()), {test::small_chunk(1, 19)});
  run.pass(1);
  const double first = run.loss();
  run.pass(2);
  EXPECT_LT(run.loss(), first);
  const Matrix V = run.embedding().middleRows(1, 19);
  const auto factors = run.method().model().factors;
  const Matrix& A = factors->state().views[0].seen.A;
  EXPECT_GT(A.trace(), 1.2 * V.squaredNorm()) << "both passes are in the sums";
}

}  // namespace
}  // namespace omvc
