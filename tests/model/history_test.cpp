#include "model/history.hpp"

#include <gtest/gtest.h>

#include "omvc/error.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

TimePoint point(double instances, std::vector<int> numbers, std::vector<ClusterEvent> events = {}) {
  std::vector<double> sizes(numbers.size(), instances);
  return {
      .instances = instances, .numbers = std::move(numbers), .sizes = std::move(sizes), .events = std::move(events)};
}

Archive saved(const History& history) {
  Archive archive;
  history.save(archive, "history");
  return archive;
}

TEST(History, KeepsABoundedNumberOfPointsTheLastOneAndEveryEvent) {
  History history;
  const int count = 5 * static_cast<int>(History::kMost);
  for (int i = 0; i < count; ++i) history.add(point(i, {0}, {{.cluster = i}}));
  EXPECT_LE(history.points().size(), History::kMost);
  EXPECT_GT(history.points().size(), History::kMost / 4);
  EXPECT_EQ(history.points().back().instances, count - 1);
  int next = 0;
  for (std::size_t i = 0; i < history.points().size(); ++i) {
    if (i > 0) {
      EXPECT_LT(history.points()[i - 1].instances, history.points()[i].instances);
    }
    for (const ClusterEvent& event : history.points()[i].events) {
      EXPECT_EQ(event.cluster, next++) << "events stay in their order";
      EXPECT_LE(event.cluster, history.points()[i].instances) << "no event is told before it happened";
    }
  }
  EXPECT_EQ(next, count);
}

TEST(History, NewNumbersReachBackAndThoseOfTheGoneAreTold) {
  History history;
  history.add(point(100, {0, 1, 2}));
  history.add(point(200, {0, 2}, {{.kind = ClusterEvent::Kind::merged, .cluster = 1, .other = 2, .instances = 9}}));
  history.rename({0, 2}, {1, 0});
  EXPECT_EQ(history.points()[0].numbers, (std::vector<int>{1, -2, 0}));
  EXPECT_EQ(history.points()[1].numbers, (std::vector<int>{1, 0}));
  EXPECT_EQ(history.points()[1].events[0].cluster, -2);
  EXPECT_EQ(history.points()[1].events[0].other, 0);
  history.rename({0, 1}, {0, 1});
  EXPECT_EQ(history.points()[0].numbers, (std::vector<int>{1, -2, 0})) << "who is gone stays gone";
}

TEST(History, SurvivesAnArchive) {
  History history;
  history.add(point(100, {0, 1}));
  history.add(point(250, {0, 3}, {{.kind = ClusterEvent::Kind::split, .cluster = 3, .other = 0, .instances = 40}}));
  const History loaded = History::load(saved(history), "history");
  ASSERT_EQ(loaded.points().size(), 2u);
  EXPECT_EQ(loaded.points()[1].numbers, (std::vector<int>{0, 3}));
  EXPECT_EQ(loaded.points()[1].sizes, history.points()[1].sizes);
  ASSERT_EQ(loaded.points()[1].events.size(), 1u);
  EXPECT_EQ(loaded.points()[1].events[0].kind, ClusterEvent::Kind::split);
  EXPECT_EQ(loaded.points()[1].events[0].other, 0);
  EXPECT_TRUE(History::load(Archive(), "history").points().empty()) << "older models have none";
}

TEST(History, RefusesAnArchiveThatMakesNoSense) {
  History history;
  history.add(point(100, {0, 1}, {{.cluster = 1}}));
  const auto refused = [&](const std::string& key, auto values) {
    Archive archive = saved(history);
    archive.put("history/" + key, values);
    EXPECT_THROW(History::load(archive, "history"), Error) << key;
  };
  refused("counts", std::vector<Index>{5, 0});
  refused("counts", std::vector<Index>{-1, 0});
  refused("counts", std::vector<Index>{2, 2});
  refused("counts", std::vector<Index>{2});
  refused("sizes", std::vector<double>{1});
  refused("events", std::vector<double>{9, 0, 0, 0});
  refused("events", std::vector<double>{0, 1e300, 0, 0});
  refused("instances", std::vector<double>(History::kMost + 1, 0.0));
}

}  // namespace
}  // namespace omvc
