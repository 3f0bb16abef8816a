// Rows far outside of what a stream has shown: one ruins nothing, many are learned.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/page.hpp"
#include "omvc/planted.hpp"
#include "omvc/stream.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "model/chunk_learner.hpp"
#include "run/model_file.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::TempDir;

constexpr Index kRows = 1500;

PlantedOptions planted() {
  return {.instances = kRows,
          .features = {10, 6},
          .density = {},
          .clusters = 3,
          .missing = 0.2,
          .keep_one_view = true,
          .separation = 2,
          .noise = 0.4,
          .seed = 8};
}

Chunk table() { return read_all(*make_planted_source(planted())); }

// The same rows with `value` in every cell that these rows have.
Chunk with_glitches(Chunk chunk, const std::vector<Index>& rows, double value) {
  for (ChunkView& view : chunk.views) {
    auto& X = std::get<DenseBlock<double>>(view.block = widened(std::move(view.block)));
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      if (std::find(rows.begin(), rows.end(), view.present[i]) == rows.end()) continue;
      for (Index j = 0; j < X.cols; ++j)
        X.values.own()[i * static_cast<std::size_t>(X.cols) + static_cast<std::size_t>(j)] = value;
    }
  }
  return chunk;
}

Options options_for(double half_life) {
  Options options;
  options.clusters = 3;
  options.threads = 1;
  options.half_life = half_life;
  return options;
}

struct Fed {
  std::vector<int> labels;
  std::vector<double> distance;
  std::vector<StreamEvent> events;
};

Fed feed(const std::string& file, const Chunk& rows, Index first, Index last, const Options& model) {
  StreamOptions options{.file = file, .model = model};
  options.rows = 100;
  options.in_step = true;
  Stream stream(options);
  if (stream.schema().views.empty()) stream.widen(make_planted_source(planted())->schema());
  Fed out;
  while (first < last) {
    const Index count = stream.has_clusters() ? std::min<Index>(64, last - first) : 1;
    std::vector<Index> positions;
    std::vector<std::string> ids;
    for (Index i = first; i < first + count; ++i) {
      positions.push_back(i);
      ids.push_back("\"p" + std::to_string(i) + "\"");
    }
    const StreamLabels found = stream.push(take_instances(rows, positions), ids);
    out.labels.insert(out.labels.end(), found.labels.begin(), found.labels.end());
    out.distance.insert(out.distance.end(), found.distance.begin(), found.distance.end());
    first += count;
  }
  stream.finish();
  out.events = stream.events();
  return out;
}

std::vector<std::string> strange_ids(const std::vector<StreamEvent>& events) {
  std::vector<std::string> ids;
  for (const StreamEvent& event : events) {
    if (event.kind == StreamEvent::Kind::strange) ids.push_back(event.text);
  }
  return ids;
}

double nmi(const std::vector<int>& labels, Index first = 0) {
  Contingency counts;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    counts.add(labels[i], planted_label(planted(), first + static_cast<Index>(i)));
  }
  return score(counts).nmi_geometric;
}

struct Case {
  Index row;
  double value;
  double half_life;
};

class OneAbsurdRow : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Rows, OneAbsurdRow,
                         testing::Values(Case{700, 1e9, 0}, Case{700, 1e18, 0}, Case{700, 1e9, 500},
                                         Case{700, -1e18, 500}, Case{40, 1e9, 0}, Case{0, 1e18, 0}, Case{99, 1e18, 500},
                                         Case{100, 1e139, 0}, Case{1499, 1e18, 0}));

