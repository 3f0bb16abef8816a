// What labels tell about clusters, counted as they pass: sizes, confidence, and the members worth a look. Memory
// depends on the number of clusters alone, and the result neither on the order of the instances nor on who counted
// which of them: confidences are whole numbers of 2^-12, which add up without rounding.
#pragma once

#include <map>
#include <vector>

#include "omvc/report.hpp"

#include "file/archive.hpp"

namespace omvc {

class ClusterTally {
 public:
  static constexpr std::size_t kSteps = 20;     // of the histogram of confidence
  static constexpr std::size_t kMembers = 5;    // typical and borderline members of a cluster
  static constexpr std::size_t kFarthest = 20;  // outliers

  // An instance whose distance is larger than `outlier` is one. Clusters without instances are reported, too.
  ClusterTally(const std::vector<int>& clusters, double outlier);

  // A label below 0 is none. `confidence` and `distance` are NaN where the method has none.
  void add(Index row, int label, double confidence, double distance);

  // Adds what was counted of other instances.
  void merge(const ClusterTally& other);

  void save(Archive& archive, const std::string& key) const;
  static ClusterTally load(const Archive& archive, const std::string& key, double outlier);

  // Fills numbers and sizes of the clusters, outliers, confidence and members.
  void report(Report& report) const;

 private:
  struct Cluster {
    Index size = 0;
    double confidence = 0;  // sum
    std::vector<Notable> typical;
    std::vector<Notable> borderline;
  };

  std::map<int, Cluster> clusters_;
  double outlier_;
  Index outliers_ = 0;
  Index labelled_ = 0;
  bool sure_ = false;  // some instance has a confidence
  std::vector<Index> histogram_;
  std::vector<Notable> farthest_;
};

}  // namespace omvc
