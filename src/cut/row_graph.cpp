#include "cut/row_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kRowsAtOnce = 256;
constexpr Index kPrototypesAtOnce = 16;
constexpr double kLeastSquare = 1e-12;  // of a width: rows that are all alike have a width of nothing

// Edges as they are found; both directions of each.
class Edges {
 public:
  explicit Edges(Index rows) : counts_(static_cast<std::size_t>(rows) + 1, 0) {}

  void add(std::int32_t a, std::int32_t b, double weight) {
    from_.push_back(a);
    to_.push_back(b);
    weight_.push_back(weight);
    ++counts_[static_cast<std::size_t>(a) + 1];
    ++counts_[static_cast<std::size_t>(b) + 1];
  }

  // Edges between the same rows become one.
  RowGraph graph(Compute& compute) const {
    std::vector<Index> begin(counts_.size());
    std::partial_sum(counts_.begin(), counts_.end(), begin.begin());
    std::vector<std::pair<std::int32_t, double>> edges(static_cast<std::size_t>(begin.back()));
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (std::size_t e = 0; e < from_.size(); ++e) {
      edges[static_cast<std::size_t>(next[static_cast<std::size_t>(from_[e])]++)] = {to_[e], weight_[e]};
      edges[static_cast<std::size_t>(next[static_cast<std::size_t>(to_[e])]++)] = {from_[e], weight_[e]};
    }
    const auto rows = static_cast<Index>(begin.size()) - 1;
    std::vector<Index> kept(static_cast<std::size_t>(rows), 0);
    for_blocks(compute, rows, kRowsAtOnce, true, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const auto from = edges.begin() + begin[static_cast<std::size_t>(i)];
        const auto end = edges.begin() + begin[static_cast<std::size_t>(i) + 1];
        std::stable_sort(from, end, [](const auto& a, const auto& b) { return a.first < b.first; });
        auto to = from;
        for (auto edge = from; edge != end; ++edge) {
          if (to != from && (to - 1)->first == edge->first) {
            (to - 1)->second += edge->second;
          } else {
            *to++ = *edge;
          }
        }
        kept[static_cast<std::size_t>(i)] = to - from;
      }
    });
    RowGraph out;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (Index e = begin[i]; e < begin[i] + kept[i]; ++e) {
        out.other.push_back(edges[static_cast<std::size_t>(e)].first);
        out.weight.push_back(edges[static_cast<std::size_t>(e)].second);
      }
      out.begin.push_back(static_cast<Index>(out.other.size()));
    }
    return out;
  }

 private:
  std::vector<Index> counts_;
  std::vector<std::int32_t> from_;
  std::vector<std::int32_t> to_;
  std::vector<double> weight_;
};

// The root of the distance of the last neighbour.
double width_of(const double* distances, Index count) {
  double last = 0;
  for (Index j = 0; j < count && std::isfinite(distances[j]); ++j) last = distances[j];
  return std::sqrt(std::max(last, kLeastSquare));
}

void to_sum_one(double* weights, Index count) {
  const double sum = std::accumulate(weights, weights + count, 0.0);
  for (Index j = 0; j < count && sum > 0; ++j) weights[j] /= sum;
}

template <class Body>
void for_edges(const RowGraph& graph, Index first, Index last, const Body& body) {
  for (Index i = first; i < last; ++i) {
    for (auto e = static_cast<std::size_t>(graph.begin[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(graph.begin[static_cast<std::size_t>(i) + 1]); ++e) {
      body(i, e);
    }
  }
}

void add_edges(const Neighbourhood& of, Index rows, double share, Edges& edges) {
  const std::vector<double> weights = neighbour_weights(of, rows);
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    for (Index j = 0; j < of.near.count; ++j) {
      const std::int32_t other = of.near.id(static_cast<Index>(i), j);
      if (other >= 0)
        edges.add(of.rows[i], other,
                  share * weights[i * static_cast<std::size_t>(of.near.count) + static_cast<std::size_t>(j)]);
    }
  }
}

}  // namespace

void append(Neighbourhood& to, const std::vector<Index>& present, Index first, const NearRows& found) {
  for (const Index at : present) to.rows.push_back(static_cast<std::int32_t>(first + at));
  to.near.count = found.count;
  to.near.ids.insert(to.near.ids.end(), found.ids.begin(), found.ids.end());
  to.near.distances.insert(to.near.distances.end(), found.distances.begin(), found.distances.end());
}

