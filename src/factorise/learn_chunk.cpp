#include "factorise/learn_chunk.hpp"

#include <cmath>

#include "omvc/error.hpp"

#include "factorise/steps.hpp"

namespace omvc {
namespace {

constexpr int kEmbedRounds = 50;  // latent steps for rows that get no others
constexpr int kStartRounds = 10;  // latent steps with which the rows of a new chunk find their place

// Relative change in a step of coordinate descent that ends it: of rows that the next round moves again, and of others.
constexpr double kLearned = 1e-4;
constexpr double kSolved = 1e-6;

// The first latent rows of a chunk: what the current basis makes of it.
void start_latent(const FactorOptions& options, const State& state, int rounds, double done, ChunkWork& work,
                  Compute& compute) {
  for_each_view(work, compute,
                [&](std::size_t v, Compute& some) { refresh_products(state.views[v].U, work.views[v], some); });
  double diagonal = 0;
  for (const ViewWork& view : work.views) diagonal += view.UtU.trace();
  work.ridge =
      options.ridge * diagonal / static_cast<double>(work.views.size()) / static_cast<double>(state.scale.size());
  if (options.consensus == Consensus::tight) {
    update_joint_latent(options, rounds, done, work, compute);
    return;
  }
  std::vector<RowProblem> problems;
  for (std::size_t v = 0; v < work.views.size(); ++v) problems.push_back(latent_problem(options, v, work.views[v]));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < work.views.size(); ++v) {
      update_latent(options, v, problems[v], work.consensus, work.views[v], compute);
    }
    update_consensus(options, work);
  }
}

// What the loss of the chunk needs of a view after its latent rows have changed.
void refresh_loss(const State& state, std::size_t v, ChunkWork& work, Compute& compute) {
  refresh_small_sums(state.views[v].seen, work.views[v], compute);
  refresh_fit(state.views[v].seen, state.views[v].U, work.views[v], compute);
}

// A round: lines 5 to 7.
void improve(const FactorOptions& options, State& state, ChunkWork& work, Compute& compute) {
  const bool soft = options.consensus == Consensus::soft;
  for_each_view(work, compute, [&](std::size_t v, Compute& some) {
    ViewWork& view = work.views[v];
    Matrix& U = state.views[v].U;
    refresh_large_sum(state.views[v].seen, view, some);
    update_basis(options, view, U, some);  // line 5
    refresh_products(U, view, some);
    if (!soft) return;
    update_latent(options, v, work.consensus, view, some);  // line 6
    refresh_loss(state, v, work, some);
  });
  if (soft) return update_consensus(options, work);          // line 7
  update_joint_latent(options, 1, kLearned, work, compute);  // lines 6 and 7, alpha = inf
  for_each_view(work, compute, [&](std::size_t v, Compute& some) { refresh_loss(state, v, work, some); });
}

// Takes the share that the last pass left for this chunk out of the sums, and starts from its rows.
void subtract_previous(const Matrix& previous, State& state, ChunkWork& work, Compute& compute) {
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    Sums& seen = state.views[v].seen;
    for (Index i = 0; i < view.X.rows(); ++i)
      view.V.row(i) = -previous.row(view.X.positions()[static_cast<std::size_t>(i)]);
    gram(view.V, view.X.observed(), view.X.squared_weights().rest, view.share.A, compute);
    seen.A -= view.share.A;
    view.X.add_to(view.V, seen.B, compute);
    seen.c -= view.share.c;
    view.V = -view.V;
  }
  work.consensus = previous;
}

}  // namespace

ChunkOutcome learn_chunk(const FactorOptions& options, const PreparedChunk& chunk, const Matrix* previous, State& state,
                         ChunkWork& work, Compute& compute) {
  if (state.pass == 1) observe(options, chunk, state, compute);
  make_work(options, chunk, state, work, compute);
  if (previous != nullptr) subtract_previous(*previous, state, work, compute);
  start_latent(options, state, kStartRounds, kLearned, work, compute);
  for_each_view(work, compute, [&](std::size_t v, Compute& some) { refresh_loss(state, v, work, some); });

  double loss = objective(options, state, work);
  int round = 0;
  while (round < options.rounds) {
    ++round;
    improve(options, state, work, compute);
    const double next = objective(options, state, work);
    if (!std::isfinite(next)) {
      throw Error(ErrorKind::numerical, "the loss is no longer a finite number; check the scale of the data");
    }
    const bool converged = std::abs(loss - next) <= options.tolerance * loss;  // line 8
    loss = next;
    if (converged) break;
  }
  for_each_view(work, compute, [&](std::size_t v, Compute& some) {
    refresh_large_sum(state.views[v].seen, work.views[v], some);
    keep_sums(work.views[v], state.views[v], some);
  });
  const double left = penalty(options, work);
  // Where shares are replaced the penalty of the past is left out of the loss that stops a chunk: it is a constant
  // there.
  if (options.statistics == Statistics::accumulate) state.seen_penalty += left;
  state.pass_penalty += left;
  state.pass_instances += static_cast<double>(work.observed);
  rescale_basis(options, state, &work, compute);
  if (options.consensus == Consensus::soft) update_consensus(options, work);
  return {work.consensus, work.observed, round};
}

Matrix embed_chunk(const FactorOptions& options, const PreparedChunk& chunk, const State& state, Compute& compute) {
  ChunkWork work;
  make_work(options, chunk, state, work, compute);
  start_latent(options, state, kEmbedRounds, kSolved, work, compute);
  return std::move(work.consensus);
}

double average_loss(const State& state, Compute& compute) {
  if (!(state.pass_instances > 0)) return 0;
  double loss = state.pass_penalty;
  for (const ViewState& view : state.views) {
    Matrix UtU;
    gram(view.U, UtU, compute);
    loss += reconstruction_error(view.pass, view.U, UtU, compute);
  }
  return loss / state.pass_instances;
}

std::vector<double> explained_squares(const State& state, Compute& compute) {
  std::vector<double> share;
  for (const ViewState& view : state.views) {
    Matrix UtU;
    gram(view.U, UtU, compute);
    share.push_back(view.pass.c > 0 ? 1 - reconstruction_error(view.pass, view.U, UtU, compute) / view.pass.c : 0);
  }
  return share;
}

}  // namespace omvc
