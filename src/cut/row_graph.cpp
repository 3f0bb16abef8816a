#include "cut/row_graph.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "chunk/rows.hpp"

namespace omvc {
namespace {

constexpr Index kNeighbourShare = 10;  // a row has one in so many of the others for neighbours
constexpr Index kLeastNeighbours = 10;
constexpr double kUsualSum = 1;    // the mean sum over a neighbourhood, added to that of each row this many times
constexpr Index kRowsAtOnce = 64;  // that a thread works on
constexpr double kBackground = 1;  // affinity of all rows alike, as a multiple of the mean degree

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// The rows of one view among the first instances, of unit length, and the instances they belong to.
struct ViewRows {
  Rows X;
  std::vector<Index> instances;
};

void append_row(const Block& block, Index row, Index at, Rows& out) {
  out.startVec(at);
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.offsets; }) {
          for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]);
               e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]); ++e) {
            out.insertBack(at, X.columns[e]) = static_cast<double>(X.values[e]);
          }
        } else {
          for (Index j = 0; j < X.cols; ++j) {
            const auto x = static_cast<double>(X.values[static_cast<std::size_t>(row * X.cols + j)]);
            if (x != 0) out.insertBack(at, j) = x;
          }
        }
      },
      block);
}

ViewRows rows_of_view(const Sample& sample, std::size_t view, Index rows) {
  ViewRows out;
  const std::size_t pieces = sample.pieces_for(rows);
  const auto view_of = [&](std::size_t p) -> const ChunkView& { return sample.pieces()[p].chunk->views[view]; };
  for (std::size_t p = 0; p < pieces; ++p) {
    for (const Index at : view_of(p).present) {
      if (sample.first(p) + at < rows) out.instances.push_back(sample.first(p) + at);
    }
  }
  out.X.resize(static_cast<Index>(out.instances.size()), block_cols(view_of(0).block));
  Index next = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    for (Index i = 0; i < block_rows(view_of(p).block) && next < out.X.rows(); ++i) {
      append_row(view_of(p).block, i, next++, out.X);
    }
  }
  out.X.finalize();
  for (Index i = 0; i < out.X.rows(); ++i) {
    const double length = out.X.row(i).norm();
    if (length > 0) out.X.row(i) /= length;
  }
  return out;
}

// Adds the relative similarities of one view to W, and 1 to `shared` for every pair of rows that have it.
void add_view(const ViewRows& view, Matrix& W, Matrix& shared, Workers& workers) {
  const auto n = static_cast<Index>(view.instances.size());
  if (n < 2) return;
  const Rows transposed = view.X.transpose();
  const Index count = std::min(n - 1, std::max(kLeastNeighbours, n / kNeighbourShare));
  Matrix relative = Matrix::Zero(n, n);
  Vector sums = Vector::Zero(n);
  for_blocks(workers, n, kRowsAtOnce, true, [&](Index first, Index last) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    RowVector similar(n);
    for (Index i = first; i < last; ++i) {
      similar.setZero();
      for (Rows::InnerIterator own(view.X, i); own; ++own) {
        for (Rows::InnerIterator other(transposed, own.col()); other; ++other) {
          similar(other.col()) += own.value() * other.value();
        }
      }
      similar = similar.cwiseMax(0);
      similar(i) = 0;
      std::iota(order.begin(), order.end(), Index{0});
      std::nth_element(order.begin(), order.begin() + count - 1, order.end(),
                       [&](Index a, Index b) { return std::pair(-similar(a), a) < std::pair(-similar(b), b); });
      for (Index j = 0; j < count; ++j) {
        const Index other = order[static_cast<std::size_t>(j)];
        relative(i, other) = similar(other);
        sums(i) += similar(other);
      }
    }
  });
  // A row that resembles no other has a small sum, and would be tied to the few it shares a word with as firmly as
  // others to their many: the usual sum is added to each.
  const double usual = kUsualSum * sums.mean();
  const Vector scale = (sums.array() + usual).max(1e-300).inverse();
  for_blocks(workers, n, kRowsAtOnce, true, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) relative.row(i) *= scale(i);
  });
  for_blocks(workers, n, kRowsAtOnce, true, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Index a = view.instances[static_cast<std::size_t>(i)];
        const Index b = view.instances[static_cast<std::size_t>(j)];
        W(a, b) += relative(i, j) + relative(j, i);
        shared(a, b) += 1;
      }
    }
  });
}

}  // namespace

Matrix row_affinity(const Sample& sample, Index rows, Workers& workers) {
  Matrix W = Matrix::Zero(rows, rows);
  Matrix shared = Matrix::Zero(rows, rows);
  std::vector<ViewRows> views(sample.pieces().front().views.size());
  for_blocks(workers, static_cast<Index>(views.size()), 1, true, [&](Index v, Index) {
    views[static_cast<std::size_t>(v)] = rows_of_view(sample, static_cast<std::size_t>(v), rows);
  });
  for (const ViewRows& view : views) add_view(view, W, shared, workers);
  Vector degree(rows);
  for_blocks(workers, rows, kRowsAtOnce, true, [&](Index first, Index last) {
    auto own = W.middleRows(first, last - first);
    own = own.cwiseQuotient(shared.middleRows(first, last - first).cwiseMax(1)).eval();
    degree.segment(first, last - first) = own.rowwise().sum();
  });
  // Small islands would be cut off first: a little affinity of all rows keeps them (Amini, Chen, Bickel, Levina 2013).
  const double background = kBackground * degree.mean() / static_cast<double>(rows);
  for_blocks(workers, rows, kRowsAtOnce, true,
             [&](Index first, Index last) { W.middleRows(first, last - first).array() += background; });
  return W;
}

}  // namespace omvc
