// Fine prototypes: many small ones in data space, and beside them what their rows add up to (fine/prototype_sums.hpp),
// which includes how often instances lie between two of them. Their positions are a table that never changes: moving
// the prototypes makes a new table, so that those who label by the old one are not disturbed.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fine/prototype_sums.hpp"

namespace omvc {

// How instances are placed among prototypes, and how prototypes follow from the sums of their rows.
struct FineRule {
  std::vector<bool> direction;  // of each view: brought to length 1, since its rows are compared by direction
  std::vector<double> quantum;  // of each view: the step to which values are rounded in sums
  Index near = 5;               // prototypes among which an instance is placed
};

class FinePrototypes {
 public:
  FinePrototypes() = default;
  FinePrototypes(const Schema& schema, Index count, FineRule rule);

  Index size() const { return sums_.size(); }
  const PrototypeSums& sums() const { return sums_; }
  const FineRule& rule() const { return rule_; }
  const std::shared_ptr<const PrototypeTable>& table() const { return table_; }
  double beyond() const { return beyond_; }

  Near near(const PreparedChunk& chunk, Compute& compute) const {
    return find_near(chunk, *table_, rule_.near, beyond_, compute);
  }

  // Adds instances to the sums (PrototypeSums::add). The prototypes stay where they are.
  void count(std::span<const PreparedChunk> chunks, std::span<const Near> near, std::uint64_t seed, Compute& compute) {
    sums_.add(chunks, near, rule_.quantum, seed, compute);
  }
  void count(std::span<const Members> members, double sign, Compute& compute) {
    sums_.add(members, sign, rule_.quantum, compute);
  }
  void forget(Compute& compute) { sums_.clear(compute); }
  void decay(double factor) { sums_.decay(factor); }
  // Sums that were counted elsewhere, of these prototypes, in the place of those that there are.
  void take(PrototypeSums sums) { sums_ = std::move(sums); }

  // Moves the prototypes to the means of what was added to them. One without rows in a view takes the mean of the view;
  // one without any rows stays.
  void settle(Compute& compute);
  // Where prototypes are expected before any row is seen, d_v x m for every view: this counts as `rows` rows of each.
  void set_prior(std::vector<Matrix> prior, double rows) {
    prior_ = std::move(prior);
    prior_rows_ = rows;
  }
  // Leaves out the prototypes to which nothing was added.
  void drop_empty(Compute& compute);
  // `beyond` of find_near (kernels/near.hpp): matters where there are no more prototypes than an instance is placed
  // among.
  void set_beyond(double beyond) { beyond_ = beyond; }

  // Without `sums` they place instances but do not go on learning.
  void save(Archive& archive, const std::string& key, bool sums) const;
  // Throws ErrorKind::data where `sums` are needed and are not there. Without them, the sums are made up so that their
  // means are the prototypes.
  static FinePrototypes load(const Archive& archive, const std::string& key, const Schema& schema, FineRule rule,
                             bool sums);

 private:
  FineRule rule_;
  std::shared_ptr<const PrototypeTable> table_ = std::make_shared<PrototypeTable>();
  PrototypeSums sums_;
  double beyond_ = 0;
  std::vector<Matrix> prior_;  // empty: none
  double prior_rows_ = 0;
};

}  // namespace omvc
