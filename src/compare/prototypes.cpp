#include "compare/prototypes.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "kernels/data_block.hpp"
#include "kernels/tall.hpp"

namespace omvc {
namespace {
constexpr double kMaxCandidates = 1e5;  // in an archive: more is nonsense

RowVector column_squares(const Matrix& P, Compute& compute) {
  return sum_of_tall_blocks(
      compute, P.rows(), P.cols(), RowVector(RowVector::Zero(P.cols())),
      [&](Index first, Index count) { return RowVector(P.middleRows(first, count).colwise().squaredNorm()); });
}

}  // namespace

CandidatePrototypes::CandidatePrototypes(const Schema& schema, int clusters, const std::vector<bool>& unit,
                                         PrototypeRule rule)
    : clusters_(clusters), ridge_(rule.ridge), absent_(rule.absent) {
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const Index features = schema.views[v].features;
    views_.push_back({Matrix(features, 0), RowVector(0), Matrix(features, 0), unit[v], RowVector(0), Vector(0)});
    if (!rule.fill.empty()) views_.back().fill = std::move(rule.fill[v]);
  }
}

void CandidatePrototypes::widen() {
  frozen_.push_back(false);
  const Index width = static_cast<Index>(candidates()) * clusters_;
  for (View& view : views_) {
    view.sums.conservativeResize(Eigen::NoChange, width);
    view.prototypes.conservativeResize(Eigen::NoChange, width);
    view.counts.conservativeResize(width);
    view.sums.rightCols(clusters_).setZero();
    view.prototypes.rightCols(clusters_).setZero();
    view.counts.tail(clusters_).setZero();
    view.filled.conservativeResize(width);
    view.filled.tail(clusters_).setZero();
  }
}

void CandidatePrototypes::add_seeded(const PreparedChunk& chunk, const Random& random, Compute& compute) {
  const Timed timed(compute.profile(), Step::prototypes);
  const std::vector<Matrix> seeds = seed_instances(chunk, clusters_, random, compute, absent_);
  widen();
  for (std::size_t v = 0; v < views_.size(); ++v) {
    views_[v].prototypes.rightCols(clusters_) = seeds[v];
  }
}

void CandidatePrototypes::add_given(const std::vector<Matrix>& prototypes) {
  widen();
  frozen_.back() = true;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    views_[v].prototypes.rightCols(clusters_) = prototypes[v];
  }
}

void CandidatePrototypes::distances(const PreparedChunk& chunk, Matrix* by_mean, Matrix* by_direction,
                                    Compute& compute) const {
  const Index width = static_cast<Index>(candidates()) * clusters_;
  for (Matrix* out : {by_mean, by_direction}) {
    if (out != nullptr) out->setZero(chunk.size(), width);
  }
  Matrix products;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const Matrix& P = views_[v].prototypes;
    const RowVector norms = column_squares(P, compute);
    products.resize(chunk.views[v].rows(), width);
    chunk.views[v].times(P, products, compute);
    const RowVector fill = views_[v].fill.size() > 0 ? RowVector(views_[v].fill.transpose() * P) : RowVector();
    const auto add = [&](Matrix& out, const RowVector& shrink) {
      const RowVector squares = norms.cwiseProduct(shrink.cwiseAbs2());
      for_tall_blocks(compute, products.rows(), width, [&](Index first, Index count) {
        for (Index i = first; i < first + count; ++i) {
          out.row(chunk.present(v)[static_cast<std::size_t>(i)]) += squares - 2 * products.row(i).cwiseProduct(shrink);
        }
      });
      if (fill.size() == 0) return;
      for (const Index at : chunk.missing(v)) out.row(at) += squares - 2 * fill.cwiseProduct(shrink);
    };
    if (by_mean != nullptr) add(*by_mean, RowVector::Ones(width));
    if (by_direction == nullptr) continue;
    // Of a prototype brought to length 1; one that is zero has no direction and stays at the origin.
    add(*by_direction, views_[v].unit
                           ? RowVector(norms.unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; }))
                           : RowVector(RowVector::Ones(width)));
  }
}

CandidateLabels CandidatePrototypes::nearest(const Matrix& distances, const PreparedChunk& chunk) const {
  CandidateLabels labels = CandidateLabels::Constant(chunk.size(), candidates(), -1);
  for (Index i = 0; i < labels.rows(); ++i) {
    if (!chunk.observed[static_cast<std::size_t>(i)]) continue;
    for (int c = 0; c < candidates(); ++c) distances.row(i).segment(c * clusters_, clusters_).minCoeff(&labels(i, c));
  }
  return labels;
}

