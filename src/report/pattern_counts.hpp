// Which presence patterns occur, and how their instances spread over the clusters.
#pragma once

#include <map>
#include <vector>

#include "omvc/report.hpp"

namespace omvc {

class PatternCounts {
 public:
  static constexpr std::size_t kCounted = 1024;  // patterns told apart, so that memory is bounded

  // Patterns are told apart up to kCounted of them; the instances of further ones are left out.
  void add(const std::vector<bool>& present, int label, Index count = 1);

  // Sizes are in the order of report.cluster_numbers. Warns where clusters follow what is missing.
  void report(Report& report) const;

 private:
  std::map<std::vector<bool>, std::map<int, Index>> counts_;  // by pattern: instances of each cluster
};

}  // namespace omvc
