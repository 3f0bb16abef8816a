// Readers of views beside ridge regressions that are solved directly, fold by fold.
#include "cut/readers.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "support/backend_data.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

constexpr int kLabels = 3;
constexpr Index kFolds = 5;

// Labels in random order, which no feature tells.
std::vector<int> random_labels(Index n, std::uint64_t seed) {
  const Random random(seed, Purpose::planted_mask);
  std::vector<int> out;
  for (Index i = 0; i < n; ++i) out.push_back(static_cast<int>(random.bits(static_cast<std::uint64_t>(i)) % kLabels));
  return out;
}

// Rows of noise; `told` adds as much to one feature per label.
Matrix rows_for(const std::vector<int>& labels, Index features, double told, std::uint64_t seed) {
  Matrix X = test::random_matrix(static_cast<Index>(labels.size()), features, seed);
  for (std::size_t i = 0; i < labels.size(); ++i) X(static_cast<Index>(i), labels[i]) += told;
  return X;
}

// A sample of pieces of 70 rows. Each view lacks some rows; its block is of the kind that stands beside it.
struct ViewRows {
  Matrix X;
  std::size_t kind;
};
bool has(std::size_t view, Index row) { return (row + static_cast<Index>(view)) % 6 != 0; }
Sample sample_of(const std::vector<ViewRows>& views) {
  std::vector<Chunk> pieces;
  const Index n = views.front().X.rows();
  for (Index first = 0; first < n; first += 70) {
    const Index count = std::min<Index>(70, n - first);
    Chunk chunk{test::iota(count, first), {}};
    for (std::size_t v = 0; v < views.size(); ++v) {
      std::vector<Index> present;
      for (Index i = 0; i < count; ++i) {
        if (has(v, first + i)) present.push_back(i);
      }
      chunk.views.push_back(test::view_of(views[v].X.middleRows(first, count), present, [&](const Matrix& rows) {
        return test::block_of_kind(rows, views[v].kind);
      }));
    }
    pieces.push_back(std::move(chunk));
  }
  return Sample(std::move(pieces));
}

// One view as it is read: its rows without those that lack it, less the mean, and the labels less their shares.
struct PlainReading {
  PlainReading(const ViewRows& view, std::size_t v, const std::vector<int>& labels, bool by_products)
      : products(by_products) {
    std::vector<Index> there;
    for (Index i = 0; i < view.X.rows(); ++i) {
      if (has(v, i)) there.push_back(i);
    }
    for (const Index i : there) label.push_back(labels[static_cast<std::size_t>(i)]);
    const Matrix X = view.X(there, Eigen::all).cast<float>().cast<double>();
    mean = X.colwise().mean();
    A = X.rowwise() - mean;
    Y = Matrix::Zero(A.rows(), kLabels);
    for (Index i = 0; i < A.rows(); ++i) Y(i, label[static_cast<std::size_t>(i)]) = 1;
    prior = Y.colwise().mean();
    Y.rowwise() -= prior;
  }

  // W of all rows but those of a fold, by the products of rows with each other: W = A' (A A' + ridge)^-1 Y.
  Matrix solve(Index fold, double strength) const {
    std::vector<Index> used;
    for (Index i = 0; i < A.rows(); ++i) {
      if (i % kFolds != fold) used.push_back(i);
    }
    const Matrix B = A(used, Eigen::all);
    const double ridge = products ? strength * B.squaredNorm() / static_cast<double>(B.cols())
                                  : strength * A.squaredNorm() / static_cast<double>(std::min(A.rows(), A.cols()));
    Eigen::MatrixXd K = B * B.transpose();
    K.diagonal().array() += ridge;
    return B.transpose() * K.ldlt().solve(Eigen::MatrixXd(Y(used, Eigen::all)));
  }

  Matrix said(double strength) const {
    Matrix out(A.rows(), kLabels);
    for (Index fold = 0; fold < kFolds; ++fold) {
      const Matrix all = A * solve(fold, strength);
      for (Index i = fold; i < A.rows(); i += kFolds) out.row(i) = all.row(i);
    }
    return out;
  }

