#include "kernels/tall.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "support/random_data.hpp"

namespace omvc {
namespace {

TEST(Tall, BlocksCoverEveryRowOnce) {
  Compute compute(3);
  for (const Index rows : {0, 1, 5, 70000, 200001}) {
    for (const Index cols : {1, 7, 100000}) {
      if (rows * cols > 2'000'000) continue;
      std::vector<int> hits(static_cast<std::size_t>(rows), 0);
      for_tall_blocks(compute, rows, cols, [&](Index first, Index count) {
        for (Index i = first; i < first + count; ++i) ++hits[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), rows) << rows << " x " << cols;
    }
  }
}

TEST(Tall, SumsAreThoseOfTheDefinitionAndTheSameForAnyThreads) {
  for (const Index rows : {0, 3, 30000}) {
    const Matrix A = test::random_matrix(rows, 11, 1), B = test::random_matrix(rows, 11, 2);
    std::vector<double> products;
    std::vector<RowVector> sums;
    for (const int threads : {1, 2, 5}) {
      Compute compute(threads);
      products.push_back(inner_product(A, B, compute));
      sums.push_back(column_sums(A, compute));
      EXPECT_EQ(products.back(), products.front());
      EXPECT_EQ(sums.back(), sums.front());
    }
    EXPECT_NEAR(products[0], A.cwiseProduct(B).sum(), 1e-9 * static_cast<double>(rows + 1));
    const RowVector expected = rows > 0 ? RowVector(A.colwise().sum()) : RowVector(RowVector::Zero(11));
    EXPECT_LE((sums[0] - expected).cwiseAbs().sum(), 1e-9 * static_cast<double>(rows + 1));
  }
}

}  // namespace
}  // namespace omvc
