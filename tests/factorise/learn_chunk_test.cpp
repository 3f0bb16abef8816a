#include "factorise/learn_chunk.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "factorise/start_basis.hpp"
#include "factorise/steps.hpp"
#include "kernels/naive.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

// Two views, one dense and one sparse, in which every third instance lacks the first view, every fourth the second, and
// instances divisible by both have none.
Chunk make_chunk(Index first, Index n, bool sparse = true) {
  const Matrix left = test::random_matrix(n, 12, static_cast<std::uint64_t>(first) + 1);
  const Matrix right = test::random_sparse(n, 40, 0.2, static_cast<std::uint64_t>(first) + 2);
  std::vector<Index> in_left, in_right;
  for (Index i = 0; i < n; ++i) {
    if ((first + i) % 3 != 0) in_left.push_back(i);
    if ((first + i) % 4 != 0) in_right.push_back(i);
  }
  Chunk chunk{test::iota(n, first), {}};
  chunk.views.push_back(test::view_of(left, in_left, test::dense_block<double>));
  if (sparse) {
    chunk.views.push_back(test::view_of(right, in_right, test::csr_block<double>));
  } else {
    chunk.views.push_back(test::view_of(right, in_right, test::dense_block<double>));
  }
  return chunk;
}

void start(const FactorOptions& options, const Chunk& chunk, State& state, Compute& compute) {
  start_basis(options, PreparedChunk(chunk), state, compute);
}

ChunkOutcome learn(const FactorOptions& options, const Chunk& chunk, const Matrix* previous, State& state,
                   Compute& compute) {
  ChunkWork work;
  return learn_chunk(options, PreparedChunk(chunk), previous, state, work, compute);
}

const Schema& schema() {
  static const Schema kSchema = test::schema_of({12, 40});
  return kSchema;
}

FactorOptions paper(RowSolver solver) {
  FactorOptions options{.consensus = Consensus::soft,
                        .missing = Missing::fill,
                        .statistics = Statistics::accumulate,
                        .start = Start::random,
                        .solver = RowSolver::newton,
                        .rounds = 200,
                        .tolerance = 1e-4};
  options.solver = solver;
  options.alpha = {0.1};
  options.beta = {1e-3};
  return options;
}

FactorOptions tight(RowSolver solver) {
  FactorOptions options;
  options.solver = solver;
  return options;
}

class LearnChunk : public testing::TestWithParam<std::pair<Consensus, RowSolver>> {
 protected:
  FactorOptions options() const {
    return GetParam().first == Consensus::soft ? paper(GetParam().second) : tight(GetParam().second);
  }
  State started(const Chunk& chunk) {
    State state(schema(), 4);
    start(options(), chunk, state, compute_);
    return state;
  }
  Compute compute_{1};
};

// Room that other chunks have worked in, larger, smaller and with views that nobody has, leaves no trace.
TEST_P(LearnChunk, UsedRoomIsAsGoodAsNew) {
  const Chunk first = make_chunk(1, 50);
  Compute compute(1);
  State used_state = started(first);
  State new_state = used_state;
  ChunkWork used;
  Chunk lone = make_chunk(80, 7);
  lone.views[0] = test::view_of(Matrix(0, 12), {}, test::dense_block<double>);
  for (const Chunk& chunk : {first, lone, make_chunk(90, 71)}) {
    const ChunkOutcome reused = learn_chunk(options(), PreparedChunk(chunk), nullptr, used_state, used, compute);
    const ChunkOutcome fresh = learn(options(), chunk, nullptr, new_state, compute);
    EXPECT_EQ(reused.consensus, fresh.consensus);
    EXPECT_EQ(reused.rounds, fresh.rounds);
    for (std::size_t v = 0; v < 2; ++v) EXPECT_EQ(used_state.views[v].U, new_state.views[v].U);
  }
}

TEST_P(LearnChunk, MoreRoundsNeverRaiseTheLoss) {
  const Chunk chunk = make_chunk(0, 30);
  double last = std::numeric_limits<double>::infinity();
  for (int rounds = 1; rounds <= 25; ++rounds) {
    FactorOptions chosen = options();
    chosen.rounds = rounds;
    chosen.tolerance = 0;
    State state = started(chunk);
    learn(chosen, chunk, nullptr, state, compute_);
    const double loss = average_loss(state, compute_);
    EXPECT_LE(loss, last * (1 + 1e-12)) << rounds;
    last = loss;
  }
}

TEST_P(LearnChunk, FactorsStayFiniteAndNonnegative) {
  State state = started(make_chunk(0, 30));
  for (Index t = 0; t < 6; ++t) {
    const Chunk chunk = make_chunk(30 * t, 30);
    const ChunkOutcome outcome = learn(options(), chunk, nullptr, state, compute_);
    EXPECT_TRUE(outcome.consensus.allFinite());
    EXPECT_GE(outcome.consensus.minCoeff(), 0);
    for (const ViewState& view : state.views) {
      EXPECT_TRUE(view.U.allFinite());
      EXPECT_GE(view.U.minCoeff(), 0);
    }
  }
}

