// A model that labels and learns as rows come: in step and beside, saves, resuming, locks.
#include "omvc/stream.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/planted.hpp"

#include "chunk/rows.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::expect_error;
using test::TempDir;

constexpr Index kRows = 3000;

PlantedOptions planted() {
  return {.instances = kRows,
          .features = {10, 6},
          .density = {},
          .clusters = 4,
          .missing = 0.3,
          .keep_one_view = true,
          .separation = 2,
          .noise = 0.4,
          .seed = 8};
}

StreamOptions options_for(const std::string& file, bool in_step) {
  StreamOptions options{.file = file, .model = {}};
  options.model.clusters = 4;
  options.model.threads = 1;
  options.rows = 200;
  options.in_step = in_step;
  return options;
}

// Rows [first, last) of the planted data, `size` at a time, one by one until there are clusters.
std::vector<int> feed(Stream& stream, Index first, Index last, Index size) {
  const auto source = make_planted_source(planted());
  const Chunk table = read_all(*source);
  if (!stream.has_clusters() && stream.schema().views.empty()) stream.widen(source->schema());
  std::vector<int> labels;
  while (first < last) {
    const Index count = stream.has_clusters() ? std::min(size, last - first) : 1;
    std::vector<Index> positions;
    std::vector<std::string> ids;
    for (Index i = first; i < first + count; ++i) {
      positions.push_back(i);
      ids.push_back(std::to_string(i));
    }
    const StreamLabels found = stream.push(take_instances(table, positions), ids);
    labels.insert(labels.end(), found.labels.begin(), found.labels.end());
    EXPECT_TRUE(found.refused.empty());
    first += count;
    stream.tick();
  }
  return labels;
}

double nmi_of(const std::vector<int>& labels, Index first) {
  Contingency counts;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    counts.add(labels[i], planted_label(planted(), first + static_cast<Index>(i)));
  }
  return score(counts).nmi_geometric;
}

TEST(Stream, LabelsFromTheRowOnThatMakesClustersPossible) {
  TempDir dir;
  auto stream = std::make_optional<Stream>(options_for(dir.path("model"), true));
  const std::vector<int> labels = feed(*stream, 0, kRows, 64);
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i] == kNotYet, i < 100) << i;
  EXPECT_GT(nmi_of({labels.begin() + 500, labels.end()}, 500), 0.9);
  const std::vector<StreamEvent> events = stream->events();
  ASSERT_GE(events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(events[k].cluster.kind, ClusterEvent::Kind::born);
    EXPECT_EQ(events[k].cluster.cluster, static_cast<int>(k));
  }
  stream->finish();
  EXPECT_EQ(Clusterer::load(dir.path("model")).summary().instances, kRows);
  stream.reset();
  EXPECT_FALSE(std::filesystem::exists(dir.path("model.lock"))) << "the lock goes with the stream";
}

TEST(Stream, AModelThatSomebodyElseHasReplacedIsLeftAlone) {
  TempDir dir;
  StreamOptions options = options_for(dir.path("model"), true);
  options.save_seconds = 1e6;
  Stream stream(options);
  feed(stream, 0, 300, 64);
  stream.save();
  const std::string other = dir.write_file("other", "of somebody else");
  std::filesystem::rename(other, dir.path("model"));
  feed(stream, 300, 500, 64);
  stream.save();
  const std::vector<StreamEvent> events = stream.events();
  EXPECT_EQ(events.back().kind, StreamEvent::Kind::not_saved);
  EXPECT_NE(events.back().text.find("somebody else"), std::string::npos) << events.back().text;
  EXPECT_EQ(test::read_bytes(dir.path("model")), "of somebody else");
  std::filesystem::remove(dir.path("model"));
  stream.finish();
  EXPECT_EQ(Clusterer::load(dir.path("model")).summary().instances, 500);
}

