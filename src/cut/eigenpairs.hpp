// The largest eigenpairs of a dense symmetric matrix, on several threads: every number is one sum in one order, so
// their number changes no bit.
#pragma once

#include <utility>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

using Symmetric = Eigen::MatrixXd;

// Values ascending, and a column for each.
std::pair<Vector, Symmetric> largest_eigenpairs(const Symmetric& M, Index count, Compute& compute);

}  // namespace omvc