TEST_P(OneAbsurdRow, RuinsNoStream) {
  const auto [row, value, half_life] = GetParam();
  TempDir dir;
  const Chunk rows = with_glitches(table(), {row}, value);
  const Fed fed = feed(dir.path("model"), rows, 0, kRows, options_for(half_life));
  EXPECT_EQ(strange_ids(fed.events), std::vector<std::string>{"\"p" + std::to_string(row) + "\""});
  if (row > 100) {
    EXPECT_GT(fed.distance[static_cast<std::size_t>(row)], 1000);
  }
  Clusterer model = Clusterer::load(dir.path("model"));
  EXPECT_EQ(model.summary().instances, kRows);
  EXPECT_EQ(model.summary().set_aside, 1);
  EXPECT_GT(nmi(model.assign(table()).labels), 0.9) << "of clean rows by the saved model";
  for (const ModelKind kind : {ModelKind::whole, ModelKind::prediction}) {
    const Clusterer copy = Clusterer::from_bytes(model.to_bytes(kind), "copy");
    EXPECT_GT(copy.assign(rows).distance[static_cast<std::size_t>(row)], 1000) << "by whoever labels it";
  }
  // And it goes on with clean rows.
  Chunk more = table();
  for (Index& number : more.rows) number += kRows;
  model.partial_fit(std::move(more));
  model.refresh();
  EXPECT_GT(nmi(model.assign(table()).labels), 0.9);
}

// A sensor that fails when the stream begins: too few of one kind to be a cluster, too many to be cut off at the ends.
TEST(Strange, ManyAbsurdRowsAmongTheFirstRuinNothing) {
  for (const Index count : {8, 18, 30}) {
    std::vector<Index> high;
    std::vector<Index> low;
    for (Index i = 0; i < count; ++i) (count <= 18 || i % 2 == 0 ? high : low).push_back(3 * i + 1);
    TempDir dir;
    const Chunk rows = with_glitches(with_glitches(table(), high, 1e9), low, -1e9);
    const Fed fed = feed(dir.path("model"), rows, 0, kRows, options_for(0));
    EXPECT_EQ(strange_ids(fed.events).size(), static_cast<std::size_t>(count));
    const Clusterer model = Clusterer::load(dir.path("model"));
    EXPECT_EQ(model.summary().set_aside, count);
    EXPECT_GT(nmi(model.assign(table()).labels), 0.9) << count;
  }
}

TEST_P(OneAbsurdRow, RuinsNoUpdate) {
  const auto [row, value, half_life] = GetParam();
  Clusterer model(options_for(half_life));
  model.partial_fit(table(), make_planted_source(planted())->schema());
  const auto source = make_table_source(model.schema(), with_glitches(table(), {row}, value));
  Observer silent;
  const UpdateReport report = model.update(*source, silent);
  EXPECT_EQ(report.set_aside, 1);
  EXPECT_EQ(report.strange_rows, std::vector<Index>{row});
  EXPECT_EQ(report.not_built, "");
  for (const ViewDrift& view : report.views) EXPECT_LT(view.drift, 1) << "which strange rows do not count for";
  EXPECT_GT(nmi(model.assign(table()).labels), 0.9);
}

TEST_P(OneAbsurdRow, IsTheSameAfterARestart) {
  const auto [row, value, half_life] = GetParam();
  TempDir dir;
  const Chunk rows = with_glitches(table(), {row}, value);
  const Fed whole = feed(dir.path("whole"), rows, 0, kRows, options_for(half_life));
  const Index middle = 800;
  Fed parts = feed(dir.path("parts"), rows, 0, middle, options_for(half_life));
  const Fed rest = feed(dir.path("parts"), rows, middle, kRows, options_for(half_life));
  parts.labels.insert(parts.labels.end(), rest.labels.begin(), rest.labels.end());
  EXPECT_EQ(parts.labels, whole.labels);
  EXPECT_TRUE(test::read_bytes(dir.path("whole")) == test::read_bytes(dir.path("parts")));
}

TEST(Strange, GlitchesThatDoNotAgreeStayOutHoweverMany) {
  TempDir dir;
  Chunk rows = table();
  std::vector<std::string> expected;
  double value = 1e4;
  for (Index row = 150; row < 1400; row += 25, value *= -4) {
    rows = with_glitches(std::move(rows), {row}, value);
    expected.push_back("\"p" + std::to_string(row) + "\"");
  }
  const Fed fed = feed(dir.path("model"), rows, 0, kRows, options_for(0));
  EXPECT_EQ(strange_ids(fed.events), expected);
  const Clusterer model = Clusterer::load(dir.path("model"));
  EXPECT_EQ(model.summary().set_aside, static_cast<Index>(expected.size()));
  EXPECT_GT(nmi(model.assign(table()).labels), 0.9);
}

