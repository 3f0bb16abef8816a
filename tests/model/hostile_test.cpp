// Models whose checksum is right and whose content is not: refused as bad data, or of use all the same.
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/explain.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

#include "file/archive.hpp"
#include "support/archive_edits.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

PlantedOptions planted() { return {.instances = 40, .features = {3, 4}, .clusters = 2, .missing = 0.3, .seed = 3}; }

Options options_for(Algorithm method) {
  Options options = method_options(method);
  options.clusters = 2;
  options.threads = 1;
  return options;
}

class Hostile : public testing::TestWithParam<Algorithm> {
 protected:
  std::string saved(ModelKind kind) {
    Clusterer model(options_for(GetParam()));
    const auto nowhere = make_sink_list({});
    model.fit(*make_planted_source(planted()), *nowhere);
    model.save(dir_.path("model"), kind);
    return test::read_bytes(dir_.path("model"));
  }

  test::TempDir dir_;
};
INSTANTIATE_TEST_SUITE_P(Methods, Hostile,
                         testing::Values(Algorithm::omvc, Algorithm::omvc_paper, Algorithm::masked_kmeans));

void use(Clusterer& model, const Chunk& chunk) {
  const Assignment found = model.assign(chunk);
  ASSERT_EQ(found.labels.size(), chunk.rows.size());
  for (const int cluster : model.clusters()) top_features(model, 0, cluster, 3);
  model.summary();
  if (!model.summary().learns) return;
  cluster_tree(model, 3);
  model.partial_fit(chunk);
  model.refresh();
  model.cut(2);
}

TEST_P(Hostile, AnEditedModelIsRefusedOrOfUse) {
  constexpr unsigned kEdits = 300;
  const Chunk chunk = *make_planted_source(planted())->next(20);
  int refused = 0;
  for (const ModelKind kind : {ModelKind::whole, ModelKind::prediction}) {
    const std::string sound = saved(kind);
    for (unsigned seed = 1; seed <= kEdits; ++seed) {
      test::ArchiveEditor editor(sound, seed);
      ASSERT_TRUE(editor.edit());
      const std::string file = dir_.write_file("edited", editor.bytes());
      try {
        Clusterer model = Clusterer::load(file);
        model.summary();
        model.save(dir_.path("again"), model.summary().learns ? kind : ModelKind::prediction);
        EXPECT_NO_THROW(Clusterer::load(dir_.path("again"))) << seed;  // what was accepted can be kept
        use(model, chunk);
      } catch (const Error& error) {
        ++refused;
        EXPECT_NE(error.kind(), ErrorKind::io) << seed << ": " << error.what();
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_P(Hostile, NumbersThatAreNoneAreRefusedByTheNameOfTheirEntry) {
  saved(ModelKind::whole);
  const Archive sound = Archive::load(dir_.path("model"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> keys = GetParam() == Algorithm::omvc
                                            ? std::vector<std::string>{"fine/mass", "fine/spread", "fine/view0/counts",
                                                                       "living/squares", "reservoir/priorities"}
                                            : std::vector<std::string>{"centres", "view0/scaling/factor"};
  for (const std::string& key : keys) {
    for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
      Archive archive = sound;
      std::vector<double> values = archive.numbers(key);
      if (values.empty()) continue;
      values.back() = bad;
      archive.put(key, values);
      archive.save(dir_.path("edited"));
      try {
        Clusterer::load(dir_.path("edited"));
        ADD_FAILURE() << key << " = " << bad << " was accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data);
        EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
      }
    }
  }
}

// What a file claims is held against what it holds before memory is taken for it or it is counted with.
TEST(HostileClaims, AreRefused) {
  const test::TempDir dir;
  Clusterer model(options_for(Algorithm::omvc));
  const auto nowhere = make_sink_list({});
  model.fit(*make_planted_source(planted()), *nowhere);
  const auto expect_refused = [&](const std::string& says, const auto& edit) {
    Archive archive = Archive::load(dir.path("model"));
    edit(archive);
    archive.save(dir.path("edited"));
    test::expect_error(ErrorKind::data, {"edited", says}, [&] { Clusterer::load(dir.path("edited")); });
  };
  for (const ModelKind kind : {ModelKind::whole, ModelKind::prediction}) {
    model.save(dir.path("model"), kind);
    expect_refused("features", [](Archive& archive) {
      archive.put("schema/features", std::vector<Index>{3, Index{1} << 60});
      archive.put("view1/feature_names", std::vector<std::string>{});
      for (const char* part : {"shift", "gain", "fill", "ceiling"}) {
        archive.put(std::string("view1/scaling/") + part, std::vector<double>{});
      }
    });
    expect_refused("more rows than can be", [&](Archive& archive) {
      const std::string key = archive.has("fine/mass") ? "fine/view0/counts" : "coarse/view0/counts";
      archive.put(key, std::vector<double>(archive.numbers(key).size(), 9e15));
    });
  }
  model.save(dir.path("model"));
  expect_refused("contradicts itself", [](Archive& archive) {
    std::vector<double> counts = archive.numbers("survey/view0/counts");
    counts[5] = 1e300;
    archive.put("survey/view0/counts", counts);
  });
}

// Numbers that no row can have given are refused as they are read, and a model that could not be read again replaces
// nothing.
TEST(HostileClaims, NumbersThatNoRowCanHaveGiven) {
  const test::TempDir dir;
  Clusterer model(options_for(Algorithm::omvc));
  const auto nowhere = make_sink_list({});
  model.fit(*make_planted_source(planted()), *nowhere);
  model.save(dir.path("model"));
  const Chunk chunk = *make_planted_source(planted())->next(20);
  for (const std::string entry : {"minimum", "maximum", "sum", "squares"}) {
    for (const double value : {1e300, 1e200, 1e150}) {
      Archive archive = Archive::load(dir.path("model"));
      std::vector<double> values = archive.numbers("survey/view0/" + entry);
      values[0] = entry == "minimum" ? -value : value;
      archive.put("survey/view0/" + entry, values);
      archive.save(dir.path("edited"));
      const std::string before = test::read_bytes(dir.path("edited"));
      try {
        Clusterer edited = Clusterer::load(dir.path("edited"));
        edited.partial_fit(chunk);
        edited.refresh();
        edited.save(dir.path("edited"));
      } catch (const Error& error) {
        EXPECT_EQ(test::read_bytes(dir.path("edited")), before) << entry << value << error.what();
        continue;
      }
      EXPECT_NO_THROW(Clusterer::load(dir.path("edited"))) << entry << value;
    }
  }
}

TEST(HostileClaims, ClustersThatWereRefinedNeedTheirPrototypes) {
  const test::TempDir dir;
  Clusterer model(options_for(Algorithm::omvc));
  Chunk few = *make_planted_source(planted())->next(5);
  model.partial_fit(few);
  model.save(dir.path("early"));
  Archive archive = Archive::load(dir.path("early"));
  archive.put("clusters/state", std::vector<Index>{archive.integers("clusters/state")[0], 1});
  archive.save(dir.path("edited"));
  test::expect_error(ErrorKind::data, {"edited", "prototypes"}, [&] { Clusterer::load(dir.path("edited")); });
}

}  // namespace
}  // namespace omvc
