// Graphs of the rows of a sample: every row is joined to its nearest rows, and rows through the prototypes they lie
// among. Sums of such graphs are what clusters are cut from (cut/row_cut.hpp).
//
// A row's neighbours have the weights exp(-d_ij / (width_i width_j)), brought to the sum 1, where a width is the root
// of the distance of the last neighbour listed (Zelnik-Manor, Perona, 2004). Weights of both directions are added, and
// the graph is balanced: D^-1/2 W D^-1/2.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"
#include "kernels/row_table.hpp"

namespace omvc {

// Some rows of the graph, and the nearest rows of each.
struct Neighbourhood {
  std::vector<std::int32_t> rows;  // ascending
  NearRows near;                   // of each of them; ids are rows of the graph
};

// Adds rows of a piece, which are present there, and what was found of each; `first` is the row that the piece begins
// with.
void append(Neighbourhood& to, const std::vector<Index>& present, Index first, const NearRows& found);

// The first `count` neighbours of those that were found.
NearRows first_of(const NearRows& all, Index count);

// The weights of the neighbours of each row, as many as are listed; 0 where there are fewer.
std::vector<double> neighbour_weights(const Neighbourhood& of, Index rows);
// The same for one instance outside the graph, whose width is that of its own neighbours.
void outside_weights(const double* distances, Index count, double* weights);

// A symmetric graph, by rows.
struct RowGraph {
  std::vector<Index> begin{0};      // of the edges of each row, and the end
  std::vector<std::int32_t> other;  // at the other end of each edge
  std::vector<double> weight;

  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

// Which rows have which views: rows x views.
using Presence = std::vector<std::vector<bool>>;

// The graph of one neighbourhood, not balanced.
RowGraph graph_of(const Neighbourhood& of, Index rows, Compute& compute);
// Neighbours in every view apart, averaged over the views that two rows share (the idea of NEMO: Rappoport, Shamir,
// Bioinformatics 2019), each view by its worth.
RowGraph graph_of_views(const std::vector<Neighbourhood>& views, const Presence& presence,
                        const std::vector<double>& worth, Compute& compute);
// Every edge times floor + (1 - floor) p_i . p_j: what joins rows that are unlikely to be in one cluster counts less.
void weigh(RowGraph& graph, const Matrix& soft, double floor, Compute& compute);
void balance(RowGraph& graph);

// Rows joined through prototypes: Z D^-1 Z' for the weights Z of the prototypes that each row lies among.
class PrototypeGraph {
 public:
  // Of the first `rows` rows.
  PrototypeGraph(const std::vector<Near>& near, Index rows, Index prototypes);

  Index rows() const { return static_cast<Index>(ids_.size()) / std::max<Index>(near_, 1); }
  Index prototypes() const { return degree_.size(); }

  // The prototypes that every row lies among, `near` of them, and Z.
  Index near() const { return near_; }
  const std::vector<std::int32_t>& ids() const { return ids_; }
  const std::vector<double>& weights() const { return weights_; }

  // Z' X, the rows of prototypes divided by their degree.
  Matrix means(const Matrix& X, Compute& compute) const;

  // How the members of each prototype are labelled, prototypes x clusters, rows of sum 1; and what the prototypes of a
  // row say of it then, rows x clusters.
  Matrix votes(const std::vector<int>& labels, int clusters) const;
  Matrix soft(const Matrix& votes) const;

 private:
  Index near_ = 0;
  std::vector<std::int32_t> ids_;  // rows x near
  std::vector<double> weights_;
  Vector degree_;                     // of each prototype
  std::vector<Index> begin_;          // of the rows of each prototype
  std::vector<std::int32_t> member_;  // rows, prototype by prototype,
  std::vector<double> share_;         // and the share of each in the degree
};

// A weighted sum of graphs, of which eigenvectors are wanted: one sparse matrix, whose columns are the rows of the
// graph and then the prototypes that they are joined through.
class GraphSum {
 public:
  GraphSum() = default;
  // The prototypes' graph must outlive the sum.
  explicit GraphSum(const std::vector<std::pair<double, const RowGraph*>>& graphs,
                    std::pair<double, const PrototypeGraph*> through = {0, nullptr});

  Index rows() const { return static_cast<Index>(begin_.size()) - 1; }
  Matrix times(const Matrix& X, Compute& compute) const;

 private:
  const PrototypeGraph* through_ = nullptr;
  std::vector<Index> begin_{0};
  std::vector<std::int32_t> column_;
  std::vector<double> weight_;
};

}  // namespace omvc
