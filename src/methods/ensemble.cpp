#include "methods/ensemble.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "omvc/error.hpp"
#include "omvc/kmeans.hpp"

namespace omvc {
namespace {

constexpr Index kFactorChunks = 16;  // a factorisation that has learned this many chunks leaves the rest to prototypes
constexpr Index kSample = 4000;      // embedding rows that k-means learns from here: prototypes mend what it leaves
constexpr int kSeeded = 4;           // candidates seeded by instances of the first chunk
constexpr int kFirstRounds = 5;      // assignments of a chunk in the first pass; later ones take one

// Passes in which the factorisations learn, at most, where prototypes follow. Clusters of directions need passes of
// their own to settle; clusters of dense views gain more from a better factorisation (docs/quality.md).
int factor_passes(int passes, const std::vector<bool>& unit) {
  const bool directions = std::find(unit.begin(), unit.end(), true) != unit.end();
  return directions ? std::min(passes, 2) : std::max(1, passes - 1);
}

}  // namespace

Ensemble::Ensemble(const MethodContext& context)
    : Method(*context.counts),
      options_(context.options),
      schema_(context.schema),
      unit_(context.unit),
      // Runs are compared and clusters refined by reading the data again.
      refine_(context.options.refine && context.again),
      rank_(Omvc::choose_rank(context.options, context.dense)),
      passes_(context.passes),
      factor_passes_(refine_ ? factor_passes(passes_, unit_) : passes_),
      prototypes_(schema_, options_.clusters, unit_) {
  if (!context.again) options_.runs = 1;
  for (int run = 0; run < options_.runs; ++run) {
    runs_.push_back(std::make_unique<Omvc>(options_, schema_, rank_, static_cast<std::uint32_t>(run)));
    rows_.push_back(context.rows.open(fmt::format("run{}", run), rank_));
  }
  if (refine_) labels_.emplace(context.rows, kSeeded + options_.runs, options_.clusters);
}

void Ensemble::begin_pass(int pass) {
  pass_ = pass;
  changed_ = 0;
  if (refine_ && pass > 1) labels_->begin_generation();
  if (!factorises()) return;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i]->begin_pass(pass);
    if (pass > 1) rows_[i]->begin_generation();
  }
}

int Ensemble::learn(const PreparedChunk& data, Workers& workers) {
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
  const CandidateLabels before = labels_->last(*data.chunk, prototypes_.candidates());
  const Nearest by = chosen_ ? Nearest::by_direction : Nearest::by_mean;
  const CandidateLabels after = prototypes_.learn(data, before, pass_ == 1 ? kFirstRounds : 1, by, workers);
  changed_ += (before.array() != after.array()).count();
  labels_->write(data, after);
  return rounds;
}

void Ensemble::end_pass(Workers& workers) {
  if (!refine_) return;
  prototypes_.end_pass(workers);
  if (factorises() && chunks_ >= kFactorChunks) factor_passes_ = pass_;
  if (pass_ == factor_passes_) {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      prototypes_.add_given(prototypes_of(run, workers));
      runs_[run]->rest();
    }
  } else if (pass_ == passes_ - 1 && pass_ > factor_passes_ + 1) {
    choose(prototypes_.error());
  }
}

