// Planted data made into prototypes, graphs of rows and a cut, as a model does.
#pragma once

#include <string>
#include <vector>

#include "omvc/evaluation.hpp"

#include "cut/cut.hpp"
#include "support/plain_sample.hpp"

namespace omvc::test {

inline constexpr int kPlantedClusters = 4;

inline PlantedOptions planted_dense() {
  return {.instances = 900,
          .features = {10, 8},
          .clusters = kPlantedClusters,
          .missing = 0.3,
          .separation = 2,
          .noise = 0.4,
          .seed = 3};
}

inline PlantedOptions planted_text() {
  return {.instances = 800,
          .features = {90, 120},
          .density = {0.08, 0.06},
          .clusters = kPlantedClusters,
          .missing = 0.3,
          .separation = 1,
          .seed = 3};
}

// Rows that are no text, of one dense view and a sparse one.
inline PlantedOptions planted_mixed() {
  PlantedOptions options = planted_dense();
  options.features = {10, 60};
  options.density = {1, 0.2};
  return options;
}

// Before any cut.
struct MadeGraphs {
  MadeGraphs(const PlantedOptions& planted, bool is_text, const Recipe& the_recipe, int threads = 1,
             int clusters = kPlantedClusters)
      : data(planted),
        sample(planted_sample(data, 200, is_text)),
        schema(make_planted_source(data)->schema()),
        recipe(the_recipe),
        compute(threads),
        input{.schema = schema,
              .unit_rows = std::vector<bool>(schema.views.size(), is_text),
              .clusters = clusters,
              .rank = 0,
              .seed = 7},
        prototypes(build(sample, input, recipe, rows, compute)),
        graphs(row_graphs(prototypes, sample, rows, input, recipe, compute)) {}

  // How well labels of the first rows of the sample agree with the planted ones.
  double nmi(const std::vector<int>& labels) const {
    Contingency counts;
    const std::vector<Index> numbers = sample.rows();
    for (std::size_t i = 0; i < labels.size(); ++i) counts.add(labels[i], planted_label(data, numbers[i]));
    return score(counts).nmi_geometric;
  }

  PlantedOptions data;
  Sample sample;
  Schema schema;
  Recipe recipe;
  Compute compute;
  SampleRows rows;
  BuildInput input;
  Prototypes prototypes;
  RowGraphs graphs;
};

struct MadeCut : MadeGraphs {
  MadeCut(bool is_text, const Recipe& the_recipe, int threads = 1, int clusters = kPlantedClusters)
      : MadeCut(is_text ? planted_text() : planted_dense(), is_text, the_recipe, threads, clusters) {}
  MadeCut(const PlantedOptions& planted, bool is_text, const Recipe& the_recipe, int threads = 1,
          int clusters = kPlantedClusters)
      : MadeGraphs(planted, is_text, the_recipe, threads, clusters),
        cut(omvc::cut(prototypes, sample, graphs, clusters, input, recipe, compute)) {}

  // Labels of all instances of the sample, as they are placed; -1 without any view.
  std::vector<int> labels() {
    std::vector<int> out;
    for (const PreparedChunk& piece : sample.pieces()) {
      const FinePrototypes& placing = cut.placing(prototypes);
      const Near near = find_near(piece, *placing.table(), placing.rule().near, placing.beyond(), compute);
      Voted voted;
      if (cut.votes) voted = cut.votes->ask(piece, near, nullptr, compute);
      for (Index i = 0; i < piece.size(); ++i) {
        const int best =
            cut.votes ? voted.clusters[static_cast<std::size_t>(i)] : vote_of(near, i, cut.group, cut.count).cluster;
        out.push_back(near.id(i, 0) < 0 ? -1 : best);
      }
    }
    return out;
  }
  double nmi() { return MadeGraphs::nmi(labels()); }

  Cut cut;
};

}  // namespace omvc::test
