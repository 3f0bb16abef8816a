// How the clusters of a stream came to be what they are: sizes and events each time they were cut. However long the
// stream, no more than a few hundred of these are kept; when there are more, every second one goes and its events count
// for the next.
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
  // Clusters have new numbers: before[i] is now after[i]. Those that are no more get -1 - number.
  void rename(const std::vector<int>& before, const std::vector<int>& after);
  const std::vector<TimePoint>& points() const { return points_; }

  void save(Archive& archive, const std::string& key) const;
  static History load(const Archive& archive, const std::string& key);

 private:
  std::vector<TimePoint> points_;
};

}  // namespace omvc
