#include "cut/ridge.hpp"

#include <algorithm>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "kernels/cholesky.hpp"
#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kMostFeatures = 1200;  // dense views up to this wide are solved by their products with themselves
constexpr Index kColumns = 128;        // of such a product, made at a time
constexpr int kSteps = 10;             // of conjugate gradients: a ridge leaves little to do for more
constexpr double kSolved = 1e-4;

// A dense view of few features: X'X and X'Y of every fold, so that those without a fold are a difference.
class ByProducts final : public Ridge {
 public:
  ByProducts(std::vector<const Block*> blocks, Index features, const Targets& targets, Compute& compute)
      : Ridge(std::move(blocks), features, targets) {
    const Index d = features_;
    squares_.assign(kFolds, Eigen::MatrixXf(d, d));
    sums_ = Matrix::Zero(kFolds, d);
    sides_.assign(kFolds, Matrix::Zero(d, targets.count()));
    const Index parts = (d + kColumns - 1) / kColumns;
    for_blocks(compute, kFolds * parts, 1, true,
               [&](Index at, Index) { multiply(at / parts, (at % parts) * kColumns); });
    for (Eigen::MatrixXf& square : squares_) square.triangularView<Eigen::Lower>() = square.transpose();
    mean_ = sums_.colwise().sum() / static_cast<double>(rows());
  }

  bool alone() const override { return true; }

  Matrix solve(Index fold, double strength, Compute& /*compute*/) const override {
    const Index d = features_;
    Matrix G = Matrix::Zero(d, d);
    Matrix R = Matrix::Zero(d, targets_.count());
    RowVector s = RowVector::Zero(d);
    double n = 0;
    RowVector c = RowVector::Zero(targets_.count());
    for (Index i = 0; i < rows(); ++i) {
      if (i % kFolds == fold) continue;
      targets_.add(i, c);
      n += 1;
    }
    for (Index f = 0; f < kFolds; ++f) {
      if (f == fold) continue;
      G += squares_[static_cast<std::size_t>(f)].cast<double>();
      R += sides_[static_cast<std::size_t>(f)];
      s += sums_.row(f);
    }
    G.noalias() -= s.transpose() * mean_ + mean_.transpose() * s;
    G.noalias() += n * mean_.transpose() * mean_;
    R.noalias() -= mean_.transpose() * c + (s - n * mean_).transpose() * prior_;
    G.diagonal().array() += std::max(strength * G.trace() / static_cast<double>(d), 1e-12);
    return solve_positive(std::move(G), std::move(R));
  }

 private:
  // The columns from `first` on of X'X of a fold, down to its diagonal; with the first of them sums and X'Y as well.
  void multiply(Index fold, Index first) {
    const Index width = std::min(kColumns, features_ - first);
    Matrix product = Matrix::Zero(first + width, width);
    Index before = 0;  // rows of the pieces before
    for (const Block* block : blocks_) {
      std::visit([&](const auto& X) { add(X, before, fold, first, product); }, *block);
      before += block_rows(*block);
    }
    squares_[static_cast<std::size_t>(fold)].block(0, first, first + width, width) = product.cast<float>();
  }

  template <class T>
  void add(const CsrBlock<T>& /*X*/, Index /*before*/, Index /*fold*/, Index /*first*/, Matrix& /*product*/) {}

  template <class T>
  void add(const DenseBlock<T>& X, Index before, Index fold, Index first, Matrix& product) {
    const Index begin = (fold - before % kFolds + kFolds) % kFolds;  // the first row of the fold
    const Index count = (X.rows - begin + kFolds - 1) / kFolds;
    if (count <= 0) return;
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> rows(X.values.data() + begin * X.cols, count, X.cols,
                                                               Eigen::OuterStride<>(kFolds * X.cols));
    const Matrix columns = rows.middleCols(first, product.cols()).template cast<double>();
    simd::add_transpose_product(rows.data(), kFolds * X.cols, product.rows(), count, {columns.data(), columns.cols()},
                                columns.cols(), {product.data(), product.cols()});
    if (first > 0) return;
    const Matrix all = rows.template cast<double>();
    for (Index i = 0; i < count; ++i) sums_.row(fold) += all.row(i);
    targets_.add_products(all, before + begin, kFolds, sides_[static_cast<std::size_t>(fold)]);
  }

  std::vector<Eigen::MatrixXf> squares_;
  Matrix sums_;
  std::vector<Matrix> sides_;
};

