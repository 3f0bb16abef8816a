#include "fine/build.hpp"

#include <gtest/gtest.h>

#include "support/chunks.hpp"
#include "support/plain_sample.hpp"

namespace omvc {
namespace {

PlantedOptions dense() {
  return {
      .instances = 900, .features = {8, 5}, .clusters = 4, .missing = 0.3, .separation = 2, .noise = 0.4, .seed = 3};
}

PlantedOptions text() {
  return {.instances = 700, .features = {90, 120}, .density = {0.08, 0.06}, .clusters = 4, .missing = 0.3, .seed = 3};
}

struct Built {
  Built(const PlantedOptions& data, bool unit, const Recipe& recipe, int threads = 1)
      : sample(test::planted_sample(data, recipe.piece_rows, unit)), schema(make_planted_source(data)->schema()) {
    Compute compute(threads);
    prototypes = build(sample, input(unit), recipe, rows, compute);
  }
  BuildInput input(bool unit) const {
    return {.schema = schema, .unit_rows = {unit, unit}, .clusters = 4, .rank = 0, .seed = 7};
  }
  // All that was built, as bytes.
  std::string bytes() const {
    Archive archive;
    prototypes.fine.save(archive, "fine", true);
    prototypes.factors->state().save(archive, "", false);
    archive.put("squares", prototypes.squares);
    archive.put("latent", rows.latent);
    for (std::size_t p = 0; p < rows.near.size(); ++p) {
      const std::string key = "near" + std::to_string(p);
      archive.put(key, rows.near[p].weights);
      archive.put(key + "/ids", std::vector<Index>(rows.near[p].ids.begin(), rows.near[p].ids.end()));
      archive.put(key + "/distances", rows.near[p].distances);
    }
    return archive.to_bytes();
  }
  double mean_distance() const { return prototypes.fine.sums().mean_distance(); }

  Sample sample;
  Schema schema;
  SampleRows rows;
  Prototypes prototypes;
};

Recipe recipe(const std::vector<std::string>& changes) {
  std::vector<std::string> all{"piece_rows=200"};
  all.insert(all.end(), changes.begin(), changes.end());
  return parse_recipe(all);
}

TEST(Build, ThreadsChangeNoBit) {
  for (const bool unit : {false, true}) {
    const Built one(unit ? text() : dense(), unit, recipe({}));
    for (const int threads : {2, 3}) {
      EXPECT_TRUE(Built(unit ? text() : dense(), unit, recipe({}), threads).bytes() == one.bytes()) << threads;
    }
  }
}

TEST(Build, CountsEveryRowOnceAtTheNearestPrototype) {
  const Built built(dense(), false, recipe({}));
  const FinePrototypes& fine = built.prototypes.fine;
  const std::vector<test::PlainView> views = test::plain_views(built.sample, built.sample.pieces().size());
  EXPECT_EQ(fine.sums().mass.sum(), 900);
  EXPECT_GT(fine.sums().mass.minCoeff(), 0 - 1e-300);
  Vector mass = Vector::Zero(fine.size());
  for (const Near& near : built.rows.near) {
    for (Index i = 0; i < static_cast<Index>(near.distances.size()); ++i) mass(near.id(i, 0)) += 1;
  }
  EXPECT_EQ(mass, fine.sums().mass);
  // By definition, in double precision: none is nearer, but for what single precision cannot tell.
  std::vector<Matrix> P;
  for (const NarrowMatrix& columns : fine.table()->columns) P.emplace_back(columns.cast<double>());
  const Assigned plain = test::plain_assign(views, P);
  EXPECT_NEAR(plain.error, fine.sums().spread.sum(), 1e-4 * plain.error);
}

TEST(Build, AnInstanceLiesAmongAsManyPrototypesAsTheRecipeSays) {
  for (const int near : {1, 3, 8}) {
    const Built built(dense(), false, recipe({"near=" + std::to_string(near)}));
    EXPECT_EQ(built.prototypes.fine.rule().near, near);
    for (const Near& piece : built.rows.near) EXPECT_EQ(piece.count, near);
  }
}

TEST(Build, RoundsBringPrototypesNearerToTheirRows) {
  std::vector<double> distances;
  for (const int rounds : {0, 1, 2, 12}) {
    const std::vector<std::string> changes{"prior_rows=0", "fine_rounds=" + std::to_string(rounds)};
    distances.push_back(Built(dense(), false, recipe(changes)).mean_distance());
  }
  for (std::size_t i = 1; i < distances.size(); ++i) EXPECT_LT(distances[i], distances[i - 1]) << i;
}

// What the factorisation says counts for so many rows of a prototype: the more of them, the farther it is from the
// mean.
TEST(Build, ThePriorDrawsPrototypesToTheFactorisation) {
  std::vector<double> away;
  for (const char* prior : {"prior_rows=0", "prior_rows=1", "prior_rows=1000"}) {
    // Without rounds prototypes are the means of groups; after one more count their members are those of the end.
    const Built built(dense(), false, recipe({prior, "fine_rounds=30"}));
    const FinePrototypes& fine = built.prototypes.fine;
    double sum = 0;
    for (std::size_t v = 0; v < 2; ++v) {
      std::vector<int> group;
      for (Index p = 0; p < fine.size(); ++p) group.push_back(static_cast<int>(p));
      const Matrix means = fine.sums().means(v, group, static_cast<int>(fine.size()));
      for (Index p = 0; p < fine.size(); ++p) {
        if (!(fine.sums().counts[v](p) > 0)) continue;
        sum += (means.col(p) - fine.table()->columns[v].col(p).cast<double>()).squaredNorm();
      }
    }
    away.push_back(sum);
  }
  EXPECT_LT(away[0], 1e-6) << "prototypes at rest are the means of their rows";
  EXPECT_GT(away[1], 2 * away[0]);
  EXPECT_GT(away[2], 2 * away[1]);
}

TEST(Build, RowsOfLengthOneHaveNoPrior) {
  EXPECT_TRUE(Built(text(), true, recipe({"prior_rows=0"})).bytes() ==
              Built(text(), true, recipe({"prior_rows=9"})).bytes());
}

TEST(Build, DirectionIsAskedOfAnyViewOrOfAll) {
  const Recipe any = parse_recipe({"mixed_by_direction=1"});
  const Recipe all;
  EXPECT_TRUE(by_direction({true, false}, any));
  EXPECT_FALSE(by_direction({true, false}, all));
  for (const Recipe& either : {any, all}) {
    EXPECT_TRUE(by_direction({true, true}, either));
    EXPECT_FALSE(by_direction({false, false}, either));
  }
}

TEST(Build, LookingAgainFindsTheSame) {
  for (const bool unit : {false, true}) {
    const Built built(unit ? text() : dense(), unit, recipe({}));
    Compute compute(2);
    const SampleRows rows = look_again(built.sample, built.prototypes, compute);
    ASSERT_EQ(rows.near.size(), built.rows.near.size());
    for (std::size_t p = 0; p < rows.near.size(); ++p) {
      EXPECT_EQ(rows.near[p].ids, built.rows.near[p].ids);
      EXPECT_EQ(rows.near[p].weights, built.rows.near[p].weights);
      EXPECT_EQ(rows.near[p].distances, built.rows.near[p].distances);
    }
  }
}

}  // namespace
}  // namespace omvc
