// What votes and distances mean: the curve, the scale, and models of other rows.
#include "cut/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "chunk/rows.hpp"
#include "cut/cut.hpp"
#include "random/philox.hpp"
#include "recipe/recipe.hpp"
#include "support/chunks.hpp"
#include "support/made_cut.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

// A vote of x is right with the chance x^2.
std::vector<Curve::Point> squared(int count) {
  const Random random(3, Purpose::planted_data);
  std::vector<Curve::Point> points;
  for (int i = 0; i < count; ++i) {
    const double share = random.uniform(static_cast<std::uint64_t>(2 * i));
    points.push_back({share, random.uniform(static_cast<std::uint64_t>(2 * i + 1)) < share * share});
  }
  return points;
}

TEST(Curve, LearnsTheChanceBehindAShare) {
  const Curve curve(squared(20'000));
  double last = 0;
  for (double share = 0; share <= 1; share += 0.05) {
    EXPECT_NEAR(curve(share), share * share, 0.05) << share;
    EXPECT_GE(curve(share), last);
    last = curve(share);
  }
}

// By definition: the largest over what begins before of the smallest over what ends behind of the mean.
TEST(Curve, IsTheIsotonicRegressionAtItsPoints) {
  std::vector<Curve::Point> points = squared(60);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.share < b.share; });
  std::vector<double> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double most = 0;
    for (std::size_t from = 0; from <= i; ++from) {
      double least = 1;
      double sum = 0;
      for (std::size_t to = from; to < points.size(); ++to) {
        sum += points[to].same ? 1 : 0;
        if (to >= i) least = std::min(least, sum / static_cast<double>(to - from + 1));
      }
      most = std::max(most, least);
    }
    best.push_back(most);
  }
  const Curve curve(points);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(curve(points[i].share), best[i], 1e-9);
}

TEST(Curve, FewOrEqualPointsAreHarmless) {
  EXPECT_DOUBLE_EQ(Curve()(0.3), 0.3);
  EXPECT_DOUBLE_EQ(Curve(std::vector<Curve::Point>())(0.3), 0.3);
  const Curve one({{1, true}, {1, false}, {1, true}, {1, true}});
  EXPECT_DOUBLE_EQ(one(1), 0.75);
  EXPECT_DOUBLE_EQ(one(0.5), 0.375);
  EXPECT_DOUBLE_EQ(one(0), 0);
  EXPECT_TRUE(std::isnan(one(std::nan(""))));
}

TEST(DistanceScale, OneIsInTheMiddleAndOneInAHundredIsAnOutlier) {
  const Random random(4, Purpose::planted_data);
  std::vector<double> distances;
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // logarithms are normal: Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform(2 * i)));
    distances.push_back(5 * std::exp(0.3 * radius * std::cos(6.283185307179586 * random.uniform(2 * i + 1))));
  }
  const auto beyond = [&](const DistanceScale& scale) {
    return static_cast<double>(std::count_if(distances.begin(), distances.end(),
                                             [&](double distance) { return scale(distance) > kOutlier; })) /
           static_cast<double>(distances.size());
  };
  const DistanceScale scale(distances);
  EXPECT_NEAR(scale(5), 1, 0.02);
  EXPECT_NEAR(beyond(scale), 0.01, 0.003);
  EXPECT_LT(scale(6), scale(7));
  // Outliers among them move neither by much.
  std::vector<double> more = distances;
  more.insert(more.end(), 600, 500.0);
  EXPECT_NEAR(DistanceScale(more)(5), 1, 0.1);
  EXPECT_LT(beyond(DistanceScale(more)), 0.012);
  EXPECT_GT(beyond(DistanceScale(more)), 0.001);
  EXPECT_GT(DistanceScale(more)(500), kOutlier);
}

TEST(DistanceScale, RowsThatAreAllAlikeAreHarmless) {
  for (const std::vector<double>& distances : {std::vector<double>{},
                                               std::vector<double>(50, 0.0),
                                               std::vector<double>(50, 2.0),
                                               {std::nan(""), 0, 0, 0, 1}}) {
    const DistanceScale scale(distances);
    for (const double distance : {0.0, 1e-300, 1.0, 2.0, 1e300}) {
      EXPECT_TRUE(std::isfinite(scale(distance)) && scale(distance) >= 0);
    }
    EXPECT_EQ(scale(0), 0);
    EXPECT_TRUE(std::isnan(scale(std::nan(""))));
  }
}

TEST(Calibration, AVoteFarFromAllThatIsKnownIsDrawnToChance) {
  EXPECT_EQ(drawn(0.9, 1, 4), 0.9);
  EXPECT_LT(drawn(0.9, 3, 4), 0.9);
  EXPECT_GT(drawn(0.9, 3, 4), drawn(0.9, 30, 4));
  EXPECT_NEAR(drawn(0.9, 1e6, 4), 0.25, 1e-3);
}

