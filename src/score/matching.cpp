#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"

namespace omvc {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Assigns every row of a table with at least as many columns as rows, at the least total cost: one shortest augmenting
// path a row (Jonker, Volgenant, Computing 38, 1987). Potentials keep all reduced costs nonnegative, so each search is
// Dijkstra's, and the whole takes rows * rows * columns steps.
class Assignment {
 public:
  template <class Cost>
  Assignment(std::size_t rows, std::size_t columns, const Cost& cost)
      : row_potential_(rows, 0.0), column_potential_(columns, 0.0), row_of_(columns, kNone) {
    for (std::size_t row = 0; row < rows; ++row) augment(row, cost);
  }

  const std::vector<std::size_t>& row_of_column() const { return row_of_; }

 private:
  template <class Cost>
  void augment(std::size_t start, const Cost& cost) {
    const std::size_t columns = row_of_.size();
    std::vector<double> distance(columns, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> previous(columns, kNone);  // the column before this one on the path; none: the start
    std::vector<bool> settled(columns, false);
    std::vector<std::size_t> order;  // settled columns
    std::size_t row = start;
    std::size_t from = kNone;
    double reached = 0;
    while (true) {
      std::size_t nearest = kNone;
      for (std::size_t j = 0; j < columns; ++j) {
        if (settled[j]) continue;
        const double through = reached + (cost(row, j) - row_potential_[row] - column_potential_[j]);
        if (through < distance[j]) {
          distance[j] = through;
          previous[j] = from;
        }
        if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
      }
      reached = distance[nearest];
      if (row_of_[nearest] == kNone) {
        raise_potentials(start, order, distance, reached);
        flip(start, nearest, previous);
        return;
      }
      settled[nearest] = true;
      order.push_back(nearest);
      from = nearest;
      row = row_of_[nearest];
    }
  }

  void raise_potentials(std::size_t start, const std::vector<std::size_t>& settled, const std::vector<double>& distance,
                        double reached) {
    row_potential_[start] += reached;
    for (const std::size_t j : settled) {
      row_potential_[row_of_[j]] += reached - distance[j];
      column_potential_[j] -= reached - distance[j];
    }
  }

  void flip(std::size_t start, std::size_t end, const std::vector<std::size_t>& previous) {
    std::size_t column = end;
    while (previous[column] != kNone) {
      row_of_[column] = row_of_[previous[column]];
      column = previous[column];
    }
    row_of_[column] = start;
  }

  std::vector<double> row_potential_;
  std::vector<double> column_potential_;
  std::vector<std::size_t> row_of_;
};

void check_table(const std::vector<std::vector<double>>& gain) {
  for (std::size_t i = 0; i < gain.size(); ++i) {
    if (gain[i].size() != gain.front().size()) {
      throw Error(ErrorKind::data, fmt::format("row {} of the gain table has {} columns where row 0 has {}", i,
                                               gain[i].size(), gain.front().size()));
    }
    for (std::size_t j = 0; j < gain[i].size(); ++j) {
      if (!std::isfinite(gain[i][j])) {
        throw Error(ErrorKind::data,
                    fmt::format("the gain of row {}, column {} is {}: gains must be finite", i, j, gain[i][j]));
      }
    }
  }
}

}  // namespace

std::vector<int> best_matching(const std::vector<std::vector<double>>& gain) {
  check_table(gain);
  std::vector<int> column_of(gain.size(), -1);
  if (gain.empty() || gain.front().empty()) return column_of;
  const std::size_t rows = gain.size();
  const std::size_t columns = gain.front().size();
  if (rows <= columns) {
    const Assignment best(rows, columns, [&](std::size_t i, std::size_t j) { return -gain[i][j]; });
    for (std::size_t j = 0; j < columns; ++j) {
      if (best.row_of_column()[j] != kNone) column_of[best.row_of_column()[j]] = static_cast<int>(j);
    }
  } else {
    const Assignment best(columns, rows, [&](std::size_t j, std::size_t i) { return -gain[i][j]; });
    for (std::size_t i = 0; i < rows; ++i) {
      if (best.row_of_column()[i] != kNone) column_of[i] = static_cast<int>(best.row_of_column()[i]);
    }
  }
  return column_of;
}

}  // namespace omvc
