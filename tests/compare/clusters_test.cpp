// OPIMC, masked and concatenated k-means against their formulas.
#include <gtest/gtest.h>
#include <limits>

#include "compare/batch_kmeans.hpp"
#include "compare/stream_clusters.hpp"
#include "support/method_data.hpp"

namespace omvc {
namespace {

Options options_of(Algorithm method, int passes) {
  Options options = method_options(method);
  options.clusters = 3;
  options.passes = passes;
  return options;
}

std::vector<int> labels_of(const Matrix& one_hot) {
  std::vector<int> labels;
  for (Index i = 0; i < one_hot.rows(); ++i) {
    Index label = -1;
    if (one_hot(i, 0) == one_hot(i, 0)) one_hot.row(i).maxCoeff(&label);
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

// Sum and number of a view's observed rows by label.
void sum_rows(const Chunk& chunk, std::size_t v, const std::vector<int>& labels, Matrix& sums, RowVector& counts) {
  const Matrix X = naive::densify(chunk.views[v].block);
  for (Index i = 0; i < X.rows(); ++i) {
    const Index at = chunk.views[v].present[static_cast<std::size_t>(i)];
    const int label = labels[static_cast<std::size_t>(chunk.rows[static_cast<std::size_t>(at)])];
    sums.col(label) += X.row(i).transpose();
    counts(label) += 1;
  }
}

// Squared distances over the observed views, by definition.
Matrix distances(const Chunk& chunk, const CandidatePrototypes& model) {
  Matrix out = Matrix::Zero(chunk.size(), 3);
  for (std::size_t v = 0; v < 2; ++v) {
    const Matrix X = naive::densify(chunk.views[v].block);
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index k = 0; k < 3; ++k) {
        out(chunk.views[v].present[static_cast<std::size_t>(i)], k) +=
            (X.row(i).transpose() - model.prototypes(v).col(k)).squaredNorm();
      }
    }
  }
  return out;
}

TEST(Opimc, AfterEveryPassTheBasisIsTheFormulaForTheLabelsThatThereAre) {
  const std::vector<Chunk> chunks{test::small_chunk(0, 25), test::small_chunk(25, 31)};
  for (const int passes : {1, 3}) {
    Options options = options_of(Algorithm::opimc, passes);
    options.ridge = 2.5;
    test::MethodRun run(options, chunks);
    for (int pass = 1; pass <= passes; ++pass) run.pass(pass);
    const std::vector<int> labels = labels_of(run.embedding());
    const double loss = run.loss();
    const double error = run.method().error();
    Compute compute(1);
    run.method().finish(true, compute);
    const CandidatePrototypes model = run.method().model().prototypes;
    double direct = 0;
    double penalty = 0;
    for (std::size_t v = 0; v < 2; ++v) {
      Matrix sums = Matrix::Zero(model.prototypes(v).rows(), 3);
      RowVector counts = RowVector::Zero(3);
      for (const Chunk& chunk : chunks) sum_rows(chunk, v, labels, sums, counts);
      Matrix U = sums * (counts.array() + 2.5).inverse().matrix().asDiagonal();
      for (Index k = 0; k < U.cols(); ++k) {
        if (counts(k) == 0) U.col(k) = model.prototypes(v).col(k);  // one that nothing is left of stays where it was
      }
      EXPECT_LT((model.prototypes(v) - U).norm(), 1e-10) << "an old share was left in the sums";
      for (Index k = 0; k < U.cols(); ++k) penalty += counts(k) > 0 ? 2.5 * U.col(k).squaredNorm() : 0;
    }
    for (const Chunk& chunk : chunks) {
      const Matrix all = distances(chunk, model);
      for (Index i = 0; i < chunk.size(); ++i) {
        const int label = labels[static_cast<std::size_t>(chunk.rows[static_cast<std::size_t>(i)])];
        if (label >= 0) direct += all(i, label);
      }
    }
    const auto n = static_cast<double>(run.observed());
    EXPECT_NEAR(error, direct / n, 1e-9);
    EXPECT_NEAR(loss, (direct + penalty) / n, 1e-9);
    // The last chunk was assigned until its labels stayed.
    const Matrix last = distances(chunks[1], model);
    for (Index i = 0; i < last.rows(); ++i) {
      const int label = labels[static_cast<std::size_t>(25 + i)];
      Index nearest = 0;
      last.row(i).minCoeff(&nearest);
      if (label >= 0) {
        EXPECT_EQ(label, nearest);
      }
    }
  }
}

TEST(MaskedKMeans, TheBatchFormIsAFixedPointOfLloydsAlgorithm) {
  const Chunk chunk = test::small_chunk(0, 60);
  test::MethodRun run(options_of(Algorithm::masked_kmeans, 2), {test::small_chunk(0, 60)});
  run.pass(1);
  EXPECT_EQ(run.method().pass_after(1), 3) << "nothing is left for the second pass";
  const std::vector<int> labels = labels_of(run.embedding());
  const double loss = run.loss();
  const CandidatePrototypes model = run.method().model().prototypes;
  for (std::size_t v = 0; v < 2; ++v) {
    Matrix sums = Matrix::Zero(model.prototypes(v).rows(), 3);
    RowVector counts = RowVector::Zero(3);
    sum_rows(chunk, v, labels, sums, counts);
    EXPECT_LT((model.prototypes(v) - sums * counts.cwiseInverse().asDiagonal()).norm(), 1e-10);
  }
  const Matrix all = distances(chunk, model);
  double inertia = 0;
  for (Index i = 0; i < all.rows(); ++i) {
    Index nearest = 0;
    const double least = all.row(i).minCoeff(&nearest);
    if (labels[static_cast<std::size_t>(i)] < 0) continue;
    EXPECT_EQ(labels[static_cast<std::size_t>(i)], nearest);
    inertia += least;
  }
  EXPECT_NEAR(loss, inertia / static_cast<double>(run.observed()), 1e-9);
}

TEST(MaskedKMeans, TheStreamingFormIsTheMeanOfWhatEachPrototypeWasGiven) {
  const std::vector<Chunk> chunks{test::small_chunk(0, 25), test::small_chunk(25, 31)};
  test::MethodRun run(options_of(Algorithm::masked_kmeans, 1), chunks);
  run.pass(1);
  const std::vector<int> labels = labels_of(run.embedding());
  Compute compute(1);
  run.method().finish(false, compute);
  EXPECT_EQ(run.method().labels()->width(), 1);
  const CandidatePrototypes model = run.method().model().prototypes;
  EXPECT_EQ(model.candidates(), 1);
  for (std::size_t v = 0; v < 2; ++v) {
    Matrix sums = Matrix::Zero(model.prototypes(v).rows(), 3);
    RowVector counts = RowVector::Zero(3);
    for (const Chunk& chunk : chunks) sum_rows(chunk, v, labels, sums, counts);
    for (Index k = 0; k < 3; ++k) {
      if (counts(k) > 0) {
        EXPECT_LT((model.prototypes(v).col(k) - sums.col(k) / counts(k)).norm(), 1e-10);
      }
    }
  }
}

TEST(ConcatKMeans, IsKMeansOnTheFilledConcatenation) {
  test::MethodRun run(options_of(Algorithm::concat_kmeans, 2), {test::small_chunk(0, 30), test::small_chunk(30, 30)});
  const Chunk first = test::small_chunk(0, 30);
  const Chunk more = test::small_chunk(30, 30);
  Matrix X(0, 21);
  std::vector<Index> rows;
  std::vector<RowVector> means;
  for (std::size_t v = 0; v < 2; ++v) {
    const Matrix a = naive::densify(first.views[v].block), b = naive::densify(more.views[v].block);
    means.emplace_back((a.colwise().sum() + b.colwise().sum()) / static_cast<double>(a.rows() + b.rows()));
  }
  for (const Chunk* part : {&first, &more}) {
    Matrix both(part->size(), 21);
    both << test::filled_rows(part->views[0], part->size(), means[0]),
        test::filled_rows(part->views[1], part->size(), means[1]);
    for (Index i = 0; i < part->size(); ++i) {
      const Index row = part->rows[static_cast<std::size_t>(i)];
      if (row % 20 == 0) continue;  // has no view
      X.conservativeResize(X.rows() + 1, 21);
      X.row(X.rows() - 1) = both.row(i);
      rows.push_back(row);
    }
  }
  run.pass(1);
  const std::vector<int> labels = labels_of(run.embedding());
  const double loss = run.loss();
  const KMeansResult reference = kmeans({X.data(), X.rows(), 21}, {.clusters = 3, .starts = 50});
  EXPECT_NEAR(loss, reference.inertia / static_cast<double>(X.rows()), 1e-9) << "both find the best there is";
  Matrix centres = Matrix::Zero(3, 21);
  Vector counts = Vector::Zero(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int label = labels[static_cast<std::size_t>(rows[i])];
    centres.row(label) += X.row(static_cast<Index>(i));
    counts(label) += 1;
  }
  centres = counts.cwiseInverse().asDiagonal() * centres;
  const CandidatePrototypes model = run.method().model().prototypes;
  EXPECT_LT((model.prototypes(0).transpose() - centres.leftCols(6)).norm(), 1e-9);
  EXPECT_LT((model.prototypes(1).transpose() - centres.rightCols(15)).norm(), 1e-9);
  // New instances are filled too.
  Compute compute(1);
  RowVector error;
  const CandidateLabels again = model.assign(PreparedChunk(first), error, compute);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(again(i, 0), labels[static_cast<std::size_t>(i)]);
  Archive archive;
  model.save(archive, false);
  const CandidatePrototypes loaded = CandidatePrototypes::load(archive, test::small_schema(), 3, {false, false});
  EXPECT_EQ(loaded.assign(PreparedChunk(first), error, compute), again);
}

}  // namespace
}  // namespace omvc