NearRows first_of(const NearRows& all, Index count) {
  if (count >= all.count) return all;
  NearRows out{.count = count, .ids = {}, .distances = {}};
  for (std::size_t from = 0; from < all.ids.size(); from += static_cast<std::size_t>(all.count)) {
    const auto at = static_cast<std::ptrdiff_t>(from);
    out.ids.insert(out.ids.end(), all.ids.begin() + at, all.ids.begin() + at + count);
    out.distances.insert(out.distances.end(), all.distances.begin() + at, all.distances.begin() + at + count);
  }
  return out;
}

std::vector<double> neighbour_weights(const Neighbourhood& of, Index rows) {
  const Index count = of.near.count;
  std::vector<double> widths(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    widths[static_cast<std::size_t>(of.rows[i])] =
        width_of(of.near.distances.data() + static_cast<Index>(i) * count, count);
  }
  std::vector<double> weights(of.near.ids.size(), 0.0);
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const auto first = i * static_cast<std::size_t>(count);
    for (auto e = first; e < first + static_cast<std::size_t>(count); ++e) {
      if (of.near.ids[e] < 0) continue;
      const double width =
          widths[static_cast<std::size_t>(of.rows[i])] * widths[static_cast<std::size_t>(of.near.ids[e])];
      weights[e] = std::exp(-of.near.distances[e] / std::max(width, kLeastSquare));
    }
    to_sum_one(weights.data() + first, count);
  }
  return weights;
}

void outside_weights(const double* distances, Index count, double* weights) {
  const double width = width_of(distances, count);
  for (Index j = 0; j < count; ++j) {
    weights[j] = std::isfinite(distances[j]) ? std::exp(-distances[j] / (width * width)) : 0;
  }
  to_sum_one(weights, count);
}

RowGraph graph_of(const Neighbourhood& of, Index rows, Compute& compute) {
  Edges edges(rows);
  add_edges(of, rows, 1, edges);
  return edges.graph(compute);
}

RowGraph graph_of_views(const std::vector<Neighbourhood>& views, const Presence& presence,
                        const std::vector<double>& worth, Compute& compute) {
  const auto rows = static_cast<Index>(presence.size());
  Edges edges(rows);
  for (std::size_t v = 0; v < views.size(); ++v) add_edges(views[v], rows, worth[v], edges);
  RowGraph graph = edges.graph(compute);
  for_blocks(compute, rows, kRowsAtOnce, true, [&](Index first, Index last) {
    for_edges(graph, first, last, [&](Index i, std::size_t e) {
      const std::vector<bool>& one = presence[static_cast<std::size_t>(i)];
      const std::vector<bool>& other = presence[static_cast<std::size_t>(graph.other[e])];
      double shared = 0;
      for (std::size_t v = 0; v < views.size(); ++v) shared += one[v] && other[v] ? worth[v] : 0;
      graph.weight[e] /= std::max(shared, 1e-9);
    });
  });
  return graph;
}

void weigh(RowGraph& graph, const Matrix& soft, double floor, Compute& compute) {
  for_blocks(compute, graph.rows(), kRowsAtOnce, true, [&](Index first, Index last) {
    for_edges(graph, first, last, [&](Index i, std::size_t e) {
      graph.weight[e] *= floor + (1 - floor) * soft.row(i).dot(soft.row(graph.other[e]));
    });
  });
}

void balance(RowGraph& graph) {
  std::vector<double> scale(static_cast<std::size_t>(graph.rows()), 0.0);
  for_edges(graph, 0, graph.rows(),
            [&](Index i, std::size_t e) { scale[static_cast<std::size_t>(i)] += graph.weight[e]; });
  for (double& degree : scale) degree = degree > 0 ? 1 / std::sqrt(degree) : 0;
  for_edges(graph, 0, graph.rows(), [&](Index i, std::size_t e) {
    graph.weight[e] *= scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(graph.other[e])];
  });
}

