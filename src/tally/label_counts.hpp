// What the labels of all instances, or of those of a part, add up to. Labels are counted on their way to the sink; the
// counts of parts are merged in any order.
#pragma once

#include <span>
#include <vector>

#include "omvc/sink.hpp"

#include "tally/pattern_counts.hpp"
#include "tally/tally.hpp"

namespace omvc {

class LabelCounts {
 public:
  // For these cluster numbers, and data of this number of views.
  LabelCounts(const std::vector<int>& clusters, std::size_t views);

  // Counts rows and hands them to the sink. `patterns` says which views each row has (chunk/presence.hpp), NaN where
  // that is not known. `place` is added to row numbers that are counted: where the rows of a part begin in all the
  // data.
  void add(const ResultRows& rows, std::span<const double> patterns, Sink& sink, Index place = 0);

  void merge(const LabelCounts& other);
  void put(Archive& archive) const;
  static LabelCounts get(const Archive& archive, std::size_t views);

  // Fills the report, and warns of clusters without instances and of clusters that follow what is missing.
  void report(Report& report) const;

 private:
  ClusterTally tally_;
  PatternCounts patterns_;
  std::size_t views_;
};

}  // namespace omvc
