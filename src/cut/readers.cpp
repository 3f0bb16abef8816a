#include "cut/readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "kernels/cholesky.hpp"
#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kFolds = 5;
constexpr Index kAll = -1;  // no fold is left out
constexpr std::array kStrengths{1e-2, 1e-1, 1.0};
constexpr double kLeastWorth = 0.02;
constexpr Index kLeastRows = 2'000;             // of a dense view that readers learn from, and more up to
constexpr Index kMostProducts = 3'000'000'000;  // rows x features^2
constexpr Index kMostFeatures = 1200;  // dense views up to this wide are solved by their products with themselves
constexpr Index kColumns = 128;        // of such a product, made at a time
constexpr int kSteps = 10;             // of conjugate gradients: a ridge leaves little to do for more
constexpr double kSolved = 1e-4;

// The rows of one view that its readers learn from, the first of a sample, and their labels. Row i belongs to fold
// i % kFolds: the sample is in random order.
class View {
 public:
  View(const Sample& sample, std::size_t pieces, std::size_t v, const std::vector<int>& labels, int clusters)
      : features_(sample.pieces().front().views[v].cols()), clusters_(clusters) {
    for (std::size_t p = 0; p < pieces; ++p) {
      const ChunkView& view = sample.pieces()[p].chunk->views[v];
      const Index features = block_cols(view.block);
      const Index enough = std::max(kLeastRows, kMostProducts / std::max<Index>(features * features, 1));
      if (!is_sparse(view.block) && static_cast<Index>(labels_.size()) >= enough) break;
      blocks_.push_back(&view.block);
      for (const Index at : view.present) labels_.push_back(labels[static_cast<std::size_t>(sample.first(p) + at)]);
    }
    prior_ = RowVector::Zero(clusters);
    for (const int label : labels_) prior_(label) += 1;
    prior_ /= std::max<double>(1, static_cast<double>(labels_.size()));
  }

  Index rows() const { return static_cast<Index>(labels_.size()); }
  Index features() const { return features_; }
  const std::vector<const Block*>& blocks() const { return blocks_; }
  const RowVector& prior() const { return prior_; }
  int label(Index row) const { return labels_[static_cast<std::size_t>(row)]; }
  int clusters() const { return clusters_; }

  // y - prior of each row, and 0 for the rows of a fold that is left out.
  Matrix targets(Index fold) const {
    Matrix Y = Matrix::Zero(rows(), clusters_);
    for (Index i = 0; i < rows(); ++i) {
      if (i % kFolds == fold) continue;
      Y.row(i) = -prior_;
      Y(i, label(i)) += 1;
    }
    return Y;
  }

 private:
  std::vector<const Block*> blocks_;  // of each piece
  std::vector<int> labels_;
  RowVector prior_;
  Index features_;  // also of a view that no row has
  int clusters_;
};

// Weights that leave out a fold, for a strength of the ridge: this times the mean eigenvalue of the rows' products.
class Solver {
 public:
  explicit Solver(const View& view) : view_(view) {}
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;
  virtual Matrix solve(Index fold, double strength, Compute& compute) const = 0;
  const RowVector& mean() const { return mean_; }

 protected:
  const View& view_;
  RowVector mean_;
};

// A dense view of few features: X'X and X'Y of every fold, so that those without a fold are a difference.
class ByProducts final : public Solver {
 public:
  ByProducts(const View& view, Compute& compute) : Solver(view) {
    const Index d = view.features();
    squares_.assign(kFolds, Eigen::MatrixXf(d, d));
    sums_ = Matrix::Zero(kFolds, d);
    sides_.assign(kFolds, Matrix::Zero(d, view.clusters()));
    const Index blocks = (d + kColumns - 1) / kColumns;
    for_blocks(compute, kFolds * blocks, 1, true,
               [&](Index at, Index) { multiply(at / blocks, (at % blocks) * kColumns); });
    for (Eigen::MatrixXf& square : squares_) square.triangularView<Eigen::Lower>() = square.transpose();
    mean_ = sums_.colwise().sum() / static_cast<double>(view.rows());
  }

