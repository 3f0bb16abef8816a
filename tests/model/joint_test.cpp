// What columns say of each other, beside regressions that are made one by one.
#include "model/joint.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <gtest/gtest.h>

#include "random/philox.hpp"

namespace omvc {
namespace {

// Five columns that two numbers make, in views of three and of two; the last column is of one value.
Matrix rows_of(Index count) {
  const Random random(4, Purpose::planted_data);
  Matrix out(count, 6);
  std::uint64_t drawn = 0;
  for (Index i = 0; i < count; ++i) {
    const double a = random.normal(drawn++);
    const double b = random.normal(drawn++);
    out.row(i) << 10 + a, 5 * b, a - b, -3 + 2 * a + b, 100 * b, 7;
    for (Index j = 0; j < 5; ++j) out(i, j) += 0.2 * (j == 4 ? 100 : 1) * random.normal(drawn++);
  }
  return out;
}

const std::vector<Index> kViews{0, 3, 6};

TEST(Joint, OfWholeRowsIsARidgeRegressionOnTheOtherColumns) {
  Compute compute(2);
  const Matrix rows = rows_of(300);
  Joint joint(rows, kViews, compute);
  const double ridge = 0.05;
  joint.set_ridge(ridge);
  Matrix holes = rows_of(340).bottomRows(40);
  const Matrix truth = holes;
  holes.col(2).setConstant(kNan);
  joint.fill(holes, compute);
  const RowVector mean = rows.colwise().mean();
  Matrix Z = rows.rowwise() - mean;
  RowVector scale = (Z.colwise().squaredNorm() / 300.0).cwiseSqrt();
  scale(5) = 1;
  for (Index j = 0; j < 6; ++j) Z.col(j) /= scale(j);
  const std::vector<Index> others{0, 1, 3, 4, 5};
  Matrix own = Z(Eigen::all, others).transpose() * Z(Eigen::all, others) / 300.0;
  own.diagonal().array() += ridge;
  const Vector weights = own.ldlt().solve(Z(Eigen::all, others).transpose() * Z.col(2) / 300.0);
  for (Index i = 0; i < holes.rows(); ++i) {
    const RowVector x = ((truth.row(i) - mean).array() / scale.array()).matrix();
    EXPECT_NEAR(holes(i, 2), mean(2) + scale(2) * x(others).dot(weights), 1e-8);
  }
}

TEST(Joint, LearnsFromRowsThatLackCellsAndViews) {
  Compute compute(2);
  const Matrix truth = rows_of(600);
  Matrix rows = truth;
  const Random random(4, Purpose::planted_mask);
  for (Index i = 0; i < 600; ++i) {
    if (i % 3 == 0) rows.row(i).tail(3).setConstant(kNan);
    rows(i, static_cast<Index>(random.below(3, static_cast<std::uint64_t>(i)))) = kNan;
  }
  Joint joint(rows, kViews, compute);
  joint.set_ridge(1e-3);
  Matrix filled = rows;
  joint.fill(filled, compute);
  double error = 0;
  double about = 0;
  for (Index i = 0; i < 600; ++i) {
    for (Index j = 0; j < 3; ++j) {
      if (!std::isnan(rows(i, j))) {
        EXPECT_EQ(filled(i, j), rows(i, j));
      }
      const double deviation = j == 1 ? 5 : 1;
      error += std::pow((filled(i, j) - truth(i, j)) / deviation, 2);
      about += std::isnan(rows(i, j)) ? std::pow((truth(i, j) - truth.col(j).mean()) / deviation, 2) : 0;
    }
    EXPECT_EQ(std::isnan(filled(i, 4)), i % 3 == 0);  // a view that is not there stays so
  }
  EXPECT_LT(error, 0.1 * about);
  EXPECT_LT(joint.error(truth, 1e-3, compute), joint.error(truth, 10, compute));
}

}  // namespace
}  // namespace omvc