TEST_P(LearnChunk, SparseEqualsItsDensifiedCopy) {
  State one = started(make_chunk(0, 30, true)), other = started(make_chunk(0, 30, false));
  for (Index t = 0; t < 3; ++t) {
    FactorOptions chosen = options();
    chosen.rounds = 10;
    chosen.tolerance = 0;
    const auto a = learn(chosen, make_chunk(30 * t, 30, true), nullptr, one, compute_);
    const auto b = learn(chosen, make_chunk(30 * t, 30, false), nullptr, other, compute_);
    // The same sums in another order; thirty rounds amplify rounding by several digits.
    EXPECT_LE((a.consensus - b.consensus).cwiseAbs().maxCoeff(), 1e-8 * (1 + a.consensus.maxCoeff()));
    EXPECT_LE((one.views[1].U - other.views[1].U).cwiseAbs().maxCoeff(), 1e-8);
  }
}

// Chunks that are worth no threads, whose views go side by side, and whose views are divided.
TEST_P(LearnChunk, ThreadsDoNotChangeABit) {
  for (const Index n : {12, 3000, 30000}) {
    SCOPED_TRACE(n);
    const Chunk chunk = make_chunk(0, n);
    State one = started(chunk), two = one;
    Compute pair(2);
    FactorOptions chosen = options();
    chosen.rounds = 5;
    compute_.profile().take_products();
    const auto a = learn(chosen, chunk, nullptr, one, compute_);
    const auto b = learn(chosen, chunk, nullptr, two, pair);
    EXPECT_TRUE((a.consensus.array() == b.consensus.array()).all());
    EXPECT_TRUE((one.views[1].U.array() == two.views[1].U.array()).all());
    EXPECT_TRUE((one.views[1].seen.B.array() == two.views[1].seen.B.array()).all());
    const auto counted = compute_.profile().take_products();
    const auto counted_by_two = pair.profile().take_products();
    ASSERT_EQ(counted.size(), 1u);
    ASSERT_EQ(counted_by_two.size(), 1u);
    EXPECT_EQ(counted[0].times, counted_by_two[0].times);
    EXPECT_EQ(counted[0].transpose_times, counted_by_two[0].transpose_times);
  }
}

TEST_P(LearnChunk, InstancesWithoutAViewHaveNoInfluence) {
  const Chunk with = make_chunk(0, 36);  // 0, 12 and 24 have no view
  Chunk without = with;
  const std::vector<bool> observed = [] {
    std::vector<bool> keep(36, true);
    keep[0] = keep[12] = keep[24] = false;
    return keep;
  }();
  without.rows.clear();
  std::vector<Index> new_position(36, -1);
  for (std::size_t i = 0; i < 36; ++i) {
    if (!observed[i]) continue;
    new_position[i] = static_cast<Index>(without.rows.size());
    without.rows.push_back(static_cast<Index>(i));
  }
  for (ChunkView& view : without.views) {
    for (Index& at : view.present) at = new_position[static_cast<std::size_t>(at)];
  }
  State one = started(with), other = started(without);
  const ChunkOutcome a = learn(options(), with, nullptr, one, compute_);
  const ChunkOutcome b = learn(options(), without, nullptr, other, compute_);
  EXPECT_EQ(a.observed, 33);
  EXPECT_EQ(b.observed, 33);
  EXPECT_EQ(one.views[0].U, other.views[0].U);
  EXPECT_EQ(average_loss(one, compute_), average_loss(other, compute_));
  EXPECT_EQ(a.consensus.row(12).maxCoeff(), 0);
}

INSTANTIATE_TEST_SUITE_P(Solver, LearnChunk,
                         testing::Values(std::pair{Consensus::soft, RowSolver::newton},
                                         std::pair{Consensus::soft, RowSolver::diagonal},
                                         std::pair{Consensus::soft, RowSolver::hals},
                                         std::pair{Consensus::tight, RowSolver::hals},
                                         std::pair{Consensus::tight, RowSolver::newton}));

// The average loss of Eq. (28) from the running sums against its definition on stored data: the reconstruction of every
// chunk with the basis at the end, the other terms as they stood when the chunk was left.
TEST(AverageLoss, EqualsItsDefinitionOnStoredDataWhereTheConsensusIsTight) {
  const FactorOptions options = tight(RowSolver::hals);
  Compute compute(1);
  State state(schema(), 4);
  std::vector<std::pair<Chunk, Matrix>> past;  // with V* free of scale
  double penalties = 0;
  for (Index t = 0; t < 4; ++t) {
    const Chunk chunk = make_chunk(30 * t, 30);
    start(options, chunk, state, compute);
    const double before = state.pass_penalty;
    const Matrix V = learn(options, chunk, nullptr, state, compute).consensus;
    penalties += state.pass_penalty - before;
    past.emplace_back(chunk, V.array().rowwise() / state.scale.array());
    double expected = penalties;
    for (const auto& [seen, stored] : past) {
      const Matrix latent = stored * state.scale.asDiagonal();
      for (std::size_t v = 0; v < 2; ++v) {
        Matrix rows(static_cast<Index>(seen.views[v].present.size()), 4);
        for (Index i = 0; i < rows.rows(); ++i)
          rows.row(i) = latent.row(seen.views[v].present[static_cast<std::size_t>(i)]);
        expected += (naive::densify(seen.views[v].block) - rows * state.views[v].U.transpose()).squaredNorm();
      }
    }
    EXPECT_NEAR(average_loss(state, compute), expected / state.pass_instances, 1e-10 * expected);
  }
}

