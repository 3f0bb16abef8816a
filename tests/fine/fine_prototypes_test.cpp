#include "fine/fine_prototypes.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "omvc/planted.hpp"
#include "omvc/source.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

constexpr Index kPrototypes = 9;
constexpr double kNarrow = 1e-6;  // error of distances, for rows of length 1: they are of single precision

PlantedOptions planted() {
  return {.instances = 240, .features = {7, 30}, .density = {1, 0.2}, .clusters = 3, .missing = 0.3, .seed = 4};
}

Schema schema() { return make_planted_source(planted())->schema(); }

FineRule rule() { return {.direction = {false, false}, .quantum = {0x1.0p-24, 0x1.0p-24}}; }

// Prototypes that are some of the instances.
FinePrototypes begun(const Chunk& table, Compute& compute) {
  FinePrototypes fine(schema(), kPrototypes, rule());
  std::vector<std::int32_t> ids(table.rows.size(), -1);
  for (std::size_t k = 0; k < kPrototypes; ++k) ids[k * 20] = static_cast<std::int32_t>(k);
  const PreparedChunk data(table);
  const Members members{&data, &ids};
  fine.count({&members, 1}, 1, compute);
  fine.settle(compute);
  fine.forget(compute);
  return fine;
}

void learn(FinePrototypes& fine, const Chunk& chunk, Compute& compute) {
  const PreparedChunk data(chunk);
  const Near near = fine.near(data, compute);
  fine.count({&data, 1}, {&near, 1}, 1, compute);
}

std::string bytes_of(const FinePrototypes& fine) {
  Archive archive;
  fine.save(archive, "f", true);
  return archive.to_bytes();
}

TEST(FinePrototypes, PartsThatAreMergedAreTheWholeToTheBit) {
  Compute compute(1);
  const Chunk table = read_all(*make_planted_source(planted()));
  const FinePrototypes start = begun(table, compute);
  FinePrototypes whole = start;
  learn(whole, table, compute);
  for (const Index size : {30, 80, 120}) {
    std::vector<FinePrototypes> parts;
    const auto source = make_planted_source(planted());
    while (auto chunk = source->next(size)) {
      parts.push_back(start);
      learn(parts.back(), *chunk, compute);
    }
    for (const bool backwards : {false, true}) {
      PrototypeSums sum(schema(), kPrototypes);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        Archive part;
        parts[backwards ? parts.size() - 1 - i : i].sums().put(part, "sums");
        sum.merge(PrototypeSums::get(part, "sums", schema(), kPrototypes));
      }
      FinePrototypes merged = start;
      merged.take(sum);
      EXPECT_EQ(bytes_of(merged), bytes_of(whole)) << "parts of " << size << (backwards ? ", backwards" : "");
    }
  }
}

TEST(FinePrototypes, WhatIsTakenOutAgainLeavesNoTrace) {
  Compute compute(2);
  const Chunk table = read_all(*make_planted_source(planted()));
  FinePrototypes fine = begun(table, compute);
  learn(fine, table, compute);
  const std::string before = bytes_of(fine);
  std::vector<std::int32_t> ids(table.rows.size(), -1);
  for (std::size_t i = 0; i < ids.size(); i += 3) ids[i] = static_cast<std::int32_t>(i % kPrototypes);
  const PreparedChunk data(table);
  const Members members{&data, &ids};
  fine.count({&members, 1}, 1, compute);
  EXPECT_NE(bytes_of(fine), before);
  fine.count({&members, 1}, -1, compute);
  EXPECT_EQ(bytes_of(fine), before);
}

TEST(FinePrototypes, NearIsWhatPlainDistancesSay) {
  Compute compute(2);
  const Chunk table = read_all(*make_planted_source(planted()));
  const FinePrototypes fine = begun(table, compute);
  const PreparedChunk data(table);
  const Near near = fine.near(data, compute);
  ASSERT_EQ(near.count, fine.rule().near);
  std::vector<std::vector<double>> distance(table.rows.size(), std::vector<double>(kPrototypes, 0.0));
  std::vector<double> views(table.rows.size(), 0);
  std::vector<double> squares(table.rows.size(), 0);
  for (std::size_t v = 0; v < table.views.size(); ++v) {
    for (std::size_t i = 0; i < table.views[v].present.size(); ++i) {
      const auto at = static_cast<std::size_t>(table.views[v].present[i]);
      const auto row = test::dense_row(table.views[v].block, static_cast<Index>(i));
      views[at] += 1;
      for (const double x : row) squares[at] += x * x;
      for (Index k = 0; k < kPrototypes; ++k) {
        for (std::size_t j = 0; j < row.size(); ++j) {
          distance[at][static_cast<std::size_t>(k)] +=
              std::pow(row[j] - fine.table()->columns[v](static_cast<Index>(j), k), 2);
        }
      }
    }
  }
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const auto at = static_cast<Index>(i);
    double sum = 0;
    for (Index j = 0; j < near.count; ++j) sum += near.weight(at, j);
    EXPECT_EQ(sum, 1) << "weights add up exactly";
    std::vector<double> sorted = distance[i];
    std::sort(sorted.begin(), sorted.end());
    for (Index j = 0; j < near.count; ++j) {
      EXPECT_NEAR(distance[i][static_cast<std::size_t>(near.id(at, j))], sorted[static_cast<std::size_t>(j)],
                  kNarrow * (1 + squares[i]));
    }
    EXPECT_NEAR(near.distances[i], sorted[0] / views[i], kNarrow * (1 + squares[i]));
  }
}

TEST(FinePrototypes, ThreadsDoNotChangeABit) {
  Compute one(1), three(3);
  const Chunk table = read_all(*make_planted_source(planted()));
  FinePrototypes a = begun(table, one), b = begun(table, three);
  learn(a, table, one);
  learn(b, table, three);
  a.settle(one);
  b.settle(three);
  EXPECT_EQ(bytes_of(a), bytes_of(b));
}

TEST(FinePrototypes, AffinityIsThatOfTheWeightsAndSplitsIntoHalves) {
  Compute compute(1);
  const Chunk table = read_all(*make_planted_source(planted()));
  FinePrototypes fine = begun(table, compute);
  const PreparedChunk data(table);
  const Near near = fine.near(data, compute);
  Matrix Z = Matrix::Zero(data.size(), kPrototypes);
  for (Index i = 0; i < data.size(); ++i) {
    for (Index j = 0; j < near.count; ++j) Z(i, near.id(i, j)) += near.weight(i, j);
  }
  fine.count({&data, 1}, {&near, 1}, 1, compute);
  const PrototypeSums& sums = fine.sums();
  EXPECT_LT((sums.affinity_of_both() - Z.transpose() * Z).norm(), 1e-9);
  for (const std::size_t half : {0u, 1u}) EXPECT_GT(sums.affinity[half].sum(), 0.3 * sums.affinity_of_both().sum());
  EXPECT_EQ(sums.mass.sum(), static_cast<double>(data.size()));
}

}  // namespace
}  // namespace omvc
