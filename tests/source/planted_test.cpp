#include "omvc/planted.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>

#include "omvc/error.hpp"

namespace omvc {
namespace {

using Row = std::vector<double>;

// Every observed row, made dense, by (view, row).
std::map<std::pair<std::size_t, Index>, Row> rows_of(Source& source, Index chunk_size) {
  std::map<std::pair<std::size_t, Index>, Row> rows;
  Index seen = 0;
  while (std::optional<Chunk> chunk = source.next(chunk_size)) {
    EXPECT_GT(chunk->size(), 0);
    EXPECT_LE(chunk->size(), chunk_size);
    for (const Index row : chunk->rows) EXPECT_EQ(row, seen++);
    for (std::size_t v = 0; v < chunk->views.size(); ++v) {
      const ChunkView& view = chunk->views[v];
      EXPECT_TRUE(std::is_sorted(view.present.begin(), view.present.end()));
      std::visit(
          [&]<class B>(const B& block) {
            ASSERT_EQ(block.rows, static_cast<Index>(view.present.size()));
            ASSERT_EQ(block.cols, source.schema().views[v].features);
            for (Index i = 0; i < block.rows; ++i) {
              Row row(static_cast<std::size_t>(block.cols), 0.0);
              if constexpr (requires { block.offsets; }) {
                for (auto at = static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(i)]);
                     at < static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(i) + 1]); ++at) {
                  row.at(static_cast<std::size_t>(block.columns[at])) = static_cast<double>(block.values[at]);
                }
              } else {
                std::copy(block.row(i).begin(), block.row(i).end(), row.begin());
              }
              rows[{v, chunk->rows[static_cast<std::size_t>(view.present[static_cast<std::size_t>(i)])]}] = row;
            }
          },
          view.block);
    }
  }
  EXPECT_EQ(seen, source.size());
  return rows;
}

PlantedOptions mixed() {
  PlantedOptions options;
  options.instances = 300;
  options.features = {40, 500, 7};
  options.density = {1.0, 0.04, 1.0};
  options.clusters = 5;
  options.missing = 0.3;
  options.seed = 11;
  return options;
}

TEST(Planted, NamesItsViewsAndFeatures) {
  const auto source = make_planted_source(mixed());
  ASSERT_EQ(source->schema().views.size(), 3u);
  EXPECT_EQ(source->schema().views[1].name, "view2");
  EXPECT_EQ(source->schema().views[1].features, 500);
  ASSERT_EQ(source->schema().views[1].feature_names.size(), 500u);
  EXPECT_EQ(source->schema().views[1].feature_names[11], "f12");
}

TEST(Planted, RowsDoNotDependOnChunksAndComeAgainAfterRewind) {
  const auto source = make_planted_source(mixed());
  const auto rows = rows_of(*source, 1000);
  EXPECT_FALSE(source->next(1).has_value());
  for (const Index size : {1, 7, 300}) {
    ASSERT_TRUE(source->rewind());
    EXPECT_EQ(rows_of(*source, size), rows);
  }
}

TEST(Planted, RowsDoNotDependOnTheNumberOfInstances) {
  PlantedOptions options = mixed();
  const auto many = rows_of(*make_planted_source(options), 64);
  options.instances = 50;
  for (const auto& [key, row] : rows_of(*make_planted_source(options), 64)) EXPECT_EQ(row, many.at(key));
}

TEST(Planted, AnotherSeedIsOtherData) {
  PlantedOptions options = mixed();
  const auto rows = rows_of(*make_planted_source(options), 64);
  options.seed = 12;
  EXPECT_NE(rows_of(*make_planted_source(options), 64), rows);
}

TEST(Planted, CostsNothingPerInstance) {
  PlantedOptions options = mixed();
  options.instances = std::numeric_limits<Index>::max() / 1000;
  const auto source = make_planted_source(options);
  EXPECT_EQ(source->size(), options.instances);
  EXPECT_EQ(source->next(10)->size(), 10);
}

TEST(Planted, ViewsAreDenseOrSparseByTheirDensityAndNonnegative) {
  PlantedOptions options = mixed();
  options.missing = 0;
  const auto source = make_planted_source(options);
  const Chunk chunk = source->next(300).value();
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(chunk.views[0].block));
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(chunk.views[2].block));
  for (const float value : std::get<DenseBlock<float>>(chunk.views[0].block).values) EXPECT_GE(value, 0);
  const auto& sparse = std::get<CsrBlock<float>>(chunk.views[1].block);
  for (const float value : sparse.values) EXPECT_GT(value, 0);
  for (Index i = 0; i < sparse.rows; ++i) {
    const auto first = sparse.columns.begin() + sparse.offsets[static_cast<std::size_t>(i)];
    const auto last = sparse.columns.begin() + sparse.offsets[static_cast<std::size_t>(i) + 1];
    EXPECT_EQ(std::adjacent_find(first, last, std::greater_equal<>()), last) << "columns of row " << i;
  }
  // 0.04 * 500 = 20 entries a row, less the few that are drawn both as strong and as any feature.
  const double mean = static_cast<double>(sparse.nonzeros()) / 300;
  EXPECT_LE(mean, 20);
  EXPECT_GT(mean, 17);
}

