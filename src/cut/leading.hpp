// The leading eigenvectors of a symmetric operator that is only known by its products, all at once: clusters that are
// wholly apart give the eigenvalue 1 once each, which a method that goes on from one vector may find only once. A
// Krylov space of blocks (Golub, Underwood 1977) from a block of that many vectors finds them all.
#pragma once

#include <functional>
#include <vector>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

struct Leading {
  std::vector<double> values;  // descending
  Matrix vectors;              // a column for each
};

// `start` holds vectors to begin with, a column each; those that are missing are drawn from the seed. The result is the
// same for any number of threads where the products are.
Leading leading_eigenvectors(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count,
                             const Matrix& start, std::uint64_t seed, Compute& compute);

}  // namespace omvc
