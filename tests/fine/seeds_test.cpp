#include "fine/seeds.hpp"

#include <gtest/gtest.h>

#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr int kRank = 4;

// Rows that are products of nonnegative factors, of which each view lacks two in five; one in ten has no view at all.
struct LowRank {
  explicit LowRank(Index n, Index piece) {
    const Matrix V = test::random_sparse(n, kRank, 0.6, 1).array() + 0.02;
    std::vector<Index> features;
    for (const Index d : {25, 40}) {
      features.push_back(d);
      X.emplace_back(V * test::random_sparse(d, kRank, 0.4, static_cast<std::uint64_t>(d)).transpose());
    }
    schema = test::schema_of(features);
    std::vector<Chunk> pieces;
    for (Index first = 0; first < n; first += piece) {
      const Index count = std::min(piece, n - first);
      std::vector<std::vector<Index>> present(2);
      for (Index i = first; i < first + count; ++i) {
        if (i % 10 < 6) present[0].push_back(i - first);
        if (i % 10 >= 3 && i % 10 < 9) present[1].push_back(i - first);
      }
      Chunk chunk{test::iota(count, first), {}};
      chunk.views.push_back(test::view_of(X[0].middleRows(first, count), present[0], test::dense_block<double>));
      chunk.views.push_back(test::view_of(X[1].middleRows(first, count), present[1], test::csr_block<double>));
      pieces.push_back(std::move(chunk));
    }
    sample = Sample(std::move(pieces));
  }

  std::vector<Matrix> X;  // of each view, of every instance
  Schema schema;
  Sample sample;
};

// ||X - V U'|| / ||X|| over the instances for which `used` holds.
template <class Used>
double relative_error(const LowRank& data, const Embedded& found, std::size_t view, const Used& used) {
  double wrong = 0;
  double all = 0;
  const Matrix& U = found.factors.state().views[view].U;
  for (Index i = 0; i < found.latent.rows(); ++i) {
    if (!used(i % 10)) continue;
    wrong += (data.X[view].row(i) - found.latent.row(i) * U.transpose()).squaredNorm();
    all += data.X[view].row(i).squaredNorm();
  }
  return std::sqrt(wrong / all);
}

TEST(Seeds, ALowRankMatrixIsFoundThoughTwoRowsInFiveAreMissing) {
  const LowRank data(500, 100);
  Compute compute(2);
  const Embedded found = factorise_sample(data.sample, 5, data.schema, kRank, true, 1, {}, compute);
  ASSERT_EQ(found.latent.rows(), 500);
  EXPECT_GE(found.latent.minCoeff(), 0);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_GE(found.factors.state().views[v].U.minCoeff(), 0);
    EXPECT_LT(relative_error(data, found, v, [](Index i) { return i >= 3 && i < 6; }), 0.1) << "both views are there";
  }
  // What nobody has shown: the view that is missing, from the one that is there.
  EXPECT_LT(relative_error(data, found, 0, [](Index i) { return i >= 6 && i < 9; }), 0.15);
  EXPECT_LT(relative_error(data, found, 1, [](Index i) { return i < 3; }), 0.15);
  for (Index i = 9; i < 500; i += 10) EXPECT_TRUE((found.latent.row(i).array() == 0).all()) << "no view, no latent row";
}

// Passes over the first pieces, by hand; after each of them its loss and, of each view, the share that is explained.
struct Passes {
  std::vector<double> losses;
  std::vector<std::vector<double>> explained;
};
Factorisation by_hand(const LowRank& data, std::size_t pieces, bool by_direction, int passes, Compute& compute,
                      Passes& out) {
  Factorisation factors(seed_options(by_direction, 7, {}), data.schema, kRank);
  std::vector<Matrix> latent(pieces);
  for (int pass = 1; pass <= passes; ++pass) {
    factors.begin_pass(pass);
    for (std::size_t p = 0; p < pieces; ++p) {
      const LearnedRows rows = factors.learn(data.sample.pieces()[p], pass > 1 ? &latent[p] : nullptr, compute);
      latent[p] = Matrix::Zero(data.sample.pieces()[p].size(), kRank);
      for (std::size_t i = 0; i < rows.positions.size(); ++i) {
        latent[p].row(rows.positions[i]) = rows.values.row(static_cast<Index>(i));
      }
    }
    out.losses.push_back(factors.average_loss(compute));
    out.explained.push_back(factors.explained(compute));
  }
  return factors;
}

