// What a pass over the data, or over a part of them, adds up to. Every part fills Counts of its own; merged in any
// order, they have the same bits as those of one pass over all the data.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fine/prototype_sums.hpp"
#include "pass/pass.hpp"

namespace omvc {

struct Counts {
  Counts() = default;
  Counts(const Schema& schema, Index prototypes);

  // Counts what is known of a chunk beside its sums: who is present, and entries that the scaling set to 0.
  void add(const PreparedChunk& chunk, const std::vector<Index>& negatives);
  // Counts labels; -1: none.
  void add(const std::vector<int>& clusters);
  void merge(const Counts& other);

  void put(Archive& archive) const;
  // Throws ErrorKind::data unless they were counted with this number of prototypes.
  static Counts get(const Archive& archive, const Schema& schema, Index prototypes);

  PrototypeSums sums;
  Progress progress;  // of the pass; merged like the rest
  Index rounds = 0;
  Index observed = 0;            // instances with some view
  Index last = 0;                // one more than the largest row number
  std::vector<Index> present;    // instances of each view
  std::vector<Index> negatives;  // entries of each view that were set to 0
  std::vector<double> sizes;     // instances of each cluster, where they were labelled
};

}  // namespace omvc
