// Graphs of rows beside dense matrices that are filled by plain loops.
#include "cut/row_graph.hpp"

#include <gtest/gtest.h>

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

// Some rows with neighbours drawn among the others that are there, and distances that ascend; the last rows have fewer.
Neighbourhood random_neighbourhood(const std::vector<std::int32_t>& rows, Index count, std::uint64_t seed) {
  const Random random(seed, Purpose::planted_data);
  Neighbourhood out{.rows = rows, .near = {.count = count, .ids = {}, .distances = {}}};
  const auto n = static_cast<std::uint64_t>(rows.size());
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double distance = 0;
    std::vector<std::int32_t> listed;
    const Index own = i + 2 < rows.size() ? count : static_cast<Index>(rows.size() - 1 - i);
    while (static_cast<Index>(listed.size()) < own) {
      const std::int32_t other = rows[static_cast<std::size_t>(random.bits(draw++) % n)];
      if (other == rows[i] || std::find(listed.begin(), listed.end(), other) != listed.end()) continue;
      listed.push_back(other);
      distance += random.uniform(draw++);
      out.near.distances.push_back(distance);
    }
    listed.resize(static_cast<std::size_t>(count), -1);
    out.near.ids.insert(out.near.ids.end(), listed.begin(), listed.end());
    out.near.distances.resize(out.near.ids.size(), test::kInf);
  }
  return out;
}

// Rows x rows: the weights of the neighbours of each row, of sum 1.
Matrix plain_weights(const Neighbourhood& of, Index rows) {
  std::vector<double> square(static_cast<std::size_t>(rows), 0.0);  // of widths
  const auto listed = [&](std::size_t i, Index j) { return of.near.id(static_cast<Index>(i), j) >= 0; };
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    for (Index j = 0; j < of.near.count; ++j) {
      if (listed(i, j)) square[static_cast<std::size_t>(of.rows[i])] = of.near.distance(static_cast<Index>(i), j);
    }
  }
  Matrix W = Matrix::Zero(rows, rows);
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    for (Index j = 0; j < of.near.count; ++j) {
      if (!listed(i, j)) continue;
      const std::int32_t a = of.rows[i];
      const std::int32_t b = of.near.id(static_cast<Index>(i), j);
      // A row that lists nobody has a width of next to nothing.
      const double one = std::sqrt(std::max(square[static_cast<std::size_t>(a)], 1e-12));
      const double other = std::sqrt(std::max(square[static_cast<std::size_t>(b)], 1e-12));
      W(a, b) = std::exp(-of.near.distance(static_cast<Index>(i), j) / (one * other));
    }
    const double sum = W.row(of.rows[i]).sum();
    if (sum > 0) W.row(of.rows[i]) /= sum;
  }
  return W;
}

// As a dense matrix, of a graph whose edges ascend.
Matrix dense(const RowGraph& graph) {
  Matrix W = Matrix::Zero(graph.rows(), graph.rows());
  for (Index i = 0; i < graph.rows(); ++i) {
    for (Index e = graph.begin[static_cast<std::size_t>(i)]; e < graph.begin[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      EXPECT_TRUE(e == graph.begin[static_cast<std::size_t>(i)] || graph.other[at - 1] < graph.other[at]);
      W(i, graph.other[at]) = graph.weight[at];
    }
  }
  return W;
}

// Three views, of all rows, of two in three and of few; the last row is in none of them.
struct Views {
  explicit Views(Index count) : rows(count), presence(static_cast<std::size_t>(count), {false, false, false}) {
    for (std::size_t v = 0; v < 3; ++v) {
      std::vector<std::int32_t> there;
      for (std::int32_t i = 0; i + 1 < rows; ++i) {
        const bool has = v == 0 || (v == 1 ? i % 3 != 1 : i % 7 == 2);
        presence[static_cast<std::size_t>(i)][v] = has;
        if (has) there.push_back(i);
      }
      views.push_back(random_neighbourhood(there, 5, v + 1));
    }
  }
  Index rows;
  Presence presence;
  std::vector<Neighbourhood> views;
};

Matrix plain_graph(const Views& of, const std::vector<double>& worth) {
  Matrix W = Matrix::Zero(of.rows, of.rows);
  Matrix shared = Matrix::Zero(of.rows, of.rows);
  for (std::size_t v = 0; v < of.views.size(); ++v) {
    const Matrix one = plain_weights(of.views[v], of.rows);
    W += worth[v] * (one + one.transpose());
    for (Index i = 0; i < of.rows; ++i) {
      for (Index j = 0; j < of.rows; ++j) {
        const bool both = of.presence[static_cast<std::size_t>(i)][v] && of.presence[static_cast<std::size_t>(j)][v];
        shared(i, j) += both ? worth[v] : 0;
      }
    }
  }
  return W.cwiseQuotient(shared.cwiseMax(1e-9));
}

Matrix plain_balanced(const Matrix& W) {
  const Vector scale = W.rowwise().sum().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  return scale.asDiagonal() * W * scale.asDiagonal();
}

double largest_difference(const Matrix& A, const Matrix& B) { return (A - B).cwiseAbs().maxCoeff(); }

TEST(RowGraph, OfOneNeighbourhoodAddsTheWeightsOfBothDirections) {
  const Views of(300);
  Compute compute(2);
  for (const Neighbourhood& view : of.views) {
    const Matrix one = plain_weights(view, of.rows);
    EXPECT_LT(largest_difference(dense(graph_of(view, of.rows, compute)), one + one.transpose()), 1e-14);
    const std::vector<double> weights = neighbour_weights(view, of.rows);
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
      double sum = 0;
      for (Index j = 0; j < 5; ++j) {
        const double weight = weights[i * 5 + static_cast<std::size_t>(j)];
        const std::int32_t other = view.near.id(static_cast<Index>(i), j);
        EXPECT_NEAR(weight, other < 0 ? 0 : one(view.rows[i], other), 1e-15);
        sum += weight;
      }
      EXPECT_NEAR(sum, i + 1 < view.rows.size() ? 1 : 0, 1e-14);
    }
  }
}

