#include "omvc/suggest.hpp"

#include <gtest/gtest.h>

#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

SuggestOptions small() {
  SuggestOptions options;
  options.least = 2;
  options.most = 5;
  options.splits = 2;
  options.sample = 400;
  options.options.threads = 1;
  return options;
}

TEST(SuggestClusters, FindsThePlantedNumber) {
  const PlantedOptions planted{
      .instances = 2000, .features = {40, 60}, .clusters = 4, .missing = 0.3, .noise = 0.3, .seed = 5};
  const auto source = make_planted_source(planted);
  const Suggestion found = suggest_clusters(*source, small());
  EXPECT_EQ(found.clusters, 4) << found.verdict;
  EXPECT_TRUE(found.clear) << found.verdict;
  ASSERT_EQ(found.tried.size(), 4u);
  EXPECT_GT(found.tried[2].stability, 0.95);
  EXPECT_NEAR(static_cast<double>(found.sampled), 400, 90);
}

TEST(SuggestClusters, SaysSoWhenThereIsNoStructure) {
  Chunk noise{test::iota(600), {}};
  noise.views.push_back({test::dense_block<double>(test::random_matrix(600, 20, 1)), test::iota(600)});
  const auto source = make_table_source(test::schema_of({20}), noise);
  const Suggestion found = suggest_clusters(*source, small());
  EXPECT_FALSE(found.clear);
  EXPECT_NE(found.verdict.find("no clear answer"), std::string::npos) << found.verdict;
}

TEST(SuggestClusters, RefusesWhatItCannotTryAndStopsWhenAsked) {
  const auto source = make_planted_source({.instances = 100});
  SuggestOptions options = small();
  test::expect_error(ErrorKind::data, {"100 instances", "5 clusters"}, [&] { suggest_clusters(*source, options); });
  options.most = 1;
  test::expect_error(ErrorKind::usage, {"from 2 to 1"}, [&] { suggest_clusters(*source, options); });
  const auto larger = make_planted_source({.instances = 1000});
  test::expect_error(ErrorKind::interrupted, {"interrupted"},
                     [&] { suggest_clusters(*larger, small(), [](double) { return false; }); });
}

}  // namespace
}  // namespace omvc
