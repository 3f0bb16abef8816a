#include "model/names.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace omvc {
namespace {

// Rows of a sample spread over prototypes, and these over clusters; some rows have none, some are outliers.
Membership spread(std::size_t rows, int prototypes, int clusters, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  Membership out{.ids = {}, .group = {}, .count = clusters};
  for (int p = 0; p < prototypes; ++p) out.group.push_back(p < clusters ? p : draw(clusters));
  for (std::size_t i = 0; i < rows; ++i) {
    out.ids.push_back(draw(9) == 0 ? -1 : draw(prototypes - 1));  // to the last one no row is near
    out.outlier.push_back(draw(7) == 0);
  }
  return out;
}

// Rows that stay where they are for the most part.
Membership moved_on(const Membership& before, int clusters, unsigned seed) {
  Membership out = spread(before.ids.size(), 8, clusters, seed);
  for (std::size_t i = 0; i < out.ids.size(); ++i) {
    if (i % 3 != 0 && before.ids[i] >= 0) out.ids[i] = before.ids[i] % 8;
  }
  return out;
}

std::vector<double> plain_sizes(const Membership& of, double weight) {
  std::vector<double> sizes(static_cast<std::size_t>(of.count), 0.0);
  for (const std::int32_t id : of.ids) {
    if (id >= 0) sizes[static_cast<std::size_t>(of.group[static_cast<std::size_t>(id)])] += weight;
  }
  return sizes;
}

TEST(Names, BySizeIsTheOrderOfSizesAndThenOfFirstRows) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Membership now = spread(20, 9, 4, seed);  // so few that sizes are often equal
    std::vector<Index> rows;
    for (Index i = 0; i < 20; ++i) rows.push_back((i * 7 + 3) % 20);
    const Names::Named named = Names::by_size(now, rows, 2.5);
    EXPECT_EQ(named.sizes, plain_sizes(now, 2.5));
    EXPECT_TRUE(named.moves.empty());
    EXPECT_EQ(named.naming.next, 4);
    EXPECT_TRUE(named.naming.events.empty());
    // Of any two clusters the larger has the smaller number, of equals the one whose row comes first.
    std::map<int, std::pair<double, Index>> place;
    for (std::size_t k = 0; k < 4; ++k) {
      Index first = 1000;
      for (std::size_t i = 0; i < 20; ++i) {
        if (now.cluster(i) == static_cast<int>(k)) first = std::min(first, rows[i]);
      }
      place[named.naming.numbers[k]] = {-named.sizes[k], first};
    }
    ASSERT_EQ(place.size(), 4u);
    for (int number = 0; number < 3; ++number) EXPECT_LE(place[number], place[number + 1]) << seed;
  }
}

TEST(Names, MatchedIsTheMatchingOfSharedRows) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Membership before = spread(300, 10, 4, seed);
    const Membership now = moved_on(before, 3 + static_cast<int>(seed % 3), seed + 100);
    const Names names({7, 2, 5, 0}, 9);
    const double weight = 1.5;
    const Names::Named found = names.matched(before, now, weight);
    Matrix shared = Matrix::Zero(before.count, now.count);
    Vector fresh = Vector::Zero(now.count);
    std::map<int, std::map<int, int>> went;  // rows of each prototype, by where they are now
    for (std::size_t i = 0; i < before.ids.size(); ++i) {
      if (now.ids[i] < 0) continue;
      if (before.ids[i] >= 0) went[before.ids[i]][now.ids[i]] += 1;
      if (before.ids[i] < 0 || before.outlier[i]) {
        fresh(now.cluster(i)) += weight;
      } else {
        shared(before.cluster(i), now.cluster(i)) += weight;
      }
    }
    const Naming naming = match_names(shared, fresh, {7, 2, 5, 0}, 9);
    EXPECT_EQ(found.naming.numbers, naming.numbers);
    EXPECT_EQ(found.naming.next, naming.next);
    EXPECT_EQ(found.naming.events.size(), naming.events.size());
    EXPECT_EQ(found.sizes, plain_sizes(now, weight));
    ASSERT_EQ(found.moves.size(), before.group.size());
    for (int p = 0; p < 10; ++p) {
      const std::int32_t to = found.moves[static_cast<std::size_t>(p)];
      if (went.contains(p)) {
        for (const auto& [other, rows] : went[p]) EXPECT_GE(went[p][to], rows) << "most of its rows are there";
        continue;
      }
      // No row tells: it goes to a prototype of the cluster that its own cluster became.
      Index cluster = 0;
      shared.row(before.group[static_cast<std::size_t>(p)]).maxCoeff(&cluster);
      EXPECT_EQ(now.group[static_cast<std::size_t>(to)], cluster);
    }
  }
}

