// Chunks of odd shapes with prototypes, and what the definitions say of them: for tests of every form of a backend.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/naive.hpp"
#include "kernels/near.hpp"
#include "support/random_data.hpp"

namespace omvc::test {

struct BackendCase {
  std::string name;
  Index rows;
  std::vector<Index> features;  // of each view
  Index prototypes;
  Index wanted;
  Index lacking = 4;     // each view lacks one instance in so many; 1: all
  bool integers = true;  // small ones, of which single precision makes no error and many distances are equal
  double scale = 1;
  double beyond = 0;
};

inline const std::vector<BackendCase>& backend_cases() {
  static const std::vector<BackendCase> kCases{
      {.name = "no rows", .rows = 0, .features = {5, 3}, .prototypes = 4, .wanted = 2},
      {.name = "one row", .rows = 1, .features = {5, 3}, .prototypes = 4, .wanted = 2},
      {.name = "no view present", .rows = 9, .features = {5, 3}, .prototypes = 4, .wanted = 2, .lacking = 1},
      {.name = "one feature", .rows = 70, .features = {1}, .prototypes = 9, .wanted = 3},
      {.name = "one prototype", .rows = 20, .features = {4, 4}, .prototypes = 1, .wanted = 1, .beyond = 2},
      {.name = "fewer than wanted", .rows = 40, .features = {6, 30}, .prototypes = 3, .wanted = 5, .beyond = 7},
      {.name = "all, and nothing beyond", .rows = 40, .features = {6, 30}, .prototypes = 5, .wanted = 5},
      {.name = "more than can be listed", .rows = 40, .features = {6, 30}, .prototypes = 40, .wanted = 30},
      {.name = "none wanted", .rows = 40, .features = {6}, .prototypes = 4, .wanted = 0},
      {.name = "four kinds", .rows = 130, .features = {7, 300, 65, 2}, .prototypes = 33, .wanted = 5},
      {.name = "worth threads", .rows = 900, .features = {40, 90}, .prototypes = 80, .wanted = 5},
      {.name = "huge", .rows = 50, .features = {9, 40}, .prototypes = 12, .wanted = 5, .scale = 0x1.0p50},
      {.name = "real", .rows = 130, .features = {7, 300, 65}, .prototypes = 33, .wanted = 5, .integers = false},
      {.name = "real, huge",
       .rows = 60,
       .features = {7, 90},
       .prototypes = 9,
       .wanted = 5,
       .integers = false,
       .scale = 1e15},
      {.name = "real, tiny",
       .rows = 60,
       .features = {7, 90},
       .prototypes = 9,
       .wanted = 4,
       .integers = false,
       .scale = 1e-6},
      {.name = "real, worth threads",
       .rows = 900,
       .features = {40, 90},
       .prototypes = 80,
       .wanted = 5,
       .integers = false},
  };
  return kCases;
}

// 0 .. 3: dense or CSR, of floats or doubles.
inline Block block_of_kind(const Matrix& X, std::size_t kind) {
  switch (kind % 4) {
    case 0:
      return dense_block<float>(X);
    case 1:
      return csr_block<double>(X);
    case 2:
      return dense_block<double>(X);
    default:
      return csr_block<float>(X);
  }
}

// Numbers of which about half are zero and some are negative.
inline Matrix case_matrix(const BackendCase& of, Index rows, Index cols, std::uint64_t seed) {
  Matrix X = random_sparse(rows, cols, 0.6, seed);
  for (double& x : X.reshaped()) {
    if (x != 0) x = of.scale * (of.integers ? std::floor(7 * x) - 3 : 2 * x - 0.5);
  }
  return X;
}

// Views of all four kinds, the first of this one.
inline Chunk case_chunk(const BackendCase& of, std::size_t kind, std::uint64_t seed = 1) {
  Chunk chunk{iota(of.rows, 1000), {}};
  for (std::size_t v = 0; v < of.features.size(); ++v) {
    std::vector<Index> present;
    for (Index i = 0; i < of.rows; ++i) {
      if ((i + static_cast<Index>(v)) % of.lacking != of.lacking - 1 && i % 11 != 10) present.push_back(i);
    }
    const Matrix X = case_matrix(of, of.rows, of.features[v], seed + v);
    chunk.views.push_back(view_of(X, present, [&](const Matrix& rows) { return block_of_kind(rows, kind + v); }));
  }
  return chunk;
}

// Every fifth prototype is like the one before it, so that there are ties.
inline PrototypeTable case_table(const BackendCase& of, Compute& compute) {
  PrototypeTable table;
  for (std::size_t v = 0; v < of.features.size(); ++v) {
    Matrix P = case_matrix(of, of.features[v], of.prototypes, 100 + v);
    for (Index k = 4; k < of.prototypes; k += 5) P.col(k) = P.col(k - 1).eval();
    table.columns.emplace_back(P.cast<float>());
  }
  table.measure(compute);
  return table;
}

// By definition: of one instance, the sum over its observed views of the squared distances from every prototype.
struct PlainDistances {
  double views = 0;
  double squares = 0;          // ||x||^2 of the observed views together
  double norm = 0;             // of the longest prototype, in all views together
  std::vector<double> sum;     // of each prototype
  std::vector<Index> nearest;  // all prototypes, the nearest first, by their numbers where they are as near
};

inline std::vector<PlainDistances> plain_distances(const Chunk& chunk, const PrototypeTable& table) {
  const auto m = static_cast<std::size_t>(table.size());
  std::vector<PlainDistances> out(chunk.rows.size());
  for (PlainDistances& one : out) one.sum.assign(m, 0.0);
  double norm = 0;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Matrix X = naive::densify(chunk.views[v].block);
    const Matrix P = table.columns[v].cast<double>();
    norm += P.size() > 0 ? P.colwise().squaredNorm().maxCoeff() : 0;
    for (Index i = 0; i < X.rows(); ++i) {
      PlainDistances& one = out[static_cast<std::size_t>(chunk.views[v].present[static_cast<std::size_t>(i)])];
      one.views += 1;
      one.squares += X.row(i).squaredNorm();
      for (std::size_t k = 0; k < m; ++k) {
        one.sum[k] += (X.row(i).transpose() - P.col(static_cast<Index>(k))).squaredNorm();
      }
    }
  }
  for (PlainDistances& one : out) {
    one.norm = norm;
    one.nearest = iota(static_cast<Index>(m));
    std::stable_sort(one.nearest.begin(), one.nearest.end(), [&](Index a, Index b) {
      return one.sum[static_cast<std::size_t>(a)] < one.sum[static_cast<std::size_t>(b)];
    });
  }
  return out;
}

// By definition: shares of how much nearer each of the first `count` is than the next one, before any rounding.
inline std::vector<double> plain_shares(const PlainDistances& one, Index count, double beyond) {
  const auto nth = [&](Index j) { return one.sum[static_cast<std::size_t>(one.nearest[static_cast<std::size_t>(j)])]; };
  const bool all = count == static_cast<Index>(one.sum.size());
  const double reference = all ? nth(count - 1) + beyond : nth(count);
  std::vector<double> shares;
  for (Index j = 0; j < count; ++j) shares.push_back(reference - nth(j));
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

}  // namespace omvc::test
