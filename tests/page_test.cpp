// Facts and pages through the public headers; tests/page_test.py looks at the same pages in a browser.
#include "omvc/page.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using nlohmann::json;

PlantedOptions planted(Index instances = 900) {
  return {.instances = instances,
          .features = {12, 20},
          .density = {},
          .clusters = 4,
          .missing = 0.3,
          .keep_one_view = true,
          .separation = 1.5,
          .noise = 0.5,
          .seed = 5};
}

struct Fitted {
  Clusterer model;
  Report report;
  test::Collected found;
};

Fitted fitted(const PlantedOptions& data, double memory = 64, int threads = 2) {
  Options options;
  options.clusters = data.clusters;
  options.threads = threads;
  options.memory = memory;
  Fitted out{Clusterer(options), {}, {}};
  const auto source = make_planted_source(data);
  out.report = out.model.fit(*source, out.found);
  return out;
}

TEST(Page, FactsAddUp) {
  Fitted fit = fitted(planted());
  const json facts = json::parse(page_facts(fit.model, {.report = &fit.report}));
  EXPECT_EQ(facts["summary"], json::parse(to_json(fit.report)));
  const json& map = facts["map"];
  const std::size_t nodes = map["nodes"]["x"].size();
  EXPECT_EQ(nodes, static_cast<std::size_t>(fit.model.summary().prototypes));
  std::vector<std::size_t> counts;
  for (const json& level : facts["levels"]) {
    counts.push_back(level["numbers"].size());
    EXPECT_EQ(level["group"].size(), nodes);
    EXPECT_EQ(level["sizes"].size(), counts.back());
    EXPECT_EQ(level["features"].size(), counts.back());
    const std::vector<double> sizes = level["sizes"];
    EXPECT_NEAR(std::accumulate(sizes.begin(), sizes.end(), 0.0), 900, static_cast<double>(counts.back()));
    const std::vector<int> numbers = level["numbers"];
    EXPECT_EQ(std::set<int>(numbers.begin(), numbers.end()).size(), numbers.size()) << "numbers are told once";
    for (const json& g : level["group"]) EXPECT_LT(g.get<std::size_t>(), counts.back());
  }
  std::vector<std::size_t> all(29);
  std::iota(all.begin(), all.end(), std::size_t{2});
  EXPECT_EQ(counts, all) << "cuts from 2 to 30";
  EXPECT_EQ(map["points"]["row"].size(), 900u);
  for (std::size_t i = 0; i < 900; ++i) {
    const auto row = map["points"]["row"][i].get<std::size_t>();
    EXPECT_EQ(map["points"]["label"][i], fit.found.labels[row]);
    const std::vector<int> weights = map["points"]["weight"][i];
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0), 4096);
  }
}

TEST(Page, ClustersOfOtherCutsKeepTheirNumbers) {
  Fitted fit = fitted(planted());
  const json facts = json::parse(page_facts(fit.model, {.report = &fit.report}));
  for (std::size_t i = 1; i < facts["levels"].size(); ++i) {
    const std::vector<int> before = facts["levels"][i - 1]["numbers"];
    const std::vector<int> after = facts["levels"][i]["numbers"];
    std::vector<int> shared;
    for (const int number : after) {
      if (std::find(before.begin(), before.end(), number) != before.end()) shared.push_back(number);
    }
    EXPECT_GE(5 * shared.size(), 4 * before.size()) << "from " << before.size() << " to " << after.size();
  }
}