  double right(const Matrix& said, Index first, Index step) const {
    double right = 0;
    double rows = 0;
    for (Index i = first; i < said.rows(); i += step, ++rows) {
      Index best = 0;
      (said.row(i) + prior).maxCoeff(&best);
      right += best == label[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    return right / rows;
  }

  // The strength that reads the first fold best.
  double strength() const {
    double best = 0;
    double most = -1;
    for (const double each : {1e-2, 1e-1, 1.0}) {
      const double share = right(A * solve(0, each), 0, kFolds);
      if (share > most) best = each;
      most = std::max(most, share);
    }
    return best;
  }

  double worth(const Matrix& said) const {
    const double usual = prior.maxCoeff();
    return std::max((right(said, 0, 1) - usual) / (1 - usual), 0.02);
  }

  bool products;
  std::vector<int> label;
  Matrix A;
  RowVector mean;
  Matrix Y;
  RowVector prior;
};

double largest(const Matrix& difference) { return difference.cwiseAbs().maxCoeff(); }

// Views of few features in either precision, one that is wide, and sparse ones.
std::vector<ViewRows> views_for(const std::vector<int>& labels) {
  const auto n = static_cast<Index>(labels.size());
  Matrix sparse = test::random_sparse(n, 60, 0.15, 4);
  for (Index i = 0; i < n; ++i) {
    if (i % 2 == 0) sparse(i, labels[static_cast<std::size_t>(i)]) = 1.5;
  }
  return {{rows_for(labels, 7, 0.3, 1), 0},
          {rows_for(labels, 150, 0.6, 2), 2},
          {rows_for(labels, 1201, 2.5, 3), 0},
          {sparse, 1},
          {sparse, 3}};
}

TEST(Readers, AreRidgeRegressionsOfTheLabels) {
  const std::vector<int> labels = random_labels(400, 5);
  const std::vector<ViewRows> views = views_for(labels);
  const Sample sample = sample_of(views);
  Compute compute(2);
  const std::vector<Reading> readings = read_views(sample, sample.pieces().size(), labels, kLabels, compute);
  ASSERT_EQ(readings.size(), views.size());
  for (std::size_t v = 0; v < views.size(); ++v) {
    SCOPED_TRACE("view " + std::to_string(v));
    const PlainReading plain(views[v], v, labels, v < 2);
    const double strength = plain.strength();
    const Matrix said = plain.said(strength);
    const double error = v < 2 ? 1e-4 : 1e-2;  // gradients come near
    ASSERT_EQ(readings[v].said.rows(), said.rows());
    EXPECT_LT(largest(readings[v].said.cast<double>() - said), error);
    const Matrix W = plain.solve(-1, strength);
    EXPECT_LT(largest(readings[v].reader.weights.cast<double>() - W), error);
    EXPECT_LT(largest(readings[v].reader.offset - plain.mean * W), error);
    EXPECT_NEAR(readings[v].worth, plain.worth(readings[v].said.cast<double>()), 1e-12);
    EXPECT_NEAR(readings[v].worth, plain.worth(said), 0.02);
    // Rows to come are read by the reader of all rows.
    const PreparedChunk& piece = sample.pieces()[1];
    const NarrowMatrix says = readings[v].reader.says(piece.views[v], compute);
    const Matrix X = naive::densify(piece.chunk->views[v].block);
    EXPECT_LT(largest(says.cast<double>() - ((X.rowwise() - plain.mean) * W)), 2 * error);
  }
}

TEST(Readers, OnlyTheFirstPiecesAreRead) {
  const std::vector<int> labels = random_labels(210, 5);
  const std::vector<ViewRows> views{{rows_for(labels, 7, 0.3, 1), 0}};
  const Sample sample = sample_of(views);
  Compute compute;
  const std::vector<int> first(labels.begin(), labels.begin() + 140);
  const Reading reading = read_views(sample, 2, first, kLabels, compute)[0];
  const PlainReading plain({views[0].X.topRows(140), 0}, 0, first, true);
  EXPECT_LT(largest(reading.said.cast<double>() - plain.said(plain.strength())), 1e-4);
}

TEST(Readers, AViewIsWorthWhatItTellsOfTheLabels) {
  const std::vector<int> labels = random_labels(600, 6);
  const Sample sample = sample_of({{rows_for(labels, 20, 5, 1), 0},    // tells them
                                   {rows_for(labels, 20, 0.5, 2), 2},  // hints at them
                                   {rows_for(labels, 20, 0, 3), 0},    // noise
                                   {rows_for(labels, 20, 5, 4), 3}});  // tells them, as a sparse view
  Compute compute(2);
  const std::vector<Reading> readings = read_views(sample, sample.pieces().size(), labels, kLabels, compute);
  EXPECT_GT(readings[0].worth, 0.95);
  EXPECT_GT(readings[3].worth, 0.95);
  EXPECT_LT(readings[2].worth, 0.1);
  EXPECT_GT(readings[1].worth, 2 * readings[2].worth);
  EXPECT_LT(readings[1].worth, readings[0].worth);
}

// More features than rows: a reader knows every row that it has seen, and nothing of the others.
TEST(Readers, ARowIsReadByAReaderThatHasNotSeenIt) {
  const std::vector<int> labels = random_labels(300, 7);
  const Matrix X = rows_for(labels, 900, 0, 8);
  const Sample sample = sample_of({{X, 0}, {X, 1}});
  Compute compute(2);
  const std::vector<Reading> readings = read_views(sample, sample.pieces().size(), labels, kLabels, compute);
  for (std::size_t v = 0; v < 2; ++v) {
    const PlainReading plain({X, 0}, v, labels, true);
    EXPECT_LT(plain.right(readings[v].said.cast<double>(), 0, 1), plain.prior.maxCoeff() + 0.08);
    EXPECT_LT(readings[v].worth, 0.1);
    const Matrix seen = plain.A * readings[v].reader.weights.cast<double>();
    EXPECT_GT(plain.right(seen, 0, 1), 0.95);
  }
}

TEST(Readers, OfHardlyAnyRowsSayNothing) {
  const std::vector<int> labels{0, 1, 2, 0, 1, 2, 0};
  const Sample sample = sample_of({{rows_for(labels, 4, 5, 1), 0}});
  Compute compute;
  const Reading reading = read_views(sample, 1, labels, kLabels, compute)[0];
  EXPECT_LE(reading.worth, 0.02);
  EXPECT_EQ(reading.said.rows(), 5);
  EXPECT_TRUE((reading.said.array() == 0).all());
  EXPECT_EQ(reading.reader.weights.rows(), 4);
  EXPECT_TRUE((reading.reader.weights.array() == 0).all());
  EXPECT_EQ(reading.reader.offset.size(), kLabels);
}

TEST(Readers, OfAViewThatNoRowHasSayNothing) {
  std::vector<Chunk> pieces(1, Chunk{test::iota(20), {}});
  pieces[0].views.push_back({test::dense_block<float>(Matrix(0, 6)), {}});
  const Sample sample(std::move(pieces));
  Compute compute;
  const Reading reading = read_views(sample, 1, random_labels(20, 1), kLabels, compute)[0];
  EXPECT_EQ(reading.said.rows(), 0);
  EXPECT_EQ(reading.reader.weights.rows(), 6) << "the features of the view";
  EXPECT_EQ(reading.reader.offset.size(), kLabels);
}

TEST(Readers, ThreadsChangeNoBit) {
  const std::vector<int> labels = random_labels(300, 5);
  const std::vector<ViewRows> views = views_for(labels);
  const Sample sample = sample_of(views);
  const auto read = [&](int threads) {
    Compute compute(threads);
    return read_views(sample, sample.pieces().size(), labels, kLabels, compute);
  };
  const std::vector<Reading> alone = read(1);
  for (const int threads : {2, 4}) {
    const std::vector<Reading> shared = read(threads);
    for (std::size_t v = 0; v < alone.size(); ++v) {
      EXPECT_TRUE(shared[v].said == alone[v].said) << "view " << v << ", " << threads << " threads";
      EXPECT_TRUE(shared[v].reader.weights == alone[v].reader.weights);
      EXPECT_EQ(shared[v].worth, alone[v].worth);
    }
  }
}

}  // namespace
}  // namespace omvc
