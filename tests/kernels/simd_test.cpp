// Every inner loop for every instruction set that this machine has, against its definition, on random shapes: ranks
// around the lengths of vectors, strides, data that do not begin at a cache line, nothing at all.
#include "kernels/simd.hpp"

#include <Eigen/LU>
#include <cmath>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <optional>
#include <string_view>

#include "chunk/matrix.hpp"
#include "kernels/simd_search.hpp"
#include "random/philox.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> all;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) all.push_back(left & -left);
  return all;
}

// Calls body() once for each instruction set.
template <class Body>
void for_each_target(const Body& body) {
  for (const std::int64_t target : targets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(simd::target());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

struct Shape {
  Index rows, depth, rank, pad;
};

std::vector<Shape> random_shapes(std::uint64_t seed) {
  std::vector<Shape> shapes{{0, 5, 3, 0}, {5, 0, 3, 1}, {1, 1, 1, 0}, {8, 256, 24, 0}, {9, 257, 25, 3}};
  const Random random(seed, Purpose::basis, 0);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto below = [&](std::uint64_t n, std::uint64_t at) {
      return static_cast<Index>(random.below(n, 4 * i + at));
    };
    shapes.push_back({below(40, 0), below(600, 1), 1 + below(70, 2), below(5, 3)});
  }
  return shapes;
}

// A matrix inside a wider one, whose first number does not begin a cache line; the numbers around it must stay.
struct Inside {
  Inside(const Matrix& inner, Index pad)
      : rows(inner.rows()), cols(inner.cols()), offset(pad), all(Matrix::Constant(rows + 1, cols + 2 * pad, 7)) {
    all.block(0, offset, rows, cols) = inner;
  }
  double* data() { return all.data() + offset; }
  Index stride() const { return all.cols(); }
  Matrix inner() const { return all.block(0, offset, rows, cols); }
  bool untouched_around() const {
    return (all.leftCols(offset).array() == 7).all() && (all.rightCols(offset).array() == 7).all() &&
           (all.row(rows).array() == 7).all();
  }

  Index rows, cols, offset;
  Matrix all;
};

double tolerance(Index depth) { return 1e-15 * static_cast<double>(depth * depth + 1); }

template <class T>
void check_dense(const Shape& shape) {
  SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.depth << ", r " << shape.rank << ", pad "
                                  << shape.pad);
  const Matrix X = test::random_matrix(shape.rows, shape.depth, 1).cast<T>().template cast<double>();
  const Matrix M = test::random_matrix(shape.depth, shape.rank, 2);
  const Matrix start = test::random_matrix(shape.rows, shape.rank, 3);
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> typed = X.cast<T>();
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> transposed = X.transpose().cast<T>();
  Inside right(M, shape.pad);
  const Matrix expected = start + X * M;

  Inside out(start, shape.pad);
  simd::add_product(typed.data(), shape.depth, shape.rows, shape.depth, {right.data(), right.stride()}, shape.rank,
                    {out.data(), out.stride()});
  EXPECT_LE((out.inner() - expected).cwiseAbs().sum(), tolerance(shape.depth) * static_cast<double>(expected.size()));
  EXPECT_TRUE(out.untouched_around());

  Inside turned(start, shape.pad);
  simd::add_transpose_product(transposed.data(), shape.rows, shape.rows, shape.depth, {right.data(), right.stride()},
                              shape.rank, {turned.data(), turned.stride()});
  EXPECT_EQ(turned.inner(), out.inner()) << "both sum in the order of the depth";
  EXPECT_TRUE(turned.untouched_around());

  const double squares = simd::sum_of_squares(typed.data(), typed.size());
  EXPECT_NEAR(squares, X.squaredNorm(), 1e-12 * (1 + squares));
}

TEST(Simd, DenseProductsEqualTheDefinition) {
  for_each_target([] {
    for (const Shape& shape : random_shapes(1)) {
      check_dense<float>(shape);
      check_dense<double>(shape);
    }
  });
}

