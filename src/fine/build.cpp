#include "fine/build.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "fine/seeds.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

constexpr Index kFeaturesAtOnce = 32;

struct Measure {
  double squares = 0;
  double largest = 0;
};

// Of the values of one view of a piece.
Measure measure_of(const Block& block) {
  return std::visit(
      [](const auto& X) {
        Measure out;
        for (const auto x : X.values) {
          out.squares += static_cast<double>(x) * static_cast<double>(x);
          out.largest = std::max(out.largest, std::abs(static_cast<double>(x)));
        }
        return out;
      },
      block);
}

// Values that are too large were brought back as they were taken in; too small ones cannot be made larger.
void check_largest(double largest, const std::string& view) {
  if (!(largest > 0 && largest <= 1 / kNarrowValue)) return;
  throw Error(ErrorKind::data,
              fmt::format("view {}: its largest value is below {:.0e} as it is scaled, which cannot be squared: choose "
                          "another --scaling",
                          view, 1 / kNarrowValue));
}

Index features_of(const Schema& schema) {
  Index features = 0;
  for (const ViewSchema& view : schema.views) features += view.features;
  return features;
}

class Builder {
 public:
  Builder(const Sample& sample, const BuildInput& input, const Recipe& recipe, SampleRows& rows, Compute& compute)
      : sample_(sample),
        input_(input),
        recipe_(recipe),
        rows_(rows),
        compute_(compute),
        direction_(by_direction(input.unit_rows, recipe)),
        clusters_(input.clusters > 0 ? input.clusters : recipe.unknown_clusters) {}

  Prototypes run() {
    compute_.tell(Phase::prototypes, 0);
    measure();
    Embedded embedded = factorise_sample(sample_, factorised_pieces(), input_.schema, rank(), direction_, input_.seed,
                                         recipe_, compute_);
    out_.factors = std::make_shared<const Factorisation>(std::move(embedded.factors));
    rows_.latent = std::move(embedded.latent);
    compute_.tell(Phase::prototypes, 0.5);
    make_fine();
    compute_.tell(Phase::prototypes, 1);
    return std::move(out_);
  }

