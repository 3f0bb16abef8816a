// omvc report and fit --report: the page as a file, and what is told of it. tests/page_test.py looks inside.
#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class ReportPage : public testing::Test {
 protected:
  std::string view() { return dir_.write_file("view.csv", to_text(planted_table(90, 6, 3), ",")); }

  // The facts inside a page.
  static nlohmann::json facts_in(const std::string& path) {
    const std::string page = read_bytes(path);
    const std::string begin = "id=\"facts\">";
    const std::size_t first = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
  }

  TempDir dir_;
};

TEST_F(ReportPage, OfAFitSaysHowItWasMade) {
  const std::string page = dir_.path("my page.html");
  const std::string input = view();
  const Outcome outcome = run_command({"fit", input, "-k", "3", "--report", page});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "page: " + page)) << outcome.out;
  EXPECT_FALSE(contains(outcome.err, "nothing will be written"));
  const nlohmann::json made = facts_in(page).at("made");
  EXPECT_EQ(made.at("command"), "omvc fit " + input + " -k 3 --report '" + page + "'");
  EXPECT_EQ(made.at("files")[0].at("name"), input);
  EXPECT_EQ(made.at("files")[0].at("bytes"), read_bytes(input).size());
  EXPECT_EQ(made.at("fingerprint").get<std::string>().size(), 16u);
  EXPECT_EQ(made.at("options").at("clusters"), "3");
  const std::string other = dir_.path("other.html");
  ASSERT_EQ(run_command({"fit", input, "-k", "3", "--quiet", "--threads", "1", "--report", other}).code, 0);
  EXPECT_EQ(facts_in(other).at("made").at("fingerprint"), made.at("fingerprint"));
  EXPECT_EQ(facts_in(other).at("map"), facts_in(page).at("map"));
}

TEST_F(ReportPage, OfAModelIsNamedAfterIt) {
  const std::string model = dir_.path("three.omvc");
  ASSERT_EQ(run_command({"fit", view(), "-k", "3", "--quiet", "--model", model}).code, 0);
  const std::string page = dir_.path("three.html");
  const Outcome outcome = run_command({"report", model, "-o", page});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "page: " + page + "\n") << "no map where there is no terminal";
  EXPECT_EQ(facts_in(page).at("summary").at("cluster_sizes"), (std::vector<int>{30, 30, 30}));
  const nlohmann::json facts = run_command({"report", model, "--json"}).json();
  EXPECT_EQ(facts.at("levels"), facts_in(page).at("levels"));
}

TEST_F(ReportPage, FailsWithoutLeavingAnything) {
  const std::string input = view();
  const std::string small = dir_.path("small.omvc");
  ASSERT_EQ(run_command({"fit", input, "-k", "3", "--quiet", "--predictor", small}).code, 0);
  const std::set<std::string> before = names_in(dir_.path(""));
  expect_failure({"report", small, "-o", dir_.path("page.html")}, 2, {"prediction"});
  expect_failure({"report", dir_.path("none.omvc"), "-o", dir_.path("page.html")}, 4, {"none.omvc"});
  expect_failure({"report", input, "-o", dir_.path("page.html")}, 3, {"view.csv"});
  expect_failure({"report", small, "-o", small}, 2, {"small.omvc"});
  expect_failure({"fit", input, "-k", "3", "--report", input}, 2, {"view.csv"});
  expect_failure({"fit", input, "-k", "3", "--report", dir_.path("no/page.html")}, 4, {"no/page.html"});
  EXPECT_EQ(names_in(dir_.path("")), before);
}

TEST_F(ReportPage, DirectionsOfFeaturesAreTold) {
  const std::string model = dir_.path("model.omvc");
  const Outcome fit = run_command({"fit", view(), "-k", "3", "--model", model});
  ASSERT_EQ(fit.code, 0);
  EXPECT_TRUE(contains(fit.out, "+ higher there, - lower")) << fit.out;
  const nlohmann::json info = run_command({"info", model, "--json", "--top", "6"}).json();
  for (const nlohmann::json& cluster : info.at("clusters")) {
    std::set<std::string> directions;
    for (const nlohmann::json& feature : cluster.at("features").at("view")) {
      const bool high = feature.at("direction") == "high";
      EXPECT_EQ(high, feature.at("lift").get<double>() > 1) << feature;
      directions.insert(feature.at("direction"));
    }
    EXPECT_EQ(directions, (std::set<std::string>{"high", "low"})) << "a third of the features stand out";
  }
  EXPECT_TRUE(contains(run_command({"info", model}).out, "(+ higher there, - lower)"));
}

}  // namespace
}  // namespace omvc::test
