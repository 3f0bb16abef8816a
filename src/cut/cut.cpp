#include "cut/cut.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "cut/calibrate.hpp"
#include "cut/choose_k.hpp"
#include "cut/refine.hpp"
#include "cut/round.hpp"

namespace omvc {
namespace {

class Cutter {
 public:
  Cutter(const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs, const BuildInput& input,
         const Recipe& recipe, Compute& compute)
      : fine_(prototypes.fine), sample_(sample), graphs_(graphs), input_(input), recipe_(recipe), compute_(compute) {}

  Cut run(int asked) {
    cut_.count = asked;
    if (asked == 0) {
      const int most = std::max(most_clusters(fine_.sums(), recipe_), 1);
      cut_.choice = choose_clusters(fine_.sums(),
                                    first_eigenvalues(graphs_, static_cast<int>(recipe_.unknown_clusters), most + 1,
                                                      input_.seed, recipe_, compute_),
                                    by_direction(input_.unit_rows, recipe_), input_.seed, recipe_, compute_);
      cut_.count = cut_.choice->clusters;
    }
    if (asked == 0 && fine_.size() < 2) {
      throw Error(ErrorKind::data, "the data show no clusters: all rows are alike, or there are too few of them");
    }
    if (cut_.count > graphs_.rows) {
      throw Error(ErrorKind::data, fmt::format("{} clusters were asked for, but only {} instances with at least one "
                                               "view are kept; ask for fewer clusters",
                                               cut_.count, graphs_.rows));
    }
    if (by_direction(input_.unit_rows, recipe_)) {
      cut_text();
    } else {
      cut_dense();
    }
    return std::move(cut_);
  }

 private:
  void cut_dense() {
    const auto moved = [&](const std::vector<int>& labels) { return by_means(labels); };
    const RowCut rows = cut_rows(graphs_, sample_, cut_.count, input_.seed, recipe_, moved, compute_);
    cut_.votes = std::make_shared<const Votes>(graphs_, rows, cut_.count, recipe_);
    cut_.group = cut_.votes->group();
    const NarrowMatrix& shares = cut_.votes->of_rows();
    for (Index i = 0; i < shares.rows(); ++i) {
      const int cluster = cut_.votes->clusters_of_rows()[static_cast<std::size_t>(i)];
      cut_.rows.push_back({cluster, rounded_share(shares(i, cluster)), kNan});
    }
    cut_.worth = rows.worth;
    cut_.found_by = fmt::format("cuts of the graph of {} rows and {} fine prototypes", graphs_.rows, fine_.size());
  }

  // Labels brought to rest by one mean per cluster; none where clusters are not round and alike, or one would be empty.
  std::vector<int> by_means(const std::vector<int>& labels) const {
    const auto refined = [&](int rounds) {
      return refine(sample_, graphs_.pieces, input_.schema, cut_.count, {labels.begin(), labels.end()}, round_rule(),
                    rounds, compute_);
    };
    const Shape shape = shape_of(sample_, graphs_.pieces, labels, *refined(0).prototypes.table(), compute_);
    if (!round_and_alike(shape, recipe_)) return {};
    const Refined moved = refined(static_cast<int>(recipe_.round_rounds));
    if (moved.prototypes.sums().mass.minCoeff() == 0) return {};
    return {moved.labels.begin(), moved.labels.begin() + graphs_.rows};
  }

  // Small prototypes of thousands of features are noise: clusters are K prototypes by direction, which begin with a cut
  // of the rows.
  void cut_text() {
    const auto moved = [&](std::vector<int> labels) {
      const Refined refined = moved_on({labels.begin(), labels.end()});
      return std::vector<int>(refined.labels.begin(), refined.labels.begin() + graphs_.rows);
    };
    const RowCut rows = cut_rows(graphs_, sample_, cut_.count, input_.seed, recipe_, moved, compute_);
    Refined refined = moved_on({rows.labels.begin(), rows.labels.end()});
    if (const std::size_t all = sample_.pieces().size(); graphs_.pieces < all) {
      const Assigned begun = assign_sample(sample_, all, *refined.prototypes.table(), compute_);
      refined = refine(sample_, all, input_.schema, cut_.count, begun.labels, round_rule(),
                       static_cast<int>(recipe_.direction_rounds), compute_);
    }
    cut_.worth = rows.worth;
    cut_.found_by = fmt::format("cuts of the graph of {} rows, moved to one prototype per cluster", graphs_.rows);
    use_round(std::move(refined.prototypes));
  }

