// Ridge regression of some numbers of each row on the rows of one view,
//
//     W = argmin sum_i ||y_i - mean(y) - (x_i - mean(x)) W||^2 + ridge ||W||^2
//
// from all of the rows, or without those of a fold: row i belongs to fold i % kFolds, and rows come in random order.
#pragma once

#include <memory>
#include <vector>

#include "kernels/data_block.hpp"

namespace omvc {

// What a regression is to tell of each row.
class Targets {
 public:
  virtual ~Targets() = default;
  virtual Index rows() const = 0;
  virtual Index count() const = 0;                                   // numbers of a row
  virtual void add(Index row, Eigen::Ref<RowVector> sum) const = 0;  // sum += y
  // sum += X' Y, where Y has every `step`-th row from `first` on, as many as X.
  virtual void add_products(const Matrix& X, Index first, Index step, Matrix& sum) const = 0;
};

// Numbers as they are.
class MatrixTargets final : public Targets {
 public:
  explicit MatrixTargets(Matrix rows) : rows_(std::move(rows)) {}
  Index rows() const override { return rows_.rows(); }
  Index count() const override { return rows_.cols(); }
  void add(Index row, Eigen::Ref<RowVector> sum) const override { sum += rows_.row(row); }
  void add_products(const Matrix& X, Index first, Index step, Matrix& sum) const override {
    Matrix Y(X.rows(), count());
    for (Index i = 0; i < X.rows(); ++i) Y.row(i) = rows_.row(first + i * step);
    sum.noalias() += X.transpose() * Y;
  }
  const Matrix& matrix() const { return rows_; }

 private:
  Matrix rows_;
};

class Ridge {
 public:
  static constexpr Index kFolds = 5;
  static constexpr Index kAll = -1;  // no fold is left out

  // The blocks hold the rows of the targets, in this order; both must outlive it.
  static std::unique_ptr<Ridge> make(std::vector<const Block*> blocks, Index features, const Targets& targets,
                                     Compute& compute);
  Ridge(const Ridge&) = delete;
  Ridge& operator=(const Ridge&) = delete;
  virtual ~Ridge() = default;

  // Weights that leave out a fold; the ridge is `strength` times the mean eigenvalue of the rows' products.
  virtual Matrix solve(Index fold, double strength, Compute& compute) const = 0;
  // Whether solve() is work for one thread, so that several can be called at the same time.
  virtual bool alone() const = 0;
  const RowVector& mean() const { return mean_; }    // of the rows
  const RowVector& prior() const { return prior_; }  // the mean of the targets

 protected:
  Ridge(std::vector<const Block*> blocks, Index features, const Targets& targets);

  Index rows() const { return targets_.rows(); }
  std::vector<const Block*> blocks_;
  Index features_;
  const Targets& targets_;
  RowVector mean_;
  RowVector prior_;
};

// For rows to come: x -> x W - offset.
struct Reader {
  NarrowMatrix weights;  // features x numbers
  RowVector offset;

  NarrowMatrix says(const DataBlock& rows, Compute& compute) const;
};

Reader reader_of(const Matrix& weights, const RowVector& mean);

}  // namespace omvc
