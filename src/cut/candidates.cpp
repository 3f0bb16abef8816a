#include "cut/candidates.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cut/row_graph.hpp"
#include "cut/spectrum.hpp"
#include "factorise/seed_instances.hpp"
#include "fine/seeds.hpp"

namespace omvc {
namespace {

constexpr int kSeeded = 4;            // candidates seeded by instances
constexpr int kStarts = 20;           // of k-means on the embedding
constexpr Index kCompared = 4000;     // instances on which candidates are compared, at least
constexpr Index kPerCluster = 100;    // and for each cluster
constexpr Index kGraphRows = 2000;    // rows of the neighbourhood graph
constexpr int kMeanRounds = 10;       // assignments by mean, then by direction
constexpr int kDirectionRounds = 10;

FineRule by_mean(FineRule rule) {
  rule.direction.assign(rule.direction.size(), false);
  return rule;
}

// Labels of the compared pieces by prototypes that instances of the first piece give.
std::vector<std::int32_t> seeded_labels(const CandidateInput& input, std::size_t pieces, std::uint32_t number,
                                        Workers& workers) {
  const Random random(input.seed, Purpose::seeding, (1u << 16) + number);
  PrototypeTable table{.columns = seed_instances(input.sample.pieces().front(), input.clusters, random, workers),
                       .norms = {}};
  table.measure(workers);
  std::vector<std::int32_t> labels;
  for (std::size_t p = 0; p < pieces; ++p) {
    const Near near = find_near(input.sample.pieces()[p], table, 1, 0, workers);
    labels.insert(labels.end(), near.ids.begin(), near.ids.end());
  }
  return labels;
}

std::vector<std::int32_t> graph_labels(const CandidateInput& input, Workers& workers) {
  const Index rows = std::min(input.sample.size(), kGraphRows);
  const Spectrum spectrum = spectrum_of(row_affinity(input.sample, rows, workers), input.clusters);
  const std::vector<int> groups = cut_spectrum(spectrum, input.clusters, input.seed, workers.threads());
  return {groups.begin(), groups.end()};
}

}  // namespace

Candidate best_candidate(const CandidateInput& input, std::vector<std::pair<std::string, double>>& errors,
                         Workers& workers) {
  const std::size_t pieces = input.sample.pieces_for(std::max(kCompared, kPerCluster * input.clusters));
  Candidate best;
  const auto offer = [&](std::string name, std::vector<std::int32_t> labels, bool means) {
    if (means) {
      labels = refine(input.sample, pieces, input.schema, input.clusters, labels, by_mean(input.rule), kMeanRounds,
                      workers)
                   .labels;
    }
    Refined refined = refine(input.sample, pieces, input.schema, input.clusters, labels, input.rule, kDirectionRounds,
                             workers);
    errors.emplace_back(name, refined.error);
    if (!best.name.empty() && !(refined.error < best.refined.error)) return;
    best = {std::move(name), std::move(refined)};
  };
  for (std::uint32_t c = 0; c < kSeeded; ++c) {
    offer(fmt::format("seeded {}", c + 1), seeded_labels(input, pieces, c, workers), true);
  }
  offer("embedding", group_latent(input.latent, input.clusters, kStarts, 100, input.seed, workers.threads()), true);
  for (const std::vector<std::int32_t>& labels : input.more) offer("prototypes", labels, false);
  offer("row graph", graph_labels(input, workers), false);
  if (pieces < input.sample.pieces().size()) {
    best.refined = refine(input.sample, input.sample.pieces().size(), input.schema, input.clusters, best.refined.labels,
                          input.rule, kDirectionRounds, workers);
  }
  return best;
}

}  // namespace omvc
