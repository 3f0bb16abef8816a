// How the clusters of a stream came to be what they are: sizes and events each time they were cut. However long the
// stream, at most kMost time points are kept; when there are more, every second one goes, and the next one takes over
// its events.
#pragma once

#include <string>
#include <vector>

#include "omvc/report.hpp"

#include "file/archive.hpp"

namespace omvc {

class History {
 public:
  static constexpr std::size_t kMost = 200;

  void add(TimePoint point);
  // Clusters have new numbers: before[i] is now after[i]. Clusters that no longer exist get the number -1 - number.
  void rename(const std::vector<int>& before, const std::vector<int>& after);
  const std::vector<TimePoint>& points() const { return points_; }

  void save(Archive& archive, const std::string& key) const;
  static History load(const Archive& archive, const std::string& key);

 private:
  std::vector<TimePoint> points_;
};

}  // namespace omvc
