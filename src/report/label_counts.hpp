// What the labels of all instances add up to, or of those of a part: it is counted by whoever labels them, and added up
// in any order.
#pragma once

#include "report/pattern_counts.hpp"
#include "report/tally.hpp"

namespace omvc {

struct LabelCounts {
  Tally tally;
  PatternCounts patterns;

  void merge(const LabelCounts& other);
  void put(Archive& archive) const;
  static LabelCounts get(const Archive& archive, double outlier, std::size_t views);

  // Fills the report, and warns of clusters without instances and of clusters that follow what is missing.
  void report(Report& report) const;
};

}  // namespace omvc