// The map can be coloured by a feature: a letter for each instance, between the low and the high value.
TEST(Page, ValuesOfFeaturesAreThoseOfTheInstancesDrawn) {
  const PlantedOptions data = planted();
  Fitted fit = fitted(data);
  const json facts = json::parse(page_facts(fit.model, {.report = &fit.report, .class_names = {"one", "two"}}));
  EXPECT_EQ(facts["class_names"], json({"one", "two"}));
  const Chunk table = read_all(*make_planted_source(data));
  const json& points = facts["map"]["points"];
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  ASSERT_EQ(facts["map"]["values"].size(), facts["heat"]["features"].size());
  ASSERT_FALSE(facts["map"]["values"].empty());
  for (std::size_t f = 0; f < facts["map"]["values"].size(); ++f) {
    const json& values = facts["map"]["values"][f];
    EXPECT_EQ(values["feature"], facts["heat"]["features"][f]);
    const json& feature = facts["features"][values["feature"].get<std::size_t>()];
    const ChunkView& view = table.views[feature["view"].get<std::size_t>()];
    const auto column = std::stoull(feature["name"].get<std::string>().substr(1)) - 1;
    const double low = values["low"];
    const double high = values["high"];
    const std::string steps = values["steps"];
    ASSERT_EQ(steps.size(), points["row"].size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto at = std::find(view.present.begin(), view.present.end(), points["row"][i].get<Index>());
      EXPECT_EQ(steps[i] == '.', at == view.present.end());
      if (at == view.present.end()) continue;
      const double value = test::dense_row(view.block, at - view.present.begin())[column];
      const double shown = low + (high - low) * static_cast<double>(letters.find(steps[i])) / 63;
      EXPECT_NEAR(shown, std::clamp(value, low, high), 1.01 * (high - low) / 63 + 1e-4 * std::abs(high));
    }
  }
}

TEST(Page, ValuesAreMeansOfTheDataAsTheyCame) {
  const PlantedOptions data = planted();
  Fitted fit = fitted(data);
  const json facts = json::parse(page_facts(fit.model, {.report = &fit.report}));
  const Chunk table = read_all(*make_planted_source(data));
  const auto own = std::find_if(facts["levels"].begin(), facts["levels"].end(), [](const json& l) { return l["own"]; });
  ASSERT_NE(own, facts["levels"].end());
  int checked = 0;
  for (std::size_t k = 0; k < (*own)["numbers"].size(); ++k) {
    const int number = (*own)["numbers"][k];
    for (const json& entry : (*own)["features"][k]) {
      const json& feature = facts["features"][entry[0].get<std::size_t>()];
      const auto view = feature["view"].get<std::size_t>();
      const Index column = std::stoll(feature["name"].get<std::string>().substr(1)) - 1;
      double sums[2] = {0, 0};
      double rows[2] = {0, 0};
      for (std::size_t i = 0; i < table.views[view].present.size(); ++i) {
        const Index at = table.views[view].present[i];
        const std::size_t inside = fit.found.labels[static_cast<std::size_t>(table.rows[at])] == number ? 0 : 1;
        sums[inside] +=
            test::dense_row(table.views[view].block, static_cast<Index>(i))[static_cast<std::size_t>(column)];
        rows[inside] += 1;
      }
      EXPECT_NEAR(entry[1].get<double>(), sums[0] / rows[0], 1e-3 * std::abs(sums[0] / rows[0]) + 1e-9);
      EXPECT_NEAR(entry[2].get<double>(), sums[1] / rows[1], 1e-3 * std::abs(sums[1] / rows[1]) + 1e-9);
      ++checked;
    }
  }
  EXPECT_GT(checked, 8);
}

TEST(Page, IsTheSameForAnyNumberOfThreadsAndAfterLoading) {
  Fitted one = fitted(planted(), 64, 1);
  Fitted two = fitted(planted(), 64, 3);
  two.model.set_threads(1);
  const std::string alone = page_facts(one.model);
  EXPECT_TRUE(alone == page_facts(two.model)) << "the page depends on threads";
  const test::TempDir dir;
  one.model.save(dir.path("model"));
  Clusterer loaded = Clusterer::load(dir.path("model"));
  loaded.set_threads(1);
  EXPECT_TRUE(page_facts(loaded) == alone) << "the page of a model that was saved and loaded is another";
}

TEST(Page, OfMoreThanTheSampleHoldsIsBounded) {
  Fitted fit = fitted(planted(14000), 0.5);
  ASSERT_TRUE(fit.report.sampled);
  const json facts = json::parse(page_facts(fit.model, {.report = &fit.report}));
  EXPECT_LE(facts["map"]["points"]["row"].size(), 5000u);
  EXPECT_LT(facts["map"]["rows"].get<Index>(), 14000);
  EXPECT_EQ(facts["summary"]["n"], 14000);
  const std::vector<double> sizes = facts["levels"][0]["sizes"];
  EXPECT_NEAR(std::accumulate(sizes.begin(), sizes.end(), 0.0), 14000, 5);
}

