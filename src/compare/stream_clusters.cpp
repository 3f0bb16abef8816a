#include "compare/stream_clusters.hpp"

#include <algorithm>
#include <numeric>

#include "compare/batch_kmeans.hpp"
#include "kernels/tall.hpp"

namespace omvc {
namespace {

constexpr std::uint32_t kFirstCandidate = 2u << 16;  // of random numbers, a stream a candidate

bool is_opimc(const MethodContext& context) { return context.options.method == Algorithm::opimc; }

}  // namespace

StreamClusters::StreamClusters(const MethodContext& context)
    : Method(*context.counts),
      options_(context.options),
      schema_(context.schema),
      candidates_(is_opimc(context) ? 1 : kKMeansStarts),
      rounds_(is_opimc(context) ? options_.rounds : 1),
      relabel_(context.again && !is_opimc(context)),
      prototypes_(schema_, options_.clusters, std::vector<bool>(schema_.views.size(), false),
                  {.ridge = is_opimc(context) ? options_.ridge : 0, .absent = Absent::mean, .fill = {}}),
      labels_(context.rows, candidates_, context.options.clusters) {}

void StreamClusters::begin_pass(int pass) {
  if (pass > 1) labels_.begin_generation();
}

void StreamClusters::start(const PreparedChunk& data, Compute& compute) {
  if (options_.method == Algorithm::opimc) {
    prototypes_.add_given(random_parts(data, compute));
    prototypes_.thaw();
    return;
  }
  for (int c = 0; c < candidates_; ++c) {
    const Random random(options_.seed, Purpose::seeding, kFirstCandidate + static_cast<std::uint32_t>(c));
    prototypes_.add_seeded(data, random, compute);
  }
}

// The means of the best of several clusterings of the chunk.
std::vector<Matrix> StreamClusters::random_parts(const PreparedChunk& data, Compute& compute) const {
  const Random random(options_.seed, Purpose::seeding, kFirstCandidate);
  std::vector<Matrix> basis;
  for (std::size_t v = 0; v < schema_.views.size(); ++v) {
    Matrix parts = Matrix::Zero(data.views[v].rows(), options_.clusters);
    for (Index i = 0; i < parts.rows(); ++i) {
      const auto at = static_cast<std::uint64_t>(data.present(v)[static_cast<std::size_t>(i)]);
      parts(i, static_cast<Index>(random.below(static_cast<std::uint64_t>(options_.clusters), at))) = 1;
    }
    basis.emplace_back(Matrix::Zero(data.views[v].cols(), options_.clusters));
    data.views[v].add_transpose_times(parts, basis.back(), compute);
    const RowVector counts = (column_sums(parts, compute).array() + options_.ridge).max(1e-300);
    basis.back() = basis.back() * counts.cwiseInverse().asDiagonal();
  }
  return basis;
}

int StreamClusters::learn(const PreparedChunk& data, Compute& compute) {
  if (prototypes_.candidates() == 0) {
    // There may be nothing to start from yet.
    if (std::find(data.observed.begin(), data.observed.end(), true) == data.observed.end()) return 0;
    start(data, compute);
  }
  const CandidateLabels before = labels_.last(*data.chunk, prototypes_.candidates());
  labels_.write(data, prototypes_.learn(data, before, rounds_, Nearest::by_mean, compute));
  return 1;
}

int StreamClusters::best() const {
  Index best = 0;
  if (prototypes_.candidates() > 1) prototypes_.error().minCoeff(&best);
  return static_cast<int>(best);
}

void StreamClusters::choose() {
  if (prototypes_.candidates() < 2) return;
  const int chosen = best();
  prototypes_.keep(chosen);
  labels_.keep(chosen);
}

void StreamClusters::begin_labels() {
  choose();
  labels_.begin_generation();
}

void StreamClusters::label(const PreparedChunk& data, Compute& compute) {
  RowVector unused;
  const CandidateLabels after = prototypes_.assign(data, unused, compute);
  prototypes_.recount(data, labels_.last(*data.chunk, 1), after, compute);
  labels_.write(data, after);
}

void StreamClusters::finish(bool /*complete*/, Compute& /*compute*/) { choose(); }

double StreamClusters::mean(double value) const {
  const auto observed = static_cast<double>(counts().observed);
  if (!(observed > 0)) return 0;
  const double squares = std::accumulate(counts().squares.begin(), counts().squares.end(), 0.0);
  return std::max(0.0, squares + value) / observed;
}

double StreamClusters::average_loss(Compute& /*compute*/) const {
  return prototypes_.candidates() > 0 ? mean(prototypes_.error()(best())) : 0;
}

double StreamClusters::error() const {
  return prototypes_.candidates() > 0 ? mean(prototypes_.squared_distance()(best())) : 0;
}

std::vector<double> StreamClusters::explained(Compute& /*compute*/) const {
  std::vector<double> share;
  for (std::size_t v = 0; v < schema_.views.size(); ++v) {
    share.push_back(prototypes_.candidates() > 0 ? prototypes_.explained(v, best(), counts().squares[v]) : 0);
  }
  return share;
}

std::unique_ptr<Embedding> StreamClusters::embedding(Index rows) const {
  return std::make_unique<OneHotEmbedding>(labels_.store(), best(), options_.clusters, rows);
}

void StreamClusters::save(Archive& archive) const {
  prototypes_.save(archive);
  labels_.save(archive);
}

void StreamClusters::load(const Archive& archive) {
  // Before anything was seen there is nothing to read, and the rule of the prototypes is not in the archive.
  if (archive.number("prototypes/candidates") > 0) {
    prototypes_ =
        CandidatePrototypes::load(archive, schema_, options_.clusters, std::vector<bool>(schema_.views.size(), false));
  }
  labels_.load(archive, prototypes_.candidates());
}

}  // namespace omvc
