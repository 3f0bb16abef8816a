// What every method keeps to, whatever it computes.
#include "compare/method.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "omvc/explain.hpp"

#include "support/chunks.hpp"
#include "support/method_data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::agreement;
using test::Collected;

// A method and the passes it makes: masked-kmeans is a streaming method with one.
struct Case {
  Algorithm method;
  int passes;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  std::string name(name_of(info.param.method));
  for (char& c : name) c = c == '-' ? '_' : c;
  return name + "_" + std::to_string(info.param.passes);
}

Options options_for(const Case& what) {
  Options options = method_options(what.method);
  options.clusters = 4;
  options.passes = what.passes;
  options.chunk = 100;
  options.threads = 1;
  if (what.method == Algorithm::opimc) options.ridge = 0.1;
  return options;
}

// Methods that fill missing views with means draw incomplete instances together.
bool fills(Algorithm method) {
  return method != Algorithm::omvc && method != Algorithm::opimc && method != Algorithm::masked_kmeans;
}

PlantedOptions planted(const Case& what) {
  return {.instances = 600,
          .features = {30, 200},
          .density = {1, 0.1},
          .clusters = 4,
          .missing = fills(what.method) ? 0.05 : 0.4,
          .seed = 3};
}

const std::vector<Case> kStreaming{{Algorithm::onmf_i, 3},
                                   {Algorithm::onmf_da, 3},
                                   {Algorithm::opimc, 1},
                                   {Algorithm::opimc, 3},
                                   {Algorithm::masked_kmeans, 1}};
const std::vector<Case> kOffline{
    {Algorithm::multinmf, 3}, {Algorithm::mic, 3}, {Algorithm::masked_kmeans, 3}, {Algorithm::concat_kmeans, 3}};

std::vector<Case> all() {
  std::vector<Case> cases = kStreaming;
  cases.insert(cases.end(), kOffline.begin(), kOffline.end());
  return cases;
}

class Methods : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Methods, testing::ValuesIn(all()), name_of_case);
class StreamingMethods : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, StreamingMethods, testing::ValuesIn(kStreaming), name_of_case);
class OfflineMethods : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, OfflineMethods, testing::ValuesIn(kOffline), name_of_case);

TEST_P(Methods, FindsPlantedClustersWithMissingViews) {
  const PlantedOptions data = planted(GetParam());
  Collected found;
  const Report report = Clusterer(options_for(GetParam())).fit(*make_planted_source(data), found);
  EXPECT_EQ(report.instances, 600);
  ASSERT_EQ(found.labels.size(), 600u);
  EXPECT_GT(agreement(found.labels, data), 0.85);
  EXPECT_EQ(report.rank, 4);
  EXPECT_GT(report.loss, 0);
  Index sum = 0;
  for (const Index size : report.cluster_sizes) sum += size;
  EXPECT_EQ(sum, 600);
  for (const ViewReport& view : report.views) {
    EXPECT_GT(view.explained, 0);
    EXPECT_LE(view.explained, 1);
    EXPECT_GT(view.observed, 300);
    EXPECT_LE(view.observed, 600);
  }
}

TEST_P(Methods, ThreadsDoNotChangeABit) {
  std::vector<Collected> found(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Options options = options_for(GetParam());
    options.threads = static_cast<int>(i) + 1;
    Clusterer(options).fit(*make_planted_source(planted(GetParam())), found[i]);
  }
  EXPECT_EQ(found[0].labels, found[1].labels);
  ASSERT_EQ(found[0].embedding.size(), found[1].embedding.size());
  for (std::size_t i = 0; i < found[0].embedding.size(); ++i) {
    ASSERT_EQ(found[0].embedding[i], found[1].embedding[i]) << i;
  }
}

