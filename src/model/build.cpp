// Making the prototypes of a model from the sample of all rows seen.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "fine/seeds.hpp"
#include "model/model.hpp"

namespace omvc {
namespace {

constexpr Index kPiece = 500;            // rows of the sample worked on at a time
constexpr Index kFinePerCluster = 50;    // fine prototypes for each cluster
constexpr Index kCoarsePerCluster = 10;  // the same where rows are compared by direction
constexpr Index kUnknownClusters = 10;   // that K counts for where it is not given
constexpr Index kLeastFine = 300;
constexpr Index kMostFine = 1000;
constexpr Index kRowsPerFine = 4;        // of the sample, at least
constexpr Index kFineNumbers = 4 << 20;  // features x prototypes, at most, where views are wide and sparse
constexpr int kMostRank = 50;
constexpr int kRankPerCluster = 5;
constexpr int kSparseRankPerCluster = 2;
constexpr Index kSparseRows = 4000;           // of the sample that are factorised where rows are compared by direction,
constexpr Index kSparseRowsPerCluster = 100;  // and for each cluster
constexpr Index kDenseRows = 20000;           // and of dense rows
constexpr Index kDenseRowsPerCluster = 500;
constexpr int kGroupIterations = 20;
constexpr int kRounds = 2;        // of moving fine prototypes to the means of the rows that are nearest
constexpr double kPriorRows = 1;  // that the factorisation counts for in a prototype
constexpr int kSumBits = 24;      // a sum holds values to 2^-24 of the largest
constexpr Index kFeaturesAtOnce = 32;

}  // namespace

bool Model::by_direction() const {
  return std::any_of(scaling_.begin(), scaling_.end(), [](const ViewScaling& view) { return view.unit_rows; });
}

FineRule Model::rule() const {
  FineRule rule;
  for (std::size_t v = 0; v < scaling_.size(); ++v) {
    rule.direction.push_back(scaling_[v].unit_rows);
    rule.quantum.push_back(quantum_[v]);
  }
  return rule;
}

void Model::choose_scaling() {
  for (std::size_t v = 0; v < scaling_.size(); ++v) {
    if (survey_.views[v].observed > 0) {
      scaling_[v] = omvc::choose_scaling(of_view(options_.scaling, v), survey_.views[v], schema_.views[v].name);
    }
  }
}

// Mean of ||x||^2 of each view and the step of its sums, from the scaled sample.
void Model::measure_sample(Workers& workers) {
  squares_.assign(schema_.views.size(), 0);
  quantum_.assign(schema_.views.size(), 1);
  struct Measure {
    double squares = 0;
    double largest = 0;
  };
  const std::vector<PreparedChunk>& pieces = sample_->pieces();
  for (std::size_t v = 0; v < schema_.views.size(); ++v) {
    std::vector<Measure> measures(pieces.size());
    for_pieces(pieces.size(), workers, [&](std::size_t p, Workers&) {
      Measure measure;
      std::visit(
          [&](const auto& X) {
            for (const auto x : X.values) {
              measure.squares += static_cast<double>(x) * static_cast<double>(x);
              measure.largest = std::max(measure.largest, std::abs(static_cast<double>(x)));
            }
          },
          pieces[p].chunk->views[v].block);
      measures[p] = measure;
    });
    double rows = 0;
    double largest = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      rows += static_cast<double>(pieces[p].present(v).size());
      squares_[v] += measures[p].squares;
      largest = std::max(largest, measures[p].largest);
    }
    if (rows > 0) squares_[v] /= rows;
    if (largest >= kNarrowValue || (largest > 0 && largest <= 1 / kNarrowValue)) {
      throw Error(
          ErrorKind::data,
          fmt::format("view {}: its largest value is {} {:.0e} as it is scaled, which cannot be squared: choose "
                      "another --scaling",
                      schema_.views[v].name, largest > 1 ? "above" : "below",
                      largest > 1 ? kNarrowValue : 1 / kNarrowValue));
    }
    quantum_[v] = std::exp2(std::ceil(std::log2(std::max(largest, 1e-100))) - kSumBits);
  }
}

const Sample& Model::sample(Workers& workers) {
  if (sample_) return *sample_;
  std::vector<Chunk> pieces = reservoir_.pieces(kPiece, workers);
  std::vector<std::vector<Index>> negatives(pieces.size());
  for_pieces(pieces.size(), workers, [&](std::size_t p, Workers&) { negatives[p] = scale(pieces[p]); });
  if (whole()) {
    clipped_.assign(schema_.views.size(), 0);
    for (const std::vector<Index>& of_piece : negatives) {
      for (std::size_t v = 0; v < of_piece.size(); ++v) clipped_[v] += of_piece[v];
    }
  }
  sample_.emplace(std::move(pieces));
  latent_.resize(0, 0);
  near_.clear();
  return *sample_;
}

Index Model::fine_count(Index rows) const {
  const Index k = options_.clusters > 0 ? options_.clusters : kUnknownClusters;
  Index features = 0;
  for (const ViewSchema& view : schema_.views) features += view.features;
  const Index wanted = by_direction() ? kCoarsePerCluster * k : std::max(kFinePerCluster * k, kLeastFine);
  const Index room = std::max(kFineNumbers / std::max<Index>(features, 1), Index{2});
  // Clusters are groups of prototypes: there must be enough of them to be cut.
  const Index least = std::min(rows, 2 * std::max<Index>(options_.clusters, 2));
  return std::max(least, std::min({wanted, std::max(kMostFine, 2 * k), rows / kRowsPerFine, room}));
}

