#include "compare/offline_factors.hpp"

#include <cmath>

#include "omvc/error.hpp"

#include "factorise/learn_chunk.hpp"
#include "factorise/start_basis.hpp"
#include "factorise/steps.hpp"

namespace omvc {
namespace {

constexpr int kStartRounds = 30;  // of the factorisation of each view by itself
constexpr double kFloor = 1e-3;   // of a column's mean: the least entry that the start leaves

void raise_to_floor(Matrix& M) {
  if (M.rows() == 0) return;
  const RowVector least = kFloor * M.colwise().mean();
  for (Index i = 0; i < M.rows(); ++i) M.row(i) = M.row(i).cwiseMax(least);
}

}  // namespace

Matrix consensus_of(const ChunkWork& work, const ViewWork& view) {
  Matrix out(view.X.rows(), work.consensus.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) = work.consensus.row(view.X.positions()[static_cast<std::size_t>(i)]);
  }
  return out;
}

ChunkWork start_factors(const FactorOptions& options, const PreparedChunk& data, State& state, Compute& compute) {
  start_basis(options, data, state, compute);
  observe(options, data, state, compute);
  ChunkWork work;
  make_work(options, data, state, work, compute);
  FactorOptions alone = options;  // no consensus
  alone.alpha = {0};
  alone.beta = {0};
  for (std::size_t v = 0; v < work.views.size(); ++v) {
    ViewWork& view = work.views[v];
    Matrix& U = state.views[v].U;
    Sums none;
    none.reset(U.rows(), U.cols());
    if (v > 0) {
      view.V = consensus_of(work, view);
      refresh_sums(none, view, compute);
      for (int round = 0; round < kStartRounds; ++round) update_basis(alone, view, U, compute);
    }
    for (int round = 0; round < kStartRounds; ++round) {
      refresh_products(U, view, compute);
      update_latent(alone, v, work.consensus, view, compute);
      refresh_sums(none, view, compute);
      update_basis(alone, view, U, compute);
    }
    raise_to_floor(U);
    raise_to_floor(view.V);
    for (Index i = 0; i < view.V.rows(); ++i) {
      work.consensus.row(view.X.positions()[static_cast<std::size_t>(i)]) = view.V.row(i);
    }
  }
  rescale_basis(options, state, &work, compute);
  update_consensus(options, work);
  return work;
}

OfflineFactors::OfflineFactors(const MethodContext& context, UpdateFactors update)
    : Method(*context.counts),
      options_(factor_options(context.options)),
      schema_(context.schema),
      update_(update),
      passes_(context.passes),
      table_(context),
      state_(context.schema, factor_rank(context.options)),
      rows_(context.rows.open("consensus", rank())) {}

int OfflineFactors::learn(const PreparedChunk& chunk, Compute& /*compute*/) {
  if (pass_ == 1) table_.add(*chunk.chunk);
  return 0;
}

void OfflineFactors::end_pass(Compute& compute) {
  const PreparedChunk& data = table_.data();
  if (!work_) {
    work_ = start_factors(options_, data, state_, compute);
    objective_ = update_(options_, state_, *work_, compute);
  }
  const auto until = [&](int pass) { return static_cast<int>(Index{options_.rounds} * pass / passes_); };
  for (int round = until(pass_ - 1); round < until(pass_) && !converged_; ++round) {
    const double next = update_(options_, state_, *work_, compute);
    if (!std::isfinite(next)) {
      throw Error(ErrorKind::numerical, "the loss is no longer a finite number; check the scale of the data");
    }
    converged_ = std::abs(objective_ - next) <= options_.tolerance * objective_;
    objective_ = next;
  }
  for (std::size_t v = 0; v < work_->views.size(); ++v) state_.views[v].pass = work_->views[v].share;
  if (pass_ > 1) rows_->begin_generation();
  Matrix rows(work_->observed, rank());
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < data.observed.size(); ++i) {
    if (!data.observed[i]) continue;
    rows.row(static_cast<Index>(numbers.size())) = work_->consensus.row(static_cast<Index>(i));
    numbers.push_back(data.chunk->rows[i]);
  }
  rows_->write(numbers, rows.data());
}

double OfflineFactors::average_loss(Compute& /*compute*/) const {
  return work_ && work_->observed > 0 ? objective_ / static_cast<double>(work_->observed) : 0;
}

std::vector<double> OfflineFactors::explained(Compute& compute) const { return explained_squares(state_, compute); }

std::unique_ptr<Embedding> OfflineFactors::embedding(Index rows) const {
  return std::make_unique<StoredEmbedding>(*rows_, state_.scale, rows);
}

LearnedModel OfflineFactors::model() {
  FactorOptions embedding = options_;
  embedding.beta = {0};  // new instances are embedded without the last term of mic
  return {.factors = std::make_unique<Factorisation>(embedding, std::move(state_)), .prototypes = {}};
}

}  // namespace omvc
