#include "cut/row_cut.hpp"

#include <gtest/gtest.h>

#include "support/made_cut.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using test::MadeGraphs;
constexpr int kClusters = test::kPlantedClusters;

RowCut cut_of(MadeGraphs& made, const Moved& moved = {}) {
  return cut_rows(made.graphs, made.sample, kClusters, 7, made.recipe, moved, made.compute);
}

// The nearest other rows of each row by the distance that is given.
template <class Distance>
void expect_nearest(const Neighbourhood& found, const Distance& distance) {
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (const std::int32_t other : found.rows) {
      if (other != found.rows[i]) all.emplace_back(distance(found.rows[i], other), other);
    }
    std::sort(all.begin(), all.end());
    for (Index j = 0; j < found.near.count; ++j) {
      const double right = all[static_cast<std::size_t>(j)].first;
      EXPECT_NEAR(found.near.distance(static_cast<Index>(i), j), right, 1e-4);
      EXPECT_NEAR(distance(found.rows[i], found.near.id(static_cast<Index>(i), j)), right, 1e-4);
    }
  }
}

TEST(RowGraphs, HoldTheNearestRowsInEveryView) {
  for (const bool is_text : {false, true}) {
    MadeGraphs made(is_text ? test::planted_text() : test::planted_mixed(), is_text, parse_recipe({"graph_rows=400"}));
    const RowGraphs& graphs = made.graphs;
    EXPECT_EQ(graphs.rows, is_text ? 800 : 900) << "sparse rows have a limit of their own";
    EXPECT_FALSE(graphs.listed());
    const std::vector<test::PlainView> views = test::plain_views(made.sample, graphs.pieces);
    for (std::size_t v = 0; v < views.size(); ++v) {
      std::vector<std::int32_t> there;
      for (std::size_t i = 0; i < views[v].present.size(); ++i) {
        EXPECT_EQ(graphs.presence[i][v], views[v].present[i]);
        if (views[v].present[i]) there.push_back(static_cast<std::int32_t>(i));
      }
      EXPECT_EQ(graphs.views[v].rows, there);
      EXPECT_EQ(graphs.views[v].near.count, is_text ? 50 : 15);
      const Matrix products = views[v].X * views[v].X.transpose();
      expect_nearest(graphs.views[v],
                     [&](Index a, Index b) { return products(a, a) + products(b, b) - 2 * products(a, b); });
    }
    // Rows of text are not completed through prototypes.
    EXPECT_EQ(graphs.completed.has_value(), !is_text);
    EXPECT_EQ(graphs.through.has_value(), !is_text);
    EXPECT_EQ(graphs.near.size(), is_text ? 0 : graphs.pieces);
    if (is_text) continue;
    EXPECT_EQ(graphs.through->rows(), graphs.rows);
    EXPECT_EQ(static_cast<Index>(graphs.completed->rows.size()), graphs.rows);
    for (std::size_t e = 0; e < graphs.completed->near.ids.size(); ++e) {
      EXPECT_GE(graphs.completed->near.ids[e], 0);
      EXPECT_NE(graphs.completed->near.ids[e], static_cast<std::int32_t>(e / 15));
    }
  }
}

TEST(RowGraphs, ManyRowsAreSearchedInListsAndFoundAlmostAllTheSame) {
  const MadeGraphs exact(test::planted_dense(), false, {});
  const MadeGraphs lists(test::planted_dense(), false, parse_recipe({"exact_rows=300", "graph_probes=24"}));
  EXPECT_FALSE(exact.graphs.listed());
  EXPECT_TRUE(lists.graphs.listed());
  double same = 0;
  double all = 0;
  for (std::size_t v = 0; v < 2; ++v) {
    ASSERT_EQ(lists.graphs.views[v].rows, exact.graphs.views[v].rows);
    const NearRows& one = exact.graphs.views[v].near;
    const NearRows& other = lists.graphs.views[v].near;
    for (std::size_t e = 0; e < one.ids.size(); ++e, ++all) same += one.ids[e] == other.ids[e] ? 1 : 0;
  }
  EXPECT_GT(same, 0.7 * all);
}

TEST(RowCut, FindsPlantedClusters) {
  const std::vector<std::vector<std::string>> recipes{{},
                                                      {"exact_rows=300"},
                                                      {"third_cut=0"},
                                                      {"second_cut=0", "third_cut=0"},
                                                      {"completed_rows=0"},
                                                      {"weigh_edges=0", "weigh_views=0"}};
  for (const std::vector<std::string>& changes : recipes) {
    MadeGraphs made(test::planted_dense(), false, parse_recipe(changes), 2);
    const RowCut cut = cut_of(made);
    SCOPED_TRACE(changes.empty() ? "as it is" : changes.front());
    ASSERT_EQ(static_cast<Index>(cut.labels.size()), made.graphs.rows);
    EXPECT_GT(made.nmi(cut.labels), 0.9);
    const auto cuts = 1 + std::size_t{made.recipe.second_cut} + std::size_t{made.recipe.third_cut};
    EXPECT_EQ(cut.before.size(), cuts - 1);
    EXPECT_EQ(cut.readings.size(), made.recipe.third_cut ? 2u : 0u);
    EXPECT_EQ(cut.read.size(), cut.readings.size());
    for (const std::vector<int>& before : cut.before) EXPECT_EQ(before.size(), cut.labels.size());
  }
}