// With one view the consensus of Eq. (25) is the latent matrix itself, so the stored rows are known here too. Every
// other instance is missing and filled.
TEST(AverageLoss, EqualsItsDefinitionOnStoredDataWithFilledInstances) {
  FactorOptions options = paper(RowSolver::newton);
  Compute compute(1);
  State state(test::schema_of({6, 5}), 4);
  struct Past {
    Matrix X, V;
    Vector w2;
  };
  std::vector<Past> past;
  double penalties = 0;
  for (Index t = 0; t < 4; ++t) {
    // The second view only makes the instances observed: it is zero, has no basis and adds nothing to the loss.
    const Matrix X = test::random_matrix(20, 6, static_cast<std::uint64_t>(t));
    std::vector<Index> present;
    for (Index i = 0; i < 20; i += 2) present.push_back(i);
    Chunk chunk{test::iota(20, 20 * t), {}};
    chunk.views.push_back(test::view_of(X, present, test::dense_block<double>));
    chunk.views.push_back({test::dense_block<double>(Matrix::Zero(20, 5)), test::iota(20)});
    options.alpha = {0.1, 1e-12};
    start(options, chunk, state, compute);
    state.views[1].U.setZero();
    const double before = state.pass_penalty;
    const Matrix A_before = state.views[0].pass.A;
    const ChunkOutcome outcome = learn(options, chunk, nullptr, state, compute);
    penalties += state.pass_penalty - before;
    const Vector mean = state.views[0].row_sum / state.views[0].observed;
    Past now{Matrix(20, 6), outcome.consensus, Vector::Ones(20)};
    for (Index i = 0; i < 20; ++i) {
      now.X.row(i) = i % 2 == 0 ? RowVector(X.row(i)) : RowVector(mean.transpose());
      now.w2(i) = i % 2 == 0 ? 1 : 0.25;
    }
    // The chunk ends with a rescaling V <- V D of all rows so far, which the diagonal of A = D A D + V' W^2 V tells.
    const Matrix share = now.V.transpose() * now.w2.asDiagonal() * now.V;
    for (Past& p : past) {
      for (Index k = 0; k < 4; ++k)
        p.V.col(k) *= std::sqrt((state.views[0].pass.A(k, k) - share(k, k)) / A_before(k, k));
    }
    past.push_back(now);
    double expected = penalties;
    for (const Past& p : past) {
      expected += (p.w2.cwiseSqrt().asDiagonal() * (p.X - p.V * state.views[0].U.transpose())).squaredNorm();
    }
    // The second view pulls the consensus by a share of 1e-11.
    EXPECT_NEAR(average_loss(state, compute), expected / state.pass_instances, 1e-7 * expected);
  }
}

TEST(LearnChunk, ReplacedStatisticsEqualThoseOfTheLatestLatentRows) {
  FactorOptions options = tight(RowSolver::hals);
  Compute compute(1);
  State state(schema(), 4);
  const Chunk first = make_chunk(0, 24), second = make_chunk(24, 24);
  start(options, first, state, compute);
  Matrix V1 = learn(options, first, nullptr, state, compute).consensus.array().rowwise() / state.scale.array();
  Matrix V2 = learn(options, second, nullptr, state, compute).consensus.array().rowwise() / state.scale.array();
  for (int pass = 2; pass <= 4; ++pass) {
    state.begin_pass(pass);
    Matrix today = V1 * state.scale.asDiagonal();
    V1 = learn(options, first, &today, state, compute).consensus.array().rowwise() / state.scale.array();
    today = V2 * state.scale.asDiagonal();
    V2 = learn(options, second, &today, state, compute).consensus.array().rowwise() / state.scale.array();
  }
  for (std::size_t v = 0; v < 2; ++v) {
    Matrix A = Matrix::Zero(4, 4);
    for (const auto& [chunk, stored] : {std::pair{&first, &V1}, std::pair{&second, &V2}}) {
      const Matrix V = *stored * state.scale.asDiagonal();
      for (const Index at : chunk->views[v].present) A += V.row(at).transpose() * V.row(at);
    }
    EXPECT_LE((state.views[v].seen.A - A).cwiseAbs().maxCoeff(), 1e-9 * A.maxCoeff());
    double c = 0;
    for (const Chunk* chunk : {&first, &second}) c += naive::squared_norm(chunk->views[v].block);
    EXPECT_NEAR(state.views[v].seen.c, c, 1e-9 * c);
  }
}

}  // namespace
}  // namespace omvc