TEST_P(Methods, SparseDataAndADenseCopyOfThemGiveTheSame) {
  const PlantedOptions data = planted(GetParam());
  const Schema schema = make_planted_source(data)->schema();
  Chunk table = read_all(*make_planted_source(data));
  std::vector<Collected> found(2);
  Options options = options_for(GetParam());
  options.scaling = {Scaling::total};
  Clusterer(options).fit(*make_table_source(schema, table), found[0]);
  table.views[1].block = test::dense_block<float>(naive::densify(table.views[1].block));
  Clusterer(options).fit(*make_table_source(schema, table), found[1]);
  Contingency counts;
  counts.add(found[0].labels, found[1].labels);
  EXPECT_GT(score(counts).ari, 0.99);
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < found[0].embedding.size(); ++i) {
    worst = std::max(worst, std::abs(found[0].embedding[i] - found[1].embedding[i]));
    largest = std::max(largest, std::abs(found[0].embedding[i]));
  }
  EXPECT_LT(worst, 1e-2 * largest) << "rounding may decide whether a step is taken";
}

TEST_P(Methods, AModelPutsInstancesWhereTheFitDidAndSurvivesItsFile) {
  const PlantedOptions data = planted(GetParam());
  const test::TempDir folder;
  Collected found;
  Clusterer model(options_for(GetParam()));
  const auto source = make_planted_source(data);
  model.fit(*source, found);
  model.save(folder.path("model.omvc"));
  Clusterer copy = Clusterer::load(folder.path("model.omvc"));
  EXPECT_EQ(copy.summary().instances, model.summary().instances);
  source->rewind();
  std::vector<int> again;
  while (auto chunk = source->next(150)) {
    const Assignment one = model.assign(*chunk);
    const Assignment other = copy.assign(*chunk);
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.embedding, other.embedding);
    again.insert(again.end(), one.labels.begin(), one.labels.end());
  }
  Contingency counts;
  counts.add(again, found.labels);
  EXPECT_GT(score(counts).ari, 0.9);
  EXPECT_NO_THROW(top_features(copy, 1, 0, 5));
  test::expect_error(ErrorKind::usage, {std::string(name_of(GetParam().method)), "fit"},
                     [&] { copy.partial_fit(*make_planted_source(data)->next(10)); });
}

TEST_P(Methods, TinyChunksAbsentViewsAndInstancesWithoutViewsAreNoErrors) {
  PlantedOptions data = planted(GetParam());
  data.instances = 120;
  data.missing = 0;
  Chunk table = read_all(*make_planted_source(data));
  std::vector<bool> first(120), second(120);
  for (std::size_t i = 0; i < 120; ++i) {
    first[i] = i >= 6;
    second[i] = i >= 4 && i % 10 < 8;
  }
  table.views[0] = keep_instances(std::move(table.views[0]), first);
  table.views[1] = keep_instances(std::move(table.views[1]), second);
  Options options = options_for(GetParam());
  options.chunk = 2;
  Collected found;
  const Report report = Clusterer(options).fit(*make_table_source(make_planted_source(data)->schema(), table), found);
  EXPECT_EQ(report.unobserved, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found.labels[i], -1);
    EXPECT_TRUE(std::isnan(found.embedding[i * 4]));
  }
  for (std::size_t i = 4; i < 120; ++i) EXPECT_GE(found.labels[i], 0);
}

struct StopAfter : Observer {
  explicit StopAfter(Index count) : left(count) {}
  bool on_chunk(const ChunkReport&) override { return --left > 0; }
  Index left;
};

TEST_P(Methods, AStoppedRunGivesWhatItHas) {
  Options options = options_for(GetParam());
  const bool early = options.passes == 1;
  Collected found;
  StopAfter observer(early ? 4 : 9);  // in the first or the second pass, of six chunks
  const auto source = make_planted_source(planted(GetParam()));
  const Report report = Clusterer(options).fit(*source, found, {.observer = &observer});
  // A clustering of all data at once is done after the first pass.
  EXPECT_EQ(report.stopped, observer.left == 0);
  Index labelled = 0;
  for (const int label : found.labels) labelled += label >= 0;
  EXPECT_EQ(labelled, early ? 400 : 600);
}

