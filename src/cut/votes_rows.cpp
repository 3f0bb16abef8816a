// What votes know of the rows of their table: how far each lies from the others, and who is one of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cut/votes.hpp"

namespace omvc {
namespace {

constexpr double kLeastWidth = 1e-12;
constexpr double kLocal = 0.25;  // power to which what is usual around a row counts
constexpr double kAlike = 1e-4;  // the distance of equal rows, for their squares: what rounding leaves of it

}  // namespace

void Votes::measure(const RowGraphs& graphs) {
  const NearRows& near = graphs.completed->near;
  const Index count = std::min(far_neighbours_, near.count);
  const auto row = [&](Index i) { return static_cast<std::size_t>(i * near.count); };
  for (Index i = 0; i < graphs.rows; ++i) {
    double last = 0;
    for (Index j = 0; j < count && near.id(i, j) >= 0; ++j) last = near.distance(i, j);
    width_.push_back(std::max(last, kLeastWidth));
  }
  for (Index i = 0; i < graphs.rows; ++i) {
    own_distance_.push_back(far(near.ids.data() + row(i), near.distances.data() + row(i), count));
  }
}

double Votes::far(const std::int32_t* ids, const double* distances, Index count) const {
  double last = 0;
  double around = 0;
  Index found = 0;
  for (; found < count && ids[found] >= 0; ++found) {
    last = distances[found];
    around += std::log(width_[static_cast<std::size_t>(ids[found])]);
  }
  if (found == 0) return kNan;
  return last / std::exp(kLocal * around / static_cast<double>(found));
}

bool Votes::wants_products() const {
  return has_rows() && std::any_of(rows_->views.begin(), rows_->views.end(),
                                   [](const RowTable::View& view) { return !view.completed.empty(); });
}

Matrix Votes::alone(const RowGraphs& graphs) const {
  Matrix readers = Matrix::Zero(graphs.rows, clusters());
  Vector seen = Vector::Zero(graphs.rows);
  for (std::size_t v = 0; v < said_rows_.size(); ++v) {
    const std::vector<Index> rows(graphs.views[v].rows.begin(), graphs.views[v].rows.end());
    add_reader(v, rows, said_rows_[v], readers, seen);
  }
  const Matrix soft = graphs.through->soft(prototypes_);
  return of([&](Index i) { return RowVector(soft.row(i)); }, readers, seen);
}

// For each instance the row of the table that it is, equal in all its views, the first that is listed in some view
// where there are several; -1: none. Others may equal it in one view, and its own distance is nothing but for rounding.
std::vector<std::int32_t> Votes::known_rows(const PreparedChunk& chunk, const RowNeighbours& found) const {
  std::vector<std::vector<Index>> own(static_cast<std::size_t>(chunk.size()),
                                      std::vector<Index>(found.views.size(), -1));
  for (std::size_t v = 0; v < found.views.size(); ++v) {
    for (std::size_t row = 0; row < chunk.present(v).size(); ++row) {
      own[static_cast<std::size_t>(chunk.present(v)[row])][v] = static_cast<Index>(row);
    }
  }
  std::vector<std::int32_t> known;
  for (const std::vector<Index>& rows : own) known.push_back(known_row(chunk, rows, found));
  return known;
}

// `own` is the row of the instance in each view; -1: it lacks the view.
std::int32_t Votes::known_row(const PreparedChunk& chunk, const std::vector<Index>& own,
                              const RowNeighbours& found) const {
  const auto is = [&](std::int32_t id) {
    for (std::size_t v = 0; v < own.size(); ++v) {
      const bool has = rows_->views[v].member[static_cast<std::size_t>(id)] >= 0;
      if (has != (own[v] >= 0)) return false;
      if (has && !equals_row(chunk.chunk->views[v].block, own[v], *rows_, v, id)) return false;
    }
    return true;
  };
  for (std::size_t v = 0; v < own.size(); ++v) {
    if (own[v] < 0) continue;
    const NearRows& near = found.views[v];
    const RowTable::View& view = rows_->views[v];
    for (Index j = 0; j < near.count && near.id(own[v], j) >= 0; ++j) {
      const std::int32_t id = near.id(own[v], j);
      const auto member = static_cast<std::size_t>(view.member[static_cast<std::size_t>(id)]);
      if (near.distance(own[v], j) > kAlike * view.squares[member]) break;
      if (is(id)) return id;
    }
  }
  return -1;
}

}  // namespace omvc