// A sensor that is connected late: the first rows are next to nothing. In many features two later rows never lie in one
// place; most rows of late are usual all the same.
TEST(Strange, AWorldThatHasChangedIsLearnedThoughNoTwoRowsAgree) {
  TempDir dir;
  PlantedOptions wide = planted();
  wide.features = {40, 30};
  wide.noise = 1;
  wide.separation = 1;
  Chunk rows = read_all(*make_planted_source(wide));
  for (ChunkView& view : rows.views) {
    auto& X = std::get<DenseBlock<double>>(view.block = widened(std::move(view.block)));
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      for (Index j = 0; j < X.cols && view.present[i] < 150; ++j) {
        X.values.own()[i * static_cast<std::size_t>(X.cols) + static_cast<std::size_t>(j)] *= 1e-4;
      }
    }
  }
  StreamOptions options{.file = dir.path("model"), .model = options_for(0)};
  options.rows = 50;
  options.in_step = true;
  Stream stream(options);
  stream.widen(make_planted_source(wide)->schema());
  for (Index first = 0; first < kRows; first += 50) {
    std::vector<Index> positions(50);
    std::iota(positions.begin(), positions.end(), first);
    stream.push(take_instances(rows, positions), {});
  }
  stream.finish();
  const Clusterer model = Clusterer::load(dir.path("model"));
  EXPECT_LT(model.summary().set_aside, kRows / 10);
  Contingency counts;
  const std::vector<int> labels = model.assign(rows).labels;
  for (Index i = 150; i < kRows; ++i) counts.add(labels[static_cast<std::size_t>(i)], planted_label(wide, i));
  EXPECT_GT(score(counts).nmi_geometric, 0.8);
}

TEST(Strange, AHalfLifeShorterThanAChunkDoesNotForgetWhatIsUsual) {
  TempDir dir;
  const Chunk rows = with_glitches(table(), {420, 777, 1333}, 1e9);
  const Fed fed = feed(dir.path("model"), rows, 0, kRows, options_for(35));
  const std::vector<std::string> expected{"\"p420\"", "\"p777\"", "\"p1333\""};
  EXPECT_EQ(strange_ids(fed.events), expected);
}

TEST(Strange, WhatIsFoundInAColumnIsToldOnce) {
  TempDir dir;
  Chunk rows = table();
  auto& X = std::get<DenseBlock<double>>(rows.views[0].block = widened(std::move(rows.views[0].block)));
  for (Index i = 0; i < X.rows; i += 60) X.values.own()[static_cast<std::size_t>(i * X.cols + 3)] = 8;
  const Fed fed = feed(dir.path("model"), rows, 0, kRows, options_for(0));
  std::vector<std::string> warnings;
  for (const StreamEvent& event : fed.events) {
    if (event.kind == StreamEvent::Kind::warning) warnings.push_back(event.text);
  }
  ASSERT_EQ(warnings.size(), 1u) << "although prototypes were made several times";
  EXPECT_NE(warnings[0].find("up to 8"), std::string::npos) << warnings[0];
}

TEST(Strange, APageNamesRowsByTheirIdsAndHasTheSizesOfTheModel) {
  TempDir dir;
  feed(dir.path("model"), table(), 0, 1400, options_for(0));
  Clusterer model = Clusterer::load(dir.path("model"));
  const nlohmann::json facts = nlohmann::json::parse(page_facts(model));
  std::vector<double> sizes;
  for (const double size : model.summary().cluster_sizes) sizes.push_back(std::round(size));
  EXPECT_EQ(facts["summary"]["cluster_sizes"], nlohmann::json(sizes));
  for (const nlohmann::json& cluster : facts["summary"]["cluster_members"]) {
    ASSERT_FALSE(cluster["typical"].empty());
    for (const nlohmann::json& one : cluster["typical"]) {
      EXPECT_EQ(one["id"], "p" + std::to_string(one["row"].get<Index>()));
    }
  }
}