  // The rows of the graph, moved by means for some rounds and then by direction to rest.
  Refined moved_on(const std::vector<std::int32_t>& labels) const {
    FineRule by_mean = round_rule();
    by_mean.direction.assign(by_mean.direction.size(), false);
    const std::vector<std::int32_t> means = refine(sample_, graphs_.pieces, input_.schema, cut_.count, labels, by_mean,
                                                   static_cast<int>(recipe_.mean_rounds), compute_)
                                                .labels;
    return refine(sample_, graphs_.pieces, input_.schema, cut_.count, means, round_rule(),
                  static_cast<int>(recipe_.direction_rounds), compute_);
  }

  // K prototypes place instances. They are counted once more with their distances, for what is usual; half the mean gap
  // is what the last of few prototypes is compared with.
  void use_round(FinePrototypes prototypes) {
    cut_.group.resize(static_cast<std::size_t>(cut_.count));
    for (int k = 0; k < cut_.count; ++k) cut_.group[static_cast<std::size_t>(k)] = k;
    FinePrototypes& round = cut_.round.emplace(std::move(prototypes));
    const Timed timed(compute_.profile(), Step::prototypes);
    const std::vector<PreparedChunk>& pieces = sample_.pieces();
    std::vector<Near> near(pieces.size());
    for_pieces(pieces.size(), compute_, [&](std::size_t p, Compute& own) { near[p] = round.near(pieces[p], own); });
    double gap = 0;
    for (const Near& piece : near) gap += piece.gap;
    round.forget(compute_);
    round.count(pieces, near, input_.seed, compute_);
    round.set_beyond(gap / (2 * static_cast<double>(sample_.size())));
    if (input_.weight != 1) round.decay(input_.weight);
  }

  FineRule round_rule() const {
    FineRule rule = fine_.rule();
    rule.direction = input_.unit_rows;
    return rule;
  }

  const FinePrototypes& fine_;
  const Sample& sample_;
  const RowGraphs& graphs_;
  const BuildInput& input_;
  const Recipe& recipe_;
  Compute& compute_;
  Cut cut_;
};

}  // namespace

std::vector<double> Cut::sizes(const Prototypes& prototypes) const {
  std::vector<double> sizes(static_cast<std::size_t>(count), 0.0);
  const Vector& mass = placing(prototypes).sums().mass;
  for (std::size_t p = 0; p < group.size(); ++p)
    sizes[static_cast<std::size_t>(group[p])] += mass(static_cast<Index>(p));
  return sizes;
}

Vote vote_of(const Near& near, Index instance, const std::vector<int>& group, int clusters) {
  std::vector<double> votes(static_cast<std::size_t>(std::max(1, clusters)), 0.0);
  for (Index j = 0; j < near.count; ++j) {
    const std::int32_t id = near.id(instance, j);
    if (id < 0) continue;
    votes[group.empty() ? 0 : static_cast<std::size_t>(group[static_cast<std::size_t>(id)])] +=
        near.weight(instance, j);
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  return {static_cast<int>(best - votes.begin()), *best, kNan};
}

double rounded_share(double share) { return std::round(share * kWeightSteps) / kWeightSteps; }

Vote vote_of(const Voted& voted, Index instance, const Calibration& calibration) {
  const int cluster = voted.clusters[static_cast<std::size_t>(instance)];
  if (cluster < 0) return {.cluster = -1, .share = kNan, .distance = kNan};
  const double distance = calibration.rows(voted.distance[static_cast<std::size_t>(instance)]);
  const double share = voted.shares(instance, cluster);
  return {cluster, rounded_share(drawn(share, distance, static_cast<int>(voted.shares.cols()))), distance};
}

Cut plain_cut(const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs, int clusters,
              const BuildInput& input, const Recipe& recipe, Compute& compute) {
  return Cutter(prototypes, sample, graphs, input, recipe, compute).run(clusters);
}

Cut cut(const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs, int clusters,
        const BuildInput& input, const Recipe& recipe, Compute& compute) {
  compute.tell(Phase::clusters, 0);
  Cut out = plain_cut(prototypes, sample, graphs, clusters, input, recipe, compute);
  compute.tell(Phase::clusters, 1);
  calibrate(out, prototypes, sample, graphs, input, recipe, compute);
  return out;
}

}  // namespace omvc
