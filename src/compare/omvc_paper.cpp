#include "compare/omvc_paper.hpp"

#include "omvc/error.hpp"

namespace omvc {

OmvcPaper::OmvcPaper(const MethodContext& context)
    : Method(*context.counts),
      schema_(context.schema),
      factors_(std::make_unique<Factorisation>(factor_options(context.options), schema_, factor_rank(context.options))),
      rows_(context.rows.open("run0", rank())) {}

void OmvcPaper::begin_pass(int pass) {
  factors_->begin_pass(pass);
  if (pass > 1) rows_->begin_generation();
}

int OmvcPaper::learn(const PreparedChunk& chunk, Compute& compute) {
  const LearnedRows learned = factors_->learn(chunk, nullptr, compute);
  write_rows(*rows_, chunk.chunk->rows, learned);
  return learned.rounds;
}

std::unique_ptr<Embedding> OmvcPaper::embedding(Index rows) const {
  return std::make_unique<StoredEmbedding>(*rows_, factors_->state().scale, rows);
}

LearnedModel OmvcPaper::model() { return {.factors = std::move(factors_), .prototypes = {}}; }

void OmvcPaper::save(Archive& archive) const {
  factors_->state().save(archive, "run0/");
  put_position(archive, "run0/rows", *rows_);
}

void OmvcPaper::load(const Archive& archive) {
  State state = State::load(archive, schema_, "run0/", true);
  if (state.scale.size() != rank()) throw Error(ErrorKind::data, "the checkpoint is of another rank");
  factors_ = std::make_unique<Factorisation>(factors_->options(), std::move(state));
  restore_position(archive, "run0/rows", *rows_);
}

}  // namespace omvc
