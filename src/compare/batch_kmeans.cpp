#include "compare/batch_kmeans.hpp"

#include <algorithm>
#include <limits>

namespace omvc {
namespace {

constexpr int kRounds = 300;                     // of Lloyd's algorithm, each start
constexpr std::uint32_t kFirstStart = 3u << 16;  // of random numbers, a stream a start

}  // namespace

ViewClusters best_clusters(const Options& options, const Schema& schema, const PreparedChunk& data,
                           const PrototypeRule& rule, Compute& compute) {
  const CandidateLabels none = CandidateLabels::Constant(data.size(), 1, -1);
  ViewClusters best{.prototypes = {}, .labels = none, .error = std::numeric_limits<double>::infinity()};
  for (int start = 0; start < kKMeansStarts; ++start) {
    CandidatePrototypes found(schema, options.clusters, std::vector<bool>(schema.views.size(), false), rule);
    const Random random(options.seed, Purpose::seeding, kFirstStart + static_cast<std::uint32_t>(start));
    found.add_seeded(data, random, compute);
    CandidateLabels labels = found.learn(data, none, kRounds, Nearest::by_mean, compute);
    const double error = found.error()(0);
    if (start == 0 || error < best.error) best = {std::move(found), std::move(labels), error};
  }
  return best;
}

BatchKMeans::BatchKMeans(const MethodContext& context)
    : Method(*context.counts),
      options_(context.options),
      schema_(context.schema),
      passes_(context.passes),
      table_(context),
      labels_(context.rows, 1, context.options.clusters) {}

int BatchKMeans::learn(const PreparedChunk& chunk, Compute& /*compute*/) {
  table_.add(*chunk.chunk);
  return 0;
}

PrototypeRule BatchKMeans::rule(const PreparedChunk& data, Compute& compute) const {
  if (options_.method == Algorithm::masked_kmeans) return {.ridge = 0, .absent = Absent::mean, .fill = {}};
  PrototypeRule out{.ridge = 0, .absent = Absent::filled, .fill = {}};
  for (const DataBlock& view : data.views) {
    out.fill.emplace_back(Vector::Zero(view.cols()));
    view.add_row_sum(out.fill.back(), compute);
    out.fill.back() /= static_cast<double>(std::max<Index>(1, view.rows()));
  }
  return out;
}

void BatchKMeans::end_pass(Compute& compute) {
  const PreparedChunk& data = table_.data();
  const PrototypeRule means = rule(data, compute);
  ViewClusters found = best_clusters(options_, schema_, data, means, compute);
  double squares = 0;
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    squares += data.views[v].squared_norm(compute);
    if (!means.fill.empty()) squares += static_cast<double>(data.missing(v).size()) * means.fill[v].squaredNorm();
  }
  loss_ = std::max(0.0, squares + found.error) / static_cast<double>(std::max<Index>(1, counts().observed));
  labels_.write(data, found.labels);
  best_ = std::move(found.prototypes);
}

std::vector<double> BatchKMeans::explained(Compute& /*compute*/) const {
  std::vector<double> share(schema_.views.size(), 0.0);
  for (std::size_t v = 0; v < share.size() && best_.candidates() > 0; ++v) {
    share[v] = best_.explained(v, 0, counts().squares[v]);
  }
  return share;
}

std::unique_ptr<Embedding> BatchKMeans::embedding(Index rows) const {
  return std::make_unique<OneHotEmbedding>(labels_.store(), 0, options_.clusters, rows);
}

}  // namespace omvc
