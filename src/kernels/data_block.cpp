#include "kernels/data_block.hpp"

#include <variant>

namespace omvc {
namespace {

constexpr Index kRowBlock = 64;      // rows of a dense block multiplied at a time: a cast copy stays in cache
constexpr Index kColumnBlock = 256;  // columns of X' V computed at a time
constexpr Index kGramBlock = 512;
constexpr double kWorthThreads = 1 << 18;  // operations below which waking threads costs more than it saves

template <class T>
using DenseMap = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <class T>
DenseMap<T> as_matrix(const DenseBlock<T>& X) {
  return {X.values.data(), X.rows, X.cols};
}

template <class T>
void times(const DenseBlock<T>& X, const MatrixIn& U, MatrixOut out, Workers& workers) {
  const auto data = as_matrix(X);
  const double work = static_cast<double>(X.rows) * static_cast<double>(X.cols * U.cols());
  for_blocks(workers, X.rows, kRowBlock, work > kWorthThreads, [&](Index first, Index last) {
    const auto rows = data.middleRows(first, last - first);
    if constexpr (std::is_same_v<T, double>) {
      out.middleRows(first, last - first).noalias() = rows * U;
    } else {
      const Matrix wide = rows.template cast<double>();
      out.middleRows(first, last - first).noalias() = wide * U;
    }
  });
}

template <class T>
void times(const CsrBlock<T>& X, const MatrixIn& U, MatrixOut out, Workers& workers) {
  const double work = static_cast<double>(X.nonzeros()) * static_cast<double>(U.cols());
  for_blocks(workers, X.rows, kRowBlock, work > kWorthThreads, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      auto row = out.row(i);
      row.setZero();
      for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
           e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
        row += static_cast<double>(X.values[e]) * U.row(X.columns[e]);
      }
    }
  });
}

template <class T>
void add_row_sum(const DenseBlock<T>& X, Eigen::Ref<Vector> out) {
  for (Index i = 0; i < X.rows; ++i) out += as_matrix(X).row(i).transpose().template cast<double>();
}

template <class T>
void add_row_sum(const CsrBlock<T>& X, Eigen::Ref<Vector> out) {
  for (std::size_t e = 0; e < X.values.size(); ++e) out(X.columns[e]) += static_cast<double>(X.values[e]);
}

}  // namespace

DataBlock::DataBlock(const Block& block) : block_(&block) {
  std::visit(
      [this]<class B>(const B& X) {
        if constexpr (requires { X.offsets; }) {
          column_offsets_.assign(static_cast<std::size_t>(X.cols) + 1, 0);
          for (const std::int32_t j : X.columns) ++column_offsets_[static_cast<std::size_t>(j) + 1];
          for (std::size_t j = 1; j < column_offsets_.size(); ++j) column_offsets_[j] += column_offsets_[j - 1];
          row_of_.resize(X.values.size());
          by_column_.resize(X.values.size());
          std::vector<Index> place(column_offsets_.begin(), column_offsets_.end() - 1);
          for (Index i = 0; i < X.rows; ++i) {
            for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
                 e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
              const auto to = static_cast<std::size_t>(place[static_cast<std::size_t>(X.columns[e])]++);
              row_of_[to] = static_cast<std::int32_t>(i);
              by_column_[to] = static_cast<double>(X.values[e]);
            }
          }
        }
      },
      block);
}

void DataBlock::times(const MatrixIn& U, MatrixOut out, Workers& workers) const {
  const Timed timed(workers.profile(), Step::times, U.cols());
  std::visit([&](const auto& X) { omvc::times(X, U, out, workers); }, *block_);
}

void DataBlock::add_transpose_times(const MatrixIn& V, MatrixOut out, Workers& workers) const {
  const Timed timed(workers.profile(), Step::transpose_times, V.cols());
  std::visit(
      [&]<class B>(const B& X) {
        if constexpr (requires { X.offsets; }) {
          const double work = static_cast<double>(X.nonzeros()) * static_cast<double>(V.cols());
          for_blocks(workers, X.cols, kColumnBlock, work > kWorthThreads, [&](Index first, Index last) {
            for (Index j = first; j < last; ++j) {
              auto row = out.row(j);
              for (auto e = static_cast<std::size_t>(column_offsets_[static_cast<std::size_t>(j)]);
                   e < static_cast<std::size_t>(column_offsets_[static_cast<std::size_t>(j) + 1]); ++e) {
                row += by_column_[e] * V.row(row_of_[e]);
              }
            }
          });
        } else {
          const auto data = as_matrix(X);
          const double work = static_cast<double>(X.rows) * static_cast<double>(X.cols * V.cols());
          for_blocks(workers, X.cols, kColumnBlock, work > kWorthThreads, [&](Index first, Index last) {
            // A block of rows at a time: the same order of summation for every scalar type, and a small cast copy.
            for (Index i = 0; i < X.rows; i += kRowBlock) {
              const Index height = std::min(kRowBlock, X.rows - i);
              const auto tile = data.block(i, first, height, last - first);
              auto part = out.middleRows(first, last - first);
              if constexpr (std::is_same_v<typename B::Scalar, double>) {
                part.noalias() += tile.transpose() * V.middleRows(i, height);
              } else {
                const Matrix wide = tile.template cast<double>();
                part.noalias() += wide.transpose() * V.middleRows(i, height);
              }
            }
          });
        }
      },
      *block_);
}

double DataBlock::squared_norm() const {
  return std::visit(
      [](const auto& X) {
        double sum = 0;
        for (const auto x : X.values) sum += static_cast<double>(x) * static_cast<double>(x);
        return sum;
      },
      *block_);
}

void DataBlock::add_row_sum(Eigen::Ref<Vector> out) const {
  std::visit([&](const auto& X) { omvc::add_row_sum(X, out); }, *block_);
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

void gram(const MatrixIn& V, Index first, double rest, Matrix& out, Workers& workers) {
  const Timed timed(workers.profile(), Step::gram);
  const Index r = V.cols();
  const Index blocks = (V.rows() + kGramBlock - 1) / kGramBlock;
  std::vector<Matrix> parts(static_cast<std::size_t>(std::max<Index>(blocks, 1)), Matrix::Zero(r, r));
  const double work = static_cast<double>(V.rows()) * static_cast<double>(r * r);
  for_blocks(workers, V.rows(), kGramBlock, work > kWorthThreads, [&](Index begin, Index end) {
    Matrix& part = parts[static_cast<std::size_t>(begin / kGramBlock)];
    const Index split = std::clamp(first, begin, end);
    const auto one = V.middleRows(begin, split - begin);
    const auto other = V.middleRows(split, end - split);
    if (split > begin) part.noalias() += one.transpose() * one;
    if (end > split) part.noalias() += rest * (other.transpose() * other);
  });
  out = parts[0];
  for (std::size_t b = 1; b < parts.size(); ++b) out += parts[b];
}

}  // namespace omvc
