// The heavy operations as their definitions say, in double precision and with no thought of time: the oracle of the
// other forms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/backend.hpp"
#include "kernels/naive.hpp"

namespace omvc {
namespace {

// Instances x prototypes: the sum over the observed views of ||x_v - p_v||^2.
Matrix sums_of_distances(const PreparedChunk& chunk, const PrototypeTable& table) {
  Matrix sums = Matrix::Zero(chunk.size(), table.size());
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Matrix X = naive::densify(chunk.chunk->views[v].block);
    for (Index i = 0; i < X.rows(); ++i) {
      const Index at = chunk.present(v)[static_cast<std::size_t>(i)];
      for (Index k = 0; k < table.size(); ++k) {
        for (Index j = 0; j < X.cols(); ++j) {
          const double difference = X(i, j) - static_cast<double>(table.columns[v](j, k));
          sums(at, k) += difference * difference;
        }
      }
    }
  }
  return sums;
}

// Numbers of the columns of a row, ascending by what is in them, and by turn_of where that is equal.
std::vector<std::int32_t> sorted_columns(const RowVector& row, std::int32_t own = -1) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(row.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(row(a), turn_of(a, own)) < std::pair(row(b), turn_of(b, own));
  });
  return order;
}

// One instance beside the rows of a table.
class NaiveRows {
 public:
  NaiveRows(const PreparedChunk& chunk, Index instance, const std::vector<NarrowMatrix>& products,
            const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search)
      : rows_(rows), search_(search), self_(search.own < 0 ? -1 : search.own + instance) {
    for (std::size_t v = 0; v < chunk.views.size(); ++v) {
      const std::vector<Index>& present = chunk.present(v);
      const auto at = std::find(present.begin(), present.end(), instance);
      row_.push_back(at == present.end() ? -1 : at - present.begin());
      x_.emplace_back();
      if (row_[v] >= 0) x_[v] = naive::densify(chunk.chunk->views[v].block).row(row_[v]).cast<float>().cast<double>();
    }
    looked_into_.assign(static_cast<std::size_t>(rows.lists()), rows.lists() == 1);
    if (rows.lists() > 1) look_around(instance, products, prototypes);
    completed_ = completed(products);
  }

  Index row(std::size_t v) const { return row_[v]; }

  std::vector<Index> lists() const {
    std::vector<Index> out;
    for (Index list = 0; list < rows_.lists(); ++list) {
      if (looked_into_[static_cast<std::size_t>(list)]) out.push_back(list);
    }
    return out;
  }

  // By row of the table: infinite where it is not compared.
  RowVector distances(std::size_t v) const {
    RowVector out = RowVector::Constant(rows_.size(), std::numeric_limits<double>::infinity());
    const RowTable::View& view = rows_.views[v];
    for (Index list = 0; list < rows_.lists(); ++list) {
      if (!looked_into_[static_cast<std::size_t>(list)]) continue;
      const Index begin = view.begin[static_cast<std::size_t>(list)];
      const Index members = view.begin[static_cast<std::size_t>(list) + 1] - begin;
      for (Index m = 0; m < members; ++m) {
        double square = 0;
        for (Index j = 0; j < view.features; ++j) {
          const double y = view.sparse
                               ? value_of(view, j, begin + m)
                               : double{view.panels[static_cast<std::size_t>(begin * view.features + j * members + m)]};
          square += (x_[v](j) - y) * (x_[v](j) - y);
        }
        out(rows_.row[static_cast<std::size_t>(view.position[static_cast<std::size_t>(begin + m)])]) = square;
      }
    }
    return out;
  }

  RowVector whole() const {
    RowVector out = RowVector::Zero(rows_.size());
    double views = 0;
    for (std::size_t v = 0; v < row_.size(); ++v) {
      if (row_[v] < 0) continue;
      out += distances(v).cwiseMin(completed_[v]);
      views += 1;
    }
    return out / views;
  }

