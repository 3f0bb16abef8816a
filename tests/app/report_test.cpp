// What the command tells of a result: on which stream, with what in it, and before the work what will not be kept.
#include <fstream>
#include <sys/stat.h>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 120;

class Reports : public testing::Test {
 protected:
  TempDir dir_;
  std::string a_ = dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ","));
  std::string b_ = dir_.write_file("b.csv", to_text(planted_table(kRows, 5, 2), ","));
};

TEST_F(Reports, TheReportIsOnStandardOutputWhereNothingElseGoesThere) {
  const Outcome shown = run_command({"fit", a_, b_, "-k", "3", "--labels", dir_.path("labels")});
  ASSERT_EQ(shown.code, 0) << shown.message();
  EXPECT_TRUE(contains(shown.out, "How much of each view the clusters explain")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "labels: " + dir_.path("labels"))) << shown.out;
  EXPECT_FALSE(contains(shown.err, "explain")) << shown.err;
  EXPECT_FALSE(contains(shown.err, "nothing will be written")) << shown.err;
  const Outcome json = run_command({"fit", a_, b_, "-k", "3", "--json"});
  EXPECT_EQ(json.json().at("clusters"), 3);
  EXPECT_EQ(run_command({"fit", a_, b_, "-k", "3", "--labels", dir_.path("labels"), "--quiet"}).out, "");
}

// The lines of the views are longer than the pipe: the command cannot have begun to learn.
TEST_F(Reports, ThatNothingWillBeWrittenIsSaidBeforeTheWork) {
  const std::string pipe = dir_.path("pipe.csv");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process process({"fit", pipe, "-k", "3"});
  EXPECT_TRUE(process.read_errors_until("nothing will be written but the summary"));
  std::ofstream(pipe) << to_text(planted_table(kRows, 6, 1), ",");
  EXPECT_EQ(process.wait().code, 0);
}

TEST_F(Reports, ManyMissingCellsAreCountedAndWarnedAbout) {
  for (const int share : {10, 30}) {
    std::string text;
    int at = 0;
    int missing = 0;
    for (const auto& row : planted_table(kRows, 6, 1)) {
      for (std::size_t j = 0; j < row.size(); ++j, ++at) {
        const bool here = at * 37 % 100 >= share;
        missing += here ? 0 : 1;
        text += (j > 0 ? "," : "") + (here ? fmt::format("{}", row[j]) : "NA");
      }
      text += '\n';
    }
    const std::string holes = dir_.write_file("holes.csv", text);
    for (const std::string method : {"omvc", "concat-kmeans"}) {
      const Outcome outcome = run_command({"fit", holes, b_, "-k", "3", "--method", method, "--json"});
      ASSERT_EQ(outcome.code, 0) << outcome.message();
      const nlohmann::json view = outcome.json().at("view_details").at(0);
      EXPECT_EQ(view.at("missing"), missing) << method;
      EXPECT_EQ(contains(outcome.err, "View holes lacks"), share > 20) << method << ": " << outcome.err;
    }
    const Outcome piped = run_command({"fit", holes, b_, "-k", "3", "--once", "--json"});
    EXPECT_EQ(piped.json().at("view_details").at(0).at("missing"), missing);
  }
}

TEST_F(Reports, InfoTellsTheSizesThatTheLabelsHave) {
  const std::string labels = dir_.path("labels");
  for (const std::string method : {"omvc", "omvc-paper", "masked-kmeans"}) {
    const std::string model = dir_.path("model");
    ASSERT_EQ(run_command({"fit", a_, b_, "-k", "3", "--method", method, "--labels", labels, "--model", model,
                           "--predictor", model + "-small", "--quiet"})
                  .code,
              0);
    std::map<int, int> sizes;
    for (const int label : read_label_file(labels)) ++sizes[label];
    for (const std::string& file : {model, model + "-small"}) {
      const nlohmann::json info = run_command({"info", file, "--json"}).json();
      ASSERT_EQ(info.at("clusters").size(), 3u) << method;
      for (const nlohmann::json& cluster : info.at("clusters")) {
        EXPECT_EQ(cluster.at("size"), sizes[cluster.at("cluster").get<int>()]) << method;
        EXPECT_FALSE(cluster.at("features").at("a").empty()) << method << file;
      }
      const Outcome text = run_command({"info", file});
      EXPECT_TRUE(contains(text.out, "size")) << text.out;
    }
  }
}