TEST(Names, ThatNothingHappenedChangesNothing) {
  Membership same = spread(300, 10, 4, 1);
  same.outlier.clear();
  const Names names({7, 2, 5, 0}, 9);
  const Names::Named found = names.matched(same, same, 1);
  EXPECT_EQ(found.naming.numbers, names.numbers());
  EXPECT_EQ(found.naming.next, 9);
  EXPECT_TRUE(found.naming.events.empty());
  for (std::size_t p = 0; p + 1 < found.moves.size(); ++p) EXPECT_EQ(found.moves[p], static_cast<std::int32_t>(p));
}

TEST(Names, MovedFollowsEveryGeneration) {
  Names names;
  std::vector<Membership> past{spread(300, 8, 3, 5)};
  names.take(Names::by_size(past[0], std::vector<Index>(300, 0), 1), 100);
  EXPECT_EQ(names.generation(), 0) << "without a past nothing has moved";
  std::vector<std::vector<std::int32_t>> moves;
  for (unsigned step = 0; step < 4; ++step) {
    past.push_back(moved_on(past.back(), 3, step + 10));
    Names::Named named = names.matched(past[step], past[step + 1], 1);
    moves.push_back(named.moves);
    EXPECT_EQ(names.generation(), step);
    names.take(std::move(named), 200 + step);
  }
  EXPECT_EQ(names.generation(), 4);
  EXPECT_EQ(names.history().points().size(), 5u);
  EXPECT_EQ(names.history().points().back().instances, 203);
  EXPECT_EQ(names.history().points().back().numbers, names.numbers());
  const Near near{
      .count = 2, .ids = {0, 3, -1, -1, 7, 2}, .weights = {1, 0, 0, 0, 1, 0}, .distances = {}, .squares = {}};
  for (Index from = 0; from <= 4; ++from) {
    std::vector<std::int32_t> expected = near.ids;
    for (std::int32_t& id : expected) {
      for (auto g = static_cast<std::size_t>(from); g < 4 && id >= 0; ++g) id = moves[g][static_cast<std::size_t>(id)];
    }
    EXPECT_EQ(names.moved(near, from).ids, expected);
    EXPECT_EQ(names.moved(near, from).weights, near.weights);
    EXPECT_TRUE(from == 4 || names.prototypes(from) == 8);
    EXPECT_EQ(names.moved(-1, from), -1);
    for (int cluster = 0; cluster < 3; ++cluster) {
      EXPECT_TRUE(from == 4 || names.clusters(from) == 3);
      // The cluster that most of its rows are in, step by step, but for those that were strangers.
      int expected_cluster = cluster;
      for (auto g = static_cast<std::size_t>(from); g < 4; ++g) {
        std::vector<int> shared(3, 0);
        for (std::size_t i = 0; i < past[g].ids.size(); ++i) {
          const bool stranger = !past[g].outlier.empty() && past[g].outlier[i];
          if (past[g].ids[i] < 0 || past[g + 1].ids[i] < 0 || stranger) continue;
          if (past[g].cluster(i) == expected_cluster) ++shared[static_cast<std::size_t>(past[g + 1].cluster(i))];
        }
        expected_cluster = static_cast<int>(std::max_element(shared.begin(), shared.end()) - shared.begin());
      }
      EXPECT_EQ(names.moved(cluster, from), expected_cluster);
    }
  }
  names.forget_moves();
  EXPECT_EQ(names.generation(), 0);
  EXPECT_EQ(names.moved(near, 0).ids, near.ids);
}

TEST(Names, RenamingReachesThePastAndForgetsEvents) {
  Names names({4, 6}, 7);
  names.set_history(History());
  names.take({.naming = {.numbers = {4, 6}, .next = 7, .events = {{.cluster = 6}}}, .sizes = {10, 20}, .moves = {}},
             30);
  EXPECT_EQ(names.history().points().size(), 1u);
  names.rename({.numbers = {1, 0}, .next = 2, .events = {}});
  EXPECT_EQ(names.numbers(), (std::vector<int>{1, 0}));
  EXPECT_EQ(names.next(), 2);
  EXPECT_EQ(names.history().points()[0].numbers, (std::vector<int>{1, 0}));
  EXPECT_TRUE(names.take_events().empty());
}

TEST(Names, EventsAreTakenOnce) {
  Names names({0}, 1);
  const ClusterEvent event{.kind = ClusterEvent::Kind::split, .cluster = 1, .other = 0, .instances = 3};
  names.take({.naming = {.numbers = {0, 1}, .next = 2, .events = {event}}, .sizes = {1, 3}, .moves = {0}}, 4);
  ASSERT_EQ(names.take_events().size(), 1u);
  EXPECT_TRUE(names.take_events().empty());
}

}  // namespace
}  // namespace omvc