// A stop does not wait for prototypes that are being made, and nothing is lost by that.
TEST(Stream, AStopWithinALongStepSavesAndGoesOnAsIfNothingHadHappened) {
  TempDir dir;
  {
    Stream through(options_for(dir.path("through"), true));
    feed(through, 0, 900, 64);
    through.finish();
  }
  int asked = 0;
  StreamOptions options = options_for(dir.path("stopped"), true);
  options.hooks.stopping = [&] { return asked >= 0 && ++asked > 60; };
  Index pushed = 0;
  {
    Stream stream(options);
    while (asked <= 60 && pushed < 900) {
      feed(stream, pushed, pushed + 100, 100);
      pushed += 100;
    }
    ASSERT_GT(asked, 60) << "it was asked to stop within a step";
    stream.finish();
  }
  EXPECT_EQ(Clusterer::load(dir.path("stopped")).summary().instances, pushed);
  asked = -1;
  Stream again(options);
  feed(again, pushed, 900, 64);
  again.finish();
  EXPECT_EQ(Clusterer::load(dir.path("stopped")).summary().instances, 900);
}

TEST(Stream, ASampleWithoutRoomForPrototypesIsRefused) {
  TempDir dir;
  StreamOptions options = options_for(dir.path("model"), true);
  options.model.memory = 0.001;
  Stream stream(options);
  expect_error(ErrorKind::usage, {"--memory", "100 rows"}, [&] { feed(stream, 0, 300, 1); });
}

TEST(Stream, InStepTheRowsAloneDecide) {
  TempDir dir;
  std::vector<std::vector<int>> labels;
  for (const Index size : {1, 7, 1000}) {
    Stream stream(options_for(dir.path(std::to_string(size)), true));
    labels.push_back(feed(stream, 0, 2000, size));
    stream.finish();
  }
  EXPECT_EQ(labels[0], labels[1]);
  EXPECT_EQ(labels[0], labels[2]);
  EXPECT_EQ(test::read_bytes(dir.path("1")), test::read_bytes(dir.path("7")));
  EXPECT_EQ(test::read_bytes(dir.path("1")), test::read_bytes(dir.path("1000")));
}

TEST(Stream, BesideTheCallerTheModelIsTheSameAsLongAsNoTimeRunsOut) {
  TempDir dir;
  StreamOptions beside = options_for(dir.path("beside"), false);
  beside.seconds = 1e6;
  for (const StreamOptions& options : {options_for(dir.path("in step"), true), beside}) {
    Stream stream(options);
    const std::vector<int> labels = feed(stream, 0, kRows, 50);
    stream.finish();
    EXPECT_GT(nmi_of({labels.begin() + 500, labels.end()}, 500), 0.85);
  }
  EXPECT_EQ(test::read_bytes(dir.path("beside")), test::read_bytes(dir.path("in step")));
}

TEST(Stream, GoesOnFromTheLastSaveAndSaysFromWhere) {
  TempDir dir;
  const std::string file = dir.path("model");
  {
    StreamOptions options = options_for(file, true);
    options.save_seconds = 1e6;
    Stream stream(options);
    EXPECT_FALSE(stream.resumed_after());
    feed(stream, 0, 700, 100);
    stream.save();
    const std::vector<StreamEvent> events = stream.events();
    EXPECT_EQ(events.back().kind, StreamEvent::Kind::saved);
    EXPECT_EQ(events.back().text, "699");
    EXPECT_EQ(events.back().instances, 700);
    feed(stream, 700, 1200, 100);  // and ends without a word
  }
  Stream stream(options_for(file, true));
  ASSERT_TRUE(stream.resumed_after());
  EXPECT_EQ(*stream.resumed_after(), "699");
  EXPECT_EQ(stream.instances(), 700);
  // Given the rows again from there, nobody can tell that anything happened.
  const std::vector<int> labels = feed(stream, 700, 1500, 100);
  stream.finish();
  Stream alone(options_for(dir.path("alone"), true));
  const std::vector<int> all = feed(alone, 0, 1500, 100);
  alone.finish();
  EXPECT_EQ(labels, std::vector<int>(all.begin() + 700, all.end()));
  EXPECT_EQ(test::read_bytes(file), test::read_bytes(dir.path("alone")));
}

TEST(Stream, IsSavedBeforeThereAreClusters) {
  TempDir dir;
  {
    Stream stream(options_for(dir.path("model"), false));
    feed(stream, 0, 30, 1);
    stream.finish();
  }
  Stream stream(options_for(dir.path("model"), false));
  EXPECT_EQ(*stream.resumed_after(), "29");
  EXPECT_FALSE(stream.has_clusters());
  const std::vector<int> labels = feed(stream, 30, 400, 1);
  EXPECT_EQ(labels[69], kNotYet);
  EXPECT_GE(labels[70], 0) << "the rows from before count";
  StreamOptions only = options_for(dir.path("none"), false);
  only.learn = false;
  expect_error(ErrorKind::io, {"no such model"}, [&] { Stream refused(only); });
}