// What is not explained falls. The loss with its ridge need not: the ridge follows the length of the basis, which grows
// while the first chunks are learned.
TEST(Seeds, ASecondPassExplainsMore) {
  const LowRank data(500, 50);
  Compute compute(1);
  for (const bool by_direction : {false, true}) {
    const std::size_t pieces = 7;
    Passes passes;
    const Factorisation twice = by_hand(data, pieces, by_direction, 2, compute, passes);
    const Embedded found = factorise_sample(data.sample, pieces, data.schema, kRank, by_direction, 7, {}, compute);
    EXPECT_EQ(found.latent.rows(), 350);
    EXPECT_EQ(found.factors.explained(compute), passes.explained[1]);
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_LT(1 - passes.explained[1][v], 0.9 * (1 - passes.explained[0][v]));
      EXPECT_EQ(found.factors.state().views[v].U, twice.state().views[v].U);
      // The share that is explained is that of the rows as they are built again.
      const double error = relative_error(data, found, v, [&](Index i) { return v == 0 ? i < 6 : i >= 3 && i < 9; });
      EXPECT_NEAR(1 - passes.explained[1][v], error * error, 0.2 * error * error);
    }
  }
}

TEST(Seeds, ManyPiecesOfTextAreSeenOnceAndOfOthersTwice) {
  const LowRank data(500, 50);
  Compute compute(1);
  for (const bool by_direction : {false, true}) {
    Passes passes;
    by_hand(data, 8, by_direction, 2, compute, passes);
    const Embedded found = factorise_sample(data.sample, 8, data.schema, kRank, by_direction, 7, {}, compute);
    EXPECT_EQ(found.factors.average_loss(compute), passes.losses[by_direction ? 0 : 1]);
  }
}

TEST(Seeds, ThreadsChangeNoBit) {
  const LowRank data(500, 100);
  Compute one;
  const Embedded alone = factorise_sample(data.sample, 5, data.schema, kRank, false, 1, {}, one);
  for (const int threads : {2, 5}) {
    Compute compute(threads);
    const Embedded shared = factorise_sample(data.sample, 5, data.schema, kRank, false, 1, {}, compute);
    EXPECT_TRUE(shared.latent == alone.latent);
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_TRUE(shared.factors.state().views[v].U == alone.factors.state().views[v].U);
    }
  }
}

TEST(Seeds, GroupsOfLatentRowsAreByDirectionOrByLengthToo) {
  // Two directions, and on each of them rows that are short or long.
  Matrix latent(40, 2);
  for (Index i = 0; i < 40; ++i) {
    const double length = i % 4 < 2 ? 1 : 100;
    latent.row(i) = length * (i % 2 == 0 ? RowVector{{1, 0.01 * static_cast<double>(i % 5)}}
                                         : RowVector{{0.01 * static_cast<double>(i % 5), 1}});
  }
  const auto same = [](const std::vector<std::int32_t>& groups, std::size_t period) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i] != groups[i % period]) return false;
    }
    return true;
  };
  Compute compute;
  const std::vector<std::int32_t> directions = group_latent(latent, true, 2, 5, 50, 1, compute);
  EXPECT_TRUE(same(directions, 2));
  EXPECT_NE(directions[0], directions[1]);
  const std::vector<std::int32_t> lengths = group_latent(latent, false, 4, 20, 50, 1, compute);
  EXPECT_TRUE(same(lengths, 4));
  EXPECT_NE(lengths[0], lengths[2]);
  EXPECT_EQ(group_latent(latent.topRows(3), true, 9, 5, 50, 1, compute).size(), 3u) << "fewer rows than groups";
}

}  // namespace
}  // namespace omvc