TEST(Page, LongIdsCostInstancesNotBytes) {
  Fitted fit = fitted(planted());
  PageContext context{.report = &fit.report};
  context.ids = [](Index, Index count) {
    return std::vector<std::string>(static_cast<std::size_t>(count), std::string(5000, '<'));
  };
  const test::TempDir dir;
  write_page(dir.path("page.html"), fit.model, context);
  const std::string page = test::read_bytes(dir.path("page.html"));
  EXPECT_LT(page.size(), 2000000u);
  const std::string begin = "id=\"facts\">";
  const std::size_t first = page.find(begin) + begin.size();
  const std::size_t end = page.find("</script>", first);
  EXPECT_EQ(page.find('<', first), end) << "nothing inside the facts looks like an element";
  EXPECT_EQ(json::parse(page.substr(first, end - first))["map"]["points"]["id"][0].get<std::string>().size(), 120u);
}

TEST(Page, AsksForTheIdsOfTheRowsItNames) {
  Fitted fit = fitted(planted());
  PageContext context{.report = &fit.report};
  context.ids = [](Index first, Index count) {
    std::vector<std::string> ids;
    for (Index row = first; row < first + count; ++row) ids.push_back("id" + std::to_string(row));
    return ids;
  };
  const json facts = json::parse(page_facts(fit.model, context));
  for (std::size_t i = 0; i < facts["map"]["points"]["row"].size(); ++i) {
    EXPECT_EQ(facts["map"]["points"]["id"][i], "id" + std::to_string(facts["map"]["points"]["row"][i].get<Index>()));
  }
  for (const json& members : facts["summary"]["cluster_members"]) {
    for (const json& one : members["borderline"]) EXPECT_EQ(one["id"], "id" + std::to_string(one["row"].get<Index>()));
  }
}

TEST(Page, TellsWhatAModelCannot) {
  Fitted fit = fitted(planted(300));
  const test::TempDir dir;
  fit.model.save(dir.path("small"), ModelKind::prediction);
  Clusterer small = Clusterer::load(dir.path("small"));
  test::expect_error(ErrorKind::usage, {"prediction"}, [&] { write_page(dir.path("page.html"), small); });
  test::expect_error(ErrorKind::usage, {"learned nothing"}, [&] {
    Clusterer empty{Options()};
    write_page(dir.path("page.html"), empty);
  });
  test::expect_error(ErrorKind::io, {"nowhere"}, [&] { write_page(dir.path("nowhere/page.html"), fit.model); });
  EXPECT_FALSE(std::filesystem::exists(dir.path("page.html")));
  EXPECT_TRUE(prototype_map(small).x.empty());
}

TEST(Page, TheMapOfATerminalIsTheSame) {
  Fitted fit = fitted(planted());
  const PrototypeMap map = prototype_map(fit.model);
  const json facts = json::parse(page_facts(fit.model));
  ASSERT_EQ(map.x.size(), facts["map"]["nodes"]["x"].size());
  for (std::size_t p = 0; p < map.x.size(); ++p)
    EXPECT_NEAR(map.x[p], facts["map"]["nodes"]["x"][p].get<double>(), 1e-4);
  EXPECT_EQ(json(map.eigenvalues), facts["eigenvalues"]);
}

TEST(Page, AStreamHasATimeLine) {
  const PlantedOptions data = planted(2400);
  Options options;
  options.clusters = 4;
  Clusterer model(options);
  const auto source = make_once_source(make_planted_source(data));
  test::Collected found;
  const Report report = model.fit(*source, found);
  ASSERT_GT(report.timeline.size(), 2u);
  for (std::size_t i = 0; i < report.timeline.size(); ++i) {
    const TimePoint& point = report.timeline[i];
    if (i > 0) {
      EXPECT_GE(point.instances, report.timeline[i - 1].instances);
    }
    EXPECT_EQ(point.numbers.size(), point.sizes.size());
    EXPECT_NEAR(std::accumulate(point.sizes.begin(), point.sizes.end(), 0.0), point.instances, 1e-6 * point.instances);
  }
  EXPECT_EQ(report.timeline.back().instances, 2400);
  EXPECT_NE(report.fingerprint, 0u);
}

}  // namespace
}  // namespace omvc
