// The matrix types of the library. Factors are row-major and double: rows are instances or features, and rows are what
// the solver works on. What instances are only compared with is narrow: of single precision, at half the time and room.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "omvc/chunk.hpp"

namespace omvc {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using RowVector = Eigen::RowVectorXd;
using MatrixIn = Eigen::Ref<const Matrix>;
using MatrixOut = Eigen::Ref<Matrix>;
using NarrowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace omvc
