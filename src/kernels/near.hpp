// Instances and the prototypes that are near to them: the one product of a chunk with prototypes that learning costs,
// and the search in it.
//
// The distance of an instance from prototype p is the mean over its observed views of ||x_v - p_v||^2. Single precision
// tells which prototype is nearest as well as double does, in half the time and memory.
#pragma once

#include <span>
#include <vector>

#include "kernels/data_block.hpp"

namespace omvc {

inline constexpr Index kMostNear = 16;        // prototypes listed for an instance, at most
inline constexpr double kWeightSteps = 4096;  // weights are multiples of its inverse

// A number that no table had before, by which a device knows one that it has a copy of.
std::uint64_t new_table_id();

// The prototypes of every view, a column each, and what distances need of them.
struct PrototypeTable {
  std::vector<NarrowMatrix> columns;  // of each view: d_v x m
  std::vector<RowVector> norms;       // of each view: the squared length of each column
  std::uint64_t id = new_table_id();  // tables of the same id are equal; a new one when it is measured

  Index size() const { return columns.empty() ? 0 : columns[0].cols(); }
  void measure(Compute& compute);  // after every change: refreshes the norms
};

// The nearest prototypes of each instance of a chunk, the nearest first.
struct Near {
  Index count = 0;                           // prototypes listed for each instance
  std::vector<std::int32_t> ids;             // instances x count; -1 for an instance without any view
  std::vector<double> weights;               // of each of them, adding up to 1: larger the nearer it is
  std::vector<double> distances;             // of each instance from its nearest prototype; NaN without any view
  std::vector<std::vector<double>> squares;  // of each view: ||x||^2 of its rows
  double gap = 0;  // sum over instances: how much farther the last one listed is than the nearest

  std::int32_t id(Index instance, Index j) const { return ids[static_cast<std::size_t>(instance * count + j)]; }
  double weight(Index instance, Index j) const { return weights[static_cast<std::size_t>(instance * count + j)]; }
};

// At most `count` prototypes for each instance; none where the table has none. Weights are proportional to how much
// nearer a prototype is than the first one that is not listed; where all are listed, than one that is farther than the
// last by `beyond`. They are multiples of 2^-12, so that sums of their products are exact whatever their order.
// `products`, where given, receives those of each view with the prototypes, rows x prototypes.
Near find_near(const PreparedChunk& chunk, const PrototypeTable& table, Index count, double beyond, Compute& compute,
               std::vector<NarrowMatrix>* products = nullptr);

// Instances of a chunk, and the prototype of each; -1: none.
struct Members {
  const PreparedChunk* chunk;
  const std::vector<std::int32_t>* ids;
};

// sums[v].col(ids[at]) += sign x for every row x of every view v, where `at` is its instance and ids[at] >= 0, with
// values rounded to multiples of quantum[v]: such sums are exact, and so the same for any order, cut or merge, and a
// row can be taken out again.
void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                      std::vector<Matrix>& sums, Compute& compute);

}  // namespace omvc