TEST(RowGraph, OfViewsIsTheMeanOverSharedViewsByTheirWorth) {
  const Views of(300);
  Compute compute(2);
  for (const std::vector<double>& worth : {std::vector<double>{1, 1, 1}, {0.0004, 0.5, 0.9}, {0.2, 0, 1}}) {
    const Matrix W = dense(graph_of_views(of.views, of.presence, worth, compute));
    EXPECT_LT(largest_difference(W, plain_graph(of, worth)), 1e-12);
    EXPECT_LT(largest_difference(W, W.transpose()), 1e-15);
    EXPECT_TRUE((W.row(of.rows - 1).array() == 0).all()) << "a row without any view is joined to nobody";
  }
}

TEST(RowGraph, IsWeighedByLabelsAndBalancedByDegrees) {
  const Views of(300);
  Compute compute(2);
  Matrix soft = test::random_matrix(300, 4, 9);
  for (Index i = 0; i < soft.rows(); ++i) soft.row(i) /= soft.row(i).sum();
  RowGraph graph = graph_of_views(of.views, of.presence, {1, 1, 1}, compute);
  const Matrix before = dense(graph);
  weigh(graph, soft, 0.3, compute);
  const Matrix weighed = before.cwiseProduct((0.3 + 0.7 * (soft * soft.transpose()).array()).matrix());
  EXPECT_LT(largest_difference(dense(graph), weighed), 1e-14);
  balance(graph);
  EXPECT_LT(largest_difference(dense(graph), plain_balanced(weighed)), 1e-14);
}

TEST(RowGraph, ThreadsChangeNoBit) {
  const Views of(700);
  const Matrix soft = test::random_matrix(700, 3, 9);
  const Matrix X = test::random_matrix(700, 4, 2);
  const auto made = [&](int threads) {
    Compute compute(threads);
    RowGraph graph = graph_of_views(of.views, of.presence, {0.3, 1, 0.7}, compute);
    weigh(graph, soft, 0.3, compute);
    balance(graph);
    return GraphSum({{0.4, &graph}}).times(X, compute);
  };
  const Matrix alone = made(1);
  for (const int threads : {2, 5}) EXPECT_TRUE(made(threads) == alone) << threads;
}

TEST(RowGraph, AnInstanceOutsideHasTheWidthOfItsOwnNeighbours) {
  const std::vector<double> distances{0, 0.5, 2, test::kInf};
  std::vector<double> weights(4);
  outside_weights(distances.data(), 4, weights.data());
  const double sum = 1 + std::exp(-0.25) + std::exp(-1);
  const std::vector<double> right{1 / sum, std::exp(-0.25) / sum, std::exp(-1) / sum, 0};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(weights[j], right[j], 1e-15);
  const std::vector<double> alike(3, 0.0);  // equal rows share alike
  outside_weights(alike.data(), 3, weights.data());
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weights[j], 1.0 / 3, 1e-15);
  const std::vector<double> nobody(2, test::kInf);
  outside_weights(nobody.data(), 2, weights.data());
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
}

