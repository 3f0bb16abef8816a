#include "kernels/cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kBlock = 64;

}  // namespace

Matrix solve_positive(Matrix A, Matrix B) {
  const Index n = A.rows();
  for (Index k = 0; k < n; k += kBlock) {
    const Index width = std::min(kBlock, n - k);
    Matrix corner = A.block(k, k, width, width).triangularView<Eigen::Lower>();
    Eigen::LLT<Eigen::Ref<Matrix>> factor(corner);
    A.block(k, k, width, width) = corner;
    const Index rest = n - k - width;
    if (rest == 0) break;
    // Below the corner: L21 = A21 L11^-T; and what it leaves: A22 - L21 L21', row block by row block up to the
    // diagonal.
    auto below = A.block(k + width, k, rest, width);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    const Matrix left = -below;
    const Matrix right = below.transpose();
    for (Index i = 0; i < rest; i += kBlock) {
      const Index rows = std::min(kBlock, rest - i);
      simd::add_product(left.data() + i * width, width, rows, width, {right.data(), rest}, i + rows,
                        {A.data() + (k + width + i) * n + k + width, n});
    }
  }
  A.triangularView<Eigen::Lower>().solveInPlace(B);
  A.triangularView<Eigen::Lower>().transpose().solveInPlace(B);
  return B;
}

}  // namespace omvc
