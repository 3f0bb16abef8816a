#include "omvc/clusterer.hpp"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "omvc/evaluation.hpp"
#include "omvc/explain.hpp"
#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/random_data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::Collected;

PlantedOptions planted(double missing = 0.4) {
  return {.instances = 600, .features = {30, 200}, .density = {1, 0.1}, .clusters = 4, .missing = missing, .seed = 3};
}

Options options_for(Preset preset) {
  Options options = preset_options(preset);
  options.clusters = 4;
  options.passes = 3;
  options.threads = 1;
  // The sample of the living model is too small for all of the planted data, so that it learns in passes.
  if (preset == Preset::standard) options.memory = 0.1;
  return options;
}

double agreement(const std::vector<int>& labels, const PlantedOptions& data) {
  Contingency counts;
  for (std::size_t i = 0; i < labels.size(); ++i) counts.add(labels[i], planted_label(data, static_cast<Index>(i)));
  return score(counts).nmi_geometric;
}

// Mean fill draws instances of the paper's preset together, so it is tried on less incomplete data.
PlantedOptions planted_for(Preset preset) { return planted(preset == Preset::paper ? 0.1 : 0.4); }

class ClustererPresets : public testing::TestWithParam<Preset> {};
INSTANTIATE_TEST_SUITE_P(Clusterer, ClustererPresets, testing::Values(Preset::standard, Preset::paper));

TEST_P(ClustererPresets, FindsPlantedClustersWithMissingViews) {
  const auto source = make_planted_source(planted_for(GetParam()));
  Collected found;
  Clusterer model(options_for(GetParam()));
  const Report report = model.fit(*source, found);
  EXPECT_TRUE(found.finished);
  EXPECT_EQ(report.instances, 600);
  EXPECT_EQ(report.passes.size(), 3u);
  ASSERT_EQ(found.labels.size(), 600u);
  EXPECT_GT(agreement(found.labels, planted_for(GetParam())), 0.85);
  Index sum = 0;
  for (const Index size : report.cluster_sizes) sum += size;
  EXPECT_EQ(sum, 600);
  EXPECT_GT(report.loss, 0);
}

TEST_P(ClustererPresets, SameSeedSameBitsForAnyNumberOfThreads) {
  std::vector<Collected> found(3);
  std::vector<Report> reports(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto source = make_planted_source(planted());
    Options options = options_for(GetParam());
    options.threads = static_cast<int>(i) + 1;
    reports[i] = Clusterer(options).fit(*source, found[i]);
  }
  for (std::size_t pass = 0; pass < reports[0].passes.size(); ++pass) {
    EXPECT_FALSE(reports[0].passes[pass].products.empty());
    EXPECT_EQ(reports[0].passes[pass].products, reports[1].passes[pass].products);
    EXPECT_EQ(reports[0].passes[pass].products, reports[2].passes[pass].products);
  }
  EXPECT_EQ(found[0].labels, found[1].labels);
  EXPECT_EQ(found[0].embedding, found[1].embedding);
  EXPECT_EQ(found[0].embedding, found[2].embedding);
}

TEST_P(ClustererPresets, TellsWhereTheTimeWent) {
  const auto source = make_planted_source(planted());
  Collected found;
  Clusterer model(options_for(GetParam()));
  const auto start = std::chrono::steady_clock::now();
  const Report report = model.fit(*source, found);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double sum = 0;
  for (const StepTime& step : report.profile) {
    const std::set<std::string> of_rows{"prototypes", "neighbours", "readers", "eigenvectors"};
    const bool unused = step.name == "checkpoint" || (of_rows.contains(step.name) && GetParam() == Preset::paper);
    EXPECT_EQ(step.seconds > 0, !unused) << step.name;
    sum += step.overlaps ? 0 : step.seconds;
  }
  EXPECT_EQ(report.seconds, sum);
  EXPECT_LE(sum, wall);
}