TEST(Calibration, SavedGivesTheSameBitsAndDamageIsRefused) {
  const Calibration made{.chance = Curve(squared(200)),
                         .alone = Curve(squared(50)),
                         .rows = DistanceScale({1, 2, 3, 4, 9}),
                         .prototypes = DistanceScale({1, 1, 5}),
                         .models = 2,
                         .compared = 200};
  Archive archive;
  made.save(archive, "c");
  const Calibration loaded = Calibration::load(archive, "c");
  for (double share = 0; share <= 1; share += 0.01) {
    EXPECT_EQ(loaded.chance(share), made.chance(share));
    EXPECT_EQ(loaded.alone(share), made.alone(share));
    EXPECT_EQ(loaded.rows(10 * share), made.rows(10 * share));
    EXPECT_EQ(loaded.prototypes(10 * share), made.prototypes(10 * share));
  }
  EXPECT_EQ(loaded.models, 2);
  const auto refused = [&](const std::string& key, const auto& value) {
    SCOPED_TRACE(key);
    Archive damaged = archive;
    damaged.put("c/" + key, value);
    test::expect_error(ErrorKind::data, {}, [&] { Calibration::load(damaged, "c"); });
  };
  refused("chance/shares", std::vector<double>{});
  refused("chance/shares", std::vector<double>{0, 0.5, 0.5});
  refused("chance/chances", std::vector<double>{0, 1});
  refused("alone/chances", std::vector<double>{0, 2});
  refused("alone/shares", std::vector<double>{std::nan("")});
  refused("rows", std::vector<double>{0, 1});
  refused("rows", std::vector<double>{1, std::nan("")});
  refused("prototypes", std::vector<double>{1});
  refused("models", std::vector<Index>{-1, 5});
}

// The mean confidence of the rows.
double agreement(const PlantedOptions& data) {
  const test::MadeCut made(data, false, parse_recipe({}), 2);
  EXPECT_GT(made.cut.calibration.models, 0);
  EXPECT_GT(made.cut.calibration.compared, 0);
  double sum = 0;
  for (const Vote& vote : made.cut.rows) sum += made.cut.calibration.chance(vote.share);
  return sum / static_cast<double>(made.cut.rows.size());
}

// A distance is that of a row that was not learned, so rows of the sample and others have the same.
TEST(Calibration, DistancesAreThoseOfRowsThatWereNotLearned) {
  test::MadeCut made(test::planted_dense(), false, parse_recipe({}), 2);
  PlantedOptions more = made.data;
  more.instances += 300;
  const Chunk all = *make_planted_source(more)->next(more.instances);
  const Chunk others = take_instances(all, test::iota(300, made.data.instances));
  const PreparedChunk chunk(others);
  const FinePrototypes& fine = made.prototypes.fine;
  std::vector<NarrowMatrix> products;
  const Near near = find_near(chunk, *fine.table(), fine.rule().near, fine.beyond(), made.compute, &products);
  const Voted voted = made.cut.votes->ask(chunk, near, &products, made.compute);
  const auto middle = [](std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
    return of[of.size() / 2];
  };
  EXPECT_NEAR(middle(voted.distance) / middle(made.cut.votes->distances_of_rows()), 1, 0.15);
  double beyond = 0;
  for (const Vote& vote : made.cut.rows) beyond += vote.distance > kOutlier ? 1 : 0;
  EXPECT_LT(beyond / static_cast<double>(made.cut.rows.size()), 0.03);
}

TEST(Calibration, TextHasTheSameMeaning) {
  const test::MadeCut made(test::planted_text(), true, parse_recipe({}), 2);
  EXPECT_GT(made.cut.calibration.models, 0);
  EXPECT_GT(made.cut.calibration.chance(1), 0.5);
}

TEST(Calibration, ClustersThatOtherRowsShowAreSureAndThoseOfNoiseAreNot) {
  PlantedOptions noise = test::planted_dense();
  noise.noise *= 40;
  const double clear = agreement(test::planted_dense());
  EXPECT_GT(clear, 0.97);
  EXPECT_LT(agreement(noise), clear - 0.2);
}

// What a cut says of a chunk that it has not learned.
Voted said_of(test::MadeCut& made, const PreparedChunk& chunk) {
  const Near near = made.prototypes.fine.near(chunk, made.compute);
  return made.cut.votes->ask(chunk, near, nullptr, made.compute);
}

// Clusters that overlap so much that models of other rows agree on some of the rows only: that share is the confidence.
TEST(Calibration, WhereClustersOverlapConfidenceIsTheShareThatOtherModelsAgreeOn) {
  constexpr Index kTold = 900;
  double sure = 0;
  double same = 0;
  for (const std::uint64_t seed : {3, 4, 5, 6}) {
    PlantedOptions data = test::planted_dense();
    data.noise *= 20;
    data.seed = seed;
    PlantedOptions more = data;
    more.instances = 2 * data.instances + kTold;
    const Chunk all = *make_planted_source(more)->next(more.instances);
    PlantedOptions twice = data;
    twice.instances *= 2;
    test::MadeCut made(twice, false, parse_recipe({}), 2);
    test::MadeCut other(data, false, parse_recipe({}), 2);
    const Chunk rows = take_instances(all, test::iota(kTold, twice.instances));
    const PreparedChunk chunk(rows);
    const Voted ours = said_of(made, chunk);
    const Voted theirs = said_of(other, chunk);
    Contingency both;
    both.add(ours.clusters, theirs.clusters);
    same += score(both).accuracy;
    for (Index i = 0; i < kTold; ++i)
      sure += made.cut.calibration.chance(vote_of(ours, i, made.cut.calibration).share) / kTold;
  }
  EXPECT_LT(same / 4, 0.85);
  EXPECT_GT(same / 4, 0.4);
  EXPECT_NEAR(sure / 4, same / 4, 0.06);
}

}  // namespace
}  // namespace omvc
