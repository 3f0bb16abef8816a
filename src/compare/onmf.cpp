#include "compare/onmf.hpp"

#include <cmath>

#include "omvc/error.hpp"

#include "factorise/learn_chunk.hpp"
#include "factorise/start_basis.hpp"
#include "factorise/steps.hpp"
#include "kernels/tall.hpp"

namespace omvc {
namespace {

constexpr int kLatentRounds = 50;  // of coordinate descent: the least squares are solved, not improved

// <A, U'U> - 2 <B, U> over the views, for everything that the sums cover.
double basis_objective(const State& state, const ChunkWork& work, Compute& compute) {
  double sum = 0;
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    Matrix UtU;
    gram(state.views[v].U, UtU, compute);
    const Sums& total = work.views[v].total;
    sum += total.A.cwiseProduct(UtU).sum() - 2 * inner_product(total.B, state.views[v].U, compute);
  }
  return sum;
}

}  // namespace

Onmf::Onmf(const MethodContext& context)
    : Method(*context.counts),
      options_(factor_options(context.options)),
      schema_(context.schema),
      solver_(context.options.method == Algorithm::onmf_i ? RowSolver::newton : RowSolver::diagonal),
      state_(schema_, factor_rank(context.options)),
      rows_(context.rows.open("latent", rank())) {}

void Onmf::begin_pass(int pass) {
  state_.begin_pass(pass);
  if (pass > 1) rows_->begin_generation();
}

int Onmf::learn(const PreparedChunk& chunk, Compute& compute) {
  start_basis(options_, chunk, state_, compute);
  if (state_.pass == 1) observe(options_, chunk, state_, compute);
  ChunkWork& work = work_;
  make_work(options_, chunk, state_, work, compute);
  for (std::size_t v = 0; v < work.views.size(); ++v) refresh_products(state_.views[v].U, work.views[v], compute);
  update_joint_latent(options_, kLatentRounds, 0, work, compute);
  for (std::size_t v = 0; v < work.views.size(); ++v) refresh_sums(state_.views[v].seen, work.views[v], compute);
  const int rounds = update_stacked_basis(work, compute);
  for (std::size_t v = 0; v < work.views.size(); ++v) keep_sums(work.views[v], state_.views[v], compute);
  state_.pass_instances += static_cast<double>(work.observed);
  rescale_basis(options_, state_, &work, compute);

  Matrix rows(work.observed, rank());
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) continue;
    rows.row(static_cast<Index>(numbers.size())) =
        work.consensus.row(static_cast<Index>(i)).cwiseQuotient(state_.scale);
    numbers.push_back(chunk.chunk->rows[i]);
  }
  rows_->write(numbers, rows.data());
  return rounds;
}

int Onmf::update_stacked_basis(ChunkWork& work, Compute& compute) {
  FactorOptions step = options_;
  step.solver = solver_;
  double squares = 0;
  for (const ViewWork& view : work.views) squares += view.total.c;
  double last = basis_objective(state_, work, compute);
  for (int round = 1; round <= options_.rounds; ++round) {
    for (std::size_t v = 0; v < work.views.size(); ++v) {
      update_basis(step, work.views[v], state_.views[v].U, compute);
    }
    const double next = basis_objective(state_, work, compute);
    if (!std::isfinite(next)) {
      throw Error(ErrorKind::numerical, "the loss is no longer a finite number; check the scale of the data");
    }
    if (last - next <= options_.tolerance * (squares + next)) return round;
    last = next;
  }
  return options_.rounds;
}

double Onmf::average_loss(Compute& compute) const { return omvc::average_loss(state_, compute); }

std::vector<double> Onmf::explained(Compute& compute) const { return explained_squares(state_, compute); }

std::unique_ptr<Embedding> Onmf::embedding(Index rows) const {
  return std::make_unique<StoredEmbedding>(*rows_, state_.scale, rows);
}

LearnedModel Onmf::model() {
  return {.factors = std::make_unique<Factorisation>(options_, std::move(state_)), .prototypes = {}};
}

void Onmf::save(Archive& archive) const {
  state_.save(archive, "onmf/");
  put_position(archive, "onmf/rows", *rows_);
}

void Onmf::load(const Archive& archive) {
  state_ = State::load(archive, schema_, "onmf/", true);
  if (state_.scale.size() != rows_->width()) throw Error(ErrorKind::data, "the checkpoint is of another rank");
  restore_position(archive, "onmf/rows", *rows_);
}

}  // namespace omvc