TEST(RowCut, TextIsCutTwiceAndLabelsAreMovedBeforeTheyAreRead) {
  MadeGraphs made(test::planted_text(), true, {}, 2);
  std::vector<std::vector<int>> seen;
  const RowCut cut = cut_of(made, [&](std::vector<int> labels) {
    seen.push_back(labels);
    for (int& label : labels) label = (label + 1) % kClusters;
    return labels;
  });
  ASSERT_EQ(seen.size(), 2u);
  ASSERT_EQ(cut.before.size(), 1u);
  for (std::size_t i = 0; i < cut.labels.size(); ++i) {
    EXPECT_EQ(cut.before[0][i], (seen[0][i] + 1) % kClusters);
    EXPECT_EQ(cut.labels[i], (seen[1][i] + 1) % kClusters);
  }
  EXPECT_GT(made.nmi(cut.labels), 0.8);
  const std::vector<Reading> readings =
      read_views(made.sample, made.graphs.pieces, cut.before[0], kClusters, made.compute);
  for (std::size_t v = 0; v < 2; ++v) EXPECT_TRUE(readings[v].said == cut.readings[v].said);
}

// A third view of noise: its reader knows nothing, and it spoils nothing.
TEST(RowCut, AViewOfNoiseIsWorthNothing) {
  PlantedOptions options = test::planted_dense();
  options.features = {10, 8, 12};
  options.missing = 0.2;
  MadeGraphs made(options, false, {}, 2);
  // Rows of the third view are dealt out anew.
  std::vector<Chunk> pieces;
  for (const PreparedChunk& piece : made.sample.pieces()) {
    Chunk chunk = *piece.chunk;
    const Matrix noise = Matrix::Constant(block_rows(chunk.views[2].block), 12, 3) +
                         test::random_matrix(block_rows(chunk.views[2].block), 12, pieces.size() + 5);
    chunk.views[2].block = test::dense_block<float>(noise);
    pieces.push_back(std::move(chunk));
  }
  made.sample = Sample(std::move(pieces));
  made.prototypes = build(made.sample, made.input, made.recipe, made.rows, made.compute);
  made.graphs = row_graphs(made.prototypes, made.sample, made.rows, made.input, made.recipe, made.compute);
  const RowCut cut = cut_of(made);
  EXPECT_GT(made.nmi(cut.labels), 0.9);
  EXPECT_LT(cut.readings[2].worth, 0.2);
  EXPECT_GT(cut.readings[0].worth, 0.5);
  EXPECT_GT(cut.readings[1].worth, 0.5);
}

TEST(RowCut, ThreadsChangeNoBit) {
  for (const bool listed : {false, true}) {
    const auto made = [&](int threads) {
      MadeGraphs graphs(test::planted_dense(), false, parse_recipe({listed ? "exact_rows=300" : "exact_rows=4000"}),
                        threads);
      return std::pair(cut_of(graphs), graphs.graphs.completed->near.distances);
    };
    const auto alone = made(1);
    for (const int threads : {2, 4}) {
      const auto shared = made(threads);
      EXPECT_EQ(shared.first.labels, alone.first.labels);
      EXPECT_EQ(shared.first.before, alone.first.before);
      EXPECT_EQ(shared.second, alone.second);
      for (std::size_t v = 0; v < 2; ++v) EXPECT_TRUE(shared.first.readings[v].said == alone.first.readings[v].said);
    }
  }
}

TEST(RowCut, NeighboursAreHalfAnAverageClusterWithinBounds) {
  const MadeGraphs dense(test::planted_dense(), false, {});
  const MadeGraphs text(test::planted_text(), true, {});
  EXPECT_EQ(neighbours_for(dense.graphs, 4, {}), 10);
  EXPECT_EQ(neighbours_for(dense.graphs, 200, {}), 5);
  EXPECT_EQ(neighbours_for(text.graphs, 4, {}), 50);
  double rows = 0;
  for (const Neighbourhood& view : text.graphs.views) rows += static_cast<double>(view.rows.size()) / 2;
  EXPECT_EQ(neighbours_for(text.graphs, 20, {}), static_cast<Index>(rows / 40));
  EXPECT_EQ(neighbours_for(dense.graphs, 4, parse_recipe({"most_neighbours=3"})), 5) << "the least wins";
}

TEST(RowCut, EigenvaluesShowTheClusters) {
  MadeGraphs made(test::planted_dense(), false, {}, 2);
  const std::vector<double> values = first_eigenvalues(made.graphs, kClusters, 8, 7, made.recipe, made.compute);
  ASSERT_EQ(values.size(), 8u);
  EXPECT_NEAR(values[0], 1, 0.02);
  std::size_t widest = 0;
  for (std::size_t j = 0; j + 1 < values.size(); ++j) {
    EXPECT_GE(values[j], values[j + 1]);
    if (values[j] - values[j + 1] > values[widest] - values[widest + 1]) widest = j;
  }
  EXPECT_EQ(widest + 1, static_cast<std::size_t>(kClusters));
}

}  // namespace
}  // namespace omvc
