#include "cut/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/evaluation.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

constexpr Index kFewestRows = 20;       // from which models of other rows are made,
constexpr Index kFewestPerCluster = 4;  // and of an average cluster
constexpr Index kLeftOut = 5;           // one part in so many is left out where clusters have few rows

// The rows of the graphs in two parts: those that a model is made from, and the others. The sample is in random order.
struct Parts {
  Parts(const Sample& sample, const RowGraphs& graphs, Index fold, Index folds) {
    std::vector<Chunk> learned_chunks;
    for (std::size_t p = 0; p < graphs.pieces; ++p) {
      const PreparedChunk& piece = sample.pieces()[p];
      std::vector<Index> in;
      std::vector<Index> out;
      for (Index i = 0; i < piece.size(); ++i) {
        const Index row = sample.first(p) + i;
        (row % folds == fold ? out : in).push_back(i);
        if (row % folds == fold) left_rows.push_back(row);
      }
      learned_chunks.push_back(take_instances(*piece.chunk, in));
      left.push_back(take_instances(*piece.chunk, out));
    }
    learned = Sample(std::move(learned_chunks));
  }

  Sample learned;
  std::vector<Chunk> left;
  std::vector<Index> left_rows;  // of the graphs
};

// The clusters that a model of some rows gives the others.
std::vector<int> labels_of_left(const Parts& parts, const Prototypes& prototypes, const Cut& cut, Compute& compute) {
  std::vector<std::vector<int>> found(parts.left.size());
  for_pieces(parts.left.size(), compute, [&](std::size_t p, Compute& own) {
    const PreparedChunk chunk(parts.left[p]);
    if (cut.votes) {
      found[p] = cut.votes->ask(chunk, prototypes.fine.near(chunk, own), nullptr, own).clusters;
      return;
    }
    const Near near = cut.round->near(chunk, own);
    for (Index i = 0; i < chunk.size(); ++i) found[p].push_back(vote_of(near, i, cut.group, cut.count).cluster);
  });
  std::vector<int> out;
  for (const std::vector<int>& piece : found) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

// The cluster of the whole model that each cluster of another model is; -1: none.
std::vector<int> matched(const std::vector<int>& whole, const std::vector<int>& other, int clusters) {
  std::vector<std::vector<double>> shared(static_cast<std::size_t>(clusters),
                                          std::vector<double>(static_cast<std::size_t>(clusters), 0.0));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] >= 0 && other[i] >= 0) {
      shared[static_cast<std::size_t>(other[i])][static_cast<std::size_t>(whole[i])] += 1;
    }
  }
  return best_matching(shared);
}

// What was voted for a row of the graphs, in one of two ways.
struct OwnVotes {
  std::vector<int> clusters;
  std::vector<double> shares;
};

class Calibrator {
 public:
  Calibrator(Cut& cut, const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs,
             const BuildInput& input, const Recipe& recipe, Compute& compute)
      : cut_(cut),
        prototypes_(prototypes),
        sample_(sample),
        graphs_(graphs),
        input_(input),
        recipe_(recipe),
        compute_(compute) {}

  void run() {
    compute_.tell(Phase::confidence, 0);
    if (cut_.votes) {
      take_votes();
    } else {
      take_round();
    }
    const Index least = std::max(kFewestRows, kFewestPerCluster * cut_.count);
    if (cut_.count == 1) cut_.calibration.models = 1;  // no model can disagree
    if (!recipe_.calibrate || graphs_.rows < least || cut_.count < 2) return;
    compare();
  }

 private:
  // Votes of neighbours, and those of a model without rows.
  void take_votes() {
    const Votes& votes = *cut_.votes;
    Calibration& to = cut_.calibration;
    to.rows = DistanceScale(votes.distances_of_rows());
    std::vector<double> relative;
    for (const Near& near : graphs_.near) add_relative(near, prototypes_.fine.sums(), relative);
    to.prototypes = DistanceScale(relative);
    const Voted voted{.clusters = votes.clusters_of_rows(),
                      .shares = votes.of_rows().cast<double>(),
                      .distance = votes.distances_of_rows()};
    cut_.rows.clear();
    for (Index i = 0; i < graphs_.rows; ++i) {
      cut_.rows.push_back(vote_of(voted, i, to));
      own_.clusters.push_back(cut_.rows.back().cluster);
      own_.shares.push_back(cut_.rows.back().share);
    }
    const Matrix alone = votes.alone(graphs_);
    for (Index i = 0; i < alone.rows(); ++i) {
      Index best = 0;
      const double share = alone.row(i).maxCoeff(&best);
      alone_.clusters.push_back(static_cast<int>(best));
      alone_.shares.push_back(drawn(share, to.prototypes(relative[static_cast<std::size_t>(i)]), cut_.count));
    }
  }

