// Symmetric positive definite systems, block by block, so that nearly all of the work is products of the kernels.
#pragma once

#include "chunk/matrix.hpp"

namespace omvc {

// X with A X = B, for symmetric positive definite A, of which the lower half counts. On the calling thread.
Matrix solve_positive(Matrix A, Matrix B);

}  // namespace omvc
