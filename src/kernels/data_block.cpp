#include "kernels/data_block.hpp"

#include <variant>

#include "kernels/cpu_forms.hpp"
#include "kernels/simd.hpp"
#include "kernels/tall.hpp"

namespace omvc {
namespace {

constexpr Index kRowBlock = 64;         // rows of X U computed at a time, of a dense block, at most
constexpr Index kSparseRowBlock = 256;  // and of a sparse one
constexpr Index kColumnBlock = 64;      // features of X' V computed at a time, of a dense block, at most
constexpr Index kLeastBlock = 16;       // of any of them, where threads would else have nothing to do
constexpr Index kGramBlock = 512;
constexpr Index kGramRows = 8;             // of V' V, that a thread computes
constexpr double kWorthThreads = 1 << 18;  // operations below which waking threads costs more than it saves

// Rows or columns that a thread works on, for work that is the same number by number however it is divided.
Index share_of(Index all, Index most, const Compute& compute) {
  return std::clamp(all / (2 * Index{compute.threads()}), kLeastBlock, most);
}

simd::ConstRows rows_of(const MatrixIn& M) { return {M.data(), M.outerStride()}; }
simd::NarrowConstRows rows_of(const NarrowMatrix& M) { return {M.data(), M.outerStride()}; }

simd::Rows rows_of(MatrixOut& M, Index first) { return {M.data() + first * M.outerStride(), M.outerStride()}; }
simd::NarrowRows rows_of(NarrowMatrix& M, Index first) { return {M.data() + first * M.outerStride(), M.outerStride()}; }

template <class T>
simd::SparseRows<T> rows_of(const CsrBlock<T>& X, Index first, Index last) {
  return {X.offsets.data(), X.columns.data(), X.values.data(), first, last};
}

template <class T>
bool worth_threads(const DenseBlock<T>& X, Index r) {
  return static_cast<double>(X.rows) * static_cast<double>(X.cols * r) > kWorthThreads;
}

template <class T>
bool worth_threads(const CsrBlock<T>& X, Index r) {
  return static_cast<double>(X.nonzeros()) * static_cast<double>(r) > kWorthThreads;
}

template <class T, class In, class Out>
void multiply(const DenseBlock<T>& X, const In& U, Out& out, Compute& compute) {
  for_blocks(compute, X.rows, share_of(X.rows, kRowBlock, compute), worth_threads(X, U.cols()),
             [&](Index first, Index last) {
               out.middleRows(first, last - first).setZero();
               simd::add_product(X.values.data() + first * X.cols, X.cols, last - first, X.cols, rows_of(U), U.cols(),
                                 rows_of(out, first));
             });
}

template <class T, class In, class Out>
void multiply(const CsrBlock<T>& X, const In& U, Out& out, Compute& compute) {
  for_blocks(compute, X.rows, share_of(X.rows, kSparseRowBlock, compute), worth_threads(X, U.cols()),
             [&](Index first, Index last) {
               simd::sparse_product(rows_of(X, first, last), rows_of(U), U.cols(), rows_of(out, first));
             });
}

template <class T>
void add_transpose_product(const DenseBlock<T>& X, const MatrixIn& V, MatrixOut out, Compute& compute) {
  if (X.rows == 0) return;  // and there is no memory to point into
  for_blocks(compute, X.cols, share_of(X.cols, kColumnBlock, compute), worth_threads(X, V.cols()),
             [&](Index first, Index last) {
               simd::add_transpose_product(X.values.data() + first, X.cols, last - first, X.rows, rows_of(V), V.cols(),
                                           rows_of(out, first));
             });
}

// Every thread runs through all rows, for the features that are its own: no race, no copy of the entries by columns.
template <class T>
void add_transpose_product(const CsrBlock<T>& X, const MatrixIn& V, MatrixOut out, Compute& compute) {
  const bool in_parallel = worth_threads(X, V.cols());
  const Index share = in_parallel ? (X.cols + compute.threads() - 1) / compute.threads() : X.cols;
  for_blocks(compute, X.cols, std::max<Index>(share, 1), in_parallel, [&](Index first, Index last) {
    simd::add_sparse_transpose_product(rows_of(X, 0, X.rows), first, last, rows_of(V), V.cols(), rows_of(out, first));
  });
}

template <class T>
void add_rows(const DenseBlock<T>& X, const std::vector<DataBlock::Move>& moves, MatrixOut out, Compute& compute) {
  const Index stride = out.outerStride();
  const bool in_parallel = static_cast<double>(moves.size()) * static_cast<double>(X.cols) > kWorthThreads;
  for_blocks(compute, X.cols, kColumnBlock, in_parallel, [&](Index first, Index last) {
    for (const DataBlock::Move& move : moves) {
      const T* x = X.values.data() + move.row * X.cols;
      double* to = out.data() + move.column;
      for (Index j = first; j < last; ++j) to[j * stride] += move.sign * static_cast<double>(x[j]);
    }
  });
}

template <class T>
void add_rows(const CsrBlock<T>& X, const std::vector<DataBlock::Move>& moves, MatrixOut out, Compute& compute) {
  const double entries = static_cast<double>(X.nonzeros()) / static_cast<double>(std::max<Index>(1, X.rows));
  const bool in_parallel = static_cast<double>(moves.size()) * entries > kWorthThreads;
  const Index share = in_parallel ? (X.cols + compute.threads() - 1) / compute.threads() : X.cols;
  for_blocks(compute, X.cols, std::max<Index>(share, 1), in_parallel, [&](Index first, Index last) {
    for (const DataBlock::Move& move : moves) {
      const auto begin = X.columns.begin() + X.offsets[static_cast<std::size_t>(move.row)];
      const auto end = X.columns.begin() + X.offsets[static_cast<std::size_t>(move.row) + 1];
      for (auto column = std::lower_bound(begin, end, first); column != end && *column < last; ++column) {
        out(*column, move.column) +=
            move.sign * static_cast<double>(X.values[static_cast<std::size_t>(column - X.columns.begin())]);
      }
    }
  });
}

template <class T>
void add_row_sum(const DenseBlock<T>& X, Eigen::Ref<Vector> out, Compute& compute) {
  using Row = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>;
  for_blocks(compute, X.cols, kColumnBlock, worth_threads(X, 1), [&](Index first, Index last) {
    auto part = out.segment(first, last - first);
    for (Index i = 0; i < X.rows; ++i) {
      part += Row(X.values.data() + i * X.cols + first, last - first).template cast<double>();
    }
  });
}

template <class T>
void add_row_sum(const CsrBlock<T>& X, Eigen::Ref<Vector> out, Compute& /*compute*/) {
  for (std::size_t e = 0; e < X.values.size(); ++e) out(X.columns[e]) += static_cast<double>(X.values[e]);
}

}  // namespace

namespace cpu {

void times(const Block& X, const MatrixIn& U, MatrixOut out, Compute& compute) {
  std::visit([&](const auto& typed) { multiply(typed, U, out, compute); }, X);
}

void times(const Block& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) {
  std::visit([&](const auto& typed) { multiply(typed, U, out, compute); }, X);
}

void add_transpose_times(const Block& X, const MatrixIn& V, MatrixOut out, Compute& compute) {
  std::visit([&](const auto& typed) { add_transpose_product(typed, V, out, compute); }, X);
}

}  // namespace cpu

void DataBlock::add_rows(const std::vector<Move>& moves, MatrixOut out, Compute& compute) const {
  const Timed timed(compute.profile(), Step::prototypes);
  std::visit([&](const auto& X) { omvc::add_rows(X, moves, out, compute); }, *block_);
}

double DataBlock::squared_norm(Compute& compute) const {
  return std::visit(
      [&](const auto& X) {
        return sum_of_tall_blocks(compute, static_cast<Index>(X.values.size()), 1, 0.0, [&](Index first, Index count) {
          return simd::sum_of_squares(X.values.data() + first, count);
        });
      },
      *block_);
}

void DataBlock::add_row_sum(Eigen::Ref<Vector> out, Compute& compute) const {
  std::visit([&](const auto& X) { omvc::add_row_sum(X, out, compute); }, *block_);
}

PreparedChunk::PreparedChunk(const Chunk& source) : chunk(&source), observed(source.rows.size(), false) {
  for (const ChunkView& view : source.views) {
    views.emplace_back(view.block);
    for (const Index at : view.present) observed[static_cast<std::size_t>(at)] = true;
  }
}

std::vector<Index> PreparedChunk::missing(std::size_t view) const {
  std::vector<Index> out;
  for (std::size_t i = 0, next = 0; i < observed.size(); ++i) {
    if (next < present(view).size() && present(view)[next] == static_cast<Index>(i)) {
      ++next;
    } else if (observed[i]) {
      out.push_back(static_cast<Index>(i));
    }
  }
  return out;
}

void gram(const MatrixIn& V, Index first, double rest, Matrix& out, Compute& compute) {
  const Timed timed(compute.profile(), Step::gram);
  const Index r = V.cols();
  if (V.rows() == 0) {
    out.setZero(r, r);
    return;
  }
  const Index blocks = (V.rows() + kGramBlock - 1) / kGramBlock;
  Matrix parts = Matrix::Zero(blocks * r, r);
  const double work = static_cast<double>(V.rows()) * static_cast<double>(r * r);
  const Index strips = (r + kGramRows - 1) / kGramRows;
  for_blocks(compute, blocks * strips, 1, work > kWorthThreads, [&](Index at, Index) {
    const Index begin = at / strips * kGramBlock;
    const Index end = std::min(V.rows(), begin + kGramBlock);
    const Index row = at % strips * kGramRows;
    const Index count = std::min(kGramRows, r - row);
    auto part = parts.middleRows(at / strips * r + row, count);
    const Index split = std::clamp(first, begin, end);
    const auto add = [&](Index from, Index to) {
      const simd::ConstRows right{V.data() + from * V.outerStride(), V.outerStride()};
      simd::add_transpose_product(right.data + row, right.stride, count, to - from, right, r, {part.data(), r});
    };
    add(split, end);
    part *= rest;
    add(begin, split);
  });
  out = parts.topRows(r);
  for (Index b = 1; b < blocks; ++b) out += parts.middleRows(b * r, r);
}

}  // namespace omvc
