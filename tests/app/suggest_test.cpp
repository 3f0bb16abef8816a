// omvc suggest-k, and what fit reports about clusters and missing views.
#include <gtest/gtest.h>

#include "app/command.hpp"
#include "app/planted_files.hpp"
#include "support/temp_dir.hpp"

namespace omvc::test {
namespace {

class SuggestK : public testing::Test {
 protected:
  // Three groups of rows far apart, in a view of two columns.
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 240; ++i) {
      const int group = i % 3;
      text += std::to_string(group == 0 ? 9.0 : 1.0 + (i % 7) * 0.01) + "," +
              std::to_string(group == 1 ? 9.0 : 1.0 + (i % 5) * 0.01) + "\n";
    }
    path_ = dir_.write_file("groups.csv", text);
  }
  TempDir dir_;
  std::string path_;
};

TEST_F(SuggestK, FindsTheGroupsAndDrawsThem) {
  const Outcome text = run_command({"suggest-k", path_, "--to", "4", "--splits", "2", "--quiet"});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* part : {"stability", "###", "3 clusters are found again most reliably"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << " in " << text.out;
  }
  EXPECT_EQ(text.err, "");
  const auto json = run_command({"suggest-k", path_, "--to", "4", "--splits", "2", "--quiet", "--json"}).json();
  EXPECT_EQ(json.at("clusters"), 3);
  EXPECT_EQ(json.at("tried").size(), 3u);
}

TEST_F(SuggestK, RefusesWhatItCannotTry) {
  const Outcome wide = run_command({"suggest-k", path_, "--to", "40"});
  EXPECT_EQ(wide.code, 3);
  EXPECT_TRUE(contains(wide.err, "40 clusters")) << wide.err;
  EXPECT_EQ(run_command({"suggest-k", path_, "--from", "5", "--to", "3"}).code, 2);
}

TEST_F(SuggestK, FitReportsPatternsAndExplainedViews) {
  std::string half;
  for (int i = 0; i < 240; ++i) half += i % 2 == 0 ? std::to_string(i % 3) + ",1\n" : "nan,nan\n";
  const std::string other = dir_.write_file("half.csv", half);
  const auto json = run_command({"fit", path_, other, "-k", "3", "--json", "--quiet"}).json();
  ASSERT_EQ(json.at("patterns").size(), 2u);
  EXPECT_EQ(json.at("patterns")[0].at("instances"), 120);
  EXPECT_LT(json.at("pattern_nmi"), 0.05);
  EXPECT_GT(json.at("view_details")[0].at("explained"), 0.9);
  const Outcome text = run_command({"fit", path_, other, "-k", "3"});
  for (const char* part : {"views present", "##", "#.", "explained", "Clusters, and the features"}) {
    EXPECT_TRUE(contains(text.err, part)) << part << " in " << text.err;
  }
}

}  // namespace
}  // namespace omvc::test