PrototypeGraph::PrototypeGraph(const std::vector<Near>& near, Index rows, Index prototypes)
    : near_(near.front().count), degree_(Vector::Zero(prototypes)) {
  for (const Near& piece : near) {
    for (Index i = 0; i < static_cast<Index>(piece.distances.size()) && this->rows() < rows; ++i) {
      for (Index j = 0; j < near_; ++j) {
        ids_.push_back(std::max(0, piece.id(i, j)));
        weights_.push_back(piece.id(i, j) < 0 ? 0 : piece.weight(i, j));
        degree_(ids_.back()) += weights_.back();
      }
    }
  }
  begin_.assign(static_cast<std::size_t>(prototypes) + 1, 0);
  for (const std::int32_t id : ids_) ++begin_[static_cast<std::size_t>(id) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  member_.resize(ids_.size());
  share_.resize(ids_.size());
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t e = 0; e < ids_.size(); ++e) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(ids_[e])]++);
    member_[at] = static_cast<std::int32_t>(e / static_cast<std::size_t>(near_));
    share_[at] = degree_(ids_[e]) > 0 ? weights_[e] / degree_(ids_[e]) : 0;
  }
}

Matrix PrototypeGraph::means(const Matrix& X, Compute& compute) const {
  Matrix out(prototypes(), X.cols());
  for_blocks(compute, prototypes(), kPrototypesAtOnce, true, [&](Index first, Index last) {
    simd::sparse_product(simd::SparseRows<double>{begin_.data(), member_.data(), share_.data(), first, last},
                         {X.data(), X.cols()}, X.cols(), {out.row(first).data(), X.cols()});
  });
  return out;
}

Matrix PrototypeGraph::votes(const std::vector<int>& labels, int clusters) const {
  Matrix out = Matrix::Zero(degree_.size(), clusters);
  for (std::size_t e = 0; e < ids_.size(); ++e) {
    const int label = labels[e / static_cast<std::size_t>(near_)];
    if (label >= 0) out(ids_[e], label) += weights_[e];
  }
  for (Index p = 0; p < out.rows(); ++p) {
    if (const double sum = out.row(p).sum(); sum > 0) out.row(p) /= sum;
  }
  return out;
}

Matrix PrototypeGraph::soft(const Matrix& votes) const {
  Matrix out = Matrix::Zero(rows(), votes.cols());
  for (std::size_t e = 0; e < ids_.size(); ++e) {
    out.row(static_cast<Index>(e) / near_) += weights_[e] * votes.row(ids_[e]);
  }
  for (Index i = 0; i < out.rows(); ++i) {
    if (const double sum = out.row(i).sum(); sum > 0) out.row(i) /= sum;
  }
  return out;
}

GraphSum::GraphSum(const std::vector<std::pair<double, const RowGraph*>>& graphs,
                   std::pair<double, const PrototypeGraph*> through)
    : through_(through.first > 0 ? through.second : nullptr) {
  const Index rows = graphs.empty() ? through.second->rows() : graphs.front().second->rows();
  for (Index i = 0; i < rows; ++i) {
    for (const auto& [share, graph] : graphs) {
      for_edges(*graph, i, i + 1, [&, share = share, graph = graph](Index, std::size_t e) {
        column_.push_back(graph->other[e]);
        weight_.push_back(share * graph->weight[e]);
      });
    }
    for (Index j = 0; through_ != nullptr && j < through_->near(); ++j) {
      const auto e = static_cast<std::size_t>(i * through_->near() + j);
      column_.push_back(static_cast<std::int32_t>(rows + through_->ids()[e]));
      weight_.push_back(through.first * through_->weights()[e]);
    }
    begin_.push_back(static_cast<Index>(column_.size()));
  }
}

Matrix GraphSum::times(const Matrix& X, Compute& compute) const {
  Matrix joined;  // X, and what the prototypes have of it
  if (through_ != nullptr) {
    joined.resize(X.rows() + through_->prototypes(), X.cols());
    joined << X, through_->means(X, compute);
  }
  const Matrix& from = through_ != nullptr ? joined : X;
  Matrix out(X.rows(), X.cols());
  for_blocks(compute, X.rows(), kRowsAtOnce, true, [&](Index first, Index last) {
    simd::sparse_product(simd::SparseRows<double>{begin_.data(), column_.data(), weight_.data(), first, last},
                         {from.data(), X.cols()}, X.cols(), {out.row(first).data(), X.cols()});
  });
  return out;
}

}  // namespace omvc