// Moves the rows whose label changed from one sum to another.
void CandidatePrototypes::recount(const PreparedChunk& chunk, const CandidateLabels& before,
                                  const CandidateLabels& after, Compute& compute) {
  const Timed timed(compute.profile(), Step::prototypes);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    std::vector<DataBlock::Move> moves;
    for (Index i = 0; i < chunk.views[v].rows(); ++i) {
      const Index at = chunk.present(v)[static_cast<std::size_t>(i)];
      for (int c = 0; c < candidates(); ++c) {
        if (before(at, c) == after(at, c)) continue;
        if (before(at, c) >= 0) moves.push_back({i, c * clusters_ + before(at, c), -1});
        if (after(at, c) >= 0) moves.push_back({i, c * clusters_ + after(at, c), 1});
      }
    }
    chunk.views[v].add_rows(moves, views_[v].sums, compute);
    for (const DataBlock::Move& move : moves) views_[v].counts(move.column) += move.sign;
    if (views_[v].fill.size() == 0) continue;
    for (const Index at : chunk.missing(v)) {
      for (int c = 0; c < candidates(); ++c) {
        if (before(at, c) >= 0) views_[v].filled(c * clusters_ + before(at, c)) -= 1;
        if (after(at, c) >= 0) views_[v].filled(c * clusters_ + after(at, c)) += 1;
      }
    }
  }
}

void CandidatePrototypes::follow_sums(Compute& compute) {
  for (View& view : views_) {
    const Index width = view.sums.cols();
    // A prototype that is frozen or has no rows stays: it is its own multiple by 1, and no multiple of its sum.
    RowVector stay = RowVector::Zero(width);
    RowVector scale = RowVector::Zero(width);
    for (Index k = 0; k < width; ++k) {
      const bool moves = !frozen_[static_cast<std::size_t>(k / clusters_)] && view.count(k) > 0;
      (moves ? scale : stay)(k) = moves ? 1 / (view.count(k) + ridge_) : 1;
    }
    const RowVector filled = view.fill.size() > 0 ? RowVector(view.filled.cwiseProduct(scale)) : RowVector();
    for_tall_blocks(compute, view.sums.rows(), width, [&](Index first, Index count) {
      for (Index j = first; j < first + count; ++j) {
        view.prototypes.row(j) = view.prototypes.row(j).cwiseProduct(stay) + view.sums.row(j).cwiseProduct(scale);
        if (filled.size() > 0) view.prototypes.row(j) += view.fill(j) * filled;
      }
    });
  }
}

CandidateLabels CandidatePrototypes::learn(const PreparedChunk& chunk, const CandidateLabels& previous, int rounds,
                                           Nearest by, Compute& compute) {
  const Timed timed(compute.profile(), Step::prototypes);
  CandidateLabels labels = previous;
  labels.conservativeResize(chunk.size(), candidates());
  if (previous.cols() < candidates()) labels.rightCols(candidates() - previous.cols()).setConstant(-1);
  Matrix all;
  for (int round = 0; round < rounds; ++round) {
    distances(chunk, by == Nearest::by_mean ? &all : nullptr, by == Nearest::by_mean ? nullptr : &all, compute);
    const CandidateLabels next = nearest(all, chunk);
    if (next == labels) break;
    recount(chunk, labels, next, compute);
    labels = next;
    follow_sums(compute);
  }
  return labels;
}

void CandidatePrototypes::end_pass(Compute& compute) {
  thaw();
  follow_sums(compute);
}

CandidateLabels CandidatePrototypes::assign(const PreparedChunk& chunk, RowVector& error, Compute& compute) const {
  const Timed timed(compute.profile(), Step::prototypes);
  if (error.size() == 0) error.setZero(candidates());
  Matrix by_mean;
  Matrix by_direction;
  distances(chunk, &by_mean, &by_direction, compute);
  double squares = 0;
  for (const DataBlock& view : chunk.views) squares += view.squared_norm(compute);
  for (int c = 0; c < candidates(); ++c) {
    error(c) += squares;
    for (Index i = 0; i < chunk.size(); ++i) {
      if (!chunk.observed[static_cast<std::size_t>(i)]) continue;
      error(c) += by_mean.row(i).segment(c * clusters_, clusters_).minCoeff();
    }
  }
  return nearest(by_direction, chunk);
}

RowVector CandidatePrototypes::error() const {
  RowVector out = RowVector::Zero(candidates());
  for (int c = 0; c < candidates(); ++c) {
    double counted = 0;
    for (const View& view : views_) {
      for (Index k = c * clusters_; k < (c + 1) * clusters_; ++k) {
        if (view.count(k) > 0) out(c) -= view.sum(k).squaredNorm() / (view.count(k) + ridge_);
        counted += view.counts(k);
      }
    }
    if (!(counted > 0)) out(c) = std::numeric_limits<double>::infinity();
  }
  return out;
}