void Model::build(Workers& workers) {
  if (reservoir_.size() == 0) throw Error(ErrorKind::data, "no instance with at least one view was learned");
  sample_.reset();
  choose_scaling();
  sample(workers);
  measure_sample(workers);
  const Index k = options_.clusters > 0 ? options_.clusters : kUnknownClusters;
  Index rank = options_.rank > 0
                   ? options_.rank
                   : std::min<Index>((by_direction() ? kSparseRankPerCluster : kRankPerCluster) * k, kMostRank);
  // More components than features or than a third of the rows have nothing to hold on to.
  Index features = 0;
  for (const ViewSchema& view : schema_.views) features += view.features;
  if (options_.rank == 0) rank = std::min({rank, features, sample_->size() / 3});
  rank = std::clamp<Index>(rank, 1, sample_->size());
  // Sparse rows are wide, and their factors serve as one beginning among several: a part of them will do. Factors of
  // dense rows are where prototypes begin, and prototypes then move with all rows.
  const std::size_t pieces = sample_->pieces_for(by_direction() ? std::max(kSparseRows, kSparseRowsPerCluster * k)
                                                                : std::max(kDenseRows, kDenseRowsPerCluster * k));
  Embedded embedded =
      factorise_sample(*sample_, pieces, schema_, static_cast<int>(rank), by_direction(), options_.seed, workers);
  factors_ = std::move(embedded.factors);
  latent_ = std::move(embedded.latent);
  make_fine(workers);
  built_at_ = clock_;
  strangers_ = 0;
}

void Model::need_sample(Workers& workers) {
  sample(workers);
  if (near_.size() == sample_->pieces().size()) return;
  const std::size_t embedded = by_direction() ? sample_->pieces_for(kSparseRows) : 0;
  latent_.resize(embedded < sample_->pieces().size() ? sample_->first(embedded) : sample_->size(), rank());
  near_.clear();
  near_.resize(sample_->pieces().size());
  const Timed timed(workers.profile(), Step::prototypes);
  for_pieces(near_.size(), workers, [&](std::size_t p, Workers& own) {
    const PreparedChunk& piece = sample_->pieces()[p];
    if (p < embedded) latent_.middleRows(sample_->first(p), piece.size()) = embed(piece, own);
    near_[p] = fine_.near(piece, own);
  });
}

// What the factorisation makes of the mean latent row of each group, d x groups for every view: it knows of a group
// also in a view that none of its few members has.
std::vector<Matrix> Model::reconstructed(const std::vector<std::int32_t>& groups, Index count, Workers& workers) const {
  Matrix latent = Matrix::Zero(count, latent_.cols());
  Vector members = Vector::Zero(count);
  for (Index i = 0; i < latent_.rows(); ++i) {
    latent.row(groups[static_cast<std::size_t>(i)]) += latent_.row(i);
    members(groups[static_cast<std::size_t>(i)]) += 1;
  }
  latent = members.cwiseMax(1).cwiseInverse().asDiagonal() * latent;
  std::vector<Matrix> out;
  for (const ViewState& view : factors_->state().views) {
    Matrix& product = out.emplace_back(view.U.rows(), count);
    for_blocks(workers, view.U.rows(), kFeaturesAtOnce, true, [&](Index first, Index last) {
      product.middleRows(first, last - first).noalias() = view.U.middleRows(first, last - first) * latent.transpose();
    });
  }
  return out;
}

void Model::make_fine(Workers& workers) {
  const Index m = fine_count(sample_->size());
  const std::vector<std::int32_t> groups =
      group_latent(latent_, by_direction(), m, 1, kGroupIterations, options_.seed, workers.threads());
  FineRule means = rule();
  means.direction.assign(means.direction.size(), false);
  fine_ = FinePrototypes(schema_, m, means);
  const std::size_t used = sample_->pieces_for(latent_.rows());
  if (!by_direction()) fine_.set_prior(reconstructed(groups, m, workers), kPriorRows);
  std::vector<std::vector<std::int32_t>> ids(used);
  std::vector<Members> members;
  for (std::size_t p = 0; p < used; ++p) {
    const PreparedChunk& piece = sample_->pieces()[p];
    const auto first = groups.begin() + sample_->first(p);
    ids[p].assign(first, first + piece.size());
    members.push_back({&piece, &ids[p]});
  }
  fine_.count(members, workers);
  fine_.settle(workers);
  fine_.drop_empty(workers);
  for (int round = 0; round < kRounds; ++round) {
    count_sample(workers);
    fine_.settle(workers);
    fine_.drop_empty(workers);
  }
  count_sample(workers);
}

void Model::count_sample(Workers& workers) {
  const Timed timed(workers.profile(), Step::prototypes);
  const std::vector<PreparedChunk>& pieces = sample_->pieces();
  near_.resize(pieces.size());
  for_pieces(pieces.size(), workers, [&](std::size_t p, Workers& own) { near_[p] = fine_.near(pieces[p], own); });
  fine_.forget(workers);
  fine_.count(pieces, near_, options_.seed, workers);
  if (stands_for() != 1) fine_.decay(stands_for());
}

double Model::stands_for() const {
  return (survey_.instances - survey_.unobserved) / static_cast<double>(sample_->size());
}

}  // namespace omvc
