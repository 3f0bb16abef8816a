#include "compare/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/naive.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr int kClusters = 3;

// Two views of three clusters; every fifth instance lacks the first view, every seventh the second, 0 and 35 lack both.
Chunk make_chunk(Index first, Index n) {
  Matrix left = test::random_matrix(n, 6, static_cast<std::uint64_t>(first) + 1);
  Matrix right = test::random_sparse(n, 20, 0.3, static_cast<std::uint64_t>(first) + 2);
  std::vector<Index> in_left, in_right;
  for (Index i = 0; i < n; ++i) {
    const Index cluster = (first + i) % kClusters;
    left.row(i).segment(2 * cluster, 2).array() += 2;
    right.row(i).segment(6 * cluster, 6).array() += 1;
    if ((first + i) % 5 != 0) in_left.push_back(i);
    if ((first + i) % 7 != 0) in_right.push_back(i);
  }
  Chunk chunk{test::iota(n, first), {}};
  chunk.views.push_back(test::view_of(left, in_left, test::dense_block<double>));
  chunk.views.push_back(test::view_of(right, in_right, test::csr_block<double>));
  return chunk;
}

const Schema& schema() {
  static const Schema kSchema = test::schema_of({6, 20});
  return kSchema;
}

CandidateLabels none(const Chunk& chunk, int candidates) {
  return CandidateLabels::Constant(chunk.size(), candidates, -1);
}

// The squared distance of every instance from every prototype over the views it has, by definition.
Matrix definition(const Chunk& chunk, const std::vector<Matrix>& prototypes) {
  Matrix out = Matrix::Zero(chunk.size(), prototypes[0].cols());
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Matrix X = naive::densify(chunk.views[v].block);
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index k = 0; k < out.cols(); ++k) {
        out(chunk.views[v].present[static_cast<std::size_t>(i)], k) +=
            (X.row(i).transpose() - prototypes[v].col(k)).squaredNorm();
      }
    }
  }
  return out;
}

std::vector<Matrix> prototypes_of(const CandidatePrototypes& model) {
  return {model.prototypes(0), model.prototypes(1)};
}

TEST(Prototypes, AssignsToTheNearestOverObservedViewsAndAddsUpTheError) {
  Compute compute(1);
  const Chunk chunk = make_chunk(0, 40);
  const PreparedChunk data(chunk);
  CandidatePrototypes model(schema(), kClusters, {false, false});
  model.add_given({test::random_matrix(6, kClusters, 3), test::random_matrix(20, kClusters, 4)});
  RowVector error;
  const CandidateLabels labels = model.assign(data, error, compute);
  const Matrix distances = definition(chunk, prototypes_of(model));
  double sum = 0;
  for (Index i = 0; i < 40; ++i) {
    if (i % 35 == 0) {
      EXPECT_EQ(labels(i, 0), -1);
      continue;
    }
    EXPECT_EQ(distances(i, labels(i, 0)), distances.row(i).minCoeff()) << i;
    sum += distances.row(i).minCoeff();
  }
  EXPECT_NEAR(error(0), sum, 1e-9);
}

