// Tall matrices, of a row a feature or instance, taken in blocks of rows on several threads. Blocks depend on the shape
// alone and sums over them are taken in their order, so results are equal to the bit for any number of threads.
#pragma once

#include <algorithm>
#include <vector>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

inline constexpr Index kTallBlock = 65536;  // numbers of a block whose sum is taken
inline constexpr Index kTallTask = 8192;    // and of one that stands for itself

// Calls body(first, count) for blocks of rows of a rows x cols matrix.
template <class Body>
void for_tall_blocks(Compute& compute, Index rows, Index cols, const Body& body, Index numbers = kTallTask) {
  const Index block = std::max<Index>(1, numbers / std::max<Index>(1, cols));
  for_blocks(compute, rows, block, rows * cols > kTallBlock,
             [&](Index first, Index last) { body(first, last - first); });
}

// The sum over blocks of part(first, count), added to `zero`.
template <class T, class Part>
T sum_of_tall_blocks(Compute& compute, Index rows, Index cols, T zero, const Part& part) {
  const Index block = std::max<Index>(1, kTallBlock / std::max<Index>(1, cols));
  std::vector<T> parts(static_cast<std::size_t>((rows + block - 1) / block), zero);
  for_tall_blocks(
      compute, rows, cols,
      [&](Index first, Index count) { parts[static_cast<std::size_t>(first / block)] = part(first, count); },
      kTallBlock);
  for (const T& each : parts) zero += each;
  return zero;
}

// Multiplies the columns of A by the numbers of D. Several rows at a time are one run of numbers, so that short rows
// are work for vectors, too.
inline void scale_columns(const RowVector& D, Matrix& A, Compute& compute) {
  constexpr Index kRowsAtOnce = 4;
  const Index r = A.cols();
  const Matrix factors = D.replicate(kRowsAtOnce, 1);
  for_tall_blocks(compute, A.rows(), r, [&](Index first, Index count) {
    const double* const by = factors.data();
    for (Index i = 0; i < count; i += kRowsAtOnce) {
      double* const to = A.data() + (first + i) * r;
      const Index numbers = std::min(kRowsAtOnce, count - i) * r;
      for (Index e = 0; e < numbers; ++e) to[e] *= by[e];
    }
  });
}

// <A, B>, the sum of the products of their entries.
inline double inner_product(const Matrix& A, const Matrix& B, Compute& compute) {
  return sum_of_tall_blocks(compute, A.rows(), A.cols(), 0.0, [&](Index first, Index count) {
    return A.middleRows(first, count).cwiseProduct(B.middleRows(first, count)).sum();
  });
}

inline RowVector column_sums(const Matrix& A, Compute& compute) {
  return sum_of_tall_blocks(
      compute, A.rows(), A.cols(), RowVector(RowVector::Zero(A.cols())),
      [&](Index first, Index count) { return RowVector(A.middleRows(first, count).colwise().sum()); });
}

}  // namespace omvc