// A chunk starts with X U and X' V of every view, and every round has one more of each.
TEST(Clusterer, CountsTheProductsOfThePapersAlgorithm) {
  PlantedOptions data = planted();
  data.features = {30};
  data.density = {1};
  const auto source = make_planted_source(data);
  Options options = options_for(Preset::paper);
  options.chunk = 100;
  options.rank = 5;
  Collected found;
  const Report report = Clusterer(options).fit(*source, found);
  ASSERT_EQ(report.passes.size(), 3u);
  for (const PassReport& pass : report.passes) {
    EXPECT_EQ(pass.chunks, 6);
    const Index each = pass.chunks + pass.rounds;
    EXPECT_EQ(pass.products, (std::vector<ProductCount>{{5, each, each}})) << "pass " << pass.pass;
  }
}

TEST_P(ClustererPresets, AssignsNewInstancesAndPutsTheOldOnesWhereTheyWere) {
  const auto source = make_planted_source(planted_for(GetParam()));
  Collected found;
  Clusterer model(options_for(GetParam()));
  model.fit(*source, found);
  source->rewind();
  std::vector<int> again;
  while (auto chunk = source->next(100)) {
    const Assignment assigned = model.assign(*chunk);
    again.insert(again.end(), assigned.labels.begin(), assigned.labels.end());
  }
  EXPECT_GT(agreement(again, planted_for(GetParam())), 0.85);
  PlantedOptions more = planted_for(GetParam());
  more.instances = 900;
  const auto longer = make_planted_source(more);
  while (auto chunk = longer->next(300)) {
    if (chunk->rows[0] < 600) continue;
    const Assignment assigned = model.assign(*chunk);
    Contingency counts;
    for (std::size_t i = 0; i < assigned.labels.size(); ++i)
      counts.add(assigned.labels[i], planted_label(more, chunk->rows[i]));
    EXPECT_GT(score(counts).nmi_geometric, 0.8);
  }
}

TEST(Clusterer, ASavedModelGoesOnExactlyAsTheOriginal) {
  for (const double memory : {64.0, 0.05}) {  // all rows in the sample, or some
    const test::TempDir folder;
    const std::string path = folder.path("model.omvc");
    const auto source = make_planted_source(planted());
    Options options = options_for(Preset::standard);
    options.memory = memory;
    Clusterer model(options);
    for (int i = 0; i < 3; ++i) model.partial_fit(*source->next(100));
    model.save(path);
    Clusterer copy = Clusterer::load(path);
    Options expected = model.options();
    expected.threads = copy.options().threads;  // a loaded model takes the threads of the machine it is loaded on
    EXPECT_EQ(copy.options(), expected);
    EXPECT_EQ(copy.schema(), model.schema());
    for (int i = 0; i < 2; ++i) {
      const Chunk chunk = *source->next(100);
      EXPECT_EQ(model.partial_fit(chunk).labels, copy.partial_fit(chunk).labels);
      EXPECT_EQ(model.summary().mean_distance, copy.summary().mean_distance);
    }
    const Chunk last = *source->next(100);
    const Assignment a = model.assign(last, {.embedding = true}), b = copy.assign(last, {.embedding = true});
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.confidence, b.confidence);
    EXPECT_EQ(a.embedding, b.embedding);
    model.cut(3);
    copy.cut(3);
    EXPECT_EQ(model.assign(last).labels, copy.assign(last).labels);
  }
}

TEST(Clusterer, AFittedModelGoesOnLearningSavedOrNot) {
  for (const int passes : {1, 3}) {
    const test::TempDir folder;
    const std::string path = folder.path("model.omvc");
    Options options = options_for(Preset::standard);
    options.passes = passes;
    Clusterer model(options);
    Collected found;
    model.fit(*make_planted_source(planted()), found);
    model.save(path);
    Clusterer copy = Clusterer::load(path);
    PlantedOptions more = planted();
    more.instances = 900;
    const auto source = make_planted_source(more);
    source->next(600);
    const Chunk fresh = *source->next(200), last = *source->next(100);
    EXPECT_EQ(model.partial_fit(fresh).labels, copy.partial_fit(fresh).labels);
    EXPECT_EQ(model.summary().mean_distance, copy.summary().mean_distance);
    EXPECT_EQ(model.summary().instances, copy.summary().instances);
    EXPECT_GT(model.summary().instances, 700) << "new instances are counted";
    const Assignment a = model.assign(last, {.embedding = true}), b = copy.assign(last, {.embedding = true});
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.embedding, b.embedding);
    Contingency counts;
    for (std::size_t i = 0; i < a.labels.size(); ++i) counts.add(a.labels[i], planted_label(more, last.rows[i]));
    EXPECT_GT(score(counts).nmi_geometric, 0.8) << "clusters survive new instances";
  }
}