 private:
  // Mean of ||x||^2 of each view and the step of its sums.
  void measure() {
    const std::vector<PreparedChunk>& pieces = sample_.pieces();
    for (std::size_t v = 0; v < input_.schema.views.size(); ++v) {
      std::vector<Measure> measures(pieces.size());
      for_pieces(pieces.size(), compute_,
                 [&](std::size_t p, Compute&) { measures[p] = measure_of(pieces[p].chunk->views[v].block); });
      double rows = 0;
      Measure all;
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        rows += static_cast<double>(pieces[p].present(v).size());
        all.squares += measures[p].squares;
        all.largest = std::max(all.largest, measures[p].largest);
      }
      check_largest(all.largest, input_.schema.views[v].name);
      out_.squares.push_back(rows > 0 ? all.squares / rows : 0);
      quantum_.push_back(
          std::exp2(std::ceil(std::log2(std::max(all.largest, 1e-100))) - static_cast<double>(recipe_.sum_bits)));
    }
  }

  int rank() const {
    Index rank = input_.rank > 0
                     ? input_.rank
                     : std::min((direction_ ? recipe_.sparse_rank_per_cluster : recipe_.rank_per_cluster) * clusters_,
                                recipe_.most_rank);
    // More components than features or than a third of the rows have nothing to hold on to.
    if (input_.rank == 0) rank = std::min({rank, features_of(input_.schema), sample_.size() / 3});
    return static_cast<int>(std::clamp<Index>(rank, 1, sample_.size()));
  }

  // Sparse rows are wide, and their factors serve as one beginning among several: a part of them will do. Factors of
  // dense rows are where prototypes begin, and prototypes then move with all rows.
  std::size_t factorised_pieces() const {
    return sample_.pieces_for(direction_ ? std::max(recipe_.sparse_rows, recipe_.sparse_rows_per_cluster * clusters_)
                                         : std::max(recipe_.dense_rows, recipe_.dense_rows_per_cluster * clusters_));
  }

  Index dense_features() const {
    Index sum = 0;
    for (std::size_t v = 0; v < input_.unit_rows.size(); ++v) {
      if (!input_.unit_rows[v]) sum += input_.schema.views[v].features;
    }
    return sum;
  }

  Index fine_count() const {
    const Index wanted = direction_ ? recipe_.coarse_per_cluster * clusters_
                                    : std::max(recipe_.fine_per_cluster * clusters_, recipe_.least_fine);
    const Index room = std::max(std::min(recipe_.fine_numbers / std::max<Index>(features_of(input_.schema), 1),
                                         std::max(recipe_.dense_numbers / std::max<Index>(dense_features(), 1),
                                                  recipe_.least_per_cluster * clusters_)),
                                Index{2});
    // Clusters are groups of prototypes: there must be enough of them to be cut.
    const Index least = std::min(sample_.size(), 2 * std::max<Index>(input_.clusters, 2));
    return std::max(least, std::min({wanted, std::max(recipe_.most_fine, 2 * clusters_),
                                     sample_.size() / recipe_.rows_per_fine, room}));
  }

  // What the factorisation makes of the mean latent row of each group, d x groups for every view: it knows of a group
  // also in a view that none of its few members has.
  std::vector<Matrix> reconstructed(const std::vector<std::int32_t>& groups, Index count) const {
    Matrix latent = Matrix::Zero(count, rows_.latent.cols());
    Vector members = Vector::Zero(count);
    for (Index i = 0; i < rows_.latent.rows(); ++i) {
      latent.row(groups[static_cast<std::size_t>(i)]) += rows_.latent.row(i);
      members(groups[static_cast<std::size_t>(i)]) += 1;
    }
    latent = members.cwiseMax(1).cwiseInverse().asDiagonal() * latent;
    std::vector<Matrix> out;
    for (const ViewState& view : out_.factors->state().views) {
      Matrix& product = out.emplace_back(view.U.rows(), count);
      for_blocks(compute_, view.U.rows(), kFeaturesAtOnce, true, [&](Index first, Index last) {
        product.middleRows(first, last - first).noalias() = view.U.middleRows(first, last - first) * latent.transpose();
      });
    }
    return out;
  }

  void make_fine() {
    const Index m = fine_count();
    const std::vector<std::int32_t> groups =
        group_latent(rows_.latent, direction_ || !recipe_.latent_root, m, 1, static_cast<int>(recipe_.group_iterations),
                     input_.seed, compute_);
    out_.fine = FinePrototypes(input_.schema, m, fine_rule());
    if (!direction_ && recipe_.prior_rows > 0) out_.fine.set_prior(reconstructed(groups, m), recipe_.prior_rows);
    const std::size_t used = sample_.pieces_for(rows_.latent.rows());
    std::vector<std::vector<std::int32_t>> ids(used);
    std::vector<Members> members;
    for (std::size_t p = 0; p < used; ++p) {
      const PreparedChunk& piece = sample_.pieces()[p];
      const auto first = groups.begin() + sample_.first(p);
      ids[p].assign(first, first + piece.size());
      members.push_back({&piece, &ids[p]});
    }
    out_.fine.count(members, 1, compute_);
    move();
    for (Index round = 0; round < recipe_.fine_rounds; ++round) {
      count();
      move();
      compute_.tell(Phase::prototypes,
                    0.5 + 0.5 * static_cast<double>(round + 1) / static_cast<double>(recipe_.fine_rounds + 1));
    }
    count();
  }

  void move() {
    out_.fine.settle(compute_);
    out_.fine.drop_empty(compute_);
  }

  void count() {
    const Timed timed(compute_.profile(), Step::prototypes);
    const std::vector<PreparedChunk>& pieces = sample_.pieces();
    rows_.near.resize(pieces.size());
    for_pieces(pieces.size(), compute_,
               [&](std::size_t p, Compute& own) { rows_.near[p] = out_.fine.near(pieces[p], own); });
    out_.fine.forget(compute_);
    out_.fine.count(pieces, rows_.near, input_.seed, compute_);
    if (input_.weight != 1) out_.fine.decay(input_.weight);
  }

  // Fine prototypes are means, also where rows are compared by direction.
  FineRule fine_rule() const {
    return {.direction = std::vector<bool>(input_.unit_rows.size(), false), .quantum = quantum_, .near = recipe_.near};
  }

  const Sample& sample_;
  const BuildInput& input_;
  const Recipe& recipe_;
  SampleRows& rows_;
  Compute& compute_;
  bool direction_;
  Index clusters_;
  std::vector<double> quantum_;
  Prototypes out_;
};

}  // namespace

bool by_direction(const std::vector<bool>& unit_rows, const Recipe& recipe) {
  const auto unit = [](bool is) { return is; };
  return recipe.mixed_by_direction ? std::any_of(unit_rows.begin(), unit_rows.end(), unit)
                                   : std::all_of(unit_rows.begin(), unit_rows.end(), unit);
}

Prototypes build(const Sample& sample, const BuildInput& input, const Recipe& recipe, SampleRows& rows,
                 Compute& compute) {
  return Builder(sample, input, recipe, rows, compute).run();
}

SampleRows look_again(const Sample& sample, const Prototypes& prototypes, Compute& compute) {
  SampleRows rows;
  rows.near.resize(sample.pieces().size());
  const Timed timed(compute.profile(), Step::prototypes);
  for_pieces(rows.near.size(), compute,
             [&](std::size_t p, Compute& own) { rows.near[p] = prototypes.fine.near(sample.pieces()[p], own); });
  return rows;
}

}  // namespace omvc
