// Going on learning from a model with a source: names, subsets of views, events, drift.
#include <cmath>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "chunk/kinds.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

PlantedOptions planted(std::uint64_t seed, std::vector<double> density = {}) {
  return {.instances = 900,
          .features = {12, 8},
          .density = std::move(density),
          .clusters = 4,
          .missing = 0.2,
          .keep_one_view = true,
          .separation = 2,
          .noise = 0.3,
          .seed = seed};
}

class NoSink : public Sink {
 public:
  void write(const ResultRows&) override {}
};

Clusterer fitted(const PlantedOptions& data) {
  Options options;
  options.clusters = data.clusters;
  options.threads = 1;
  Clusterer model(options);
  NoSink sink;
  const auto source = make_planted_source(data);
  model.fit(*source, sink);
  return model;
}

// Only one view of a source, under its name.
class OneView : public Source {
 public:
  OneView(std::unique_ptr<Source> source, std::size_t view) : source_(std::move(source)), view_(view) {
    schema_.views = {source_->schema().views[view]};
  }
  const Schema& schema() const override { return schema_; }
  bool rewind() override { return source_->rewind(); }
  std::optional<Chunk> next(Index max_rows) override {
    std::optional<Chunk> chunk = source_->next(max_rows);
    if (chunk) chunk->views = {std::move(chunk->views[view_])};
    return chunk;
  }

 private:
  std::unique_ptr<Source> source_;
  std::size_t view_;
  Schema schema_;
};

// The rows of a source with every value of its first view moved.
class Moved : public Source {
 public:
  Moved(std::unique_ptr<Source> source, double by) : source_(std::move(source)), by_(by) {}
  const Schema& schema() const override { return source_->schema(); }
  bool rewind() override { return source_->rewind(); }
  std::optional<Chunk> next(Index max_rows) override {
    std::optional<Chunk> chunk = source_->next(max_rows);
    if (chunk) {
      std::visit(
          [&](auto& X) {
            for (auto& x : X.values) x += static_cast<std::decay_t<decltype(x)>>(by_);
          },
          chunk->views[0].block);
    }
    return chunk;
  }

 private:
  std::unique_ptr<Source> source_;
  double by_;
};

TEST(Update, LearnsTheRowsOfASourceAndKeepsNumbers) {
  const PlantedOptions data = planted(3);
  Clusterer model = fitted(data);
  const auto probe = make_planted_source(data);
  const Chunk rows = *probe->next(200);
  const std::vector<int> before = model.assign(rows).labels;
  PlantedOptions more = data;  // the same clusters, other instances
  more.instances = 1800;
  const auto all = make_planted_source(more);
  const auto later = make_filtered_source(*all, [](Index row) { return row >= 900; });
  Observer silent;
  const UpdateReport report = model.update(*later, silent);
  EXPECT_EQ(report.instances, 900);
  EXPECT_EQ(model.summary().instances, 1800);
  EXPECT_EQ(report.clusters_before, 4);
  EXPECT_EQ(report.clusters, 4);
  EXPECT_TRUE(report.events.empty()) << "nothing has changed";
  for (const ViewDrift& view : report.views) EXPECT_LT(view.drift, 3 * view.chance) << view.name;
  EXPECT_LT(report.distance, 2) << "new rows are somewhat farther from prototypes of few rows";
  EXPECT_EQ(model.assign(rows).labels, before);
}

TEST(Update, SaysWhichViewMoved) {
  Clusterer model = fitted(planted(3));
  Moved source(make_planted_source(planted(3)), 2.0);
  Observer silent;
  const UpdateReport report = model.update(source, silent);
  ASSERT_EQ(report.views.size(), 2u);
  EXPECT_GT(report.views[0].drift, 5 * report.views[0].chance);
  EXPECT_LT(report.views[1].drift, report.views[1].chance) << "the very same rows";
}

TEST(Update, TakesASubsetOfTheViewsDenseOrSparse) {
  for (const auto& density : {std::vector<double>{}, std::vector<double>{1, 0.4}}) {
    const PlantedOptions data = planted(5, density);
    for (const std::size_t view : {0u, 1u}) {
      Clusterer model = fitted(data);
      auto part = std::make_unique<OneView>(make_planted_source(data), view);
      const auto source = make_matched_source(std::move(part), model.schema());
      Observer silent;
      const UpdateReport report = model.update(*source, silent);
      EXPECT_EQ(report.instances, data.instances);
      EXPECT_EQ(report.views[1 - view].observed, 0);
      EXPECT_TRUE(std::isnan(report.views[1 - view].drift));
      EXPECT_GT(report.views[view].observed, 0);
    }
  }
}

TEST(Update, ViewsMayBeStoredInAnotherWay) {
  const PlantedOptions data = planted(5, {1, 0.4});
  Clusterer model = fitted(data);
  const auto source = make_planted_source(data);
  Chunk table = read_all(*source);
  Clusterer other = fitted(data);
  other.partial_fit(table);
  for (ChunkView& view : table.views) view.block = is_sparse(view.block) ? as_dense(view.block) : as_sparse(view.block);
  EXPECT_EQ(model.assign(table).labels, fitted(data).assign(read_all(*make_planted_source(data))).labels);
  model.partial_fit(table);
  EXPECT_EQ(model.assign(table).labels, other.assign(table).labels);
}

TEST(Update, TheSameUpdateGivesTheSameBytes) {
  test::TempDir dir;
  for (const int threads : {1, 2}) {
    Clusterer model = fitted(planted(3));
    model.set_threads(threads);
    Observer silent;
    const auto source = make_planted_source(planted(9));
    model.update(*source, silent);
    model.save(dir.path(std::to_string(threads)));
  }
  EXPECT_EQ(test::read_bytes(dir.path("1")), test::read_bytes(dir.path("2")));
}

TEST(Update, StopsWhereTheObserverSays) {
  class Stopping : public Observer {
   public:
    bool on_chunk(const ChunkReport&) override { return false; }
  };
  Clusterer model = fitted(planted(3));
  Stopping stopping;
  const auto source = make_planted_source(planted(9));
  test::expect_error(ErrorKind::interrupted, {"500 instances"}, [&] { model.update(*source, stopping); });
  Options options;
  options.clusters = 2;
  Clusterer empty(options);
  test::expect_error(ErrorKind::usage, {"nothing"}, [&] { empty.update(*source, stopping); });
}

}  // namespace
}  // namespace omvc
