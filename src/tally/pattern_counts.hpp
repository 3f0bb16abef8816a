// Which presence patterns occur, and how their instances spread over the clusters.
#pragma once

#include <map>
#include <vector>

#include "omvc/report.hpp"

#include "file/archive.hpp"

namespace omvc {

class PatternCounts {
 public:
  static constexpr std::size_t kCounted = 1024;  // patterns told apart, so that memory is bounded

  // Of more than kCounted patterns the first in their order are told apart, and the instances of the others are left
  // out; so the counts depend neither on the order of the instances nor on who counted which of them.
  void add(const std::vector<bool>& present, int label, Index count = 1);

  // Adds what was counted of other instances.
  void merge(const PatternCounts& other);

  void save(Archive& archive, const std::string& key) const;
  // Throws ErrorKind::data unless they are patterns of this number of views.
  static PatternCounts load(const Archive& archive, const std::string& key, std::size_t views);

  // Sizes are in the order of report.cluster_numbers. Warns where clusters follow what is missing.
  void report(Report& report) const;

 private:
  std::map<std::vector<bool>, std::map<int, Index>> counts_;  // by pattern: instances of each cluster
};

}  // namespace omvc
