#include "omvc/plan.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "report/report_json.hpp"

namespace omvc {
namespace {

#ifdef OMVC_SANITIZED  // where everything takes ten times as long
constexpr Index kInstances = 8500;
constexpr Index kFew = 1200;
constexpr double kMemory = 0.03;  // MB: less than a few rows take
const std::vector<int> kParts{3};
#else
constexpr Index kInstances = 20000;
constexpr Index kFew = 9000;
constexpr double kMemory = 0.3;
const std::vector<int> kParts{1, 2, 3, 7};
#endif

struct Results : Sink {
  void write(const ResultRows& rows) override {
    labels.insert(labels.end(), rows.labels.begin(), rows.labels.end());
    confidence.insert(confidence.end(), rows.confidence.begin(), rows.confidence.end());
    distance.insert(distance.end(), rows.distance.begin(), rows.distance.end());
    embedding.insert(embedding.end(), rows.embedding.data,
                     rows.embedding.data + rows.embedding.rows * rows.embedding.cols);
  }
  std::vector<int> labels;
  std::vector<double> confidence;
  std::vector<double> distance;
  std::vector<double> embedding;
};

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// Without what depends on time and on how the rows were cut.
std::string told(const Report& report) {
  nlohmann::json json = report_json(report);
  for (const char* key : {"seconds", "profile", "device"}) json.erase(key);
  for (auto& pass : json["per_pass"]) pass = {pass["error"], pass["loss"]};
  return json_text(json);
}

struct Data {
  Schema schema;
  Chunk table;

  Chunk rows(Index first, Index count) const {
    std::vector<Index> positions(static_cast<std::size_t>(count));
    std::iota(positions.begin(), positions.end(), first);
    Chunk part = take_instances(table, positions);
    std::iota(part.rows.begin(), part.rows.end(), Index{0});
    return part;
  }
  std::unique_ptr<Source> part(Index first, Index count) const { return make_table_source(schema, rows(first, count)); }
};

PlantedOptions planted(Index instances = kInstances) {
  return {.instances = instances,
          .features = {6, 40},
          .density = {1, 0.1},
          .clusters = 4,
          .missing = 0.3,
          .keep_one_view = false,  // some instances have no view at all
          .seed = 5};
}

Data data(const PlantedOptions& wanted) {
  const auto source = make_planted_source(wanted);
  Data out{source->schema(), read_all(*source)};
  // Cells that are missing, and values that single precision does not hold.
  auto& dense = std::get<DenseBlock<float>>(out.table.views[0].block);
  DenseBlock<double> block{.rows = dense.rows, .cols = dense.cols, .values = {}};
  block.values.assign(dense.values.begin(), dense.values.end());
  for (std::size_t e = 0; e < block.values.size(); ++e) {
    block.values[e] = e % 97 == 0 ? std::nan("") : block.values[e] * (1 + 1e-9) - (e % 89 == 0 ? 1 : 0);
  }
  out.table.views[0].block = std::move(block);
  return out;
}

Options options() {
  Options options;
  options.clusters = 4;
  options.memory = kMemory;  // the data are more than the sample holds
  options.chunk = 700;       // which divides nothing
  options.passes = 2;
  options.threads = 1;
  return options;
}

struct Outcome {
  Results results;
  std::string model;
  std::string report;
};

Outcome fitted(const Data& data, const Options& options) {
  Outcome out;
  Clusterer model(options);
  const auto source = make_table_source(data.schema, data.table);
  const Report report = model.fit(*source, out.results);
  out.model = model.to_bytes();
  out.report = told(report);
  return out;
}

using Merge = std::string (Plan::*)(const std::string&, const std::string&) const;

std::string merged(const Plan& plan, std::vector<std::string> parts, bool backwards, Merge merge) {
  if (backwards) std::reverse(parts.begin(), parts.end());
  while (parts.size() > 1) {  // a tree
    std::vector<std::string> next;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) next.push_back((plan.*merge)(parts[i], parts[i + 1]));
    if (parts.size() % 2 == 1) next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts[0];
}

// The plan with parts that begin at these places.
Outcome planned(const Data& data, const Options& options, std::vector<Index> places, bool backwards, bool trims) {
  const Plan plan(options, data.schema);
  Observer silent;
  places.push_back(data.table.size());
  const auto every = [&](const auto& step) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      const auto source = data.part(places[i], places[i + 1] - places[i]);
      out.push_back(step(*source, places[i]));
    }
    return out;
  };
  std::vector<std::string> looks = every([&](Source& part, Index first) { return plan.look(part, first, silent); });
  if (trims) {
    std::vector<std::string> ranks;
    for (const std::string& look : looks) ranks.push_back(plan.ranks(look));
    const std::string all = merged(plan, ranks, backwards, &Plan::merge_ranks);
    for (std::string& look : looks) look = plan.trim(look, all);
  }
  std::string state = plan.make(merged(plan, looks, backwards, &Plan::merge_looks), silent);
  while (plan.wants_pass(state)) {
    const std::string task = plan.task(state);
    const auto counts = every([&](Source& part, Index first) { return plan.count(task, part, first, silent); });
    state = plan.end_pass(state, merged(plan, counts, backwards, &Plan::merge_counts));
  }
  const std::string task = plan.task(state);
  Outcome out;
  const auto tallies =
      every([&](Source& part, Index first) { return plan.label(task, part, first, out.results, silent); });
  const auto [model, report] = plan.finish(state, merged(plan, tallies, backwards, &Plan::merge_tallies));
  out.model = model;
  out.report = told(report);
  return out;
}

