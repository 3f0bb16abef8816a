// The two products as libraries do them. What has no threads of its own gets those of a pool.
#pragma once

#include <algorithm>
#include <cblas.h>
#include <functional>
#include <string>
#include <utility>

#include "blocks.hpp"
#include "pool.hpp"

// out = X U and out += X' V, as one library does them.
template <class T>
struct Library {
  std::string name;
  int threads = 1;  // of the library itself
  std::function<void(const Piece<T>&, const Matrix<T>& U, Matrix<T>& out)> times;
  std::function<void(const Piece<T>&, const Matrix<T>& V, Matrix<T>& out)> add_transpose_times;
};

inline void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const double* A, Index lda, const double* B,
                 double beta, double* C) {
  cblas_dgemm(CblasRowMajor, turn, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0, A,
              static_cast<int>(lda), B, static_cast<int>(n), beta, C, static_cast<int>(n));
}

inline void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const float* A, Index lda, const float* B,
                 double beta, float* C) {
  cblas_sgemm(CblasRowMajor, turn, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0F, A,
              static_cast<int>(lda), B, static_cast<int>(n), static_cast<float>(beta), C, static_cast<int>(n));
}

// The part of 0 .. n that one thread of a pool gets.
inline std::pair<Index, Index> share(Index n, int part, int parts) {
  return {n * part / parts, n * (part + 1) / parts};
}

// The same for rows with different numbers of entries, so that every thread gets about as many of them.
template <class T>
std::pair<Index, Index> share(const Sparse<T>& X, int part, int parts) {
  const std::int32_t* starts = X.outerIndexPtr();
  const auto row = [&](Index entry) { return std::lower_bound(starts, starts + X.rows(), entry) - starts; };
  const auto [begin, end] = share(X.nonZeros(), part, parts);
  return {part == 0 ? 0 : row(begin), part == parts - 1 ? X.rows() : row(end)};
}

// OpenBLAS on its own threads, or on one thread for every part of the pool.
template <class T>
Library<T> openblas(const std::string& name, int threads, Pool& pool) {
  return {.name = name,
          .threads = threads,
          .times =
              [&pool](const Piece<T>& X, const Matrix<T>& U, Matrix<T>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.rows, part, pool.parts());
                  if (end > begin) {
                    gemm(CblasNoTrans, end - begin, U.cols(), X.cols, X.values + begin * X.cols, X.cols, U.data(), 0,
                         out.data() + begin * U.cols());
                  }
                });
              },
          .add_transpose_times =
              [&pool](const Piece<T>& X, const Matrix<T>& V, Matrix<T>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.cols, part, pool.parts());
                  if (X.rows > 0 && end > begin) {
                    gemm(CblasTrans, end - begin, V.cols(), X.rows, X.values + begin, X.cols, V.data(), 1,
                         out.data() + begin * V.cols());
                  }
                });
              }};
}

inline Library<double> eigen(Pool& pool) {
  using Rows = Eigen::Map<const Matrix<double>>;
  return {.name = "Eigen",
          .times =
              [&pool](const Piece<double>& X, const Matrix<double>& U, Matrix<double>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.rows, part, pool.parts());
                  out.middleRows(begin, end - begin).noalias() =
                      Rows(X.values, X.rows, X.cols).middleRows(begin, end - begin) * U;
                });
              },
          .add_transpose_times =
              [&pool](const Piece<double>& X, const Matrix<double>& V, Matrix<double>& out) {
                pool.run([&](int part) {
                  const auto [begin, end] = share(X.cols, part, pool.parts());
                  out.middleRows(begin, end - begin).noalias() +=
                      Rows(X.values, X.rows, X.cols).middleCols(begin, end - begin).transpose() * V.topRows(X.rows);
                });
              }};
}

// Eigen's sparse products. X' V gathers along the columns, or on one thread may scatter along the rows.
inline Library<double> eigen_sparse(bool scatter, Pool& pool) {
  const auto multiply = [&pool](const Sparse<double>& X, const auto& factor, const auto& store) {
    pool.run([&](int part) {
      const auto [begin, end] = share(X, part, pool.parts());
      store(begin, end - begin, X.middleRows(begin, end - begin) * factor);
    });
  };
  Library<double> out{.name = scatter ? "Eigen, scattering" : "Eigen"};
  out.times = [multiply](const Piece<double>& X, const Matrix<double>& U, Matrix<double>& result) {
    multiply(X.by_rows, U,
             [&](Index first, Index count, auto&& XU) { result.middleRows(first, count).noalias() = XU; });
  };
  out.add_transpose_times = [multiply, scatter](const Piece<double>& X, const Matrix<double>& V,
                                                Matrix<double>& result) {
    if (scatter) {
      result.noalias() += X.by_rows.transpose() * V.topRows(X.rows);
    } else {
      multiply(X.by_columns, V.topRows(X.rows),
               [&](Index first, Index count, auto&& XV) { result.middleRows(first, count).noalias() += XV; });
    }
  };
  return out;
}
