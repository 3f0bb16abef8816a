#include "cut/candidates.hpp"

#include <algorithm>
#include <map>

#include "cut/row_graph.hpp"
#include "cut/spectrum.hpp"
#include "fine/seeds.hpp"

namespace omvc {
namespace {

constexpr int kStarts = 20;         // of k-means on the embedding
constexpr Index kCompared = 4000;   // instances on which candidates are compared, at least
constexpr Index kPerCluster = 100;  // and for each cluster
constexpr Index kGraphRows = 2000;  // rows of the neighbourhood graph
constexpr int kMeanRounds = 3;      // assignments by mean, then by direction until they are at rest
constexpr int kDirectionRounds = 20;
constexpr int kPatterns = 63;

FineRule by_mean(FineRule rule) {
  rule.direction.assign(rule.direction.size(), false);
  return rule;
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
  const Spectrum spectrum = spectrum_beside(affinity, input.clusters, presence_patterns(input.sample, rows), workers);
  const std::vector<int> groups = cut_spectrum(spectrum, input.clusters, input.seed, workers.threads());
  return {groups.begin(), groups.end()};
}

}  // namespace

Candidate best_candidate(const CandidateInput& input, std::vector<std::pair<std::string, double>>& errors,
                         Workers& workers) {
  const std::size_t pieces = input.sample.pieces_for(std::max(kCompared, kPerCluster * input.clusters));
  Candidate best;
  const auto offer = [&](std::string name, const std::vector<std::int32_t>& labels) {
    const std::vector<std::int32_t> means =
        refine(input.sample, pieces, input.schema, input.clusters, labels, by_mean(input.rule), kMeanRounds, workers)
            .labels;
    Refined refined =
        refine(input.sample, pieces, input.schema, input.clusters, means, input.rule, kDirectionRounds, workers);
    errors.emplace_back(name, refined.error);
    if (!best.name.empty() && !(refined.error < best.refined.error)) return;
    best = {std::move(name), std::move(refined)};
  };
  offer("embedding", group_latent(input.latent, true, input.clusters, kStarts, 100, input.seed, workers.threads()));
  for (const std::vector<std::int32_t>& labels : input.more) offer("prototypes", labels);
  offer("row graph", graph_labels(input, workers));
  if (const std::size_t all = input.sample.pieces().size(); pieces < all) {
    const Assigned begun = assign_sample(input.sample, all, best.refined.prototypes.table(), workers);
    best.refined =
        refine(input.sample, all, input.schema, input.clusters, begun.labels, input.rule, kDirectionRounds, workers);
  }
  return best;
}

}  // namespace omvc
