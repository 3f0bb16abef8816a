#include "cut/row_cut.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/kmeans.hpp"

#include "chunk/rows.hpp"
#include "cut/leading.hpp"

namespace omvc {
namespace {

constexpr Index kSaidRows = 500;  // of a piece

Neighbourhood first_of(const Neighbourhood& all, Index count) {
  return {.rows = all.rows, .near = first_of(all.near, count)};
}

// What was said of the rows, as chunks of a table.
std::vector<Chunk> said_chunks(const RowGraphs& graphs, const std::vector<Reading>& readings) {
  std::vector<Chunk> out;
  std::vector<Index> next(readings.size(), 0);
  for (Index first = 0; first < graphs.rows; first += kSaidRows) {
    Chunk& chunk = out.emplace_back();
    const Index last = std::min(first + kSaidRows, graphs.rows);
    for (Index row = first; row < last; ++row) chunk.rows.push_back(row);
    for (std::size_t v = 0; v < readings.size(); ++v) {
      ChunkView& view = chunk.views.emplace_back();
      for (Index row = first; row < last; ++row) {
        if (graphs.presence[static_cast<std::size_t>(row)][v]) view.present.push_back(row - first);
      }
      const NarrowMatrix& said = readings[v].said;
      const auto rows = static_cast<Index>(view.present.size());
      const float* begin = said.data() + next[v] * said.cols();
      view.block = DenseBlock<float>{
          .rows = rows, .cols = said.cols(), .values = std::vector<float>(begin, begin + rows * said.cols())};
      next[v] += rows;
    }
  }
  return out;
}

// Where rows lie among prototypes, in pieces of so many rows.
std::vector<Near> in_pieces(const std::vector<Near>& near, Index rows) {
  std::vector<Near> out;
  Index at = 0;
  for (const Near& piece : near) {
    for (Index i = 0; i < static_cast<Index>(piece.distances.size()) && at < rows; ++i, ++at) {
      if (at % kSaidRows == 0)
        out.push_back({.count = piece.count, .ids = {}, .weights = {}, .distances = {}, .squares = {}});
      Near& to = out.back();
      to.ids.insert(to.ids.end(), piece.ids.begin() + i * piece.count, piece.ids.begin() + (i + 1) * piece.count);
      to.weights.insert(to.weights.end(), piece.weights.begin() + i * piece.count,
                        piece.weights.begin() + (i + 1) * piece.count);
      to.distances.push_back(piece.distances[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

class RowCutter {
 public:
  RowCutter(const RowGraphs& graphs, const Sample& sample, int clusters, std::uint64_t seed, const Recipe& recipe,
            const Moved& moved, Compute& compute)
      : graphs_(graphs),
        sample_(sample),
        clusters_(clusters),
        seed_(seed),
        recipe_(recipe),
        moved_(moved),
        compute_(compute),
        neighbours_(neighbours_for(graphs, clusters, recipe)) {
    for (const Neighbourhood& view : graphs.views) views_.push_back(first_of(view, neighbours_));
    equal_.assign(views_.size(), 1.0);
  }

  RowCut run() {
    if (!graphs_.completed) {
      cut(first_sum());
    } else {
      first_ = first_sum();
      cut(first_);
      if (recipe_.second_cut) {
        B_ = apart(equal_);
        cut(GraphSum({{0.25, &A_}, {0.5, &B_}}, {0.25, &*graphs_.through}));
      }
    }
    if (recipe_.third_cut) third();
    if (graphs_.completed && recipe_.third_cut) keep_shape();
    if (graphs_.completed && moved_) take_means();
    return std::move(out_);
  }

  GraphSum first_sum() {
    if (!graphs_.completed) return GraphSum({{1, &views_graph(equal_)}});
    if (recipe_.completed_rows) {
      A_ = graph_of(first_of(*graphs_.completed, neighbours_), graphs_.rows, compute_);
    } else {
      A_ = graph_of_views(views_, graphs_.presence, equal_, compute_);
    }
    balance(A_);
    return GraphSum({{0.5, &A_}}, {0.5, &*graphs_.through});
  }

 private:
  const RowGraph& views_graph(const std::vector<double>& worth) {
    B_ = graph_of_views(views_, graphs_.presence, worth, compute_);
    balance(B_);
    return B_;
  }

  // Neighbours in every view, weighed by the last cut.
  RowGraph apart(const std::vector<double>& worth) {
    RowGraph graph = graph_of_views(views_, graphs_.presence, worth, compute_);
    if (graphs_.through && recipe_.weigh_edges) {
      weigh(graph, graphs_.through->soft(graphs_.through->votes(out_.labels, clusters_)), recipe_.edge_floor, compute_);
    }
    balance(graph);
    return graph;
  }

  // The mean over clusters of the share of their edges that leads out of them, in what the first cut is made from.
  double crossing(const std::vector<int>& labels) {
    Matrix in = Matrix::Zero(graphs_.rows, clusters_);
    for (std::size_t i = 0; i < labels.size(); ++i) in(static_cast<Index>(i), labels[i]) = 1;
    const Matrix joined = first_.times(in, compute_);
    double sum = 0;
    double filled = 0;
    for (int k = 0; k < clusters_; ++k) {
      const double inside = in.col(k).dot(joined.col(k));
      const double all = in.col(k).dot(joined.rowwise().sum());
      if (all > 0) sum += 1 - inside / all;
      filled += all > 0 ? 1 : 0;
    }
    return sum / std::max(filled, 1.0);
  }

  // Readers draw straight lines. Where the cut before follows a gap that is bent, theirs leads through the midst of
  // rows: then it stays, and readers have no vote.
  void keep_shape() {
    const double before = crossing(out_.before.back());
    if (crossing(out_.labels) <= recipe_.straighter * before + recipe_.next_to_nothing) return;
    out_.labels = std::move(out_.before.back());
    out_.before.pop_back();
    out_.readings.clear();
    out_.read.clear();
    out_.said.reset();
  }

  // The borders that a graph draws between round clusters that overlap are ragged, and those between means are not.
  // Where means cross many more edges, there is a gap that they do not see.
  void take_means() {
    std::vector<int> labels = moved_(out_.labels);
    if (labels.empty()) return;
    if (crossing(labels) > recipe_.ragged * crossing(out_.labels) + recipe_.next_to_nothing) return;
    out_.labels = std::move(labels);
  }

  void third() {
    out_.readings = read_views(sample_, graphs_.pieces, out_.labels, clusters_, compute_);
    std::vector<double> worth;
    for (const Reading& reading : out_.readings) {
      out_.worth.push_back(reading.worth);
      worth.push_back(recipe_.weigh_views ? reading.worth * reading.worth : 1);
    }
    B_ = apart(worth);
    RowGraph C = read_graph(worth);
    if (graphs_.through) {
      cut(GraphSum({{0.4, &B_}, {0.4, &C}}, {0.2, &*graphs_.through}));
    } else {
      cut(GraphSum({{0.5, &B_}, {0.5, &C}}));
    }
  }

  RowGraph read_graph(const std::vector<double>& worth) {
    find_read();
    RowGraph graph = graph_of_views(out_.read, graphs_.presence, worth, compute_);
    balance(graph);
    return graph;
  }

  // The neighbours of every row in what the readers say.
  void find_read() {
    const std::vector<Chunk> chunks = said_chunks(graphs_, out_.readings);
    const std::vector<PreparedChunk> pieces(chunks.begin(), chunks.end());
    std::vector<Near> near;
    if (graphs_.listed()) near = in_pieces(graphs_.near, graphs_.rows);
    out_.said = std::make_shared<const RowTable>(make_row_table(
        {.pieces = pieces, .near = near, .prototypes = *graphs_.prototypes, .list_of = graphs_.table->list_of},
        compute_));
    std::vector<RowNeighbours> found(pieces.size());
    for_pieces(pieces.size(), compute_, [&](std::size_t p, Compute& own) {
      const auto first = graphs_.lists.begin() + static_cast<Index>(p) * kSaidRows;
      const std::vector<std::vector<Index>> lists(first, first + pieces[p].size());
      found[p] = find_rows(pieces[p], {}, {}, *out_.said,
                           {.count = neighbours_, .own = static_cast<Index>(p) * kSaidRows, .lists = &lists}, own);
    });
    out_.read.resize(out_.readings.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      for (std::size_t v = 0; v < out_.read.size(); ++v) {
        append(out_.read[v], pieces[p].present(v), static_cast<Index>(p) * kSaidRows, found[p].views[v]);
      }
    }
  }

  void cut(const GraphSum& sum) {
    if (!out_.labels.empty()) out_.before.push_back(std::move(out_.labels));
    Leading leading = leading_eigenvectors([&](const Matrix& X) { return sum.times(X, compute_); }, graphs_.rows,
                                           clusters_, vectors_, seed_, kToBeGrouped, compute_);
    vectors_ = leading.vectors;
    const Timed timed(compute_.profile(), Step::kmeans);
    to_unit_length(leading.vectors.data(), leading.vectors.rows(), leading.vectors.cols());
    out_.labels = kmeans({leading.vectors.data(), leading.vectors.rows(), leading.vectors.cols()},
                         {.clusters = clusters_,
                          .starts = static_cast<int>(recipe_.row_starts),
                          .seed = seed_,
                          .threads = compute_.threads(),
                          .executor = compute_.executor()})
                      .labels;
    if (moved_ && !graphs_.completed) out_.labels = moved_(std::move(out_.labels));
  }

  const RowGraphs& graphs_;
  const Sample& sample_;
  int clusters_;
  std::uint64_t seed_;
  const Recipe& recipe_;
  const Moved& moved_;
  Compute& compute_;
  Index neighbours_;
  std::vector<Neighbourhood> views_;
  std::vector<double> equal_;
  GraphSum first_;  // what the first cut is made from
  RowGraph A_;
  RowGraph B_;
  Matrix vectors_;
  RowCut out_;
};

}  // namespace

Index neighbours_for(const RowGraphs& graphs, int clusters, const Recipe& recipe) {
  double rows = 0;
  for (const Neighbourhood& view : graphs.views) rows += static_cast<double>(view.rows.size());
  rows /= static_cast<double>(std::max<std::size_t>(graphs.views.size(), 1));
  const Index half = static_cast<Index>(rows / (2.0 * std::max(clusters, 1)));
  const Index most = graphs.completed ? recipe.most_neighbours : recipe.most_text_neighbours;
  return std::max(recipe.least_neighbours, std::min(half, most));
}

RowCut cut_rows(const RowGraphs& graphs, const Sample& sample, int clusters, std::uint64_t seed, const Recipe& recipe,
                const Moved& moved, Compute& compute) {
  return RowCutter(graphs, sample, clusters, seed, recipe, moved, compute).run();
}

std::vector<double> first_eigenvalues(const RowGraphs& graphs, int clusters, Index count, std::uint64_t seed,
                                      const Recipe& recipe, Compute& compute) {
  const Sample none;
  const Moved unmoved;
  RowCutter cutter(graphs, none, clusters, seed, recipe, unmoved, compute);
  const GraphSum sum = cutter.first_sum();
  return leading_eigenvectors([&](const Matrix& X) { return sum.times(X, compute); }, graphs.rows, count, Matrix(),
                              seed, kToBeGrouped, compute)
      .values;
}

}  // namespace omvc
