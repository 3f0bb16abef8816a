// Several tell what is not known, each right in part: how much to believe each of them. Their errors where the truth is
// known say so; those that err alike count as one. Of those that can tell of an instance, the mixture is taken whose
// squared error would have been least (Breiman 1996, stacked regressions), with weights of sum 1 that are not negative.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"

namespace omvc {

class Mixture {
 public:
  Mixture(Index tellers, const Vector& variance);  // of each feature: errors are relative to it

  // What was told of a row, tellers x features, NaN where one cannot tell, and the truth, NaN where it is not known.
  void add(const Matrix& told, const RowVector& truth);
  bool tried() const { return rows_ > 0; }

  // Weights of those that can tell: 0 for the others. At least one can.
  RowVector weights(const std::vector<bool>& known) const;
  // The expected error of a mixture, of each feature and in its units: the root of the mean square. NaN where no row
  // has shown it.
  RowVector spread(const RowVector& weights) const;

 private:
  double error(Index one, Index other) const;  // mean over all cells of the product of two errors
  Matrix errors(const std::vector<Index>& who) const;

  Vector variance_;
  Index tellers_;
  Index rows_ = 0;
  std::vector<Vector> sums_;   // of each pair: products of their errors, by feature
  std::vector<Vector> cells_;  // of each pair: how many
};

}  // namespace omvc