TEST(Prototypes, BecomeTheMeansOfWhatIsAssignedToThem) {
  Compute compute(1);
  const Chunk chunk = make_chunk(0, 60);
  const PreparedChunk data(chunk);
  CandidatePrototypes model(schema(), kClusters, {false, false});
  model.add_seeded(data, Random(1, Purpose::seeding), compute);
  const CandidateLabels labels = model.learn(data, none(chunk, 1), 50, Nearest::by_mean, compute);
  for (std::size_t v = 0; v < 2; ++v) {
    const Matrix X = naive::densify(chunk.views[v].block);
    for (int k = 0; k < kClusters; ++k) {
      Vector sum = Vector::Zero(X.cols());
      double count = 0;
      for (Index i = 0; i < X.rows(); ++i) {
        if (labels(chunk.views[v].present[static_cast<std::size_t>(i)], 0) != k) continue;
        sum += X.row(i).transpose();
        count += 1;
      }
      ASSERT_GT(count, 0);
      EXPECT_LE((model.prototypes(v).col(k) - sum / count).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Prototypes, TheErrorFromTheSumsIsTheErrorByDefinition) {
  Compute compute(1);
  const Chunk first = make_chunk(0, 50), second = make_chunk(50, 50);
  CandidatePrototypes model(schema(), kClusters, {false, false});
  model.add_seeded(PreparedChunk(first), Random(1, Purpose::seeding, 1), compute);
  model.add_seeded(PreparedChunk(first), Random(1, Purpose::seeding, 2), compute);
  CandidateLabels one = none(first, 2), two = none(second, 2);
  // Three passes: each takes the labels of the last one out before it adds its own.
  for (int pass = 0; pass < 3; ++pass) {
    one = model.learn(PreparedChunk(first), one, 2, Nearest::by_mean, compute);
    two = model.learn(PreparedChunk(second), two, 2, Nearest::by_mean, compute);
  }
  const RowVector from_sums = model.error();
  for (int c = 0; c < 2; ++c) {
    double expected = 0, squares = 0;
    for (const auto& [chunk, labels] : {std::pair{&first, &one}, std::pair{&second, &two}}) {
      const Matrix distances = definition(*chunk, prototypes_of(model));
      for (const ChunkView& view : chunk->views) squares += naive::squared_norm(view.block);
      for (Index i = 0; i < 50; ++i) {
        if ((*labels)(i, c) >= 0) expected += distances(i, c * kClusters + (*labels)(i, c));
      }
    }
    EXPECT_NEAR(squares + from_sums(c), expected, 1e-8);
  }
}

TEST(Prototypes, LearningNeverRaisesTheError) {
  Compute compute(1);
  const Chunk chunk = make_chunk(0, 80);
  const PreparedChunk data(chunk);
  CandidatePrototypes model(schema(), kClusters, {false, false});
  model.add_seeded(data, Random(5, Purpose::seeding), compute);
  CandidateLabels labels = none(chunk, 1);
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 8; ++round) {
    labels = model.learn(data, labels, 1, Nearest::by_mean, compute);
    EXPECT_LE(model.error()(0), last + 1e-9);
    last = model.error()(0);
  }
}

TEST(Prototypes, GivenOnesStayForAPassAndFollowAfterwards) {
  Compute compute(1);
  const Chunk chunk = make_chunk(0, 60);
  const PreparedChunk data(chunk);
  const std::vector<Matrix> given{test::random_matrix(6, kClusters, 3), test::random_matrix(20, kClusters, 4)};
  CandidatePrototypes model(schema(), kClusters, {false, false});
  model.add_given(given);
  EXPECT_EQ(model.error()(0), std::numeric_limits<double>::infinity());
  model.learn(data, none(chunk, 1), 1, Nearest::by_mean, compute);
  EXPECT_EQ(model.prototypes(0), given[0]);
  model.end_pass(compute);
  EXPECT_NE(model.prototypes(0), given[0]);
  EXPECT_TRUE(std::isfinite(model.error()(0)));
}

TEST(Prototypes, DirectionsIgnoreTheLengthOfAPrototypeInUnitViewsOnly) {
  Compute compute(1);
  Chunk chunk{{0}, {}};
  chunk.views.push_back({test::dense_block<double>(Matrix{{0.6, 0.8}}), {0}});
  const PreparedChunk data(chunk);
  const Schema one_view = test::schema_of({2});
  // The first prototype points where the instance does but is short; the second is nearer as a point, not in direction.
  const Matrix both{{0.06, 0.7}, {0.08, 0.2}};
  RowVector error;
  CandidatePrototypes unit(one_view, 2, {true});
  unit.add_given({both});
  EXPECT_EQ(unit.assign(data, error, compute)(0, 0), 0);
  RowVector other;
  CandidatePrototypes plain(one_view, 2, {false});
  plain.add_given({both});
  EXPECT_EQ(plain.assign(data, other, compute)(0, 0), 1);
  EXPECT_DOUBLE_EQ(error(0), other(0)) << "the error is that of the means in both cases";
}

TEST(Prototypes, KeepLeavesOneCandidateAndSurvivesAnArchive) {
  Compute compute(1);
  const Chunk chunk = make_chunk(0, 60);
  const PreparedChunk data(chunk);
  CandidatePrototypes model(schema(), kClusters, {false, true});
  for (std::uint32_t c = 0; c < 3; ++c) model.add_seeded(data, Random(1, Purpose::seeding, c), compute);
  const CandidateLabels all = model.learn(data, none(chunk, 3), 3, Nearest::by_mean, compute);
  RowVector errors;
  const CandidateLabels before = model.assign(data, errors, compute);
  model.keep(1);
  Archive archive;
  model.save(archive);
  const CandidatePrototypes loaded = CandidatePrototypes::load(archive, schema(), kClusters, {false, true});
  RowVector error;
  const CandidateLabels after = loaded.assign(data, error, compute);
  EXPECT_EQ(after.col(0), before.col(1));
  EXPECT_DOUBLE_EQ(error(0), errors(1));
  EXPECT_EQ(loaded.candidates(), 1);
}

TEST(Prototypes, ThreadsDoNotChangeABit) {
  const Chunk chunk = make_chunk(0, 3000);
  const PreparedChunk data(chunk);
  std::vector<Matrix> found;
  for (const int threads : {1, 2, 3}) {
    Compute compute(threads);
    CandidatePrototypes model(schema(), kClusters, {false, false});
    for (std::uint32_t c = 0; c < 4; ++c) model.add_seeded(data, Random(1, Purpose::seeding, c), compute);
    model.learn(data, none(chunk, 4), 3, Nearest::by_mean, compute);
    found.push_back(model.prototypes(1));
  }
  EXPECT_TRUE((found[0].array() == found[1].array()).all());
  EXPECT_TRUE((found[0].array() == found[2].array()).all());
}

}  // namespace
}  // namespace omvc
