#include "kernels/data_block.hpp"

#include <gtest/gtest.h>

#include "kernels/naive.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

struct Shape {
  Index rows, cols, rank;
  double density;
};

std::vector<Block> blocks_of(const Matrix& X) {
  return {test::dense_block<float>(X), test::dense_block<double>(X), test::csr_block<float>(X),
          test::csr_block<double>(X)};
}

// A sum of n products of numbers in [0, 1) in any order differs from the naive one by at most about n^2 ulp.
double tolerance(Index n) { return 1e-15 * static_cast<double>(n * n + 1); }

constexpr double kNarrow = 1 << 29;  // how much coarser single precision is than double

class DataBlockShapes : public testing::TestWithParam<Shape> {};

TEST_P(DataBlockShapes, EqualTheNaiveOracle) {
  const Shape shape = GetParam();
  const Matrix X = test::random_sparse(shape.rows, shape.cols, shape.density, 1);
  const Matrix U = test::random_matrix(shape.cols, shape.rank, 2);
  const Matrix V = test::random_matrix(shape.rows, shape.rank, 3);
  Compute compute(2);
  for (const Block& block : blocks_of(X)) {
    const DataBlock data(block);
    Matrix product(shape.rows, shape.rank);
    data.times(U, product, compute);
    EXPECT_LE((product - naive::times(block, U)).cwiseAbs().maxCoeff(), tolerance(shape.cols)) << block.index();

    const NarrowMatrix narrow = U.cast<float>();
    NarrowMatrix narrow_product(shape.rows, shape.rank);
    data.times(narrow, narrow_product, compute);
    const Matrix exact = naive::times(block, narrow.cast<double>());
    EXPECT_LE((narrow_product.cast<double>() - exact).cwiseAbs().maxCoeff(), kNarrow * tolerance(shape.cols))
        << block.index();

    Matrix sum = Matrix::Ones(shape.cols, shape.rank);
    data.add_transpose_times(V, sum, compute);
    const Matrix expected = Matrix::Ones(shape.cols, shape.rank) + naive::transpose_times(block, V);
    EXPECT_LE((sum - expected).cwiseAbs().maxCoeff(), tolerance(shape.rows)) << block.index();

    EXPECT_NEAR(data.squared_norm(compute), naive::squared_norm(block), tolerance(shape.rows * shape.cols))
        << block.index();

    Vector rows = Vector::Zero(shape.cols);
    data.add_row_sum(rows, compute);
    EXPECT_LE((rows - X.colwise().sum().transpose()).cwiseAbs().maxCoeff(), tolerance(shape.rows)) << block.index();
  }
}

// Odd sizes around the block sizes of the kernels, r = 1, one row, one column, nearly empty.
INSTANTIATE_TEST_SUITE_P(Kernels, DataBlockShapes,
                         testing::Values(Shape{1, 1, 1, 1.0}, Shape{1, 300, 3, 0.1}, Shape{300, 1, 2, 0.5},
                                         Shape{63, 255, 5, 0.3}, Shape{64, 256, 4, 1.0}, Shape{65, 257, 7, 0.02},
                                         Shape{130, 515, 33, 0.2}, Shape{129, 1000, 10, 0.001}));

TEST(DataBlock, NoRowsGiveZero) {
  Compute compute(1);
  for (const Block& block : blocks_of(Matrix(0, 5))) {
    const DataBlock data(block);
    Matrix product(0, 2);
    data.times(Matrix::Ones(5, 2), product, compute);
    Matrix sum = Matrix::Zero(5, 2);
    data.add_transpose_times(Matrix(0, 2), sum, compute);
    EXPECT_EQ(sum.cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(data.squared_norm(compute), 0);
  }
}

TEST(DataBlock, AddedRowsAreTheProductWithTheirEntries) {
  const Index n = 1000;  // enough that every kind of block is worth threads
  const Matrix X = test::random_sparse(n, 900, 0.4, 5);
  std::vector<DataBlock::Move> moves;
  Matrix V = Matrix::Zero(n, 6);
  for (Index i = 0; i < n; i += 2) {
    moves.push_back({i, i % 6, 1});
    moves.push_back({i, (i + 1) % 6, -1});
    V(i, i % 6) += 1;
    V(i, (i + 1) % 6) -= 1;
  }
  for (const Block& block : blocks_of(X)) {
    const DataBlock data(block);
    Matrix alone = Matrix::Ones(900, 6);
    for (const int threads : {1, 3}) {
      Compute compute(threads);
      Matrix sum = Matrix::Ones(900, 6);
      data.add_rows(moves, sum, compute);
      if (threads == 1) alone = sum;
      EXPECT_EQ(sum, alone);
      EXPECT_LE((sum - Matrix::Ones(900, 6) - X.transpose() * V).cwiseAbs().maxCoeff(), tolerance(n)) << block.index();
      Matrix same = Matrix::Ones(900, 6);
      data.add_rows({}, same, compute);
      EXPECT_EQ(same, (Matrix::Ones(900, 6)));
    }
  }
}

TEST(DataBlock, ThreadsDoNotChangeABit) {
  // Large enough that every operation is worth threads.
  const Matrix X = test::random_sparse(700, 1500, 0.4, 5);
  const Matrix U = test::random_matrix(1500, 9, 6);
  const Matrix V = test::random_matrix(700, 9, 7);
  for (const Block& block : blocks_of(X)) {
    const DataBlock data(block);
    std::vector<Matrix> products, sums, grams, totals;
    for (const int threads : {1, 2, 5}) {
      Compute compute(threads);
      Matrix product(700, 9), sum = Matrix::Zero(1500, 9), G;
      data.times(U, product, compute);
      data.add_transpose_times(V, sum, compute);
      gram(U, G, compute);
      products.push_back(product);
      sums.push_back(sum);
      grams.push_back(G);
      Vector total = Vector::Zero(1500);
      data.add_row_sum(total, compute);
      total(0) += data.squared_norm(compute);
      totals.push_back(total);
    }
    for (std::size_t i = 1; i < products.size(); ++i) {
      EXPECT_TRUE((products[0].array() == products[i].array()).all());
      EXPECT_TRUE((sums[0].array() == sums[i].array()).all());
      EXPECT_TRUE((grams[0].array() == grams[i].array()).all());
      EXPECT_EQ(totals[0], totals[i]);
    }
  }
}

TEST(Gram, WeighsTheTwoRuns) {
  Compute compute(2);
  for (const Index rows : {1, 5, 511, 512, 513, 1300}) {
    for (const Index first : {Index{0}, rows / 2, rows}) {
      const Matrix V = test::random_matrix(rows, 4, static_cast<std::uint64_t>(rows));
      Vector weights = Vector::Constant(rows, 0.3);
      weights.head(first).setOnes();
      Matrix G;
      gram(V, first, 0.3, G, compute);
      const Matrix expected = V.transpose() * weights.asDiagonal() * V;
      EXPECT_LE((G - expected).cwiseAbs().maxCoeff(), tolerance(rows)) << rows << " " << first;
    }
  }
}

}  // namespace
}  // namespace omvc