// Clusters of the embedding of a run, as prototypes: with x = v U', the mean of a cluster's rows is the mean of its
// latent rows times U'.
std::vector<Matrix> Ensemble::prototypes_of(std::size_t run, Workers& workers) const {
  const State& state = runs_[run]->state();
  const StoredEmbedding embedding(*rows_[run], state.scale, counts().instances);
  const Index r = embedding.rank();
  std::vector<double> rows = sample_rows(embedding, std::max(kSample, Index{64} * options_.clusters), options_.seed);
  const Index count = static_cast<Index>(rows.size()) / r;
  const Matrix latent = Eigen::Map<const Matrix>(rows.data(), count, r);
  if (options_.unit_rows) to_unit_length(rows.data(), count, r);
  const KMeansResult found = [&] {
    const Timed timed(workers.profile(), Step::kmeans);
    return kmeans({rows.data(), count, r}, {.clusters = options_.clusters,
                                            .starts = options_.restarts,
                                            .seed = options_.seed,
                                            .threads = workers.threads()});
  }();
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

void Ensemble::begin_labels() {
  error_.resize(0);
  labels_->begin_generation();
}

void Ensemble::label(const PreparedChunk& data, Workers& workers) {
  const CandidateLabels labels = prototypes_.assign(data, error_, workers);
  prototypes_.recount(data, labels_->last(*data.chunk, prototypes_.candidates()), labels, workers);
  labels_->write(data, labels);
}

void Ensemble::finish(bool complete) {
  complete_ = complete;
  if (!complete || !refine_) return;
  if (!chosen_) choose(error_);
  prototypes_.thaw();
}

void Ensemble::choose(const RowVector& error) {
  if (error.size() == 0 || error.size() != prototypes_.candidates()) {
    throw Error(ErrorKind::data, "no instance was labelled, so no clustering can be chosen");
  }
  Index best = 0;
  error.minCoeff(&best);
  const Index first_given = prototypes_.candidates() - static_cast<Index>(runs_.size());
  if (best >= first_given) winner_ = static_cast<std::size_t>(best - first_given);
  prototypes_.keep(static_cast<int>(best));
  labels_->keep(static_cast<int>(best));
  chosen_ = true;
}

double Ensemble::error() const {
  if (!refine_ || !(static_cast<double>(counts().observed) > 0)) return 0;
  return (std::accumulate(counts().squares.begin(), counts().squares.end(), 0.0) + prototypes_.error().minCoeff()) /
         static_cast<double>(counts().observed);
}

std::vector<double> Ensemble::explained(Workers& workers) const {
  if (!complete_ || !refine_) return runs_[winner_]->explained(workers);
  std::vector<double> share;
  for (std::size_t v = 0; v < counts().squares.size(); ++v) {
    share.push_back(prototypes_.explained(v, 0, counts().squares[v]));
  }
  return share;
}

std::unique_ptr<Embedding> Ensemble::embedding(Index rows) const {
  return std::make_unique<StoredEmbedding>(*rows_[winner_], runs_[winner_]->state().scale, rows);
}

LearnedModel Ensemble::model() {
  LearnedModel out{.factors = std::move(runs_[winner_]), .prototypes = {}};
  out.prototypes = complete_ && refine_ ? std::move(prototypes_) : Prototypes(schema_, options_.clusters, unit_);
  return out;
}

void Ensemble::save(Archive& archive) const {
  archive.put("ensemble/counters", std::vector<Index>{pass_, factor_passes_, chosen_, chunks_, changed_,
                                                      static_cast<Index>(winner_), refine_});
  archive.put("ensemble/error", std::vector<double>(error_.begin(), error_.end()));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::string prefix = fmt::format("run{}/", i);
    runs_[i]->save(archive, prefix);
    put_position(archive, prefix + "rows", *rows_[i]);
  }
  if (!refine_) return;
  prototypes_.save(archive);
  labels_->save(archive);
}

void Ensemble::load(const Archive& archive) {
  const std::vector<Index>& counters = archive.integers("ensemble/counters");
  const auto is_count = [](Index number) { return number >= 0 && number <= Index{1} << 53; };
  if (counters.size() != 7 || !std::all_of(counters.begin(), counters.end(), is_count) ||
      counters[6] != static_cast<Index>(refine_) || counters[0] < 1 ||
      counters[5] >= static_cast<Index>(runs_.size())) {
    throw Error(ErrorKind::data, "the checkpoint's counters make no sense");
  }
  pass_ = static_cast<int>(counters[0]);
  factor_passes_ = static_cast<int>(counters[1]);
  chosen_ = counters[2] != 0;
  chunks_ = counters[3];
  changed_ = counters[4];
  winner_ = static_cast<std::size_t>(counters[5]);
  const std::vector<double>& error = archive.numbers("ensemble/error");
  error_ = Eigen::Map<const RowVector>(error.data(), static_cast<Index>(error.size()));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::string prefix = fmt::format("run{}/", i);
    runs_[i]->load(archive, schema_, prefix);
    if (runs_[i]->state().scale.size() != rank_) throw Error(ErrorKind::data, "the checkpoint is of another rank");
    restore_position(archive, prefix + "rows", *rows_[i]);
  }
  if (!refine_) return;
  prototypes_ = Prototypes::load(archive, schema_, options_.clusters, unit_);
  if (chosen_ != (prototypes_.candidates() == 1)) {
    throw Error(ErrorKind::data, "the checkpoint's counters make no sense");
  }
  labels_->load(archive, prototypes_.candidates());
  if (error_.size() != 0 && error_.size() != prototypes_.candidates()) {
    throw Error(ErrorKind::data, "the checkpoint's candidates make no sense");
  }
}

void Ensemble::sync() const {
  for (const auto& rows : rows_) rows->sync();
  if (refine_) labels_->sync();
}

}  // namespace omvc
