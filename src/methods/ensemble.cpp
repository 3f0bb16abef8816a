#include "methods/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "omvc/kmeans.hpp"

namespace omvc {
namespace {

constexpr Index kFactorChunks = 16;  // a factorisation that has learned this many chunks leaves the rest to prototypes
constexpr Index kSample = 4000;      // embedding rows that k-means learns from here: prototypes mend what it leaves
constexpr int kSeeded = 4;           // candidates seeded by instances of the first chunk
constexpr int kFirstRounds = 5;      // assignments of a chunk in the first pass; later ones take one
constexpr Index kBlock = 4096;

// Passes in which the factorisations learn, at most, where prototypes follow. Clusters of directions need passes of
// their own to settle; clusters of dense views gain more from a better factorisation (docs/quality.md).
int factor_passes(int passes, const std::vector<bool>& unit) {
  const bool directions = std::find(unit.begin(), unit.end(), true) != unit.end();
  return directions ? std::min(passes, 2) : std::max(1, passes - 1);
}

}  // namespace

Ensemble::Ensemble(const Options& options, const Schema& schema, int rank, const std::vector<bool>& unit, int passes)
    : options_(options),
      refine_(options.refine),
      passes_(passes),
      factor_passes_(options.refine ? factor_passes(passes, unit) : passes),
      prototypes_(schema, options.clusters, unit),
      squares_(schema.views.size(), 0.0) {
  for (int run = 0; run < options.runs; ++run) {
    runs_.push_back(std::make_unique<Omvc>(options, schema, rank, static_cast<std::uint32_t>(run)));
    rows_.push_back(std::make_unique<RowStore>(rank));
  }
  if (refine_) labels_ = std::make_unique<RowStore>(kSeeded + options.runs);
}

void Ensemble::begin_pass(int pass) {
  pass_ = pass;
  changed_ = 0;
  if (!factorises()) return;
  for (const auto& run : runs_) run->begin_pass(pass);
}

int Ensemble::learn(const Chunk& chunk, Workers& workers) {
  const PreparedChunk data(chunk);
  for (const Index row : chunk.rows) instances_ = std::max(instances_, row + 1);
  if (pass_ == 1) {
    for (std::size_t v = 0; v < data.views.size(); ++v) squares_[v] += data.views[v].squared_norm();
    observed_ += static_cast<double>(std::count(data.observed.begin(), data.observed.end(), true));
  }
  ++chunks_;
  int rounds = 0;
  for (std::size_t i = 0; i < runs_.size() && factorises(); ++i) {
    const LearnedRows learned = runs_[i]->learn(data, rows_[i].get(), workers);
    rows_[i]->write(learned.rows, learned.values.data());
    if (i == 0) rounds = learned.rounds;
  }
  if (!refine_) return rounds;
  const bool observed = std::find(data.observed.begin(), data.observed.end(), true) != data.observed.end();
  if (prototypes_.candidates() == 0 && !observed) return rounds;  // there is nothing to seed prototypes with
  if (prototypes_.candidates() == 0) {
    for (std::uint32_t c = 0; c < kSeeded; ++c) {
      prototypes_.add_seeded(data, Random(options_.seed, Purpose::seeding, (1u << 16) + c), workers);
    }
  }
  const CandidateLabels before = stored_labels(chunk);
  const Nearest by = chosen_ ? Nearest::by_direction : Nearest::by_mean;
  const CandidateLabels after = prototypes_.learn(data, before, pass_ == 1 ? kFirstRounds : 1, by, workers);
  changed_ += (before.array() != after.array()).count();
  store_labels(data, after);
  return rounds;
}

void Ensemble::end_pass(Workers& workers) {
  if (!refine_) return;
  prototypes_.end_pass();
  if (factorises() && chunks_ >= kFactorChunks) factor_passes_ = pass_;
  if (pass_ == factor_passes_) {
    for (std::size_t run = 0; run < runs_.size(); ++run) prototypes_.add_given(prototypes_of(run, workers));
  } else if (pass_ == passes_ - 1 && pass_ > factor_passes_ + 1) {
    choose(prototypes_.error());
  }
}

// Clusters of the embedding of a run, as prototypes: with x = v U', the mean of a cluster's rows is the mean of its
// latent rows times U'.
std::vector<Matrix> Ensemble::prototypes_of(std::size_t run, Workers& workers) const {
  const State& state = runs_[run]->state();
  const StoredEmbedding embedding(*rows_[run], state.scale, instances_);
  const Index r = embedding.rank();
  std::vector<double> rows = sample_rows(embedding, std::max(kSample, Index{64} * options_.clusters), options_.seed);
  const Index count = static_cast<Index>(rows.size()) / r;
  const Matrix latent = Eigen::Map<const Matrix>(rows.data(), count, r);
  if (options_.unit_rows) to_unit_length(rows.data(), count, r);
  const KMeansResult found = kmeans({rows.data(), count, r}, {.clusters = options_.clusters,
                                                              .starts = options_.restarts,
                                                              .seed = options_.seed,
                                                              .threads = workers.threads()});
  Matrix means = Matrix::Zero(options_.clusters, r);
  Vector members = Vector::Zero(options_.clusters);
  for (Index i = 0; i < count; ++i) {
    means.row(found.labels[static_cast<std::size_t>(i)]) += latent.row(i);
    members(found.labels[static_cast<std::size_t>(i)]) += 1;
  }
  for (int k = 0; k < options_.clusters; ++k) means.row(k) /= std::max(1.0, members(k));
  std::vector<Matrix> prototypes;
  for (const ViewState& view : state.views) prototypes.push_back(view.U * means.transpose());
  return prototypes;
}

void Ensemble::assign(const Chunk& chunk, Workers& workers) {
  const PreparedChunk data(chunk);
  const CandidateLabels labels = prototypes_.assign(data, error_, workers);
  prototypes_.recount(data, stored_labels(chunk), labels, workers);
  store_labels(data, labels);
}

void Ensemble::finish() {
  if (!chosen_) choose(error_);
  prototypes_.thaw();
}

void Ensemble::choose(const RowVector& error) {
  Index best = 0;
  error.minCoeff(&best);
  const Index first_given = prototypes_.candidates() - static_cast<Index>(runs_.size());
  if (best >= first_given) winner_ = static_cast<std::size_t>(best - first_given);
  prototypes_.keep(static_cast<int>(best));
  auto chosen = std::make_unique<RowStore>(1);
  std::vector<double> block;
  std::vector<double> column;
  std::vector<Index> rows;
  for (Index first = 0; first < labels_->rows(); first += kBlock) {
    const Index count = std::min(kBlock, labels_->rows() - first);
    block.resize(static_cast<std::size_t>(count * labels_->width()));
    labels_->read(first, count, block.data());
    rows.clear();
    column.clear();
    for (Index i = 0; i < count; ++i) {
      const double label = block[static_cast<std::size_t>(i * labels_->width() + best)];
      if (std::isnan(label)) continue;
      rows.push_back(first + i);
      column.push_back(label);
    }
    chosen->write(rows, column.data());
  }
  labels_ = std::move(chosen);
  chosen_ = true;
}

double Ensemble::error() const {
  if (!refine_ || !(observed_ > 0)) return 0;
  return (std::accumulate(squares_.begin(), squares_.end(), 0.0) + prototypes_.error().minCoeff()) / observed_;
}

std::vector<double> Ensemble::explained(bool refined, Workers& workers) const {
  std::vector<double> share;
  for (std::size_t v = 0; v < squares_.size(); ++v) {
    if (refined) {
      share.push_back(prototypes_.explained(v, 0, squares_[v]));
      continue;
    }
    const ViewState& view = runs_[winner_]->state().views[v];
    Matrix UtU;
    gram(view.U, UtU, workers);
    share.push_back(view.pass.c > 0 ? 1 - view.pass.reconstruction_error(view.U, UtU) / view.pass.c : 0);
  }
  return share;
}

StoredEmbedding Ensemble::embedding(Index rows) const { return {*rows_[winner_], runs_[winner_]->state().scale, rows}; }

CandidateLabels Ensemble::stored_labels(const Chunk& chunk) const {
  std::vector<double> stored(chunk.rows.size() * static_cast<std::size_t>(labels_->width()));
  labels_->read(chunk.rows, stored.data());
  CandidateLabels labels(chunk.size(), prototypes_.candidates());
  for (Index i = 0; i < labels.rows(); ++i) {
    for (Index c = 0; c < labels.cols(); ++c) {
      const double label = stored[static_cast<std::size_t>(i * labels_->width() + c)];
      labels(i, c) = std::isnan(label) ? -1 : static_cast<int>(label);
    }
  }
  return labels;
}

void Ensemble::store_labels(const PreparedChunk& chunk, const CandidateLabels& labels) {
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index i = 0; i < labels.rows(); ++i) {
    if (!chunk.observed[static_cast<std::size_t>(i)]) continue;
    rows.push_back(chunk.chunk->rows[static_cast<std::size_t>(i)]);
    for (Index c = 0; c < labels_->width(); ++c) values.push_back(c < labels.cols() ? labels(i, c) : -1);
  }
  labels_->write(rows, values.data());
}

}  // namespace omvc
