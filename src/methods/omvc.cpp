#include "methods/omvc.hpp"

#include <utility>

#include "solver/learn_chunk.hpp"
#include "solver/start_basis.hpp"

namespace omvc {

Options solver_options(Options options) {
  switch (options.method) {
    case Algorithm::onmf_i:
    case Algorithm::onmf_da:
      options.consensus = Consensus::tight;
      options.missing = Missing::fill;
      options.ridge = 0;
      options.solver = RowSolver::hals;
      break;
    case Algorithm::multinmf:
      options.beta = {0};
      [[fallthrough]];
    case Algorithm::mic:
      options.consensus = Consensus::soft;
      options.missing = Missing::fill;
      options.solver = RowSolver::hals;
      break;
    default:
      break;
  }
  return options;
}

Omvc::Omvc(const Options& options, const Schema& schema, int rank, std::uint32_t run)
    : options_(options), state_(schema, rank), run_(run) {}

Omvc::Omvc(const Options& options, State state) : options_(solver_options(options)), state_(std::move(state)) {
  if (options_.method == Algorithm::mic) options_.beta = {0};
}

int Omvc::choose_rank(const Options& options, bool dense) {
  if (options.rank > 0) return options.rank;
  if (options.consensus == Consensus::soft) return options.clusters;
  return (dense ? 3 : 2) * options.clusters;
}

LearnedRows Omvc::learn(const PreparedChunk& chunk, const RowStore* previous, Workers& workers) {
  start_basis(options_, chunk, run_, state_, workers);
  const bool replace = previous != nullptr && options_.statistics == Statistics::replace && state_.pass > 1;
  Matrix left;
  if (replace) {
    left.resize(chunk.size(), previous->width());
    previous->read_last(chunk.chunk->rows, left.data());
    // Instances without any view left NaN, and have no share to subtract.
    left = left.unaryExpr([](double x) { return x == x ? x : 0.0; }) * state_.scale.asDiagonal();
  }
  const ChunkOutcome outcome = learn_chunk(options_, chunk, replace ? &left : nullptr, state_, work_, workers);

  LearnedRows learned{.rows = {}, .values = Matrix(outcome.observed, state_.scale.size()), .rounds = outcome.rounds};
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) continue;
    learned.values.row(static_cast<Index>(learned.rows.size())) =
        outcome.consensus.row(static_cast<Index>(i)).cwiseQuotient(state_.scale);
    learned.rows.push_back(chunk.chunk->rows[i]);
  }
  return learned;
}

Matrix Omvc::embed(const PreparedChunk& chunk, Workers& workers) const {
  return embed_chunk(options_, chunk, state_, workers);
}

double Omvc::average_loss(Workers& workers) const { return omvc::average_loss(state_, workers); }

std::vector<double> Omvc::explained(Workers& workers) const { return explained_squares(state_, workers); }

void StoredEmbedding::read(Index first, Index count, double* out) const {
  store_->read(first, count, out);
  Eigen::Map<Matrix> rows(out, count, rank());
  rows = rows * scale_.asDiagonal();
}

}  // namespace omvc
