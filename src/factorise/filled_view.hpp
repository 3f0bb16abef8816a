// One view of one chunk as the solver sees it: the observed rows, and the missing ones as what Eq. (10) fills in, the
// running mean m of the view with the weight w of Eq. (11). The filled rows are a rank-one block, (ones) m', so they
// are never formed and a sparse view stays sparse.
//
// Rows are held in this order: first the observed ones (weight 1), then the filled ones (weight w).
#pragma once

#include <vector>

#include "factorise/row_problem.hpp"
#include "kernels/data_block.hpp"

namespace omvc {

class FilledView {
 public:
  FilledView() = default;

  // A view in which the instances not present are ignored. Refers to the block.
  FilledView(const DataBlock& X, const std::vector<Index>& present);

  // A view in which the instances of `missing` are filled. With weight 0, which is Eq. (11) before the first instance
  // of the view was seen, they are ignored.
  FilledView(const DataBlock& X, const std::vector<Index>& present, const std::vector<Index>& missing, Vector mean,
             double weight);

  Index rows() const { return static_cast<Index>(positions_.size()); }
  Index observed() const { return X_->rows(); }
  Index features() const { return X_->cols(); }
  double entries() const;                                             // stored numbers
  const std::vector<Index>& positions() const { return positions_; }  // of the rows, in the chunk

  // W^2 and beta / W^2 of every row.
  TwoRuns squared_weights() const { return {observed(), 1.0, weight_ * weight_}; }
  TwoRuns lasso(double beta) const { return {observed(), beta, beta / (weight_ * weight_)}; }

  // out = X U.
  void times(const Matrix& U, Matrix& out, Compute& compute) const;

  // The chunk's share of the running sums for latent rows V: A = V' W^2 V (Eq. 26), B = X' W^2 V (Eq. 27).
  void sums(const Matrix& V, Matrix& A, Matrix& B, Compute& compute) const;
  // B += X' W^2 V alone.
  void add_to(const Matrix& V, Matrix& B, Compute& compute) const;

  double squared_norm(Compute& compute) const;  // ||W X||^2

  // <W^2 V, XU>, which is the inner product of the chunk's share of B with U.
  double weighted_product(const Matrix& V, const Matrix& XU) const;

 private:
  const DataBlock* X_ = nullptr;
  std::vector<Index> positions_;
  Vector mean_;
  double weight_ = 1;
};

}  // namespace omvc