template <class T>
void check_sparse(const Shape& shape) {
  SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.depth << ", r " << shape.rank);
  const Matrix X = test::random_sparse(shape.rows, shape.depth, 0.15, 4).cast<T>().template cast<double>();
  const Block block = test::csr_block<T>(X);
  const auto& csr = std::get<CsrBlock<T>>(block);
  const Index middle = shape.rows / 2;
  const auto part = [&](Index first, Index last) {
    return simd::SparseRows<T>{csr.offsets.data(), csr.columns.data(), csr.values.data(), first, last};
  };
  const Matrix M = test::random_matrix(shape.depth, shape.rank, 5);
  Inside right(M, shape.pad);
  Inside out(Matrix::Zero(shape.rows - middle, shape.rank), shape.pad);
  simd::sparse_product(part(middle, shape.rows), {right.data(), right.stride()}, shape.rank,
                       {out.data(), out.stride()});
  const Matrix expected = X.bottomRows(shape.rows - middle) * M;
  EXPECT_LE((out.inner() - expected).cwiseAbs().sum(), tolerance(shape.depth) * static_cast<double>(expected.size()));
  EXPECT_TRUE(out.untouched_around());

  // The features in two parts, as two threads take them.
  const Matrix V = test::random_matrix(shape.rows, shape.rank, 6);
  const Matrix start = test::random_matrix(shape.depth, shape.rank, 7);
  Inside left(V, shape.pad);
  Inside sums(start, shape.pad);
  const Index cut = shape.depth / 3;
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, cut}, {cut, shape.depth}}) {
    simd::add_sparse_transpose_product(part(0, shape.rows), begin, end, {left.data(), left.stride()}, shape.rank,
                                       {sums.data() + begin * sums.stride(), sums.stride()});
  }
  const Matrix wanted = start + X.transpose() * V;
  EXPECT_LE((sums.inner() - wanted).cwiseAbs().sum(), tolerance(shape.rows) * static_cast<double>(wanted.size()));
  EXPECT_TRUE(sums.untouched_around());
}

TEST(Simd, SparseProductsEqualTheDefinition) {
  for_each_target([] {
    for (const Shape& shape : random_shapes(2)) {
      check_sparse<float>(shape);
      check_sparse<double>(shape);
    }
  });
}

TEST(Simd, SearchesOfDistancesEqualTheDefinitionToTheBit) {
  const Random random(3, Purpose::basis);
  for_each_target([&] {
    for (const Index count : {0, 1, 2, 3, 7, 8, 15, 16, 17, 48, 64, 101}) {
      SCOPED_TRACE(count);
      const auto size = static_cast<std::size_t>(count);
      std::vector<double> squares(size);
      std::vector<float> dots(size);
      for (std::size_t i = 0; i < size; ++i) {
        squares[i] = random.uniform(2 * i);
        dots[i] = static_cast<float>(random.uniform(2 * i + 1));
      }
      std::vector<double> distances(size + 1, 7);
      simd::squared_distances(0.25, squares.data(), dots.data(), count, distances.data());
      std::vector<double> sums(size + 1, 0.5);
      simd::add_short_distances(squares.data(), dots.data(), count, sums.data());
      std::vector<double> more(size + 1, 0.5);
      simd::add_values(squares.data(), count, more.data());
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(distances[i], std::max(0.0, 0.25 + squares[i] - 2 * double{dots[i]}));
        EXPECT_EQ(sums[i], 0.5 + (squares[i] - 2 * double{dots[i]}));
        EXPECT_EQ(more[i], 0.5 + squares[i]);
      }
      EXPECT_EQ(distances[size], 7);
      EXPECT_EQ(sums[size], 0.5);
      EXPECT_EQ(more[size], 0.5);
      for (const double bound : {-1.0, 0.0, 0.3, 2.0}) {
        std::vector<std::int32_t> expected;
        for (std::size_t i = 0; i < size; ++i) {
          if (distances[i] <= bound) expected.push_back(static_cast<std::int32_t>(i));
        }
        std::vector<std::int32_t> places(size + 1, 7);
        const Index found = simd::places_up_to(distances.data(), count, bound, places.data());
        EXPECT_EQ(places[size], 7);
        places.resize(static_cast<std::size_t>(found));
        EXPECT_EQ(places, expected);
      }
    }
  });
}