TEST(Stream, RefusesASecondOneOnTheSameFileWhileTheFirstLives) {
  TempDir dir;
  const StreamOptions options = options_for(dir.path("model"), false);
  {
    Stream first(options);
    feed(first, 0, 300, 10);
    expect_error(ErrorKind::usage, {"model", "another process"}, [&] { Stream second(options); });
    expect_error(ErrorKind::usage, {"another process"}, [&] { ModelLock update(options.file); });
    first.finish();
    StreamOptions only = options;
    only.learn = false;
    EXPECT_NO_THROW(Stream reading(only)) << "whoever only labels does no harm";
  }
  EXPECT_NO_THROW(Stream second(options));
}

TEST(Stream, WithoutLearningTheModelStays) {
  TempDir dir;
  {
    Stream stream(options_for(dir.path("model"), true));
    feed(stream, 0, 1000, 100);
    stream.finish();
  }
  const std::string before = test::read_bytes(dir.path("model"));
  StreamOptions only = options_for(dir.path("model"), false);
  only.learn = false;
  Stream stream(only);
  const std::vector<int> labels = feed(stream, 1000, kRows, 100);
  stream.finish();
  EXPECT_EQ(test::read_bytes(dir.path("model")), before);
  const Clusterer model = Clusterer::load(dir.path("model"));
  std::vector<Index> positions;
  for (Index i = 1000; i < kRows; ++i) positions.push_back(i);
  EXPECT_EQ(model.assign(take_instances(read_all(*make_planted_source(planted())), positions)).labels, labels);
}

TEST(Stream, ASaveThatFailsIsTriedAgain) {
  TempDir dir;
  StreamOptions options = options_for(dir.path("folder/model"), true);
  std::filesystem::create_directory(dir.path("folder"));
  Stream stream(options);
  feed(stream, 0, 400, 100);
  std::filesystem::rename(dir.path("folder"), dir.path("away"));
  stream.events();
  stream.save();
  std::vector<StreamEvent> events = stream.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, StreamEvent::Kind::not_saved);
  EXPECT_NE(events[0].text.find("folder/model"), std::string::npos) << events[0].text;
  std::filesystem::rename(dir.path("away"), dir.path("folder"));
  stream.save();
  events = stream.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, StreamEvent::Kind::saved);
}

TEST(Stream, RowsThatTheScalingRefusesAreNamedAndLeftOut) {
  TempDir dir;
  StreamOptions options = options_for(dir.path("model"), true);
  options.model.scaling = {Scaling::none};
  options.rows = 10;
  Stream stream(options);
  Schema schema;
  schema.views = {{"a", 2, {}}};
  stream.widen(schema);
  const auto row = [](double x, double y) {
    return Chunk{.rows = {0}, .views = {{DenseBlock<double>{1, 2, {x, y}}, {0}}}};
  };
  for (int i = 0; i < 100; ++i) stream.push(row(i % 4, i % 3), {"0"});
  ASSERT_TRUE(stream.has_clusters());
  Chunk rows = row(1, 2);
  append_chunk(rows, row(-1, 2), schema);
  append_chunk(rows, row(2, 1), schema);
  const StreamLabels found = stream.push(rows, {"1", "2", "3"});
  ASSERT_EQ(found.refused.size(), 1u);
  EXPECT_EQ(found.refused[0].first, 1);
  EXPECT_NE(found.refused[0].second.find("negative"), std::string::npos);
  EXPECT_GE(found.labels[0], 0);
  EXPECT_GE(found.labels[2], 0);
  EXPECT_EQ(stream.instances(), 102);
}

