#include "cut/round.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "cut/refine.hpp"
#include "random/philox.hpp"
#include "support/plain_sample.hpp"

namespace omvc {
namespace {

constexpr Index kRows = 1200;

// Rows around three centres in two views, the second of which a third of them lack: `stretch` draws the features of a
// view together, and the rows of the first cluster lie `loose` times as far from its centre.
struct Cloud {
  double stretch = 0;
  double loose = 1;
};

class Drawn {
 public:
  explicit Drawn(const Cloud& cloud) {
    const Index dims[] = {6, 4};
    std::vector<Chunk> pieces;
    for (Index first = 0; first < kRows; first += 300) {
      Chunk& chunk = pieces.emplace_back();
      for (Index i = first; i < first + 300; ++i) chunk.rows.push_back(i);
      for (Index v = 0; v < 2; ++v) {
        ChunkView& view = chunk.views.emplace_back();
        std::vector<float> values;
        for (Index i = first; i < first + 300; ++i) {
          if (v == 1 && i % 3 == 1) continue;
          view.present.push_back(i - first);
          const double shared = normal();
          for (Index j = 0; j < dims[v]; ++j) {
            const double noise = (1 - cloud.stretch) * normal() + cloud.stretch * shared;
            values.push_back(static_cast<float>(3 * static_cast<double>((label(i) + j) % 3) +
                                                (label(i) == 0 ? cloud.loose : 1) * noise));
          }
        }
        const auto rows = static_cast<Index>(view.present.size());
        view.block = DenseBlock<float>{.rows = rows, .cols = dims[v], .values = std::move(values)};
      }
    }
    for (Index i = 0; i < kRows; ++i) labels.push_back(static_cast<int>(label(i)));
    sample = Sample(std::move(pieces));
    for (Index v = 0; v < 2; ++v) schema.views.push_back({.name = std::to_string(v), .features = dims[v]});
  }

  Shape shape(int threads) const {
    Compute compute(threads);
    const FineRule rule{.direction = {false, false}, .quantum = {0x1.0p-26, 0x1.0p-26}};
    const Refined means =
        refine(sample, sample.pieces().size(), schema, 3, {labels.begin(), labels.end()}, rule, 0, compute);
    return shape_of(sample, sample.pieces().size(), labels, *means.prototypes.table(), compute);
  }

  std::vector<int> labels;
  Sample sample;
  Schema schema;

 private:
  static Index label(Index row) { return (row * row + row / 7) % 3; }
  double normal() { return random_.normal(next_++); }

  Random random_{3, Purpose::planted_data};
  std::uint64_t next_ = 0;
};

// (tr C)^2 / tr C^2 / features from the covariance itself, view by view.
double plain_roundness(const Drawn& drawn) {
  double round = 0;
  double spread = 0;
  for (const test::PlainView& view : test::plain_views(drawn.sample, drawn.sample.pieces().size())) {
    Matrix means = Matrix::Zero(3, view.X.cols());
    Vector rows = Vector::Zero(3);
    for (Index i = 0; i < kRows; ++i) {
      if (!view.present[static_cast<std::size_t>(i)]) continue;
      means.row(drawn.labels[static_cast<std::size_t>(i)]) += view.X.row(i);
      rows(drawn.labels[static_cast<std::size_t>(i)]) += 1;
    }
    for (Index k = 0; k < 3; ++k) means.row(k) /= rows(k);
    Matrix C = Matrix::Zero(view.X.cols(), view.X.cols());
    for (Index i = 0; i < kRows; ++i) {
      if (!view.present[static_cast<std::size_t>(i)]) continue;
      const RowVector left = view.X.row(i) - means.row(drawn.labels[static_cast<std::size_t>(i)]);
      C += left.transpose() * left / rows.sum();
    }
    round += C.trace() * C.trace() * C.trace() / (C * C).trace() / static_cast<double>(C.rows());
    spread += C.trace();
  }
  return round / spread;
}

TEST(Round, RoundnessIsThatOfTheCovarianceAroundTheMeans) {
  for (const double stretch : {0.0, 0.3, 0.5, 0.8}) {
    const Drawn drawn({.stretch = stretch});
    EXPECT_NEAR(drawn.shape(1).roundness / plain_roundness(drawn), 1, 0.1) << "stretched by " << stretch;
  }
}

TEST(Round, BallsOfOneSizeAreRoundAndAlike) { EXPECT_TRUE(round_and_alike(Drawn({}).shape(1), Recipe())); }

TEST(Round, WhatIsDrawnOutIsNotRound) { EXPECT_FALSE(round_and_alike(Drawn({.stretch = 0.6}).shape(1), Recipe())); }

TEST(Round, BallsOfTwoSizesAreNotAlike) {
  const Shape shape = Drawn({.loose = 2}).shape(1);
  EXPECT_FALSE(round_and_alike(shape, Recipe()));
  EXPECT_NEAR(shape.loosest / shape.tightest, 4, 0.5) << "twice as far is four times the square";
}

TEST(Round, ShapesAreEqualToTheBitForAnyNumberOfThreads) {
  const Drawn drawn({.stretch = 0.2, .loose = 1.2});
  const Shape one = drawn.shape(1);
  const Shape four = drawn.shape(4);
  EXPECT_EQ(one.roundness, four.roundness);
  EXPECT_EQ(one.tightest, four.tightest);
  EXPECT_EQ(one.loosest, four.loosest);
}

// Sparse rows are never told apart by means here: what lies around their means is no ball.
TEST(Round, SparseViewsAreNotRound) {
  const PlantedOptions planted{.instances = 200, .features = {9, 40}, .density = {1, 0.2}, .clusters = 3, .seed = 3};
  const Sample sample = test::planted_sample(planted, 50);
  std::vector<int> labels(200);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 3);
  Compute compute(1);
  const Refined means = refine(sample, 4, make_planted_source(planted)->schema(), 3, {labels.begin(), labels.end()},
                               {.direction = {false, false}, .quantum = {0x1.0p-26, 0x1.0p-26}}, 0, compute);
  EXPECT_EQ(shape_of(sample, 4, labels, *means.prototypes.table(), compute).roundness, 0);
}

}  // namespace
}  // namespace omvc