TEST_F(Reports, AStreamThatBeginsSaysNothingOfItsViewsYet) {
  const Outcome outcome = run_command({"fit", a_, b_, "-k", "3", "--once"});
  EXPECT_NE(outcome.err.find("scaled as the rows come"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("never seen"), std::string::npos) << outcome.err;
}

TEST_F(Reports, WhatIsExplainedIsTheSameForAFileAndAPipe) {
  const nlohmann::json file = run_command({"fit", a_, b_, "-k", "3", "--json"}).json();
  const nlohmann::json pipe = run_command({"fit", a_, b_, "-k", "3", "--json", "--once"}).json();
  const nlohmann::json sampled =
      run_command({"fit", a_, b_, "-k", "3", "--json", "--memory", "0.01", "--passes", "3"}).json();
  EXPECT_EQ(sampled.at("cluster_sizes"), file.at("cluster_sizes"));
  for (std::size_t v = 0; v < 2; ++v) {
    const double expected = file.at("view_details").at(v).at("explained");
    EXPECT_GT(expected, 0.5);
    EXPECT_NEAR(pipe.at("view_details").at(v).at("explained"), expected, 1e-9);
    EXPECT_NEAR(sampled.at("view_details").at(v).at("explained"), expected, 1e-9) << "other prototypes, same partition";
  }
}

TEST_F(Reports, EveryRowOfAStreamHasALabelThoughTheSampleHoldsAFew) {
  for (const std::string chunk : {"0", "7"}) {
    ASSERT_EQ(run_command({"fit", a_, b_, "-k", "3", "--once", "--memory", "0.004", "--chunk", chunk, "--labels",
                           dir_.path("labels"), "--quiet"})
                  .code,
              0);
    const std::vector<int> labels = read_label_file(dir_.path("labels"));
    EXPECT_EQ(std::count(labels.begin(), labels.end(), -1), 0) << chunk;
  }
}

TEST_F(Reports, EvaluateSaysWhenItJoinsByRowAFileThatHasIds) {
  const std::string with = dir_.write_file("with.csv", "id,class\ns2,b\ns1,a\ns3,a\n");
  const std::string without = dir_.write_file("without.txt", "1\n0\n0\n");
  for (const auto& [labels, truth] : {std::pair{without, with}, std::pair{with, without}}) {
    const Outcome outcome = run_command({"evaluate", labels, truth});
    EXPECT_EQ(outcome.code, 0) << outcome.message();
    EXPECT_TRUE(contains(outcome.err, "without.txt has no sample ids")) << outcome.err;
  }
  EXPECT_EQ(run_command({"evaluate", with, with}).err, "");
  EXPECT_EQ(run_command({"evaluate", without, without}).err, "");
}

TEST_F(Reports, ACellThatIsMissingOnlyInNewDataIsFilled) {
  const std::string model = dir_.path("model");
  ASSERT_EQ(run_command({"fit", a_, b_, "-k", "3", "--model", model, "--quiet"}).code, 0);
  std::string text = to_text(planted_table(kRows, 6, 1), ",");
  text.replace(0, text.find(','), "NA");
  const Outcome whole = run_command({"assign", model, a_, b_});
  const Outcome lacking = run_command({"assign", model, "a=" + dir_.write_file("c.csv", text), b_});
  ASSERT_EQ(lacking.code, 0) << lacking.message();
  EXPECT_EQ(lacking.out, whole.out);
}

TEST_F(Reports, ValuesThatCannotBeSquaredAreRefusedByRow) {
  const std::string model = dir_.path("model");
  ASSERT_EQ(run_command({"fit", a_, b_, "-k", "3", "--model", model, "--quiet"}).code, 0);
  std::string text = to_text(planted_table(kRows, 6, 1), ",");
  text.replace(0, text.find(','), "1e300");
  expect_failure({"assign", model, "a=" + dir_.write_file("huge.csv", text), b_, "--quiet"}, 3, {"view a", "row 0"});
  expect_failure({"fit", dir_.path("huge.csv"), b_, "-k", "3", "--once", "--quiet", "--method", "opimc"}, 3, {"huge"});
}

}  // namespace
}  // namespace omvc::test