  Matrix solve(Index fold, double strength, Compute& /*compute*/) const override {
    const Index d = view_.features();
    Matrix G = Matrix::Zero(d, d);
    Matrix R = Matrix::Zero(d, view_.clusters());
    RowVector s = RowVector::Zero(d);
    double n = 0;
    RowVector c = RowVector::Zero(view_.clusters());
    for (Index i = 0; i < view_.rows(); ++i) {
      if (i % kFolds == fold) continue;
      c(view_.label(i)) += 1;
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
    R.noalias() -= mean_.transpose() * c + (s - n * mean_).transpose() * view_.prior();
    G.diagonal().array() += std::max(strength * G.trace() / static_cast<double>(d), 1e-12);
    return solve_positive(std::move(G), std::move(R));
  }

 private:
  // The columns from `first` on of X'X of a fold, down to its diagonal; with the first of them sums and X'Y as well.
  void multiply(Index fold, Index first) {
    const Index width = std::min(kColumns, view_.features() - first);
    Matrix product = Matrix::Zero(first + width, width);
    Index before = 0;  // rows of the pieces before
    for (const Block* block : view_.blocks()) {
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
    for (Index i = 0; i < count; ++i) {
      const RowVector x = rows.row(i).template cast<double>();
      sums_.row(fold) += x;
      sides_[static_cast<std::size_t>(fold)].col(view_.label(before + begin + i * kFolds)) += x.transpose();
    }
  }

  std::vector<Eigen::MatrixXf> squares_;
  Matrix sums_;
  std::vector<Matrix> sides_;
};

// Sparse or wide views: conjugate gradients on (A'A + ridge) W = A'Y for the rows A = X - mean that are not left out.
class ByGradients final : public Solver {
 public:
  ByGradients(const View& view, Compute& compute) : Solver(view), data_(rows_) {
    for (const Block* block : view.blocks()) append_rows(rows_, *block, "");
    Vector sum = Vector::Zero(view.features());
    data_.add_row_sum(sum, compute);
    mean_ = sum.transpose() / std::max<double>(1, static_cast<double>(view.rows()));
    const double trace = data_.squared_norm(compute) - static_cast<double>(view.rows()) * mean_.squaredNorm();
    usual_ = trace / static_cast<double>(std::max<Index>(1, std::min(view.rows(), view.features())));
  }

  Matrix solve(Index fold, double strength, Compute& compute) const override {
    const double ridge = std::max(strength * usual_, 1e-12);
    Matrix W = Matrix::Zero(view_.features(), view_.clusters());
    Matrix residual = transpose_times(view_.targets(fold), compute);
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
  Matrix times(const Matrix& W, Index fold, Compute& compute) const {
    Matrix out(view_.rows(), W.cols());
    data_.times(W, out, compute);
    out.rowwise() -= mean_ * W;
    for (Index i = fold; fold >= 0 && i < out.rows(); i += kFolds) out.row(i).setZero();
    return out;
  }
  Matrix transpose_times(const Matrix& V, Compute& compute) const {
    Matrix out = Matrix::Zero(view_.features(), V.cols());
    data_.add_transpose_times(V, out, compute);
    out.noalias() -= mean_.transpose() * V.colwise().sum();
    return out;
  }

  Block rows_;
  DataBlock data_;
  double usual_ = 0;  // eigenvalue
};

Reader reader_of(const Matrix& W, const RowVector& mean) { return {W.cast<float>(), mean * W}; }

double share_right(const View& view, const NarrowMatrix& said, Index fold) {
  double right = 0;
  double rows = 0;
  for (Index i = std::max<Index>(fold, 0); i < view.rows(); i += fold < 0 ? 1 : kFolds) {
    Index best = 0;
    (said.row(i).cast<double>() + view.prior()).maxCoeff(&best);
    right += best == view.label(i) ? 1 : 0;
    rows += 1;
  }
  return right / std::max(rows, 1.0);
}

// Readers of the rows of the view; what they say of other rows, which none of them has seen, is left to the caller.
Reading read_view(const View& view, Compute& compute) {
  Reading out;
  out.said = NarrowMatrix::Zero(view.rows(), view.clusters());
  if (view.rows() < 2 * kFolds) {
    out.reader = reader_of(Matrix::Zero(view.features(), view.clusters()), RowVector::Zero(view.features()));
    out.worth = kLeastWorth;
    return out;
  }
  const bool products = !is_sparse(*view.blocks().front()) && view.features() <= kMostFeatures;
  std::unique_ptr<Solver> solver;
  if (products) solver = std::make_unique<ByProducts>(view, compute);
  if (!products) solver = std::make_unique<ByGradients>(view, compute);
  // Products are solved on one thread each, gradients use all threads themselves.
  const auto for_each = [&](Index count, const auto& body) {
    for_blocks(compute, count, 1, products, [&](Index at, Index) { body(at); });
  };
  const auto keep = [&](Index fold, const Matrix& W) {
    const Reader reader = reader_of(W, solver->mean());
    Index row = 0;
    for (const Block* block : view.blocks()) {
      const NarrowMatrix said = reader.says(DataBlock(*block), compute);
      for (Index i = 0; i < said.rows(); ++i, ++row) {
        if (row % kFolds == fold) out.said.row(row) = said.row(i);
      }
    }
  };
  std::vector<Matrix> tried(kStrengths.size());
  for_each(std::ssize(kStrengths), [&](Index s) {
    tried[static_cast<std::size_t>(s)] = solver->solve(0, kStrengths[static_cast<std::size_t>(s)], compute);
  });
  std::size_t best = 0;
  double most = -1;
  for (std::size_t s = 0; s < tried.size(); ++s) {
    keep(0, tried[s]);
    const double right = share_right(view, out.said, 0);
    if (right > most) best = s;
    most = std::max(most, right);
  }
  keep(0, tried[best]);
  std::vector<Matrix> solved(kFolds);  // of folds 1 and on, and of none
  for_each(kFolds, [&](Index f) {
    solved[static_cast<std::size_t>(f)] = solver->solve(f == 0 ? kAll : f, kStrengths[best], compute);
  });
  for (Index f = 1; f < kFolds; ++f) keep(f, solved[static_cast<std::size_t>(f)]);
  out.reader = reader_of(solved[0], solver->mean());
  const double prior = view.prior().maxCoeff();
  const double known = (share_right(view, out.said, kAll) - prior) / std::max(1 - prior, 1e-9);
  out.worth = std::max(known, kLeastWorth);
  return out;
}

}  // namespace

NarrowMatrix Reader::says(const DataBlock& rows, Compute& compute) const {
  NarrowMatrix out(rows.rows(), weights.cols());
  rows.times(weights, out, compute);
  out.rowwise() -= offset.cast<float>();
  return out;
}

std::vector<Reading> read_views(const Sample& sample, std::size_t pieces, const std::vector<int>& labels, int clusters,
                                Compute& compute) {
  const Timed timed(compute.profile(), Step::readers);
  std::vector<Reading> out;
  for (std::size_t v = 0; v < sample.pieces().front().views.size(); ++v) {
    compute.poll();
    const View view(sample, pieces, v, labels, clusters);
    Reading& reading = out.emplace_back(read_view(view, compute));
    Index rows = 0;
    for (std::size_t p = 0; p < pieces; ++p) rows += sample.pieces()[p].views[v].rows();
    reading.said.conservativeResize(rows, clusters);
    Index row = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      const DataBlock& piece = sample.pieces()[p].views[v];
      if (row >= view.rows()) reading.said.middleRows(row, piece.rows()) = reading.reader.says(piece, compute);
      row += piece.rows();
    }
  }
  return out;
}

}  // namespace omvc
