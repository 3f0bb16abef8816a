// The model as it stands for those who label by it: a view that does not change while the model goes on learning.
// Making one copies neither prototypes nor scaling, which are shared.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cut/cut.hpp"
#include "factorise/factorisation.hpp"
#include "kernels/near.hpp"
#include "pass/labeller.hpp"
#include "scale/intake.hpp"
#include "scale/ranges.hpp"

namespace omvc {

// Where the instances of a chunk lie, and the clusters that they are in.
struct Placed {
  Near near;                       // among the prototypes that place instances
  std::vector<int> clusters;       // places among the clusters of the cut; -1 without any view
  std::vector<int> labels;         // their numbers; -1 without any view
  std::vector<Vote> votes;         // as they were cast
  std::vector<double> confidence;  // what they mean (cut/calibration.hpp); NaN without any view, or where nobody knows
  std::vector<double> distance;    // likewise
  Matrix shares;                   // of the votes, instances x clusters; none unless somebody asked for them

  // A row that lies far outside of what was seen is brought back to it before it is placed. It is at least as far from
  // everything as it lies outside: no prototype is wider than what was seen.
  void set_outside(std::size_t instance, const Ranges::Outside& outside);
};

class Placer final : public Labeller {
 public:
  struct Parts {
    std::shared_ptr<const Intake> intake;
    std::shared_ptr<const PrototypeTable> table;
    std::shared_ptr<const Factorisation> factors;
    Index near = 5;                      // prototypes among which an instance is placed
    double beyond = 0;                   // FinePrototypes::beyond
    Vector usual;                        // distance of the members of each prototype
    std::vector<int> group;              // cluster of each prototype
    std::shared_ptr<const Votes> votes;  // none: prototypes alone vote
    Calibration calibration;
    std::vector<int> numbers;                   // of each cluster
    std::shared_ptr<const Ranges> ranges = {};  // of what was seen; none: nobody knows
  };
  explicit Placer(Parts parts);

  const Schema& schema() const override { return parts_.intake->schema(); }
  int rank() const override { return parts_.factors ? parts_.factors->rank() : 0; }
  Assignment label(Chunk chunk, Extras extras, Compute& compute) const override;

  const Intake& intake() const { return *parts_.intake; }
  const std::shared_ptr<const Ranges>& ranges() const { return parts_.ranges; }  // null: nobody knows
  const std::vector<int>& numbers() const { return parts_.numbers; }
  const std::vector<int>& ascending() const { return ascending_; }  // the same numbers in their order
  Index size() const { return parts_.table->size(); }

  // The functions below take rows that the intake has prepared.
  // `products`, where given, receives those with the prototypes if votes need them.
  Near near(const PreparedChunk& chunk, Compute& compute, std::vector<NarrowMatrix>* products = nullptr) const {
    const bool wanted = parts_.votes && parts_.votes->wants_products();
    return find_near(chunk, *parts_.table, parts_.near, parts_.beyond, compute, wanted ? products : nullptr);
  }
  Placed place(const PreparedChunk& chunk, Compute& compute, bool shares = false) const;
  // Where the instances lie and how far from what is known, without what they are voted to be, which takes longer.
  Placed lies(const PreparedChunk& chunk, Compute& compute) const;
  // The same as `place` where it is known already where the instances lie, and what was voted for each of them.
  Placed placed(Near near, std::span<const Vote> votes) const;
  // Latent rows; NaN for an instance without any view.
  Matrix embed(const PreparedChunk& chunk, Compute& compute) const;

  // The cluster of each instance and its share of the vote; `shares`, where given, receives those of all clusters.
  std::vector<Vote> vote(const PreparedChunk& chunk, const Near& near, const std::vector<NarrowMatrix>& products,
                         Compute& compute, Matrix* shares = nullptr) const;
  bool by_rows() const { return parts_.votes && parts_.votes->has_rows(); }
  // The same by the prototypes alone, where the row itself is gone.
  Vote vote(const Near& near, Index instance) const;
  // The same where it is known what was voted for it among earlier clusters: this counts for the neighbours it had.
  Vote vote(const Near& near, Index instance, const Vote& earlier) const;
  // The shares of all clusters in these two votes.
  RowVector shares(const Near& near, Index instance) const;
  RowVector shares(const Near& near, Index instance, const Vote& earlier) const;
  int number(int cluster) const {
    return parts_.numbers.empty() ? 0 : parts_.numbers[static_cast<std::size_t>(cluster)];
  }
  // What a vote means: the chance that a model of other rows gives the same cluster; NaN where nobody knows.
  double confidence(const Vote& vote) const;
  // The same of every cluster, in the order of their numbers: of sum 1, and that of the vote is its confidence. NaN
  // where nobody knows.
  RowVector membership(const Vote& vote, const RowVector& shares) const;
  Matrix membership(const Placed& placed) const;  // which has shares

 private:
  double distance(const Near& near, Index instance) const;
  int clusters() const { return static_cast<int>(parts_.numbers.size()); }
  const Curve& curve() const;

  Parts parts_;
  std::vector<int> ascending_;
  std::vector<Index> column_;  // of each cluster: where its number is among these
};

}  // namespace omvc
