#include "factorise/factorisation.hpp"

#include <utility>

#include "factorise/learn_chunk.hpp"
#include "factorise/start_basis.hpp"

namespace omvc {

Factorisation::Factorisation(const FactorOptions& options, const Schema& schema, int rank)
    : options_(options), state_(schema, rank) {}

Factorisation::Factorisation(const FactorOptions& options, State state) : options_(options), state_(std::move(state)) {}

LearnedRows Factorisation::learn(const PreparedChunk& chunk, const Matrix* previous, Compute& compute) {
  start_basis(options_, chunk, state_, compute);
  const bool replace = previous != nullptr && options_.statistics == Statistics::replace && state_.pass > 1;
  Matrix left;
  if (replace) left = *previous * state_.scale.asDiagonal();
  const ChunkOutcome outcome = learn_chunk(options_, chunk, replace ? &left : nullptr, state_, work_, compute);

  LearnedRows learned{.positions = {}, .values = Matrix(outcome.observed, rank()), .rounds = outcome.rounds};
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (!chunk.observed[i]) continue;
    learned.values.row(static_cast<Index>(learned.positions.size())) =
        outcome.consensus.row(static_cast<Index>(i)).cwiseQuotient(state_.scale);
    learned.positions.push_back(static_cast<Index>(i));
  }
  return learned;
}

Matrix Factorisation::embed(const PreparedChunk& chunk, Compute& compute) const {
  return embed_chunk(options_, chunk, state_, compute);
}

double Factorisation::average_loss(Compute& compute) const { return omvc::average_loss(state_, compute); }

std::vector<double> Factorisation::explained(Compute& compute) const { return explained_squares(state_, compute); }

}  // namespace omvc
