#include "cut/refine.hpp"

#include <gtest/gtest.h>

#include "support/plain_sample.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr double kNarrow = 1e-6;  // prototypes and their products are of single precision

// Dense and sparse rows in seven pieces; some instances have no view at all.
PlantedOptions planted() {
  return {.instances = 330,
          .features = {9, 40},
          .density = {1, 0.2},
          .clusters = 4,
          .missing = 0.4,
          .keep_one_view = false,
          .separation = 0.7,
          .seed = 11};
}

FineRule rule(bool direction) { return {.direction = {false, direction}, .quantum = {0x1.0p-26, 0x1.0p-26}}; }

// Five groups that say little of the clusters; the last instances are in none, nor are some others.
std::vector<std::int32_t> begun() {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 300; ++i) labels.push_back(i % 17 == 3 ? -1 : i * i % 5);
  return labels;
}

TEST(Refine, AssignsEveryInstanceToTheNearestPrototypeOfItsViews) {
  const Sample sample = test::planted_sample(planted(), 50);
  Compute compute(2);
  PrototypeTable table;
  std::vector<Matrix> P;
  for (const Index features : planted().features) {
    table.columns.emplace_back(test::random_matrix(features, 6, 3).cast<float>());
    P.emplace_back(table.columns.back().cast<double>());
  }
  table.measure(compute);
  for (const std::size_t pieces : {std::size_t{3}, sample.pieces().size()}) {
    const Assigned found = assign_sample(sample, pieces, table, compute);
    const Assigned plain = test::plain_assign(test::plain_views(sample, pieces), P);
    EXPECT_EQ(found.labels, plain.labels);
    EXPECT_NEAR(found.error, plain.error, kNarrow * plain.error);
    EXPECT_GT(std::count(found.labels.begin(), found.labels.end(), -1), 0) << "some instances have no view";
  }
}

TEST(Refine, MovesPrototypesAsMeansAndAssignmentsInTurnDo) {
  const Sample sample = test::planted_sample(planted(), 50);
  const Schema schema = make_planted_source(planted())->schema();
  Compute compute(2);
  for (const bool direction : {false, true}) {
    for (const std::size_t pieces : {std::size_t{4}, sample.pieces().size()}) {
      const std::vector<test::PlainView> views = test::plain_views(sample, pieces);
      for (const int rounds : {0, 1, 2, 30}) {
        SCOPED_TRACE(std::to_string(rounds) + " rounds of " + std::to_string(pieces) + " pieces");
        const Refined found = refine(sample, pieces, schema, 5, begun(), rule(direction), rounds, compute);
        const test::PlainRefined plain = test::plain_refine(views, 5, begun(), {false, direction}, rounds);
        EXPECT_EQ(found.labels, plain.labels);
        EXPECT_NEAR(found.error, plain.error, kNarrow * plain.error);
        Vector mass = Vector::Zero(5);
        const std::size_t used = std::min(found.labels.size(), views[0].present.size());
        for (std::size_t i = 0; i < used; ++i) {
          if (found.labels[i] >= 0) mass(found.labels[i]) += 1;
        }
        EXPECT_EQ(found.prototypes.sums().mass, mass);
        for (std::size_t v = 0; v < views.size(); ++v) {
          const Matrix P = found.prototypes.table()->columns[v].cast<double>();
          EXPECT_LT((P - plain.P[v]).cwiseAbs().maxCoeff(), kNarrow) << "view " << v;
        }
      }
    }
  }
}

TEST(Refine, AnEmptyClusterStaysAndOneWithoutAViewTakesItsMean) {
  Chunk chunk{test::iota(4), {}};
  chunk.views.push_back(test::view_of(Matrix{{1, 0}, {3, 0}, {0, 0}, {0, 8}}, {0, 1, 3}, test::dense_block<double>));
  chunk.views.push_back(test::view_of(Matrix{{5}, {6}, {7}, {8}}, {0, 1, 2}, test::dense_block<double>));
  std::vector<Chunk> pieces;
  pieces.push_back(std::move(chunk));
  const Sample sample(std::move(pieces));
  Compute compute;
  const FineRule plain{.direction = {false, false}, .quantum = {0x1.0p-20, 0x1.0p-20}};
  const Refined found = refine(sample, 1, test::schema_of({2, 1}), 4, {0, 0, 1, 2}, plain, 0, compute);
  const PrototypeTable& table = *found.prototypes.table();
  EXPECT_EQ(table.columns[0].cast<double>(),
            (Matrix{{2, 4.0f / 3, 0, 0}, {0, 8.0f / 3, 8, 0}}).cast<float>().cast<double>());
  EXPECT_EQ(table.columns[1].cast<double>(), (Matrix{{5.5, 7, 6, 0}}));
}

TEST(Refine, ThreadsChangeNoBit) {
  const Sample sample = test::planted_sample(planted(), 50);
  const Schema schema = make_planted_source(planted())->schema();
  Compute one;
  const Refined alone = refine(sample, 7, schema, 5, begun(), rule(true), 9, one);
  for (const int threads : {2, 5}) {
    Compute compute(threads);
    const Refined shared = refine(sample, 7, schema, 5, begun(), rule(true), 9, compute);
    EXPECT_EQ(shared.labels, alone.labels);
    EXPECT_EQ(shared.error, alone.error);
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_EQ(shared.prototypes.table()->columns[v], alone.prototypes.table()->columns[v]);
    }
  }
}

}  // namespace
}  // namespace omvc