// Rows in pieces among prototypes, three each; one row lies nowhere.
std::vector<Near> near_in_pieces(const std::vector<Index>& sizes, Index prototypes) {
  const Random random(4, Purpose::planted_data);
  std::uint64_t draw = 0;
  std::vector<Near> out;
  for (const Index size : sizes) {
    Near near{.count = 3, .ids = {}, .weights = {}, .distances = {}, .squares = {}};
    for (Index i = 0; i < size; ++i) {
      const auto first = static_cast<std::int32_t>(random.bits(draw++) % static_cast<std::uint64_t>(prototypes - 4));
      const double large = 0.5 + random.uniform(draw++) / 4;
      const bool nowhere = out.empty() && i == 5;
      for (std::int32_t j = 0; j < 3; ++j) near.ids.push_back(nowhere ? -1 : first + j);
      for (const double weight : {large, 0.9 - large, 0.1}) near.weights.push_back(nowhere ? 0 : weight);
      near.distances.push_back(1);
    }
    out.push_back(std::move(near));
  }
  return out;
}

TEST(PrototypeGraph, IsTheProductOfItsWeights) {
  constexpr Index kPrototypes = 30;  // of which the last have no rows
  const std::vector<Near> near = near_in_pieces({70, 0, 300, 40}, kPrototypes);
  Compute compute(2);
  for (const Index rows : {410, 390, 65}) {
    const PrototypeGraph graph(near, rows, kPrototypes);
    ASSERT_EQ(graph.rows(), rows);
    Matrix Z = Matrix::Zero(rows, kPrototypes);
    Index at = 0;
    for (const Near& piece : near) {
      for (Index i = 0; i < static_cast<Index>(piece.distances.size()) && at < rows; ++i, ++at) {
        for (Index j = 0; j < 3; ++j) {
          if (piece.id(i, j) >= 0) Z(at, piece.id(i, j)) += piece.weight(i, j);
        }
      }
    }
    const RowVector inverse = Z.colwise().sum().unaryExpr([](double x) { return x > 0 ? 1 / x : 0.0; });
    const Matrix X = test::random_matrix(rows, 4, 8);
    EXPECT_LT(largest_difference(graph.means(X, compute), inverse.asDiagonal() * (Z.transpose() * X)), 1e-13);
    EXPECT_LT(largest_difference(GraphSum({}, {0.2, &graph}).times(X, compute),
                                 0.2 * (Z * inverse.asDiagonal() * (Z.transpose() * X))),
              1e-13);

    std::vector<int> labels;
    Matrix Y = Matrix::Zero(rows, 3);
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(i % 11 == 4 ? -1 : static_cast<int>(i * i % 3));
      if (labels.back() >= 0) Y(i, labels.back()) = 1;
    }
    Matrix votes = Z.transpose() * Y;
    for (Index p = 0; p < kPrototypes; ++p) votes.row(p) /= std::max(votes.row(p).sum(), 1e-300);
    EXPECT_LT(largest_difference(graph.votes(labels, 3), votes), 1e-13);
    Matrix soft = Z * votes;
    for (Index i = 0; i < rows; ++i) soft.row(i) /= std::max(soft.row(i).sum(), 1e-300);
    EXPECT_LT(largest_difference(graph.soft(votes), soft), 1e-13);
  }
}

TEST(GraphSum, AddsItsGraphsByTheirShares) {
  const Views of(200);
  Compute compute(2);
  RowGraph one = graph_of(of.views[0], 200, compute);
  balance(one);
  const RowGraph other = graph_of(of.views[1], 200, compute);
  const PrototypeGraph through(near_in_pieces({150, 50}, 20), 200, 20);
  const Matrix X = test::random_matrix(200, 3, 8);
  Matrix right = 0.4 * (dense(one) * X) + 0.25 * (dense(other) * X);
  const GraphSum sum({{0.4, &one}, {0.25, &other}});
  EXPECT_EQ(sum.rows(), 200);
  EXPECT_LT(largest_difference(sum.times(X, compute), right), 1e-13);
  right += GraphSum({}, {0.35, &through}).times(X, compute);
  EXPECT_LT(largest_difference(GraphSum({{0.4, &one}, {0.25, &other}}, {0.35, &through}).times(X, compute), right),
            1e-13);
}

}  // namespace
}  // namespace omvc