// Places of parts of different sizes.
std::vector<Index> uneven(Index instances, int parts) {
  std::vector<Index> places{0};
  for (int i = 1; i < parts; ++i) places.push_back(instances * i * i / (parts * parts) + i);
  return places;
}

void expect_same(const Data& data, const Options& options, const std::vector<int>& counts = kParts) {
  const Outcome whole = fitted(data, options);
  ASSERT_EQ(whole.results.labels.size(), data.table.rows.size());
  for (const int parts : counts) {
    const Outcome out = planned(data, options, uneven(data.table.size(), parts), parts % 2 == 0, parts > 2);
    EXPECT_TRUE(out.results.labels == whole.results.labels) << parts;
    EXPECT_TRUE(same_numbers(out.results.confidence, whole.results.confidence)) << parts;
    EXPECT_TRUE(same_numbers(out.results.distance, whole.results.distance)) << parts;
    EXPECT_TRUE(same_numbers(out.results.embedding, whole.results.embedding)) << parts;
    EXPECT_TRUE(out.model == whole.model) << parts;
    EXPECT_TRUE(out.report == whole.report) << parts;
  }
}

TEST(Plan, AnyPartsGiveTheBitsOfOneFit) { expect_same(data(planted()), options()); }

TEST(Plan, DataThatFitInTheSampleNeedNoPass) {
  Options chosen = options();
  chosen.memory = 64;
  Data given = data(planted(kFew / 3));
  expect_same(given, chosen, {1, 3});
  // Whole numbers in double precision, which the sample keeps in single precision.
  given.table.views[0].block = widened(std::move(given.table.views[0].block));
  given.table.views[1].block = widened(std::move(given.table.views[1].block));
  for (ChunkView& view : given.table.views) {
    std::visit(
        [](auto& X) {
          for (auto& x : X.values) x = std::round(10 * x);
        },
        view.block);
  }
  expect_same(given, chosen, {3});
}

TEST(Plan, TheNumberOfClustersMayBeLeftToTheData) {
  Options chosen = options();
  chosen.clusters = 0;
  expect_same(data(planted(kFew)), chosen, {3});
}

TEST(Plan, GroupsOfPrototypesOfDenseViews) {
  PlantedOptions dense = planted(kFew);
  dense.density = {1, 1};
  expect_same(data(dense), options(), {3});
}

TEST(Plan, RefinedClustersOfSparseViews) {
  PlantedOptions sparse = planted(kFew);
  sparse.features = {80, 300};
  sparse.density = {0.1, 0.03};
  const auto source = make_planted_source(sparse);
  const Data given{source->schema(), read_all(*source)};
  expect_same(given, options(), {2, 3});
  Options chosen = options();
  chosen.scaling = {Scaling::total};
  expect_same(given, chosen, {3});
}

TEST(Plan, AViewMayBeAbsentFromAPart) {
  Data given = data(planted(kFew));
  std::vector<bool> keep(given.table.rows.size());
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = i > keep.size() / 2;
  given.table.views[1] = keep_instances(given.table.views[1], keep);
  expect_same(given, options(), {3});
}

TEST(Plan, RefusesWhatDoesNotBelong) {
  const Data given = data(planted(2000));
  Options small = options();
  small.memory = 0.03;
  const Plan plan(small, given.schema);
  Observer silent;
  const auto source = given.part(0, 1000);
  const auto rest = given.part(1000, 1000);
  const std::string one = plan.look(*source, 0, silent);
  const std::string other = plan.look(*rest, 1000, silent);
  EXPECT_THROW(plan.make(other, silent), Error) << "a part is missing";
  EXPECT_THROW(plan.merge_looks(one, one), Error) << "the same rows twice";
  EXPECT_THROW(plan.merge_counts(one, other), Error) << "another step";
  const std::string state = plan.make(plan.merge_looks(other, one), silent);
  const std::string task = plan.task(state);
  source->rewind();
  const std::string counts = plan.count(task, *source, 0, silent);
  EXPECT_THROW(plan.end_pass(state, counts), Error) << "a part was not counted";
  EXPECT_THROW(plan.end_pass(task, counts), Error);
  Options chosen = options();
  chosen.seed = 9;
  EXPECT_THROW(Plan(chosen, given.schema).make(one, silent), Error);
  chosen = options();
  chosen.half_life = 5;
  EXPECT_THROW(Plan(chosen, given.schema), Error);
  for (const std::string& bytes : {one, state, task, counts}) {
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 40) {
      std::string bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ 0x20);
      EXPECT_THROW(plan.wants_pass(bad), Error);
    }
    EXPECT_THROW(plan.merge_looks(bytes.substr(0, bytes.size() / 2), one), Error);
  }
  class Stopper : public Observer {
    bool on_chunk(const ChunkReport&) override { return false; }
  } stopper;
  source->rewind();
  EXPECT_THROW(plan.count(task, *source, 0, stopper), Error);
}

}  // namespace
}  // namespace omvc
