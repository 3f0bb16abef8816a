#include "model/from_prototypes.hpp"

#include <algorithm>
#include <numeric>

#include "chunk/kinds.hpp"
#include "cut/row_graph.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kNearest = 15;  // prototypes that say where the cells of a row are

Matrix prototypes_in_units(const Model& model, std::size_t view) {
  const NarrowMatrix& columns = model.placing().table()->columns[view];
  Matrix units(columns.cols(), columns.rows());
  for (Index p = 0; p < columns.cols(); ++p) {
    const Vector scaled = columns.col(p).cast<double>();
    const std::vector<double> row =
        unscaled(model.intake().scaling()[view], model.seen().survey().views[view], {scaled.begin(), scaled.end()});
    units.row(p) = Eigen::Map<const RowVector>(row.data(), columns.rows());
  }
  return units;
}

// So that threads can write to it.
void own_in_double(Block& block) {
  block = widened(std::move(block));
  std::get<DenseBlock<double>>(block).values.own();
}

// Of one instance to each prototype, over the cells of dense views that it has.
Vector distances_to(const Model& model, const Chunk& rows, const std::vector<Index>& row, const Holes& holes,
                    Index instance) {
  const std::vector<NarrowMatrix>& columns = model.placing().table()->columns;
  Vector out = Vector::Zero(columns.front().cols());
  for (std::size_t v = 0; v < rows.views.size(); ++v) {
    const auto* X = std::get_if<DenseBlock<double>>(&rows.views[v].block);
    if (X == nullptr || row[v] < 0) continue;
    const std::vector<Index>& missing = holes[v][static_cast<std::size_t>(instance)];
    for (Index j = 0; j < X->cols; ++j) {
      if (std::binary_search(missing.begin(), missing.end(), j)) continue;
      const double x = X->row(row[v])[static_cast<std::size_t>(j)];
      out.array() += (columns[v].row(j).cast<double>().transpose().array() - x).square();
    }
  }
  return out;
}

// Cells that are missing stand at the means of their columns, far from where their row belongs: they are put where the
// prototypes are that are near the row by the others.
void fill_by_prototypes(const Model& model, const Holes& holes, Chunk& rows, Compute& compute) {
  std::vector<std::vector<Index>> row(rows.rows.size(), std::vector<Index>(rows.views.size(), -1));
  for (std::size_t v = 0; v < rows.views.size(); ++v) {
    ChunkView& view = rows.views[v];
    if (!is_sparse(view.block)) own_in_double(view.block);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      row[static_cast<std::size_t>(view.present[i])][v] = static_cast<Index>(i);
    }
  }
  for_blocks(compute, rows.size(), 1, true, [&](Index instance, Index) {
    const auto at = static_cast<std::size_t>(instance);
    if (std::all_of(holes.begin(), holes.end(), [&](const auto& of_view) { return of_view[at].empty(); })) return;
    const Vector distances = distances_to(model, rows, row[at], holes, instance);
    std::vector<Index> order(static_cast<std::size_t>(distances.size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto kept = order.begin() + std::min<Index>(kNearest, distances.size());
    std::partial_sort(order.begin(), kept, order.end(),
                      [&](Index a, Index b) { return std::pair(distances(a), a) < std::pair(distances(b), b); });
    order.erase(kept, order.end());
    std::vector<double> near;
    for (const Index p : order) near.push_back(distances(p));
    std::vector<double> weights(near.size());
    outside_weights(near.data(), std::ssize(near), weights.data());
    for (std::size_t v = 0; v < rows.views.size(); ++v) {
      auto* X = std::get_if<DenseBlock<double>>(&rows.views[v].block);
      if (X == nullptr || row[at][v] < 0) continue;
      const NarrowMatrix& P = model.placing().table()->columns[v];
      for (const Index j : holes[v][at]) {
        double value = 0;
        for (std::size_t c = 0; c < order.size(); ++c) value += weights[c] * double{P(j, order[c])};
        X->values[static_cast<std::size_t>(row[at][v] * X->cols + j)] = value;
      }
    }
  });
}

}  // namespace

Matrix from_prototypes(const Model& model, const Placer& placer, std::size_t view, Chunk rows, const Holes& holes,
                       Compute& compute) {
  fill_by_prototypes(model, holes, rows, compute);
  const Near near = placer.near(PreparedChunk(rows), compute);
  const Matrix units = prototypes_in_units(model, view);
  const auto instances = static_cast<Index>(near.distances.size());
  Matrix out = Matrix::Zero(instances, units.cols());
  for (Index i = 0; i < instances; ++i) {
    if (near.id(i, 0) < 0) out.row(i).setConstant(kNan);
    for (Index j = 0; j < near.count; ++j) {
      if (near.id(i, j) >= 0) out.row(i) += near.weight(i, j) * units.row(near.id(i, j));
    }
  }
  return out;
}

}  // namespace omvc