  void list(const RowVector& distances, NearRows& out, Index at) const {
    Index listed = 0;
    for (const std::int32_t row : sorted_columns(distances, static_cast<std::int32_t>(self_))) {
      if (listed == out.count || !std::isfinite(distances(row))) return;
      if (row == self_) continue;
      out.ids[static_cast<std::size_t>(at * out.count + listed)] = row;
      out.distances[static_cast<std::size_t>(at * out.count + listed++)] = distances(row);
    }
  }

 private:
  static double value_of(const RowTable::View& view, Index feature, Index member) {
    const CsrBlock<float>& by = view.features_of;
    for (Index e = by.offsets[static_cast<std::size_t>(feature)]; e < by.offsets[static_cast<std::size_t>(feature) + 1];
         ++e) {
      if (by.columns[static_cast<std::size_t>(e)] == member) return double{by.values[static_cast<std::size_t>(e)]};
    }
    return 0;
  }

  void look_around(Index instance, const std::vector<NarrowMatrix>& products, const PrototypeTable& prototypes) {
    if (search_.lists != nullptr) {
      for (const Index list : (*search_.lists)[static_cast<std::size_t>(instance)]) {
        looked_into_[static_cast<std::size_t>(list)] = true;
      }
      return;
    }
    const auto views = std::count_if(row_.begin(), row_.end(), [](Index row) { return row >= 0; });
    if (views == 0) return;
    const Index share = std::max<Index>(search_.probes / (views + 1), kLeastProbes);
    RowVector all = RowVector::Zero(prototypes.size());
    for (std::size_t v = 0; v < row_.size(); ++v) {
      if (row_[v] < 0) continue;
      const RowVector distances = prototypes.norms[v] - 2 * products[v].row(row_[v]).cast<double>();
      if (search_.apart && views > 1) look_into(distances, share);
      all += distances;
    }
    look_into(all, search_.apart ? share : search_.probes);
  }

  void look_into(const RowVector& distances, Index probes) {
    const std::vector<std::int32_t> order = sorted_columns(distances);
    for (Index j = 0; j < std::min<Index>(probes, distances.size()); ++j) {
      const auto nearest = static_cast<std::size_t>(order[static_cast<std::size_t>(j)]);
      looked_into_[static_cast<std::size_t>(rows_.list_of[nearest])] = true;
    }
  }

  // Of each view and row: the distance of what stands for a row that lacks the view.
  std::vector<RowVector> completed(const std::vector<NarrowMatrix>& products) const {
    std::vector<RowVector> out(row_.size(), RowVector::Constant(rows_.size(), std::numeric_limits<double>::infinity()));
    for (std::size_t v = 0; v < row_.size(); ++v) {
      for (Index list = 0; list < rows_.lists(); ++list) {
        if (row_[v] < 0 || rows_.views[v].completed.empty() || !looked_into_[static_cast<std::size_t>(list)]) continue;
        for (Index p = rows_.begin[static_cast<std::size_t>(list)]; p < rows_.begin[static_cast<std::size_t>(list) + 1];
             ++p) {
          const double square = rows_.views[v].completed[static_cast<std::size_t>(p)];
          if (std::isnan(square)) continue;
          double dot = 0;
          for (Index j = p * rows_.near; j < (p + 1) * rows_.near; ++j) {
            dot += double{rows_.near_weights[static_cast<std::size_t>(j)]} *
                   double{products[v](row_[v], rows_.near_ids[static_cast<std::size_t>(j)])};
          }
          out[v](rows_.row[static_cast<std::size_t>(p)]) = x_[v].squaredNorm() + square - 2 * dot;
        }
      }
    }
    return out;
  }

  const RowTable& rows_;
  const RowSearch& search_;
  Index self_;
  std::vector<Index> row_;
  std::vector<RowVector> x_;
  std::vector<bool> looked_into_;
  std::vector<RowVector> completed_;
};