TEST(Clusterer, OtherMethodsDoNotGoOnLearning) {
  Clusterer model(options_for(Preset::paper));
  Collected found;
  const auto source = make_planted_source(planted());
  model.fit(*source, found);
  source->rewind();
  test::expect_error(ErrorKind::usage, {"omvc-paper", "fit"}, [&] { model.partial_fit(*source->next(10)); });
  test::expect_error(ErrorKind::usage, {"omvc-paper", "cut"}, [&] { model.cut(3); });
}

TEST(Clusterer, ThePapersLossEndsLowerInEveryPass) {
  const auto source = make_planted_source(planted());
  Collected found;
  const Options options = options_for(Preset::paper);
  const Report report = Clusterer(options).fit(*source, found);
  for (std::size_t p = 1; p < report.passes.size(); ++p) EXPECT_LT(report.passes[p].loss, report.passes[p - 1].loss);
  EXPECT_EQ(report.passes[0].loss_curve.back(), report.passes[0].loss);
}

TEST_P(ClustererPresets, SmallChunksAbsentViewsAndEmptyFirstChunksAreNoErrors) {
  PlantedOptions data = planted(0);
  data.instances = 120;
  Chunk table = read_all(*make_planted_source(data));
  const Schema schema = make_planted_source(data)->schema();
  std::vector<bool> first(120), second(120);
  for (std::size_t i = 0; i < 120; ++i) {
    first[i] = i >= 6;                 // the first chunks lack the first view, the very first lack everything
    second[i] = i >= 4 && i % 10 < 8;  // some chunks of two lack the second view
  }
  table.views[0] = keep_instances(std::move(table.views[0]), first);
  table.views[1] = keep_instances(std::move(table.views[1]), second);
  const auto source = make_table_source(schema, table);
  Options options = options_for(GetParam());
  options.chunk = 2;
  if (GetParam() == Preset::standard) options.memory = 0.02;
  Collected found;
  const Report report = Clusterer(options).fit(*source, found);
  EXPECT_EQ(report.unobserved, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found.labels[i], -1);
    EXPECT_TRUE(std::isnan(found.embedding[i * static_cast<std::size_t>(report.rank)]));
  }
  for (std::size_t i = 4; i < 120; ++i) EXPECT_GE(found.labels[i], 0);
  EXPECT_EQ(report.warnings.size(), 1u);
}

TEST(Clusterer, ResultsComeInTheRowOrderOfTheSourceWhateverTheStream) {
  const PlantedOptions data = planted(0);
  const Schema schema = make_planted_source(data)->schema();
  std::vector<Index> order = test::iota(600);
  std::reverse(order.begin(), order.end());
  const auto source = make_table_source(schema, read_all(*make_planted_source(data)), order);
  Collected found;
  Clusterer(options_for(Preset::standard)).fit(*source, found);
  EXPECT_GT(agreement(found.labels, data), 0.85);
}

TEST(Clusterer, RefusesDataItCannotUse) {
  const auto fit = [](const Matrix& X, int clusters, Scaling scaling = Scaling::automatic) {
    Chunk table{test::iota(X.rows()), {}};
    table.views.push_back({test::dense_block<double>(X), test::iota(X.rows())});
    Options options;
    options.clusters = clusters;
    options.scaling = {scaling};
    Collected found;
    Clusterer(options).fit(*make_table_source(test::schema_of({X.cols()}), table), found);
  };
  test::expect_error(ErrorKind::data, {"5 clusters", "3 instances"}, [&] { fit(test::random_matrix(3, 2, 1), 5); });
  test::expect_error(ErrorKind::data, {"view1", "zero everywhere"}, [&] { fit(Matrix::Zero(5, 2), 2); });
  test::expect_error(ErrorKind::data, {"view1", "no positive"},
                     [&] { fit(Matrix::Constant(5, 2, -1), 2, Scaling::total); });
}

