#include "cut/readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chunk/kinds.hpp"

namespace omvc {
namespace {

constexpr Index kFolds = Ridge::kFolds;
constexpr std::array kStrengths{1e-2, 1e-1, 1.0};
constexpr double kLeastWorth = 0.02;
constexpr Index kLeastRows = 2'000;             // of a dense view that readers learn from, and more up to
constexpr Index kMostProducts = 3'000'000'000;  // rows x features^2

// The rows of one view that its readers learn from, the first of a sample, and their labels: a number for each label,
// which is 1 for that of the row.
class View final : public Targets {
 public:
  View(const Sample& sample, std::size_t pieces, std::size_t v, const std::vector<int>& labels, int clusters)
      : features_(sample.pieces().front().views[v].cols()), clusters_(clusters) {
    for (std::size_t p = 0; p < pieces; ++p) {
      const ChunkView& view = sample.pieces()[p].chunk->views[v];
      const Index features = block_cols(view.block);
      const Index enough = std::max(kLeastRows, kMostProducts / std::max<Index>(features * features, 1));
      if (!is_sparse(view.block) && rows() >= enough) break;
      blocks_.push_back(&view.block);
      for (const Index at : view.present) labels_.push_back(labels[static_cast<std::size_t>(sample.first(p) + at)]);
    }
  }

  Index rows() const override { return static_cast<Index>(labels_.size()); }
  Index count() const override { return clusters_; }
  void add(Index row, Eigen::Ref<RowVector> sum) const override { sum(label(row)) += 1; }
  void add_products(const Matrix& X, Index first, Index step, Matrix& sum) const override {
    for (Index i = 0; i < X.rows(); ++i) sum.col(label(first + i * step)) += X.row(i).transpose();
  }

  Index features() const { return features_; }
  const std::vector<const Block*>& blocks() const { return blocks_; }
  int label(Index row) const { return labels_[static_cast<std::size_t>(row)]; }

 private:
  std::vector<const Block*> blocks_;  // of each piece
  std::vector<int> labels_;
  Index features_;  // also of a view that no row has
  int clusters_;
};

double share_right(const View& view, const RowVector& prior, const NarrowMatrix& said, Index fold) {
  double right = 0;
  double rows = 0;
  for (Index i = std::max<Index>(fold, 0); i < view.rows(); i += fold < 0 ? 1 : kFolds) {
    Index best = 0;
    (said.row(i).cast<double>() + prior).maxCoeff(&best);
    right += best == view.label(i) ? 1 : 0;
    rows += 1;
  }
  return right / std::max(rows, 1.0);
}

// Readers of the rows of the view; what they say of other rows, which none of them has seen, is left to the caller.
Reading read_view(const View& view, Compute& compute) {
  Reading out;
  out.said = NarrowMatrix::Zero(view.rows(), view.count());
  if (view.rows() < 2 * kFolds) {
    out.reader = reader_of(Matrix::Zero(view.features(), view.count()), RowVector::Zero(view.features()));
    out.worth = kLeastWorth;
    return out;
  }
  const std::unique_ptr<Ridge> solver = Ridge::make(view.blocks(), view.features(), view, compute);
  const auto for_each = [&](Index count, const auto& body) {
    for_blocks(compute, count, 1, solver->alone(), [&](Index at, Index) { body(at); });
  };
  const auto keep = [&](Index fold, const Matrix& W) {
    const Reader reader = reader_of(W, solver->mean());
    Index row = 0;
    for (const Block* block : view.blocks()) {
      const NarrowMatrix said = reader.says(DataBlock(*block), compute);
      for (Index i = 0; i < said.rows(); ++i, ++row) {
        if (row % kFolds == fold) out.said.row(row) = said.row(i);
      }
    }
  };
  std::vector<Matrix> tried(kStrengths.size());
  for_each(std::ssize(kStrengths), [&](Index s) {
    tried[static_cast<std::size_t>(s)] = solver->solve(0, kStrengths[static_cast<std::size_t>(s)], compute);
  });
  std::size_t best = 0;
  double most = -1;
  for (std::size_t s = 0; s < tried.size(); ++s) {
    keep(0, tried[s]);
    const double right = share_right(view, solver->prior(), out.said, 0);
    if (right > most) best = s;
    most = std::max(most, right);
  }
  keep(0, tried[best]);
  std::vector<Matrix> solved(kFolds);  // of folds 1 and on, and of none
  for_each(kFolds, [&](Index f) {
    solved[static_cast<std::size_t>(f)] = solver->solve(f == 0 ? Ridge::kAll : f, kStrengths[best], compute);
  });
  for (Index f = 1; f < kFolds; ++f) keep(f, solved[static_cast<std::size_t>(f)]);
  out.reader = reader_of(solved[0], solver->mean());
  const double prior = solver->prior().maxCoeff();
  const double known = (share_right(view, solver->prior(), out.said, Ridge::kAll) - prior) / std::max(1 - prior, 1e-9);
  out.worth = std::max(known, kLeastWorth);
  return out;
}

}  // namespace

std::vector<Reading> read_views(const Sample& sample, std::size_t pieces, const std::vector<int>& labels, int clusters,
                                Compute& compute) {
  const Timed timed(compute.profile(), Step::readers);
  std::vector<Reading> out;
  for (std::size_t v = 0; v < sample.pieces().front().views.size(); ++v) {
    compute.poll();
    const View view(sample, pieces, v, labels, clusters);
    Reading& reading = out.emplace_back(read_view(view, compute));
    Index rows = 0;
    for (std::size_t p = 0; p < pieces; ++p) rows += sample.pieces()[p].views[v].rows();
    reading.said.conservativeResize(rows, clusters);
    Index row = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      const DataBlock& piece = sample.pieces()[p].views[v];
      if (row >= view.rows()) reading.said.middleRows(row, piece.rows()) = reading.reader.says(piece, compute);
      row += piece.rows();
    }
  }
  return out;
}

}  // namespace omvc
