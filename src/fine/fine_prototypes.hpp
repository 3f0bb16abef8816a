// Fine prototypes: many small ones in data space, and beside them how often instances lie between two of them, their
// affinity W. Everything here is a sum over instances. While the prototypes stay where they are, what two parts of a
// stream add is what the whole adds, to the bit: values are rounded to fixed steps, so that sums are exact and neither
// order nor cut nor merge changes them (until a weight or a half-life multiplies them).
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "file/archive.hpp"
#include "kernels/near.hpp"

namespace omvc {

// How prototypes follow from the sums of their rows.
struct FineRule {
  std::vector<bool> direction;  // of each view: brought to length 1, since its rows are compared by direction
  std::vector<double> quantum;  // of each view: the step to which values are rounded in sums
};

class FinePrototypes {
 public:
  static constexpr Index kNear = 5;  // prototypes among which an instance is placed

  FinePrototypes() = default;
  FinePrototypes(const Schema& schema, Index count, FineRule rule);

  Index size() const { return mass_.size(); }
  const PrototypeTable& table() const { return table_; }

  Near near(const PreparedChunk& chunk, Workers& workers) const {
    return find_near(chunk, table_, kNear, beyond_, workers);
  }

  // Adds the instances of a chunk: each to its nearest prototype, and to the affinity of those it lies between, in one
  // of two halves drawn by row number. The prototypes stay where they are. Several chunks are counted one after the
  // other: `each` is called after every one of them, when all but the sums of features are as if no more had come.
  void count(std::span<const PreparedChunk> chunks, std::span<const Near> near, std::uint64_t seed, Workers& workers,
             const std::function<void()>& each = {});
  void count(const PreparedChunk& chunk, const Near& near, std::uint64_t seed, Workers& workers) {
    count({&chunk, 1}, {&near, 1}, seed, workers);
  }
  // Adds instances to the prototypes that are named, without affinity. And takes those out again that were added so,
  // which leaves no trace: the sums are exact.
  void count(std::span<const Members> members, Workers& workers) { add(members, 1, workers); }
  void take_out(std::span<const Members> members, Workers& workers) { add(members, -1, workers); }
  void forget(Workers& workers);  // all sums to zero; the prototypes stay
  void decay(double factor);      // all sums times this

  // Moves the prototypes to the means of what was added to them. One without rows in a view takes the mean of the view;
  // one without any rows stays.
  void settle(Workers& workers);
  // What prototypes are where few rows tell, d_v x m for every view: it counts for `rows` rows of each prototype.
  void set_prior(std::vector<Matrix> prior, double rows) {
    prior_ = std::move(prior);
    prior_rows_ = rows;
  }
  // Leaves out the prototypes to which nothing was added.
  void drop_empty(Workers& workers);
  // How much farther than the last of all prototypes the reference of weights lies, where there are no more than kNear.
  void set_beyond(double beyond) { beyond_ = beyond; }

  // W of one half (0, 1) or of both, m x m.
  const Matrix& affinity(std::size_t half) const { return affinity_[half]; }
  Matrix affinity() const { return affinity_[0] + affinity_[1]; }
  const Vector& mass() const { return mass_; }  // instances whose nearest prototype each is
  // Whether every instance that was added had every view.
  bool complete() const;
  double rows(std::size_t view) const { return counts_[view].sum(); }
  // Of the rows of a view that were added with their affinity: the mean of ||x||^2.
  double mean_square(std::size_t view) const {
    return rows(view) > 0 ? squares_(static_cast<Index>(view)) / rows(view) : 0;
  }
  // The distance that is usual for the members of a prototype, drawn to that of all where members are few.
  Vector usual_distances() const;
  double mean_distance() const { return mass_.sum() > 0 ? spread_.sum() / mass_.sum() : 0; }

  // Of each view: the sum over groups g of ||sum of its rows||^2 / their number, where group[p] is that of prototype p;
  // -1: in none.
  std::vector<double> between(const std::vector<int>& group, int groups) const;
  // Means of groups of prototypes in a view, d x groups.
  Matrix means(std::size_t view, const std::vector<int>& group, int groups) const;

  // What placing instances takes, without the sums.
  FinePrototypes for_placing() const;

  // The sums alone: what a part of a pass adds. Those of two parts add up, for which nobody needs the prototypes;
  // throws ErrorKind::data where they are not of the same ones.
  void save_sums(Archive& archive, const std::string& key) const;
  static void merge_sums(Archive& sum, const Archive& part, const std::string& key, std::size_t views);
  // Sums for prototypes like these, which it keeps. Throws ErrorKind::data where they do not fit.
  FinePrototypes with_sums(const Archive& archive, const std::string& key) const;

  // Without `sums` they place instances but do not go on learning.
  void save(Archive& archive, const std::string& key, bool sums) const;
  // Throws ErrorKind::data where `sums` are needed and are not there. Without them means are made up from the
  // prototypes.
  static FinePrototypes load(const Archive& archive, const std::string& key, const Schema& schema, FineRule rule,
                             bool sums);

 private:
  void add(std::span<const Members> members, double sign, Workers& workers);
  void add_counts(const Members& of, double sign);
  void add_affinity(const PreparedChunk& chunk, const Near& near, const std::vector<std::int32_t>& nearest,
                    std::uint64_t seed);

  FineRule rule_;
  PrototypeTable table_;
  std::vector<Matrix> sums_;       // of each view: d x m
  std::vector<RowVector> counts_;  // of each view: rows of each prototype
  std::array<Matrix, 2> affinity_;
  Vector mass_;
  Vector spread_;   // sum of the distances of the members
  Vector squares_;  // of each view: sum of ||x||^2 of the rows added with their affinity
  double beyond_ = 0;
  std::vector<Matrix> prior_;  // empty: none
  double prior_rows_ = 0;
};

}  // namespace omvc
