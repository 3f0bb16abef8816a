#include "factorise/filled_view.hpp"

#include <utility>
#include <variant>

namespace omvc {

FilledView::FilledView(const DataBlock& X, const std::vector<Index>& present) : X_(&X), positions_(present) {}

FilledView::FilledView(const DataBlock& X, const std::vector<Index>& present, const std::vector<Index>& missing,
                       Vector mean, double weight)
    : FilledView(X, present) {
  if (!(weight > 0)) return;
  positions_.insert(positions_.end(), missing.begin(), missing.end());
  mean_ = std::move(mean);
  weight_ = weight;
}

void FilledView::times(const Matrix& U, Matrix& out, Compute& compute) const {
  out.resize(rows(), U.cols());
  X_->times(U, out.topRows(observed()), compute);
  const Index filled = rows() - observed();
  if (filled == 0) return;
  const RowVector mean_U = mean_.transpose() * U;
  out.bottomRows(filled).rowwise() = mean_U;
}

void FilledView::sums(const Matrix& V, Matrix& A, Matrix& B, Compute& compute) const {
  gram(V, observed(), weight_ * weight_, A, compute);
  B.setZero(X_->cols(), V.cols());
  add_to(V, B, compute);
}

void FilledView::add_to(const Matrix& V, Matrix& B, Compute& compute) const {
  const Index filled = rows() - observed();
  X_->add_transpose_times(V.topRows(observed()), B, compute);
  if (filled == 0) return;
  const RowVector column_sums = weight_ * weight_ * V.bottomRows(filled).colwise().sum();
  B.noalias() += mean_ * column_sums;
}

double FilledView::entries() const {
  return std::visit([](const auto& X) { return static_cast<double>(X.values.size()); }, X_->block());
}

double FilledView::weighted_product(const Matrix& V, const Matrix& XU) const {
  const Index filled = rows() - observed();
  return V.topRows(observed()).cwiseProduct(XU.topRows(observed())).sum() +
         weight_ * weight_ * V.bottomRows(filled).cwiseProduct(XU.bottomRows(filled)).sum();
}

double FilledView::squared_norm(Compute& compute) const {
  const auto filled = static_cast<double>(rows() - observed());
  return X_->squared_norm(compute) + (filled > 0 ? filled * weight_ * weight_ * mean_.squaredNorm() : 0.0);
}

}  // namespace omvc