TEST(Clusterer, AFailedFitLeavesTheModelAsItWas) {
  const auto source = make_planted_source(planted());
  Collected found;
  Clusterer model(options_for(Preset::standard));
  model.fit(*source, found);
  const std::vector<double> before(basis(model, 0).begin(), basis(model, 0).end());
  Chunk bad{test::iota(10), {}};
  bad.views.push_back({test::dense_block<double>(Matrix::Zero(10, 3)), test::iota(10)});
  EXPECT_THROW(model.fit(*make_table_source(test::schema_of({3}), bad), found), Error);
  EXPECT_EQ(std::vector<double>(basis(model, 0).begin(), basis(model, 0).end()), before);
}

TEST(Clusterer, AChunkThatDoesNotFitNamesTheView) {
  const auto source = make_planted_source(planted());
  Clusterer model(options_for(Preset::standard));
  test::expect_error(ErrorKind::usage, {"learned nothing"}, [&] { model.assign(*source->next(10)); });
  model.partial_fit(*source->next(100));
  Chunk other{test::iota(4), {}};
  other.views.push_back({test::dense_block<double>(test::random_matrix(4, 31, 1)), test::iota(4)});
  other.views.push_back({test::dense_block<double>(test::random_matrix(4, 200, 1)), test::iota(4)});
  test::expect_error(ErrorKind::data, {"view1", "31", "30"}, [&] { model.assign(other); });
}

struct StopAt : Observer {
  explicit StopAt(Index chunk) : chunk_(chunk) {}
  bool on_chunk(const ChunkReport& chunk) override { return ++seen < chunk_ && chunk.loss >= 0; }
  Index chunk_;
  Index seen = 0;
};

TEST(Clusterer, StopsWhenAskedAndKeepsWhatItLearned) {
  const auto source = make_planted_source(planted());
  Options options = options_for(Preset::standard);
  options.chunk = 100;
  Collected found;
  StopAt observer(8);  // in the second pass
  const Report report = Clusterer(options).fit(*source, found, {.observer = &observer});
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(observer.seen, 8);
  EXPECT_EQ(report.passes.size(), 2u);
  EXPECT_TRUE(found.finished);
  EXPECT_GT(agreement(found.labels, planted()), 0.8);
}

struct ThrowingSource : Source {
  const Schema& schema() const override { return inner->schema(); }
  std::optional<Chunk> next(Index rows) override {
    if (++calls > 3) throw Error(ErrorKind::io, "disk gone");
    return inner->next(rows);
  }
  bool rewind() override { return false; }
  std::unique_ptr<Source> inner = make_planted_source(planted());
  int calls = 0;
};

TEST(Clusterer, AReadersErrorReachesTheCaller) {
  ThrowingSource source;
  Collected found;
  Options options = options_for(Preset::standard);
  options.threads = 2;
  options.chunk = 100;
  test::expect_error(ErrorKind::io, {"disk gone"}, [&] { Clusterer(options).fit(source, found); });
  EXPECT_FALSE(found.finished);
}

TEST(Clusterer, TopFeaturesAreThePlantedOnes) {
  const PlantedOptions data = planted(0);
  const auto source = make_planted_source(data);
  Collected found;
  Clusterer model(options_for(Preset::standard));
  model.fit(*source, found);
  // The mean of each feature over the instances of a cluster, against the mean over all: the planted features stand
  // out.
  const Chunk table = read_all(*make_planted_source(data));
  for (int cluster = 0; cluster < 4; ++cluster) {
    std::vector<double> own(30, 0), all(30, 0);
    double members = 0;
    for (Index i = 0; i < 600; ++i) {
      const auto row = test::dense_row(table.views[0].block, i);
      const bool member = found.labels[static_cast<std::size_t>(i)] == cluster;
      members += member ? 1 : 0;
      for (std::size_t j = 0; j < 30; ++j) {
        all[j] += row[j] / 600;
        own[j] += member ? row[j] : 0;
      }
    }
    for (const Feature& feature : top_features(model, 0, cluster, 3)) {
      const auto j = static_cast<std::size_t>(feature.number);
      EXPECT_EQ(feature.high, own[j] / members > all[j]) << "cluster " << cluster << " feature " << j;
      EXPECT_GT(std::abs(own[j] / members / all[j] - 1), 0.2) << "cluster " << cluster << " feature " << j;
      EXPECT_EQ(feature.name, "f" + std::to_string(j + 1));
    }
  }
}

}  // namespace
}  // namespace omvc