  // Votes of one prototype per cluster.
  void take_round() {
    const FinePrototypes& round = *cut_.round;
    std::vector<Near> near(graphs_.pieces);
    for_pieces(graphs_.pieces, compute_,
               [&](std::size_t p, Compute& own) { near[p] = round.near(sample_.pieces()[p], own); });
    std::vector<double> relative;
    for (const Near& piece : near) add_relative(piece, round.sums(), relative);
    cut_.calibration.prototypes = DistanceScale(relative);
    for (const Near& piece : near) {
      for (Index i = 0; i < static_cast<Index>(piece.distances.size()); ++i) {
        const Vote vote = vote_of(piece, i, cut_.group, cut_.count);
        const double distance = cut_.calibration.prototypes(relative[own_.clusters.size()]);
        own_.clusters.push_back(vote.cluster);
        own_.shares.push_back(drawn(vote.share, distance, cut_.count));
      }
    }
    alone_ = own_;
  }

  // Distances from the nearest prototype, relative to those of its members, as if the row were not one of these: its
  // own share of the mean is taken out.
  static void add_relative(const Near& near, const PrototypeSums& sums, std::vector<double>& out) {
    const Vector usual = sums.usual_distances();
    for (std::size_t i = 0; i < near.distances.size(); ++i) {
      const std::int32_t id = near.id(static_cast<Index>(i), 0);
      const double members = sums.mass(id);
      const double without = members > 1 ? members / (members - 1) : 0;
      out.push_back(usual(id) > 0 ? without * without * near.distances[i] / usual(id) : 0);
    }
  }

  // What a model made from the one part says of the other: prototypes of its own, and other random numbers, since where
  // clusters overlap the whole model is one of many that are as good.
  std::vector<int> labels_by_other(const Parts& parts, Index fold) {
    const Compute::Untold untold(compute_);
    BuildInput input = input_;
    input.clusters = cut_.count;
    input.seed += static_cast<std::uint64_t>(fold) + 1;
    SampleRows rows;
    const Prototypes prototypes = build(parts.learned, input, recipe_, rows, compute_);
    const RowGraphs graphs = row_graphs(prototypes, parts.learned, rows, input, recipe_, compute_);
    const Cut other = plain_cut(prototypes, parts.learned, graphs, cut_.count, input, recipe_, compute_);
    return labels_of_left(parts, prototypes, other, compute_);
  }

  void compare() {
    const bool few = graphs_.rows < recipe_.few_rows * cut_.count;
    const Index folds = few ? kLeftOut : 2;
    std::vector<Curve::Point> points;
    std::vector<Curve::Point> alone;
    for (Index fold = 0; fold < folds && static_cast<Index>(points.size()) < recipe_.compared_rows; ++fold) {
      const Parts parts(sample_, graphs_, fold, folds);
      const std::vector<int> theirs = labels_by_other(parts, fold);
      add_points(parts, theirs, own_, points);
      add_points(parts, theirs, alone_, alone);
      ++cut_.calibration.models;
      compute_.tell(Phase::confidence, static_cast<double>(fold + 1) / static_cast<double>(folds));
    }
    cut_.calibration.compared = static_cast<Index>(points.size());
    cut_.calibration.chance = Curve(std::move(points));
    cut_.calibration.alone = Curve(std::move(alone));
  }

  void add_points(const Parts& parts, const std::vector<int>& theirs, const OwnVotes& own,
                  std::vector<Curve::Point>& points) const {
    std::vector<int> ours;
    for (const Index row : parts.left_rows) ours.push_back(own.clusters[static_cast<std::size_t>(row)]);
    const std::vector<int> names = matched(ours, theirs, cut_.count);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] < 0) continue;
      const bool same = theirs[i] >= 0 && names[static_cast<std::size_t>(theirs[i])] == ours[i];
      points.push_back({own.shares[static_cast<std::size_t>(parts.left_rows[i])], same});
    }
  }

  Cut& cut_;
  const Prototypes& prototypes_;
  const Sample& sample_;
  const RowGraphs& graphs_;
  const BuildInput& input_;
  const Recipe& recipe_;
  Compute& compute_;
  OwnVotes own_;
  OwnVotes alone_;
};

}  // namespace

void calibrate(Cut& cut, const Prototypes& prototypes, const Sample& sample, const RowGraphs& graphs,
               const BuildInput& input, const Recipe& recipe, Compute& compute) {
  Calibrator(cut, prototypes, sample, graphs, input, recipe, compute).run();
  compute.tell(Phase::confidence, 1);
}

}  // namespace omvc
