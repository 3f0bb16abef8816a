#include "cut/candidates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "cut/row_graph.hpp"
#include "cut/spectrum.hpp"
#include "factorise/seed_instances.hpp"
#include "fine/seeds.hpp"

namespace omvc {
namespace {

constexpr int kSeeded = 4;          // candidates seeded by instances
constexpr int kStarts = 20;         // of k-means on the embedding
constexpr Index kCompared = 4000;   // instances on which candidates are compared, at least
constexpr Index kPerCluster = 100;  // and for each cluster
constexpr Index kGraphRows = 2000;  // rows of the neighbourhood graph
constexpr int kMeanRounds = 10;     // assignments by mean, then by direction
constexpr int kDirectionRounds = 2;
constexpr int kPatterns = 63;

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

// The presence patterns of the first instances, an indicator column each; those beyond kPatterns are one.
Matrix presence_patterns(const Sample& sample, Index rows) {
  std::map<std::vector<bool>, int> numbers;
  std::vector<int> out;
  for (std::size_t p = 0; p < sample.pieces_for(rows); ++p) {
    const PreparedChunk& piece = sample.pieces()[p];
    std::vector<std::vector<bool>> present(static_cast<std::size_t>(piece.size()),
                                           std::vector<bool>(piece.views.size()));
    for (std::size_t v = 0; v < piece.views.size(); ++v) {
      for (const Index at : piece.present(v)) present[static_cast<std::size_t>(at)][v] = true;
    }
    for (const std::vector<bool>& pattern : present) {
      const int number = std::min(static_cast<int>(numbers.size()), kPatterns);
      out.push_back(numbers.emplace(pattern, number).first->second);
    }
  }
  Matrix columns = Matrix::Zero(rows, kPatterns + 1);
  for (Index i = 0; i < rows; ++i) columns(i, out[static_cast<std::size_t>(i)]) = 1;
  return columns.leftCols(std::min<Index>(static_cast<Index>(numbers.size()), kPatterns + 1));
}

std::vector<std::int32_t> graph_labels(const CandidateInput& input, Workers& workers) {
  const Index rows = std::min(input.sample.size(), kGraphRows);
  const Matrix affinity = row_affinity(input.sample, rows, workers);
  const Spectrum spectrum = spectrum_beside(affinity, input.clusters, presence_patterns(input.sample, rows));
  const std::vector<int> groups = cut_spectrum(spectrum, input.clusters, input.seed, workers.threads());
  return {groups.begin(), groups.end()};
}

}  // namespace

Candidate best_candidate(const CandidateInput& input, std::vector<std::pair<std::string, double>>& errors,
                         Workers& workers) {
  const std::size_t pieces = input.sample.pieces_for(std::max(kCompared, kPerCluster * input.clusters));
  Candidate best;
  const auto refined_by = [&](const std::vector<std::int32_t>& labels, std::size_t used) {
    const Refined means =
        refine(input.sample, used, input.schema, input.clusters, labels, by_mean(input.rule), kMeanRounds, workers);
    return refine(input.sample, used, input.schema, input.clusters, means.labels, input.rule, kDirectionRounds,
                  workers);
  };
  const auto offer = [&](std::string name, const std::vector<std::int32_t>& labels) {
    Refined refined = refined_by(labels, pieces);
    errors.emplace_back(name, refined.error);
    if (!best.name.empty() && !(refined.error < best.refined.error)) return;
    best = {std::move(name), std::move(refined)};
  };
  for (std::uint32_t c = 0; c < kSeeded; ++c) {
    offer(fmt::format("seeded {}", c + 1), seeded_labels(input, pieces, c, workers));
  }
  offer("embedding", group_latent(input.latent, true, input.clusters, kStarts, 100, input.seed, workers.threads()));
  for (const std::vector<std::int32_t>& labels : input.more) offer("prototypes", labels);
  offer("row graph", graph_labels(input, workers));
  if (pieces < input.sample.pieces().size()) {
    best.refined = refined_by(best.refined.labels, input.sample.pieces().size());
  }
  return best;
}

}  // namespace omvc