class NaiveBackend final : public Backend {
 public:
  void find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                 std::vector<NarrowMatrix>* products, Compute& compute) override {
    if (products != nullptr) products->clear();
    for (std::size_t v = 0; products != nullptr && v < chunk.views.size(); ++v) {
      const Matrix P = table.columns[v].cast<double>();
      products->emplace_back(naive::times(chunk.chunk->views[v].block, P).cast<float>());
    }
    std::vector<double> views(static_cast<std::size_t>(chunk.size()), 0.0);
    for (std::size_t v = 0; v < chunk.views.size(); ++v) {
      const Matrix X = naive::densify(chunk.chunk->views[v].block);
      near.squares.emplace_back();
      for (Index i = 0; i < X.rows(); ++i) near.squares[v].push_back(X.row(i).squaredNorm());
      for (const Index at : chunk.present(v)) views[static_cast<std::size_t>(at)] += 1;
      compute.profile().count_product(Step::times, table.size());
    }
    const Matrix distances = sums_of_distances(chunk, table);
    for (Index i = 0; i < chunk.size(); ++i) {
      const RowVector row = distances.row(i);
      if (!chunk.observed[static_cast<std::size_t>(i)] || !row.allFinite()) continue;
      const std::vector<std::int32_t> order = sorted_columns(row);
      const auto nth = [&](Index j) { return row(order[static_cast<std::size_t>(j)]); };
      const double reference = near.count < table.size() ? nth(near.count) : nth(near.count - 1) + beyond;
      double sum = 0;
      for (Index j = 0; j < near.count; ++j) sum += reference - nth(j);
      double others = 0;
      for (Index j = near.count - 1; j >= 0; --j) {
        const auto place = static_cast<std::size_t>(i * near.count + j);
        const double share = sum > 0 ? (reference - nth(j)) / sum : 0;
        near.ids[place] = order[static_cast<std::size_t>(j)];
        near.weights[place] = j > 0 ? std::round(share * kWeightSteps) / kWeightSteps : 1 - others;
        others += near.weights[place];
      }
      near.distances[static_cast<std::size_t>(i)] = nth(0) / views[static_cast<std::size_t>(i)];
      near.gap += nth(near.count - 1) - nth(0);
    }
  }

  // Every row of the lists that are looked into, with all its distances, sorted.
  void find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                 const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search, RowNeighbours& out,
                 Compute& /*compute*/) override {
    for (Index i = 0; i < chunk.size(); ++i) {
      const NaiveRows found(chunk, i, products, prototypes, rows, search);
      for (std::size_t v = 0; v < chunk.views.size(); ++v) {
        if (found.row(v) >= 0) found.list(found.distances(v), out.views[v], found.row(v));
      }
      if (search.whole) found.list(found.whole(), out.whole, i);
      out.lists[static_cast<std::size_t>(i)] = found.lists();
    }
  }

  void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                        std::vector<Matrix>& sums, Compute& /*compute*/) override {
    for (const Members& of : members) {
      for (std::size_t v = 0; v < sums.size(); ++v) {
        const Matrix X = naive::densify(of.chunk->chunk->views[v].block);
        for (Index i = 0; i < X.rows(); ++i) {
          const Index at = of.chunk->present(v)[static_cast<std::size_t>(i)];
          const std::int32_t id = (*of.ids)[static_cast<std::size_t>(at)];
          if (id < 0) continue;
          for (Index j = 0; j < X.cols(); ++j) {
            sums[v](j, id) += sign * std::nearbyint(X(i, j) / quantum[v]) * quantum[v];
          }
        }
      }
    }
  }

  void times(const DataBlock& X, const MatrixIn& U, MatrixOut out, Compute& /*compute*/) override {
    out = naive::times(X.block(), U);
  }
  void times(const DataBlock& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& /*compute*/) override {
    out = naive::times(X.block(), U.cast<double>()).cast<float>();
  }
  void add_transpose_times(const DataBlock& X, const MatrixIn& V, MatrixOut out, Compute& /*compute*/) override {
    out += naive::transpose_times(X.block(), V);
  }
  std::string name() const override { return "definitions"; }
};

}  // namespace

Backend& naive_backend() {
  static NaiveBackend backend;
  return backend;
}

}  // namespace omvc
