// Clusters of dense and mixed data: the rows of a sample and the fine prototypes are one graph, which is cut three
// times, each time knowing more.
//
//     first    (A + J) / 2               A  neighbours by the views a row has, among rows completed through prototypes
//     second   A/4 + B/2 + J/4           B  neighbours in every view apart, each edge by how likely the first cut puts
//                                           both ends together: views that cannot tell two clusters apart do not join
//                                           them any more
//     third    .4 B + .4 C + .2 J        C  neighbours in every view apart, in what a reader of that view says of the
//                                           second cut (cut/readers.hpp); in B and C views count by what they know
//
// Where clusters are round and alike, the labels are brought to rest by means then (cut/round.hpp).
//
// J joins rows through the prototypes they lie among. Views of unit rows alone (text) have no use for prototypes, and
// are cut twice: B, and after it has been read (B + C) / 2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cut/readers.hpp"
#include "cut/row_graph.hpp"
#include "fine/build.hpp"

namespace omvc {

// The rows of the graph, the first of a sample, and who is near to whom. Cuts of any number of clusters start here.
struct RowGraphs {
  std::size_t pieces = 0;  // of the sample
  Index rows = 0;
  std::shared_ptr<const RowTable> table;
  Presence presence;
  std::vector<Neighbourhood> views;        // in every view apart
  std::optional<Neighbourhood> completed;  // by all views of a row; none where prototypes stay out
  std::optional<PrototypeGraph> through;   // likewise
  std::vector<std::vector<Index>> lists;   // of the table, that each row was compared with
  std::vector<Near> near;                  // likewise: where the rows of each piece lie among the prototypes
  std::shared_ptr<const PrototypeTable> prototypes;

  bool listed() const { return table->lists() > 1; }
};

RowGraphs row_graphs(const Prototypes& prototypes, const Sample& sample, const SampleRows& rows,
                     const BuildInput& input, const Recipe& recipe, Compute& compute);

// One cut of the rows, and what the eigenvectors say of the number of clusters.
struct RowCut {
  std::vector<int> labels;               // of the rows of the graph
  std::vector<Reading> readings;         // of the cut before
  std::vector<double> worth;             // of each view (Reading::worth); none where nothing was read
  std::shared_ptr<const RowTable> said;  // the rows as the readers see them, in the lists of the graphs
  std::vector<Neighbourhood> read;       // neighbours among these, in every view apart
  std::vector<std::vector<int>> before;  // labels of the cuts before
};

// `clusters` is at most the number of rows. `moved` improves labels by means: without prototypes those of every cut,
// before they are read; with prototypes those of the last, unless it says nothing or the graph speaks against it.
using Moved = std::function<std::vector<int>(std::vector<int>)>;
RowCut cut_rows(const RowGraphs& graphs, const Sample& sample, int clusters, std::uint64_t seed, const Recipe& recipe,
                const Moved& moved, Compute& compute);

// The largest eigenvalues of what the first cut is made from.
std::vector<double> first_eigenvalues(const RowGraphs& graphs, int clusters, Index count, std::uint64_t seed,
                                      const Recipe& recipe, Compute& compute);

// Neighbours that count: half of an average cluster of a view, within bounds.
Index neighbours_for(const RowGraphs& graphs, int clusters, const Recipe& recipe);

}  // namespace omvc
