// Small random inputs for tests, made from the library's own counter-based numbers, so that a failing case is
// repeatable.
#pragma once

#include <string>
#include <vector>

#include "omvc/chunk.hpp"

#include "chunk/matrix.hpp"
#include "random/philox.hpp"

namespace omvc::test {

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  const Random random(seed, Purpose::planted_data);
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
  return out;
}

// A symmetric positive definite matrix whose entries are nonnegative, as U'U of a nonnegative U is.
inline Matrix random_gram(Index r, std::uint64_t seed) {
  const Matrix U = random_matrix(3 * r + 2, r, seed);
  return U.transpose() * U;
}

template <class T>
DenseBlock<T> dense_block(const Matrix& X) {
  DenseBlock<T> block{.rows = X.rows(), .cols = X.cols(), .values = {}};
  for (Index i = 0; i < X.size(); ++i) block.values.push_back(static_cast<T>(X.data()[i]));
  return block;
}

template <class T>
CsrBlock<T> csr_block(const Matrix& X) {
  CsrBlock<T> block{.rows = X.rows(), .cols = X.cols()};
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) {
      if (X(i, j) == 0) continue;
      block.columns.push_back(static_cast<std::int32_t>(j));
      block.values.push_back(static_cast<T>(X(i, j)));
    }
    block.offsets.push_back(static_cast<Index>(block.values.size()));
  }
  return block;
}

// Random numbers of which all but a share `density` are zero.
inline Matrix random_sparse(Index rows, Index cols, double density, std::uint64_t seed) {
  Matrix X = random_matrix(rows, cols, seed);
  const Random keep(seed, Purpose::planted_mask);
  for (Index i = 0; i < X.size(); ++i) {
    // Values representable as float, so that float and double blocks hold the same data.
    X.data()[i] = keep.uniform(static_cast<std::uint64_t>(i)) < density ? static_cast<float>(X.data()[i]) : 0.0;
  }
  return X;
}

inline std::vector<Index> iota(Index n, Index first = 0) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) out.push_back(first + i);
  return out;
}

// A view of a chunk that holds the rows `present` of X.
template <class BlockOf>
ChunkView view_of(const Matrix& X, const std::vector<Index>& present, const BlockOf& make_block) {
  Matrix rows(static_cast<Index>(present.size()), X.cols());
  for (std::size_t i = 0; i < present.size(); ++i) rows.row(static_cast<Index>(i)) = X.row(present[i]);
  return {make_block(rows), present};
}

inline Schema schema_of(const std::vector<Index>& features) {
  Schema schema;
  for (std::size_t v = 0; v < features.size(); ++v)
    schema.views.push_back({"view" + std::to_string(v + 1), features[v], {}});
  return schema;
}

}  // namespace omvc::test