TEST_P(StreamingMethods, AResumedRunHasTheBitsOfAnUndisturbedOne) {
  const PlantedOptions data = planted(GetParam());
  const Options options = options_for(GetParam());
  Collected whole;
  const Report expected = Clusterer(options).fit(*make_planted_source(data), whole);
  for (const Index stop : {1, 3, 6, 7}) {
    const test::TempDir folder;
    const Checkpointing keep{.file = folder.path("run"), .resume = true, .seconds = 0, .chunks = 2};
    StopAfter observer(stop);
    Collected unused;
    test::expect_error(ErrorKind::interrupted, {"--resume"}, [&] {
      Clusterer(options).fit(*make_planted_source(data), unused, {.observer = &observer, .checkpointing = keep});
      // One pass of six chunks without labelling again is over before the seventh.
      if (observer.left > 0) throw Error(ErrorKind::interrupted, "--resume");
    });
    Collected resumed;
    const Report report = Clusterer(options).fit(*make_planted_source(data), resumed, {.checkpointing = keep});
    EXPECT_EQ(resumed.labels, whole.labels) << stop;
    EXPECT_EQ(resumed.embedding, whole.embedding) << stop;
    EXPECT_EQ(report.loss, expected.loss) << stop;
  }
}

TEST_P(OfflineMethods, RefuseCheckpointsAndSayWhy) {
  const test::TempDir folder;
  Collected found;
  test::expect_error(ErrorKind::usage, {std::string(name_of(GetParam().method)), "memory", "--checkpoint"}, [&] {
    Clusterer(options_for(GetParam()))
        .fit(*make_planted_source(planted(GetParam())), found, {.checkpointing = {.file = folder.path("run")}});
  });
}

TEST_P(OfflineMethods, RefuseDataThatNoMachineHolds) {
  StreamCounts counts;
  test::expect_error(ErrorKind::usage, {std::string(name_of(GetParam().method)), "memory", "omvc"}, [&] {
    make_method({.options = options_for(GetParam()),
                 .schema = test::small_schema(),
                 .passes = 3,
                 .bytes = 1e18,
                 .rows = {},
                 .counts = &counts});
  });
}

TEST_P(Methods, SignedDataAreTakenOrRefusedWithAWayOut) {
  Matrix X = test::random_matrix(60, 5, 1);
  for (Index i = 0; i < 60; ++i) X(i, i % 4) += 3;
  X.array() -= 1;
  Chunk table{test::iota(60), {}};
  table.views.push_back({test::dense_block<double>(X), test::iota(60)});
  Options options = options_for(GetParam());
  options.scaling = {Scaling::none};
  Collected found;
  const auto fit = [&] { Clusterer(options).fit(*make_table_source(test::schema_of({5}), table), found); };
  if (takes_signed(GetParam().method)) {
    fit();
    for (Index i = 4; i < 60; ++i) {
      EXPECT_EQ(found.labels[static_cast<std::size_t>(i)], found.labels[static_cast<std::size_t>(i % 4)]);
    }
  } else {
    test::expect_error(ErrorKind::data, {"view1", "negative", "scaling auto"}, fit);
  }
}

TEST(MethodOptions, AreValidOnceClustersAreSetAndNameTheirMethod) {
  for (const auto& [name, method] : EnumNames<Algorithm>::kNames) {
    Options options = method_options(method);
    EXPECT_EQ(options.method, method);
    if (method != Algorithm::omvc) {
      EXPECT_THROW(check_options(options), Error) << name;
    }
    options.clusters = 2;
    EXPECT_NO_THROW(check_options(options)) << name;
  }
  EXPECT_EQ(method_options(Algorithm::omvc), preset_options(Preset::standard));
  Options options = method_options(Algorithm::opimc);
  options.clusters = 3;
  options.rank = 7;
  test::expect_error(ErrorKind::usage, {"rank", "opimc"}, [&] { check_options(options); });
}

}  // namespace
}  // namespace omvc
