// Tables of rows of odd shapes, and what the definition says of the nearest of them.
#pragma once

#include <limits>

#include "kernels/row_table.hpp"
#include "support/backend_data.hpp"

namespace omvc::test {

// A table of two pieces and what it was made from. The kind of a view is dense or sparse in both of them, of floats in
// one and of doubles in the other.
struct TableCase {
  TableCase(const BackendCase& of_case, std::size_t kind, bool listed, bool complete, Compute& compute)
      : of(of_case), prototypes(case_table(of, compute)) {
    chunks.push_back(case_chunk(of, kind, 1));
    chunks.push_back(case_chunk(of, kind + 2, 21));
    for (const Chunk& chunk : chunks) pieces.emplace_back(chunk);
    for (const PreparedChunk& piece : pieces) {
      near.push_back(find_near(piece, prototypes, of.wanted, of.beyond, compute));
    }
    // Two prototypes share a list.
    std::vector<std::int32_t> list_of;
    for (Index p = 0; listed && p < prototypes.size(); ++p) list_of.push_back(static_cast<std::int32_t>(p / 2));
    table = make_row_table(
        {.pieces = pieces, .near = near, .prototypes = prototypes, .list_of = list_of, .complete = complete}, compute);
  }

  Index rows() const { return of.rows * 2; }
  std::pair<std::size_t, Index> place(Index row) const { return {row < of.rows ? 0 : 1, row % of.rows}; }
  Index list(Index row) const {
    const auto [piece, at] = place(row);
    return table.list_of.empty() ? 0 : table.list_of[static_cast<std::size_t>(std::max(0, near[piece].id(at, 0)))];
  }

  BackendCase of;
  std::vector<Chunk> chunks;
  std::vector<PreparedChunk> pieces;
  PrototypeTable prototypes;
  std::vector<Near> near;
  RowTable table;
};

// Of every instance of a chunk, the row of a view as single precision has it; empty where it lacks the view.
inline std::vector<RowVector> plain_rows(const Chunk& chunk, std::size_t view) {
  std::vector<RowVector> out(chunk.rows.size());
  const Matrix X = naive::densify(chunk.views[view].block).cast<float>().cast<double>();
  for (Index i = 0; i < X.rows(); ++i) {
    out[static_cast<std::size_t>(chunk.views[view].present[static_cast<std::size_t>(i)])] = X.row(i);
  }
  return out;
}

// By definition: the distance of every row of the table, in every view and over all of them; infinite where it is not
// compared.
class PlainNeighbours {
 public:
  PlainNeighbours(const TableCase& made, const Chunk& asked, const std::vector<NarrowMatrix>& products,
                  const RowSearch& search)
      : made_(made), search_(search) {
    for (std::size_t v = 0; v < asked.views.size(); ++v) {
      asked_.push_back(plain_rows(asked, v));
      rows_.push_back(plain_rows(made.chunks[0], v));
      const std::vector<RowVector> more = plain_rows(made.chunks[1], v);
      rows_[v].insert(rows_[v].end(), more.begin(), more.end());
    }
    // Lists are chosen by the products that the caller hands over.
    for (std::size_t v = 0; v < products.size(); ++v) {
      products_.emplace_back(asked_[v].size());
      Index row = 0;
      for (std::size_t i = 0; i < asked_[v].size(); ++i) {
        if (asked_[v][i].size() > 0) products_[v][i] = products[v].row(row++).cast<double>();
      }
    }
  }

  std::size_t views() const { return asked_.size(); }
  bool has(std::size_t view, std::size_t instance) const { return asked_[view][instance].size() > 0; }

  RowVector by_view(std::size_t v, std::size_t i) const {
    const std::vector<bool> lists = looked_into(i);
    RowVector out = RowVector::Constant(made_.rows(), std::numeric_limits<double>::infinity());
    for (Index row = 0; row < made_.rows(); ++row) {
      const RowVector& y = rows_[v][static_cast<std::size_t>(row)];
      if (lists[static_cast<std::size_t>(made_.list(row))] && y.size() > 0) out(row) = (asked_[v][i] - y).squaredNorm();
    }
    return out;
  }

  RowVector whole(std::size_t i) const {
    const std::vector<bool> lists = looked_into(i);
    RowVector out = RowVector::Constant(made_.rows(), std::numeric_limits<double>::infinity());
    for (Index row = 0; row < made_.rows(); ++row) {
      if (!lists[static_cast<std::size_t>(made_.list(row))]) continue;
      double sum = 0;
      double count = 0;
      for (std::size_t v = 0; v < views(); ++v) {
        if (!has(v, i)) continue;
        const RowVector& y = rows_[v][static_cast<std::size_t>(row)];
        sum += (asked_[v][i] - (y.size() > 0 ? y : completed(v, row))).squaredNorm();
        count += 1;
      }
      if (count > 0) out(row) = sum / count;
    }
    return out;
  }

  // What distances are made of.
  double squares(std::size_t i) const {
    double sum = 0;
    for (std::size_t v = 0; v < views(); ++v) {
      if (has(v, i)) sum += asked_[v][i].squaredNorm();
      double longest = made_.prototypes.norms[v].size() > 0 ? made_.prototypes.norms[v].maxCoeff() : 0;
      for (const RowVector& y : rows_[v]) longest = std::max(longest, y.size() > 0 ? y.squaredNorm() : 0);
      sum += longest;
    }
    return sum;
  }

 private:
  RowVector completed(std::size_t v, Index row) const {
    const auto [piece, at] = made_.place(row);
    const Near& near = made_.near[piece];
    RowVector y = RowVector::Zero(made_.prototypes.columns[v].rows());
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(at, j) < 0) continue;
      y += near.weight(at, j) * made_.prototypes.columns[v].col(near.id(at, j)).transpose().cast<double>();
    }
    return y;
  }

  std::vector<bool> looked_into(std::size_t i) const {
    const Index lists = made_.table.lists();
    std::vector<bool> out(static_cast<std::size_t>(lists), lists == 1);
    if (lists == 1) return out;
    const Index m = made_.prototypes.size();
    RowVector all = RowVector::Zero(m);
    Index own = 0;
    for (std::size_t v = 0; v < views(); ++v) own += has(v, i) ? 1 : 0;
    if (own == 0) return out;
    const Index probes = search_.apart ? std::max(search_.probes / (own + 1), kLeastProbes) : search_.probes;
    const auto look = [&](const RowVector& distances) {
      std::vector<Index> order = iota(m);
      std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distances(a) < distances(b); });
      for (Index j = 0; j < std::min(probes, m); ++j) {
        const auto nearest = static_cast<std::size_t>(order[static_cast<std::size_t>(j)]);
        out[static_cast<std::size_t>(made_.table.list_of[nearest])] = true;
      }
    };
    for (std::size_t v = 0; v < views(); ++v) {
      if (!has(v, i)) continue;
      const RowVector distances = made_.prototypes.norms[v] - 2 * products_[v][i];
      if (search_.apart && own > 1) look(distances);
      all += distances;
    }
    look(all);
    return out;
  }

  const TableCase& made_;
  RowSearch search_;
  std::vector<std::vector<RowVector>> asked_;  // view, instance
  std::vector<std::vector<RowVector>> rows_;   // view, row of the table
  std::vector<std::vector<RowVector>> products_;
};

}  // namespace omvc::test