#ifndef OMVC_SANITIZED  // minutes there
TEST(Strange, AClusterFarAwayIsLearnedOnceManyAgree) {
  TempDir dir;
  std::vector<Index> far;
  for (Index row = 900; row < kRows; row += 5) far.push_back(row);
  Options options = options_for(0);
  options.clusters = 4;
  const Chunk rows = with_glitches(table(), far, 80);
  const Fed fed = feed(dir.path("model"), rows, 0, kRows, options);
  Index accepted = 0;
  for (const StreamEvent& event : fed.events) {
    if (event.kind == StreamEvent::Kind::accepted) accepted += event.instances;
  }
  EXPECT_GE(accepted, 20);
  EXPECT_LE(static_cast<Index>(strange_ids(fed.events).size()), 60) << "once learned, they are strange no longer";
  const Clusterer model = Clusterer::load(dir.path("model"));
  EXPECT_EQ(model.summary().set_aside, 0);
  const std::vector<int> labels = model.assign(rows).labels;
  for (const Index row : far) EXPECT_EQ(labels[static_cast<std::size_t>(row)], labels[900]) << row;
  Index shared = 0;
  for (Index row = 0; row < kRows; ++row) {
    const bool clean = std::find(far.begin(), far.end(), row) == far.end();
    shared += clean && labels[static_cast<std::size_t>(row)] == labels[900] ? 1 : 0;
  }
  EXPECT_EQ(shared, 0) << "clean rows that have the number of the far cluster";
}
#endif

// A model that has learned the first 400 rows, and what it has to throw while prototypes are made.
struct Rebuilt {
  explicit Rebuilt(std::optional<ErrorKind> kind) : model(options_for(0), make_planted_source(planted())->schema()) {
    learn(0, 400);
    compute.set_poll([this, kind] {
      if (kind && learner.refreshing()) throw Error(*kind, "as the test wants it");
    });
  }
  Learned learn(Index first, Index count) {
    std::vector<Index> positions;
    for (Index i = first; i < first + count; ++i) positions.push_back(i);
    return learner.learn(take_instances(table(), positions), compute);
  }
  std::string bytes() const { return model_archive(model, true).to_bytes(); }

  Compute compute;
  Model model;
  ChunkLearner learner{model};
};

TEST(Strange, ARebuildThatFailsLeavesWhatWasThereAndGoesOn) {
  Rebuilt failing(ErrorKind::numerical);
  const Index generation = failing.model.names().generation();
  EXPECT_EQ(failing.learn(400, 400).not_built, "as the test wants it");
  EXPECT_EQ(failing.model.names().generation(), generation);
  EXPECT_EQ(failing.model.tally().instances, 800) << "what came is learned all the same";
  EXPECT_EQ(failing.learn(800, 100).not_built, "") << "not tried again with every chunk";
  failing.compute.set_poll({});
  EXPECT_EQ(failing.learn(900, 400).not_built, "");
  EXPECT_NE(failing.model.names().generation(), generation);
  Compute compute;
  EXPECT_GT(nmi(failing.model.placer()->label(table(), {}, compute).labels), 0.9);
}

TEST(Strange, ARebuildThatWasInterruptedIsMadeWhenTheStreamGoesOn) {
  Rebuilt through(std::nullopt);
  through.learn(400, 400);
  Rebuilt stopped(ErrorKind::interrupted);
  test::expect_error(ErrorKind::interrupted, {}, [&] { stopped.learn(400, 400); });
  EXPECT_TRUE(stopped.learner.refresh_due());
  const Archive saved = model_archive(stopped.model, true);
  stopped.model = Model::load(saved, stopped.model.options(), stopped.model.intake().schema(),
                              stopped.model.intake().scaling(), stopped.model.tally().negatives);
  EXPECT_TRUE(stopped.learner.refresh_due());
  stopped.compute.set_poll({});
  through.learn(800, 100);
  stopped.learn(800, 100);
  EXPECT_TRUE(through.bytes() == stopped.bytes()) << "as if nothing had happened";
}

}  // namespace
}  // namespace omvc
