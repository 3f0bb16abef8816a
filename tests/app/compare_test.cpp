// omvc compare, from outside.
#include "app/command.hpp"
#include "app/planted_files.hpp"
#include "support/temp_dir.hpp"

namespace omvc::test {
namespace {

constexpr int kUsage = 2;
constexpr int kData = 3;
constexpr std::size_t kRows = 90;

class Compare : public testing::Test {
 protected:
  Arguments with(const Arguments& more) const {
    return Arguments{"compare", one_, two_, "-k", "3", "--quiet", "--threads", "1"} + more;
  }
  TempDir dir_;
  std::string one_ = dir_.write_file("one.csv", to_text(planted_table(kRows, 9, 1), ","));
  std::string two_ = dir_.write_file("two.csv", to_text(planted_table(kRows, 6, 2), ","));
  std::string truth_ = dir_.write_file("truth.txt", planted_truth(kRows));
};

TEST_F(Compare, FindsThePlantedClustersAndAgrees) {
  const auto json = run_command(with({"--methods", "omvc,masked-kmeans", "--truth", truth_, "--json"})).json();
  ASSERT_EQ(json.at("methods").size(), 2u);
  for (const auto& method : json.at("methods")) {
    EXPECT_GT(method.at("ari"), 0.99) << method;
    EXPECT_GT(method.at("explained"), 0.9) << "the clusters are far apart";
    EXPECT_GT(method.at("peak_rss_bytes"), 1e6);
    EXPECT_GE(method.at("seconds"), 0);
  }
  EXPECT_EQ(json.at("agreement_ari").at("omvc").at("omvc"), 1.0);
  EXPECT_GT(json.at("agreement_ari").at("omvc").at("masked-kmeans"), 0.99);
}

TEST_F(Compare, ShowsTablesWithScoresOnlyWhereThereIsATruth) {
  const Outcome plain = run_command(with({"--methods", "omvc,concat-kmeans", "--id-column", "none"}));
  ASSERT_EQ(plain.code, 0) << plain.message();
  for (const char* part : {"explained", "seconds", "MB", "How far the methods agree", "concat-kmeans"}) {
    EXPECT_TRUE(contains(plain.out, part)) << part << " in " << plain.out;
  }
  EXPECT_FALSE(contains(plain.out, "NMI"));
  EXPECT_EQ(plain.err, "");
  const Outcome scored = run_command(with({"--methods", "omvc", "--truth", truth_}));
  EXPECT_TRUE(contains(scored.out, "NMI")) << scored.out;
}

TEST_F(Compare, RunsEveryMethodByDefaultOnIncompleteViews) {
  Table gaps = planted_table(kRows, 9, 1);
  for (std::size_t i = 0; i < kRows; i += 4) gaps[i].clear();
  const std::string path = dir_.write_file("gaps.csv", to_text(gaps, ","));
  const auto json = run_command({"compare", path, two_, "-k", "3", "--quiet", "--json"}).json();
  EXPECT_EQ(json.at("methods").size(), 9u);
  for (const auto& method : json.at("methods")) EXPECT_FALSE(method.contains("failure")) << method;
}

// The clusters are so far apart that next to all of the squares of the cells that are there lie between them.
TEST_F(Compare, MissingCellsHaveNoShareInWhatIsExplained) {
  std::string text = to_text(planted_table(kRows, 9, 1), ",");
  for (std::size_t line = 0, at = 0; at != std::string::npos && line < kRows; ++line) {
    if (line % 3 == 0) text.erase(at, text.find(',', at) - at);
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  const std::string path = dir_.write_file("cells.csv", text);
  const auto json =
      run_command({"compare", path, two_, "-k", "3", "--quiet", "--json", "--methods", "omvc", "--id-column", "none"})
          .json();
  EXPECT_GT(json.at("methods")[0].at("explained"), 0.9) << json;
  EXPECT_LT(json.at("methods")[0].at("explained"), 1.0);
}

TEST_F(Compare, SaysWhyAMethodHasNoResultAndGoesOn) {
  // A view of negative numbers only: nothing is left of it for a nonnegative factorisation.
  Table negative = planted_table(kRows, 4, 3);
  for (auto& row : negative) {
    for (double& value : row) value = -1 - value;
  }
  const std::string path = dir_.write_file("negative.csv", to_text(negative, ","));
  const Outcome done = run_command({"compare", one_, path, "-k", "3", "--quiet", "--methods", "mic,masked-kmeans"});
  ASSERT_EQ(done.code, 0) << done.message();
  EXPECT_TRUE(contains(done.out, "mic: no result:")) << done.out;
  EXPECT_TRUE(contains(done.out, "negative")) << done.out;
  EXPECT_TRUE(contains(done.out, "masked-kmeans ")) << done.out;
}

TEST_F(Compare, RefusesBadArgumentsBeforeAnyMethodRuns) {
  expect_failure(with({"--methods", "omvc,nobody"}), kUsage, {"'nobody'", "omvc-paper"});
  expect_failure({"compare", one_, "-k", "1"}, kUsage, {"clusters", "at least 2"});
  expect_failure({"compare", one_}, kUsage, {"--clusters"});
  expect_failure({"compare", dir_.path("none.csv"), "-k", "2"}, 4, {"none.csv"});
  expect_failure({"compare", one_, "-k", "91", "--quiet", "--methods", "omvc"}, kData, {"91 clusters", "90 instances"});
  const std::string bad = dir_.write_file("bad.csv", "1,2\n3,four\n");
  expect_failure({"compare", bad, "-k", "2", "--quiet"}, kData, {"bad.csv:2:", "'four'"});
}

}  // namespace
}  // namespace omvc::test
