#include "model/history.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr std::size_t kEventNumbers = 4;  // of an event in an archive

[[noreturn]] void refuse() { throw Error(ErrorKind::data, "the model's time line makes no sense"); }

}  // namespace

void History::add(TimePoint point) {
  points_.push_back(std::move(point));
  if (points_.size() <= kMost) return;
  std::vector<TimePoint> kept;
  // The last one is kept, and from there every second.
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if ((points_.size() - 1 - i) % 2 == 0) {
      kept.push_back(std::move(points_[i]));
    } else {
      std::vector<ClusterEvent>& next = points_[i + 1].events;
      next.insert(next.begin(), points_[i].events.begin(), points_[i].events.end());
    }
  }
  points_ = std::move(kept);
}

void History::rename(const std::vector<int>& before, const std::vector<int>& after) {
  std::map<int, int> to;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) to[before[i]] = after[i];
  const auto renamed = [&](int number) {
    if (number < 0) return number;
    const auto found = to.find(number);
    return found != to.end() ? found->second : -1 - number;
  };
  for (TimePoint& point : points_) {
    for (int& number : point.numbers) number = renamed(number);
    for (ClusterEvent& event : point.events) {
      event.cluster = renamed(event.cluster);
      // -1 stands for nobody there.
      if (event.other >= 0) event.other = to.contains(event.other) ? to[event.other] : -1;
    }
  }
}

void History::save(Archive& archive, const std::string& key) const {
  std::vector<double> instances;
  std::vector<Index> counts;  // of each point: clusters, events
  std::vector<Index> numbers;
  std::vector<double> sizes;
  std::vector<double> events;
  for (const TimePoint& point : points_) {
    instances.push_back(point.instances);
    counts.push_back(static_cast<Index>(point.numbers.size()));
    counts.push_back(static_cast<Index>(point.events.size()));
    numbers.insert(numbers.end(), point.numbers.begin(), point.numbers.end());
    sizes.insert(sizes.end(), point.sizes.begin(), point.sizes.end());
    for (const ClusterEvent& event : point.events) {
      events.insert(events.end(), {static_cast<double>(event.kind), static_cast<double>(event.cluster),
                                   static_cast<double>(event.other), event.instances});
    }
  }
  archive.put(key + "/instances", instances);
  archive.put(key + "/counts", counts);
  archive.put(key + "/numbers", numbers);
  archive.put(key + "/sizes", sizes);
  archive.put(key + "/events", events);
}

History History::load(const Archive& archive, const std::string& key) {
  History out;
  if (!archive.has(key + "/instances")) return out;
  const std::vector<double>& instances = archive.numbers(key + "/instances");
  const std::vector<Index>& counts = archive.integers(key + "/counts");
  const std::vector<Index>& numbers = archive.integers(key + "/numbers");
  const std::vector<double>& sizes = archive.numbers(key + "/sizes");
  const std::vector<double>& events = archive.numbers(key + "/events");
  if (instances.size() > kMost || counts.size() != 2 * instances.size() || numbers.size() != sizes.size()) refuse();
  std::size_t cluster = 0;
  std::size_t event = 0;
  const auto whole = [](double value) {
    if (!(std::abs(value) < 0x1p31)) refuse();
    return static_cast<int>(value);
  };
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const auto left = static_cast<Index>(numbers.size() - cluster);
    const auto events_left = static_cast<Index>((events.size() - event) / kEventNumbers);
    if (counts[2 * i] < 0 || counts[2 * i] > left || counts[2 * i + 1] < 0 || counts[2 * i + 1] > events_left) refuse();
    TimePoint point{.instances = instances[i], .numbers = {}, .sizes = {}, .events = {}};
    for (Index k = 0; k < counts[2 * i]; ++k, ++cluster) {
      point.numbers.push_back(whole(static_cast<double>(numbers[cluster])));
      point.sizes.push_back(sizes[cluster]);
    }
    for (Index k = 0; k < counts[2 * i + 1]; ++k, event += kEventNumbers) {
      const int kind = whole(events[event]);
      if (kind < 0 || kind > static_cast<int>(ClusterEvent::Kind::gone)) refuse();
      point.events.push_back({.kind = static_cast<ClusterEvent::Kind>(kind),
                              .cluster = whole(events[event + 1]),
                              .other = whole(events[event + 2]),
                              .instances = events[event + 3]});
    }
    out.points_.push_back(std::move(point));
  }
  return out;
}

}  // namespace omvc