TEST(Stream, NumbersBeyondAllScalesAreRefusedAndLeaveNoHarm) {
  TempDir dir;
  Stream stream(options_for(dir.path("model"), true));
  feed(stream, 0, 300, 50);
  Chunk rows{.rows = {0, 1}, .views = {}};
  rows.views.push_back({DenseBlock<double>{2, 10, std::vector<double>(20, 1e99)}, {0, 1}});
  rows.views.push_back({DenseBlock<double>{1, 6, std::vector<double>(6, -1e300)}, {1}});
  const StreamLabels found = stream.push(rows, {"1", "2"});
  ASSERT_EQ(found.refused.size(), 1u);
  EXPECT_EQ(found.refused[0].first, 1);
  EXPECT_NE(found.refused[0].second.find("too large to be squared"), std::string::npos);
  EXPECT_NO_THROW(feed(stream, 300, 1500, 50));
  EXPECT_NO_THROW(stream.finish());
}

TEST(Stream, RowsThatAreAllAlikeAreOneCluster) {
  TempDir dir;
  for (const int clusters : {0, 3}) {
    StreamOptions options = options_for(dir.path(std::to_string(clusters)), true);
    options.model.clusters = clusters;
    Stream stream(options);
    Schema schema;
    schema.views = {{"a", 2, {}}};
    stream.widen(schema);
    StreamLabels found;
    for (int i = 0; i < 300; ++i) {
      found = stream.push({.rows = {0}, .views = {{DenseBlock<double>{1, 2, {1, 2}}, {0}}}}, {"0"});
    }
    EXPECT_EQ(found.labels[0], 0);
    stream.finish();
  }
}

TEST(Stream, TheSchemaGrowsUntilThereAreClusters) {
  TempDir dir;
  StreamOptions options = options_for(dir.path("model"), true);
  options.model.clusters = 2;
  Stream stream(options);
  Schema schema;
  schema.views = {{"text", 1, {"w0"}}};
  stream.widen(schema);
  std::mt19937 random(3);
  for (int i = 0; i < 400; ++i) {
    if (i < 90 && i % 10 == 9) {
      schema.views[0].feature_names.push_back("w" + std::to_string(schema.views[0].features++));
      if (i == 49) schema.views.push_back({"image", 2, {}});
      stream.widen(schema);
    }
    Chunk chunk{.rows = {0}, .views = {}};
    const auto word = static_cast<std::int32_t>(static_cast<Index>(random()) % schema.views[0].features);
    chunk.views.push_back({CsrBlock<double>{1, schema.views[0].features, {0, 1}, {word}, {1.0}}, {0}});
    if (schema.views.size() > 1) chunk.views.push_back({DenseBlock<double>{1, 2, {i % 2 * 3.0, 1}}, {0}});
    EXPECT_NO_THROW(stream.push(chunk, {std::to_string(i)}));
  }
  EXPECT_TRUE(stream.has_clusters());
  Schema wider = schema;
  wider.views.push_back({"late", 2, {}});
  expect_error(ErrorKind::usage, {"no more views"}, [&] { stream.widen(wider); });
  wider = schema;
  wider.views[1].features = 3;
  expect_error(ErrorKind::usage, {"features of dense views"}, [&] { stream.widen(wider); });
  stream.finish();
  EXPECT_EQ(Clusterer::load(dir.path("model")).schema(), schema);
  EXPECT_EQ(Clusterer::load(dir.path("model")).summary().instances, 400);
}

TEST(Stream, RefusesModelsThatDoNotLearnAndOptionsThatCannotWork) {
  TempDir dir;
  {
    Stream stream(options_for(dir.path("model"), true));
    feed(stream, 0, 600, 100);
    stream.finish();
  }
  Clusterer::load(dir.path("model")).save(dir.path("small"), ModelKind::prediction);
  expect_error(ErrorKind::usage, {"small", "--no-learn"}, [&] { Stream stream(options_for(dir.path("small"), true)); });
  StreamOptions only = options_for(dir.path("small"), true);
  only.learn = false;
  Stream labelling(only);
  EXPECT_EQ(feed(labelling, 600, 700, 10).size(), 100u);
  StreamOptions options = options_for(dir.path("model"), true);
  options.rows = 0;
  expect_error(ErrorKind::usage, {"one at a time"}, [&] { Stream stream(options); });
  options = options_for("", true);
  expect_error(ErrorKind::usage, {"file"}, [&] { Stream stream(options); });
  options = options_for(dir.path("other"), true);
  options.model = method_options(Algorithm::opimc);
  options.model.clusters = 3;
  expect_error(ErrorKind::usage, {"opimc"}, [&] { Stream stream(options); });
}

}  // namespace
}  // namespace omvc
