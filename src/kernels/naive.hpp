// The operations on data written as their definitions: the oracle that the fast kernels are tested against.
#pragma once

#include <variant>

#include "chunk/matrix.hpp"

namespace omvc::naive {

template <class T>
Matrix densify(const DenseBlock<T>& X) {
  Matrix out(X.rows, X.cols);
  for (Index i = 0; i < X.rows; ++i) {
    for (Index j = 0; j < X.cols; ++j)
      out(i, j) = static_cast<double>(X.values[static_cast<std::size_t>(i * X.cols + j)]);
  }
  return out;
}

template <class T>
Matrix densify(const CsrBlock<T>& X) {
  Matrix out = Matrix::Zero(X.rows, X.cols);
  for (Index i = 0; i < X.rows; ++i) {
    for (Index e = X.offsets[static_cast<std::size_t>(i)]; e < X.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      out(i, X.columns[static_cast<std::size_t>(e)]) = static_cast<double>(X.values[static_cast<std::size_t>(e)]);
    }
  }
  return out;
}

inline Matrix densify(const Block& X) {
  return std::visit([](const auto& block) { return densify(block); }, X);
}

// X U, n x r.
inline Matrix times(const Block& X, const Matrix& U) {
  const Matrix dense = densify(X);
  Matrix out = Matrix::Zero(dense.rows(), U.cols());
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index k = 0; k < U.cols(); ++k) {
      for (Index j = 0; j < dense.cols(); ++j) out(i, k) += dense(i, j) * U(j, k);
    }
  }
  return out;
}

// X' V, d x r.
inline Matrix transpose_times(const Block& X, const Matrix& V) {
  const Matrix dense = densify(X);
  Matrix out = Matrix::Zero(dense.cols(), V.cols());
  for (Index j = 0; j < dense.cols(); ++j) {
    for (Index k = 0; k < V.cols(); ++k) {
      for (Index i = 0; i < dense.rows(); ++i) out(j, k) += dense(i, j) * V(i, k);
    }
  }
  return out;
}

// ||X||^2.
inline double squared_norm(const Block& X) {
  const Matrix dense = densify(X);
  double sum = 0;
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.cols(); ++j) sum += dense(i, j) * dense(i, j);
  }
  return sum;
}

}  // namespace omvc::naive