// Sparse or wide views: conjugate gradients on (A'A + ridge) W = A'Y for the rows A = X - mean that are not left out.
class ByGradients final : public Ridge {
 public:
  ByGradients(std::vector<const Block*> blocks, Index features, const Targets& targets, Compute& compute)
      : Ridge(std::move(blocks), features, targets), data_(all_) {
    for (const Block* block : blocks_) append_rows(all_, *block, "");
    Vector sum = Vector::Zero(features_);
    data_.add_row_sum(sum, compute);
    mean_ = sum.transpose() / std::max<double>(1, static_cast<double>(rows()));
    const double trace = data_.squared_norm(compute) - static_cast<double>(rows()) * mean_.squaredNorm();
    usual_ = trace / static_cast<double>(std::max<Index>(1, std::min(rows(), features_)));
  }

  bool alone() const override { return false; }

  Matrix solve(Index fold, double strength, Compute& compute) const override {
    const double ridge = std::max(strength * usual_, 1e-12);
    Matrix W = Matrix::Zero(features_, targets_.count());
    Matrix residual = transpose_times(about_mean(fold), compute);
    Matrix direction = residual;
    RowVector square = residual.colwise().squaredNorm();
    const RowVector begun = square;
    for (int step = 0; step < kSteps; ++step) {
      Matrix along = times(direction, fold, compute);
      Matrix product = transpose_times(along, compute) + ridge * direction;
      const RowVector curve = direction.cwiseProduct(product).colwise().sum();
      RowVector length(square.size());
      for (Index k = 0; k < square.size(); ++k) length(k) = curve(k) > 0 ? square(k) / curve(k) : 0;
      W += direction * length.asDiagonal();
      residual -= product * length.asDiagonal();
      const RowVector next = residual.colwise().squaredNorm();
      if ((next.array() <= kSolved * kSolved * begun.array()).all()) break;
      for (Index k = 0; k < square.size(); ++k) length(k) = square(k) > 0 ? next(k) / square(k) : 0;
      direction = residual + direction * length.asDiagonal();
      square = next;
    }
    return W;
  }

 private:
  // y - mean(y) of each row, and 0 for the rows of a fold that is left out.
  Matrix about_mean(Index fold) const {
    Matrix Y = Matrix::Zero(rows(), targets_.count());
    for (Index i = 0; i < rows(); ++i) {
      if (i % kFolds == fold) continue;
      Y.row(i) = -prior_;
      targets_.add(i, Y.row(i));
    }
    return Y;
  }
  Matrix times(const Matrix& W, Index fold, Compute& compute) const {
    Matrix out(rows(), W.cols());
    data_.times(W, out, compute);
    out.rowwise() -= mean_ * W;
    for (Index i = fold; fold >= 0 && i < out.rows(); i += kFolds) out.row(i).setZero();
    return out;
  }
  Matrix transpose_times(const Matrix& V, Compute& compute) const {
    Matrix out = Matrix::Zero(features_, V.cols());
    data_.add_transpose_times(V, out, compute);
    out.noalias() -= mean_.transpose() * V.colwise().sum();
    return out;
  }

  Block all_;
  DataBlock data_;
  double usual_ = 0;  // eigenvalue
};

}  // namespace

Ridge::Ridge(std::vector<const Block*> blocks, Index features, const Targets& targets)
    : blocks_(std::move(blocks)), features_(features), targets_(targets), prior_(RowVector::Zero(targets.count())) {
  for (Index i = 0; i < rows(); ++i) targets.add(i, prior_);
  prior_ /= std::max<double>(1, static_cast<double>(rows()));
}

std::unique_ptr<Ridge> Ridge::make(std::vector<const Block*> blocks, Index features, const Targets& targets,
                                   Compute& compute) {
  if (!blocks.empty() && !is_sparse(*blocks.front()) && features <= kMostFeatures) {
    return std::make_unique<ByProducts>(std::move(blocks), features, targets, compute);
  }
  return std::make_unique<ByGradients>(std::move(blocks), features, targets, compute);
}

NarrowMatrix Reader::says(const DataBlock& rows, Compute& compute) const {
  NarrowMatrix out(rows.rows(), weights.cols());
  rows.times(weights, out, compute);
  out.rowwise() -= offset.cast<float>();
  return out;
}

Reader reader_of(const Matrix& weights, const RowVector& mean) { return {weights.cast<float>(), mean * weights}; }

}  // namespace omvc
