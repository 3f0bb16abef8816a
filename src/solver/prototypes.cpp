#include "solver/prototypes.hpp"

#include <fmt/format.h>

#include "kernels/data_block.hpp"
#include "solver/seed_instances.hpp"

namespace omvc {

Prototypes::Prototypes(const Schema& schema, int clusters) : clusters_(clusters) {
  for (const ViewSchema& view : schema.views) {
    views_.push_back({Matrix(view.features, 0), RowVector(0), Matrix(view.features, 0)});
  }
}

void Prototypes::widen() {
  frozen_.push_back(false);
  const Index width = static_cast<Index>(candidates()) * clusters_;
  for (View& view : views_) {
    view.sums.conservativeResize(Eigen::NoChange, width);
    view.prototypes.conservativeResize(Eigen::NoChange, width);
    view.counts.conservativeResize(width);
    view.sums.rightCols(clusters_).setZero();
    view.prototypes.rightCols(clusters_).setZero();
    view.counts.tail(clusters_).setZero();
  }
}

void Prototypes::add_seeded(const PreparedChunk& chunk, const Random& random, Workers& workers) {
  const std::vector<Matrix> seeds = seed_instances(chunk, clusters_, random, workers);
  widen();
  for (std::size_t v = 0; v < views_.size(); ++v) views_[v].prototypes.rightCols(clusters_) = seeds[v];
}

void Prototypes::add_given(const std::vector<Matrix>& prototypes) {
  widen();
  frozen_.back() = true;
  for (std::size_t v = 0; v < views_.size(); ++v) views_[v].prototypes.rightCols(clusters_) = prototypes[v];
}

Matrix Prototypes::distances(const PreparedChunk& chunk, Workers& workers) const {
  Matrix out = Matrix::Zero(chunk.size(), static_cast<Index>(candidates()) * clusters_);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const Matrix& P = views_[v].prototypes;
    const RowVector norms = P.colwise().squaredNorm();
    Matrix products(chunk.views[v].rows(), P.cols());
    chunk.views[v].times(P, products, workers);
    for (Index i = 0; i < products.rows(); ++i) {
      out.row(chunk.present(v)[static_cast<std::size_t>(i)]) += norms - 2 * products.row(i);
    }
  }
  return out;
}

CandidateLabels Prototypes::nearest(const Matrix& distances, const PreparedChunk& chunk) const {
  CandidateLabels labels = CandidateLabels::Constant(chunk.size(), candidates(), -1);
  for (Index i = 0; i < labels.rows(); ++i) {
    if (!chunk.observed[static_cast<std::size_t>(i)]) continue;
    for (int c = 0; c < candidates(); ++c) distances.row(i).segment(c * clusters_, clusters_).minCoeff(&labels(i, c));
  }
  return labels;
}

// Moves the rows whose label changed from one sum to another.
void Prototypes::count(const PreparedChunk& chunk, const CandidateLabels& before, const CandidateLabels& after, Workers& workers) {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    Matrix change = Matrix::Zero(chunk.views[v].rows(), views_[v].sums.cols());
    for (Index i = 0; i < change.rows(); ++i) {
      const Index at = chunk.present(v)[static_cast<std::size_t>(i)];
      for (int c = 0; c < candidates(); ++c) {
        if (before(at, c) == after(at, c)) continue;
        if (before(at, c) >= 0) change(i, c * clusters_ + before(at, c)) -= 1;
        if (after(at, c) >= 0) change(i, c * clusters_ + after(at, c)) += 1;
      }
    }
    if ((change.array() == 0).all()) continue;
    chunk.views[v].add_transpose_times(change, views_[v].sums, workers);
    views_[v].counts += change.colwise().sum();
  }
}

void Prototypes::follow_sums() {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    View& view = views_[v];
    for (int c = 0; c < candidates(); ++c) {
      if (frozen_[static_cast<std::size_t>(c)]) continue;
      for (Index k = c * clusters_; k < (c + 1) * clusters_; ++k) {
        if (view.counts(k) > 0) view.prototypes.col(k) = view.sums.col(k) / view.counts(k);
      }
    }
  }
}

CandidateLabels Prototypes::learn(const PreparedChunk& chunk, const CandidateLabels& previous, int rounds, Workers& workers) {
  CandidateLabels labels = previous;
  labels.conservativeResize(chunk.size(), candidates());
  if (previous.cols() < candidates()) labels.rightCols(candidates() - previous.cols()).setConstant(-1);
  for (int round = 0; round < rounds; ++round) {
    const CandidateLabels next = nearest(distances(chunk, workers), chunk);
    if (next == labels) break;
    count(chunk, labels, next, workers);
    labels = next;
    follow_sums();
  }
  return labels;
}

void Prototypes::end_pass() {
  frozen_.assign(frozen_.size(), false);
  follow_sums();
}

CandidateLabels Prototypes::assign(const PreparedChunk& chunk, RowVector& error, Workers& workers) const {
  if (error.size() == 0) error.setZero(candidates());
  const Matrix all = distances(chunk, workers);
  CandidateLabels labels = nearest(all, chunk);
  double squares = 0;
  for (const DataBlock& view : chunk.views) squares += view.squared_norm();
  for (int c = 0; c < candidates(); ++c) {
    error(c) += squares;
    for (Index i = 0; i < labels.rows(); ++i) {
      if (labels(i, c) >= 0) error(c) += all(i, c * clusters_ + labels(i, c));
    }
  }
  return labels;
}

void Prototypes::keep(int candidate) {
  for (View& view : views_) {
    view.sums = Matrix(view.sums.middleCols(candidate * clusters_, clusters_));
    view.prototypes = Matrix(view.prototypes.middleCols(candidate * clusters_, clusters_));
    view.counts = RowVector(view.counts.segment(candidate * clusters_, clusters_));
  }
  frozen_.assign(1, frozen_[static_cast<std::size_t>(candidate)]);
}

Vector Prototypes::mean(std::size_t view) const {
  const double count = views_[view].counts.head(clusters_).sum();
  return views_[view].sums.leftCols(clusters_).rowwise().sum() / std::max(count, 1.0);
}

void Prototypes::save(Archive& archive) const {
  archive.put("prototypes/candidates", static_cast<double>(candidates()));
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const std::string key = fmt::format("view{}/prototypes", v);
    archive.put(key, views_[v].prototypes);
    archive.put(key + "/sums", views_[v].sums);
    archive.put(key + "/counts", std::vector<double>(views_[v].counts.begin(), views_[v].counts.end()));
  }
}

Prototypes Prototypes::load(const Archive& archive, const Schema& schema, int clusters) {
  Prototypes out(schema, clusters);
  if (archive.number("prototypes/candidates") == 0) return out;
  out.widen();
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string key = fmt::format("view{}/prototypes", v);
    out.views_[v].prototypes = archive.matrix(key, schema.views[v].features, clusters);
    out.views_[v].sums = archive.matrix(key + "/sums", schema.views[v].features, clusters);
    out.views_[v].counts = archive.vector(key + "/counts", clusters);
  }
  return out;
}

}  // namespace omvc