// One problem by the definition of coordinate descent.
RowVector descended(const Matrix& G, const RowVector& q, double l, int sweeps, RowVector z) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Index k = 0; k < z.size(); ++k) {
      const double gradient = z.dot(G.row(k)) - q(k) + l / 2;
      z(k) = G(k, k) > 0 ? std::max(0.0, z(k) - gradient / G(k, k)) : 0.0;
    }
  }
  return z;
}

TEST(Simd, CoordinateDescentEqualsTheDefinition) {
  for_each_target([] {
    for (const Index r : {1, 2, 3, 7, 8, 13, 33}) {
      Matrix half = test::random_matrix(r + 3, r, static_cast<std::uint64_t>(r));
      if (r > 2) half.col(1).setZero();  // a component that nothing uses
      const Matrix G = half.transpose() * half;
      const Matrix q = test::random_matrix(r, simd::kLane, 2).array() - 0.3;
      const Matrix l = test::random_matrix(1, simd::kLane, 3);
      const Matrix start = test::random_matrix(r, simd::kLane, 4);
      Matrix z = start;
      simd::coordinate_descent(G.data(), r, q.data(), l.data(), 3, 0, z.data());
      for (Index i = 0; i < simd::kLane; ++i) {
        const RowVector expected = descended(G, q.col(i).transpose(), l(0, i), 3, start.col(i).transpose());
        EXPECT_LE((z.col(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-11) << "r " << r << ", problem " << i;
      }
    }
  });
}

TEST(Simd, AProblemAtRestStaysWhileOthersMove) {
  for_each_target([] {
    const Index r = 5;
    const Matrix half = test::random_matrix(8, r, 1);
    const Matrix G = half.transpose() * half;
    Matrix q = test::random_matrix(r, simd::kLane, 2);
    const std::vector<double> l(simd::kLane, 0.0);
    Matrix z = Matrix::Ones(r, simd::kLane);
    // Problem 0 starts at its minimum: q = z G there.
    q.col(0) = G * z.col(0);
    const int sweeps = simd::coordinate_descent(G.data(), r, q.data(), l.data(), 1000, 1e-4, z.data());
    EXPECT_GT(sweeps, 1);
    EXPECT_LT(sweeps, 1000);
    EXPECT_LE((z.col(0).array() - 1).abs().maxCoeff(), 1e-12);
  });
}

TEST(Simd, RowsComeToLanesAndBack) {
  for_each_target([] {
    for (const Index r : {1, 2, 3, 4, 6, 10, 33}) {
      for (const Index count : {Index{0}, Index{1}, Index{5}, Index{7}, simd::kLane}) {
        const Matrix rows = test::random_matrix(count, r, static_cast<std::uint64_t>(r));
        Matrix lanes = Matrix::Constant(r, simd::kLane, 7);
        Matrix back = Matrix::Zero(count, r);
        std::vector<const double*> from;
        std::vector<double*> to;
        for (Index i = 0; i < count; ++i) {
          from.push_back(rows.data() + i * r);
          to.push_back(back.data() + i * r);
        }
        simd::to_lanes(from.data(), count, r, lanes.data());
        simd::from_lanes(lanes.data(), count, r, to.data());
        EXPECT_EQ(lanes.leftCols(count), rows.transpose()) << "r " << r << ", count " << count;
        EXPECT_TRUE((lanes.rightCols(simd::kLane - count).array() == 7).all()) << "r " << r << ", count " << count;
        EXPECT_EQ(back, rows) << "r " << r << ", count " << count;
      }
    }
  });
}

// One projected Newton step of one problem; nothing where no step descends.
std::optional<RowVector> stepped(const Matrix& G, const Matrix& M, const simd::NewtonRule& rule, const RowVector& q,
                                 double l, const RowVector& z) {
  const RowVector h = z * G - q + RowVector::Constant(z.size(), l / 2);
  double gamma = 1;
  for (int attempt = 0; attempt < rule.tries; ++attempt, gamma *= rule.eta) {
    const RowVector step = (z - gamma * h * M).cwiseMax(0.0) - z;
    const double slope = 2 * h.dot(step);
    if (slope < 0 && (1 - rule.sigma) * slope + (step * G).dot(step) <= 0) return z + step;
  }
  const RowVector step = (z - h / rule.lipschitz).cwiseMax(0.0) - z;
  return h.dot(step) < 0 ? std::optional<RowVector>(z + step) : std::nullopt;
}

// Problems of every kind: that take the full step, a shorter one or one along the gradient, that rest, and that are not
// to move. The matrix in place of the inverse is too large in half of the cases, so that full steps go too far.
TEST(Simd, ANewtonStepEqualsTheDefinition) {
  constexpr std::uint32_t kAsked = 0xFFFFF7FD;
  for_each_target([&] {
    for (const Index r : {1, 2, 3, 4, 6, 7, 10, 31, 33}) {
      const Matrix G = test::random_gram(r, static_cast<std::uint64_t>(r));
      const Matrix M = Eigen::MatrixXd(G).inverse() * (r % 2 == 0 ? 1 : 5);
      const simd::NewtonRule rule{
          .lipschitz = G.cwiseAbs().rowwise().sum().maxCoeff(), .sigma = 0.01, .eta = 0.1, .tries = 4};
      Matrix q = 3 * test::random_matrix(r, simd::kLane, 2).array() - 1;
      const Matrix l = test::random_matrix(1, simd::kLane, 3);
      Matrix start = test::random_matrix(r, simd::kLane, 4).array() - 0.4;
      start = start.cwiseMax(0.0);
      q.col(4).setConstant(-1);  // and z = 0: at its minimum
      start.col(4).setZero();
      Matrix z = start;
      std::vector<double> room(static_cast<std::size_t>(3 * r * simd::kLane));
      const std::uint32_t moved =
          simd::newton_step(G.data(), M.data(), r, rule, q.data(), l.data(), kAsked, room.data(), z.data());
      EXPECT_EQ(moved & ~kAsked, 0u);
      for (Index i = 0; i < simd::kLane; ++i) {
        const bool asked = (kAsked >> i & 1u) != 0;
        const auto expected = stepped(G, M, rule, q.col(i).transpose(), l(0, i), start.col(i).transpose());
        EXPECT_EQ((moved >> i & 1u) != 0, asked && expected) << "r " << r << ", problem " << i;
        const RowVector end = asked && expected ? *expected : RowVector(start.col(i).transpose());
        EXPECT_LE((z.col(i).transpose() - end).cwiseAbs().maxCoeff(), 1e-9 * (1 + end.cwiseAbs().maxCoeff()))
            << "r " << r << ", problem " << i;
        EXPECT_GE(z.col(i).minCoeff(), 0);
      }
    }
  });
}

// Neither the length of vectors nor how rows are cut into calls changes a bit, among machines that fuse multiply-adds.
TEST(Simd, VectorLengthsChangeNoBit) {
  const Matrix X = test::random_matrix(21, 300, 1), M = test::random_matrix(300, 19, 2);
  std::vector<Matrix> results;
  for (const std::int64_t target : targets()) {
    if (target != HWY_AVX2 && target != HWY_AVX3) continue;
    hwy::SetSupportedTargetsForTest(target);
    if (std::string_view(simd::target()) != hwy::TargetName(target)) continue;  // it was left out of this build
    for (const Index cut : {0, 4, 11}) {
      Matrix out = Matrix::Zero(21, 19);
      simd::add_product(X.data(), 300, cut, 300, {M.data(), 19}, 19, {out.data(), 19});
      simd::add_product(X.data() + cut * 300, 300, 21 - cut, 300, {M.data(), 19}, 19, {out.data() + cut * 19, 19});
      results.push_back(out);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  for (const Matrix& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace omvc