TEST(Planted, LabelsAreBalancedAndInRange) {
  const PlantedOptions options = mixed();
  std::vector<int> counts(5, 0);
  for (Index row = 0; row < 10000; ++row) ++counts.at(static_cast<std::size_t>(planted_label(options, row)));
  // Standard deviation sqrt(10000 * 0.2 * 0.8) = 40.
  for (const int count : counts) EXPECT_NEAR(count, 2000, 5 * 40);
}

// The mean direction of each cluster, learnt from the first half of the rows, names the cluster of the others.
TEST(Planted, EveryViewTellsTheClustersApart) {
  PlantedOptions options = mixed();
  options.instances = 1000;
  options.missing = 0.2;
  const auto rows = rows_of(*make_planted_source(options), 128);
  const auto normalised = [](Row row) {
    double squares = 0;
    for (const double x : row) squares += x * x;
    for (double& x : row) x /= std::sqrt(squares);
    return row;
  };
  for (const std::size_t view : {0u, 1u, 2u}) {
    std::vector<Row> means(5, Row(static_cast<std::size_t>(options.features[view]), 0.0));
    for (const auto& [key, row] : rows) {
      if (key.first != view || key.second >= 500) continue;
      const Row unit = normalised(row);
      Row& mean = means[static_cast<std::size_t>(planted_label(options, key.second))];
      for (std::size_t j = 0; j < unit.size(); ++j) mean[j] += unit[j];
    }
    for (Row& mean : means) mean = normalised(mean);
    int hits = 0;
    int total = 0;
    for (const auto& [key, row] : rows) {
      if (key.first != view || key.second < 500) continue;
      std::vector<double> products;
      for (const Row& mean : means) products.push_back(std::inner_product(row.begin(), row.end(), mean.begin(), 0.0));
      hits +=
          std::max_element(products.begin(), products.end()) - products.begin() == planted_label(options, key.second);
      ++total;
    }
    EXPECT_EQ(hits, total) << "view " << view;
  }
}

TEST(Planted, MissingViewsFollowTheRateAndLeaveOne) {
  PlantedOptions options = mixed();
  options.instances = 4000;
  options.missing = 0.6;
  std::vector<Index> present(3, 0);
  std::map<Index, int> views_of;
  for (const auto& [key, row] : rows_of(*make_planted_source(options), 500)) {
    ++present[key.first];
    ++views_of[key.second];
  }
  EXPECT_EQ(views_of.size(), 4000u);
  // 0.6^3 of the instances get one of three views back; standard deviation of a count sqrt(4000 * 0.53 * 0.47) = 31.6.
  const double expected = 4000 * (0.4 + std::pow(0.6, 3) / 3);
  for (const Index count : present) EXPECT_NEAR(static_cast<double>(count), expected, 5 * 31.6);
}

TEST(Planted, InstancesMayLoseAllTheirViewsOnRequest) {
  PlantedOptions options = mixed();
  options.instances = 1000;
  options.missing = 0.6;
  options.keep_one_view = false;
  std::map<Index, int> views_of;
  for (const auto& [key, row] : rows_of(*make_planted_source(options), 500)) ++views_of[key.second];
  // 0.6^3 of 1000 have none; standard deviation sqrt(1000 * 0.216 * 0.784) = 13.
  EXPECT_NEAR(static_cast<double>(views_of.size()), 784, 5 * 13);
}

TEST(Planted, WithoutNoiseDenseRowsOfAClusterAreMultiplesOfEachOther) {
  PlantedOptions options;
  options.instances = 40;
  options.features = {9};
  options.clusters = 2;
  options.noise = 0;
  std::map<int, Row> first;
  for (const auto& [key, row] : rows_of(*make_planted_source(options), 40)) {
    const auto [at, is_new] = first.emplace(planted_label(options, key.second), row);
    for (std::size_t j = 1; j < row.size(); ++j) {
      // Values below 3 in single precision: products agree to a few times 9 * 2^-24.
      EXPECT_NEAR(row[j] * at->second[0], row[0] * at->second[j], 4e-6);
    }
  }
  EXPECT_EQ(first.size(), 2u);
}

TEST(Planted, TakesFewerFeaturesThanClusters) {
  PlantedOptions options;
  options.instances = 20;
  options.features = {1, 3};
  options.density = {1.0, 0.1};
  options.clusters = 8;
  EXPECT_EQ(rows_of(*make_planted_source(options), 6).size(), 40u);
}

TEST(Planted, RefusesOptionsOutsideTheirRanges) {
  const auto refused = [](auto change) {
    PlantedOptions options = mixed();
    change(options);
    try {
      make_planted_source(options);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.instances = -1; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.features.clear(); }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.features[1] = 0; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.density.pop_back(); }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.density[0] = 0; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.density[0] = 1.5; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.clusters = 0; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.missing = 1; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.separation = 0; }));
  EXPECT_TRUE(refused([](PlantedOptions& o) { o.noise = std::nan(""); }));
  EXPECT_THROW(make_planted_source(mixed())->next(0), Error);
}

}  // namespace
}  // namespace omvc