RowVector CandidatePrototypes::squared_distance() const {
  RowVector out = RowVector::Zero(candidates());
  for (const View& view : views_) {
    for (Index k = 0; k < view.prototypes.cols(); ++k) {
      const auto p = view.prototypes.col(k);
      out(k / clusters_) += view.count(k) * p.squaredNorm() - 2 * p.dot(view.sum(k));
    }
  }
  return out;
}

void CandidatePrototypes::keep(int candidate) {
  for (View& view : views_) {
    view.sums = Matrix(view.sums.middleCols(candidate * clusters_, clusters_));
    view.prototypes = Matrix(view.prototypes.middleCols(candidate * clusters_, clusters_));
    view.counts = RowVector(view.counts.segment(candidate * clusters_, clusters_));
    view.filled = RowVector(view.filled.segment(candidate * clusters_, clusters_));
  }
  frozen_.assign(1, frozen_[static_cast<std::size_t>(candidate)]);
}

double CandidatePrototypes::explained(std::size_t view, int candidate, double squares) const {
  const auto sums = views_[view].sums.middleCols(candidate * clusters_, clusters_);
  const auto counts = views_[view].counts.segment(candidate * clusters_, clusters_);
  const double count = counts.sum();
  if (!(count > 0)) return 0;
  double between = 0;
  for (int k = 0; k < clusters_; ++k) between += counts(k) > 0 ? sums.col(k).squaredNorm() / counts(k) : 0;
  const double about_zero = sums.rowwise().sum().squaredNorm() / count;
  const double total = squares - about_zero;
  return total > 0 ? (between - about_zero) / total : 0;
}

void CandidatePrototypes::save(Archive& archive, bool sums) const {
  archive.put("prototypes/candidates", static_cast<double>(candidates()));
  archive.put("prototypes/frozen", std::vector<Index>(frozen_.begin(), frozen_.end()));
  if (ridge_ > 0) archive.put("prototypes/ridge", ridge_);
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const std::string key = fmt::format("view{}/prototypes", v);
    archive.put(key, views_[v].prototypes);
    if (sums) archive.put(key + "/sums", views_[v].sums);
    archive.put(key + "/counts", std::vector<double>(views_[v].counts.begin(), views_[v].counts.end()));
    if (views_[v].fill.size() == 0) continue;
    archive.put(key + "/fill", std::vector<double>(views_[v].fill.begin(), views_[v].fill.end()));
    archive.put(key + "/filled", std::vector<double>(views_[v].filled.begin(), views_[v].filled.end()));
  }
}

CandidatePrototypes CandidatePrototypes::load(const Archive& archive, const Schema& schema, int clusters,
                                              const std::vector<bool>& unit) {
  CandidatePrototypes out(schema, clusters, unit);
  const double candidates = archive.number("prototypes/candidates");
  if (candidates == 0) return out;
  if (!(candidates >= 1 && candidates <= kMaxCandidates)) {
    throw Error(ErrorKind::data, fmt::format("the archive has {} candidates, which makes no sense", candidates));
  }
  out.frozen_.assign(static_cast<std::size_t>(candidates), false);
  const Index width = static_cast<Index>(candidates) * clusters;
  const std::vector<Index>& frozen = archive.integers("prototypes/frozen");
  if (frozen.size() != out.frozen_.size()) throw Error(ErrorKind::data, "the archive's candidates are incomplete");
  out.frozen_.assign(frozen.begin(), frozen.end());
  if (archive.has("prototypes/ridge")) out.ridge_ = archive.number("prototypes/ridge", kNonnegative);
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string key = fmt::format("view{}/prototypes", v);
    out.views_[v].prototypes = archive.matrix(key, schema.views[v].features, width, kSquarable);
    out.views_[v].sums = archive.has(key + "/sums") ? archive.matrix(key + "/sums", schema.views[v].features, width)
                                                    : Matrix::Zero(schema.views[v].features, width);
    out.views_[v].counts = archive.vector(key + "/counts", width, kCount);
    out.views_[v].filled = RowVector::Zero(width);
    if (!archive.has(key + "/fill")) continue;
    out.views_[v].fill = archive.vector(key + "/fill", schema.views[v].features, kSquarable);
    out.views_[v].filled = archive.vector(key + "/filled", width, kCount);
  }
  return out;
}

}  // namespace omvc
