// omvc evaluate and omvc mask.
#include <map>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class Evaluate : public testing::Test {
 protected:
  TempDir dir_;
  // Clusters 7 and 5 are classes a and b but for one instance; the instance without a label does not count.
  std::string labels_ = dir_.write_file("labels.txt", "7\n7\n7\n5\n5\n5\n-1\n");
  std::string truth_ = dir_.write_file("truth.txt", "a\na\na\nb\nb\na\nb\n");
};

TEST_F(Evaluate, PrintsScoresAsText) {
  const Outcome outcome = run_command({"evaluate", labels_, truth_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  // Five of the six instances with a label match.
  for (const char* part : {"instances         6\n", "without a label   1", "clusters          2\n",
                           "classes           2\n", "AC                0.8333\n", "purity            0.8333\n"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in:\n" << outcome.out;
  }
}

TEST_F(Evaluate, TakesTheLinesOfAStream) {
  const std::string lines = dir_.write_file("labels.jsonl",
                                            "{\"id\": \"p0\", \"cluster\": null}\n"
                                            "{\"event\": \"born\", \"cluster\": 0, \"instances\": 39}\n"
                                            "{\"id\": \"p1\", \"cluster\": 7, \"confidence\": 1, \"distance\": 1.2}\n"
                                            "{\"id\": \"p2\", \"line\": 3, \"error\": \"the line is not JSON\"}\n"
                                            "{\"id\": 3, \"cluster\": 5}\n"
                                            "{\"id\": \"p4\", \"cluster\": -1}\n");
  const std::string table = dir_.write_file("truth.csv", "id,kind\np0,a\np1,a\np2,b\n3,b\np4,b\n");
  const Outcome outcome = run_command({"evaluate", lines, table});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"instances         2\n", "without a label   1", "ids matched       3 of 3", "AC                1"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in:\n" << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.err, "1 line has no label")) << outcome.err;
  expect_failure({"evaluate", dir_.write_file("rows.jsonl", "{\"id\": 1, \"image\": [1]}\n"), table}, 3,
                 {"rows.jsonl:1", "omvc stream"});
  expect_failure(
      {"evaluate", dir_.write_file("twice.jsonl", "{\"id\": 1, \"cluster\": 1}\n{\"id\": 1, \"cluster\": 1}\n"), table},
      3, {"twice.jsonl:2", "line 1"});
}

TEST_F(Evaluate, NamesTheColumnThatItTakesForTheLabels) {
  const std::string wide = dir_.write_file("wide.csv", "id,age,kind\n1,a,x\n2,a,y\n3,b,x\n");
  const std::string labels = dir_.write_file("labels.csv", "id,label\n1,0\n2,0\n3,1\n");
  EXPECT_TRUE(contains(run_command({"evaluate", labels, wide}).err, "column 'age', the second"));
  const std::string named = dir_.write_file("named.csv", "id,age,class\n1,a,x\n2,a,y\n3,b,x\n");
  EXPECT_EQ(run_command({"evaluate", labels, named}).err, "");
}

TEST_F(Evaluate, ALineOfNamesIsNoClass) {
  const std::string labels = dir_.write_file("labels.csv", "id,label\nW1,0\nW2,0\nW3,1\n");
  const std::string truth = dir_.write_file("truth.csv", "bottle,cultivar\nW1,a\nW2,a\nW3,b\n");
  EXPECT_TRUE(contains(run_command({"evaluate", labels, truth}).out, "3 of 3 with a label, of 3 with a class"));
  // Without digits in the ids nobody can tell.
  const std::string words = dir_.write_file("words.csv", "x,0\ny,0\nz,1\n");
  const std::string classes = dir_.write_file("classes.csv", "x,b\ny,a\nz,a\n");
  EXPECT_TRUE(contains(run_command({"evaluate", words, classes}).out, "3 of 3 with a label, of 3 with a class"));
}

TEST_F(Evaluate, ClassesHaveTheNamesOfTheTruth) {
  const Outcome words = run_command({"evaluate", labels_, truth_});
  EXPECT_TRUE(contains(words.out, "cluster b a\n")) << words.out;
  EXPECT_FALSE(contains(words.out, "class 0")) << words.out;
  EXPECT_EQ(run_command({"evaluate", labels_, truth_, "--json"}).json().at("class_names"), (nlohmann::json{"a", "b"}));
  const std::string numbers = dir_.write_file("numbers.txt", "4\n4\n4\n9\n9\n4\n9\n");
  EXPECT_TRUE(contains(run_command({"evaluate", labels_, numbers}).out, "class 4"));
  EXPECT_FALSE(run_command({"evaluate", labels_, numbers, "--json"}).json().contains("class_names"));
}

TEST_F(Evaluate, PrintsScoresAsJson) {
  const nlohmann::json scores = run_command({"evaluate", labels_, truth_, "--json"}).json();
  EXPECT_EQ(scores.at("n"), 6);
  EXPECT_EQ(scores.at("unlabelled"), 1);
  EXPECT_EQ(scores.at("clusters"), 2);
  EXPECT_EQ(scores.at("classes"), 2);
  EXPECT_NEAR(scores.at("ac").get<double>(), 5.0 / 6, 1e-12);
  EXPECT_NEAR(scores.at("purity").get<double>(), 5.0 / 6, 1e-12);
  // Pairs together in both: 3 + 1 = 4; in the labels 6, in the truth 7, of 15. ARI = (4 - 2.8) / (6.5 - 2.8).
  EXPECT_NEAR(scores.at("ari").get<double>(), (4 - 2.8) / (6.5 - 2.8), 1e-12);
  EXPECT_GT(scores.at("nmi").get<double>(), scores.at("nmi_arithmetic").get<double>()) << "the geometric mean is less";
}

TEST_F(Evaluate, ShowsWhichClassesAreInWhichClusters) {
  const nlohmann::json scores = run_command({"evaluate", labels_, truth_, "--json"}).json();
  EXPECT_EQ(scores.at("cluster_numbers"), (std::vector<int>{5, 7}));
  EXPECT_EQ(scores.at("class_numbers"), (std::vector<int>{0, 1}));
  EXPECT_EQ(scores.at("counts"), (std::vector<std::vector<double>>{{1, 2}, {3, 0}}));
  // Cluster 5 matches class b, so that both come first.
  const std::string out = run_command({"evaluate", labels_, truth_}).out;
  EXPECT_TRUE(contains(out, "cluster b a\n")) << out;
  EXPECT_TRUE(contains(out, "      5 2 1\n")) << out;
}

TEST_F(Evaluate, MissingWordsAreNoClass) {
  const std::string truth = dir_.write_file("gaps.txt", "a\na\nNA\nb\nb\n?\nb\n");
  const Outcome outcome = run_command({"evaluate", labels_, truth, "--json"});
  EXPECT_EQ(outcome.json().at("classes"), 2);
  EXPECT_EQ(outcome.json().at("n"), 4);
  EXPECT_NEAR(outcome.json().at("nmi").get<double>(), 1, 1e-12);
  EXPECT_TRUE(contains(outcome.err, "gaps.txt: 2 lines have no label")) << outcome.err;
}

TEST_F(Evaluate, MatchedIdsAreSaidOfBothSides) {
  const std::string labels = dir_.write_file("labels.csv", "id,label\na,0\nb,0\nc,1\nd,1\n");
  const std::string truth = dir_.write_file("truth.csv", "id,class\na,x\nc,y\n");
  const Outcome outcome = run_command({"evaluate", labels, truth});
  EXPECT_TRUE(contains(outcome.out, "ids matched       2 of 4 with a label, of 2 with a class\n")) << outcome.out;
}

TEST_F(Evaluate, ScoresAPerfectAndAUselessResult) {
  const nlohmann::json perfect = run_command({"evaluate", truth_, truth_, "--json"}).json();
  const nlohmann::json useless =
      run_command({"evaluate", dir_.write_file("one.txt", "0\n0\n0\n0\n0\n0\n0\n"), truth_, "--json"}).json();
  for (const char* key : {"nmi", "ac", "ari"}) EXPECT_NEAR(perfect.at(key).get<double>(), 1, 1e-12) << key;
  for (const char* key : {"nmi", "ari"}) EXPECT_NEAR(useless.at(key).get<double>(), 0, 1e-12) << key;
}

TEST_F(Evaluate, RefusesWhatCannotBeCompared) {
  const std::string shorter = dir_.write_file("short.txt", "1\n2\n");
  expect_failure({"evaluate", shorter, truth_}, 3, {"short.txt has 2", "truth.txt has 7"});
  expect_failure({"evaluate", dir_.path("none.txt"), truth_}, 4, {"none.txt"});
  expect_failure({"evaluate", labels_, dir_.write_file("empty.txt", "")}, 3, {"empty.txt", "empty"});
  const std::string unlabelled = dir_.write_file("minus.txt", "-1\n-1\n-1\n-1\n-1\n-1\n-1\n");
  expect_failure({"evaluate", unlabelled, truth_}, 3, {"minus.txt", "label"});
}

class Mask : public testing::Test {
 protected:
  using Rows = std::vector<std::vector<int>>;

  Rows mask(const Arguments& arguments) const {
    const Outcome outcome = run_command(Arguments{"mask", dir_.path("mask.txt")} + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
    Rows rows;
    for (const std::string& line : lines_of(read_bytes(dir_.path("mask.txt")))) {
      rows.emplace_back();
      std::istringstream fields(line);
      for (int value = 0; fields >> value;) rows.back().push_back(value);
    }
    return rows;
  }
  static std::vector<int> absent_in_views(const Rows& rows) {
    std::vector<int> absent(rows.front().size(), 0);
    for (const auto& row : rows) {
      for (std::size_t v = 0; v < row.size(); ++v) absent[v] += row[v] == 0 ? 1 : 0;
    }
    return absent;
  }
  static int present_views(const std::vector<int>& row) {
    return static_cast<int>(std::count(row.begin(), row.end(), 1));
  }
  static void expect_shape(const Rows& rows, std::size_t count, std::size_t views) {
    ASSERT_EQ(rows.size(), count);
    for (const auto& row : rows) {
      ASSERT_EQ(row.size(), views);
      EXPECT_GE(present_views(row), 1) << "every instance keeps a view";
    }
  }

  TempDir dir_;
};

TEST_F(Mask, IndependentLosesEachViewByChance) {
  const Rows rows = mask({"--rows", "2000", "--views", "3", "--rate", "0.3"});
  expect_shape(rows, 2000, 3);
  // Each view loses 0.3 of the rows less the rescued ones, a third of 0.3^3. Five deviations of a binomial are 102.
  for (const int absent : absent_in_views(rows)) EXPECT_NEAR(absent, 2000 * (0.3 - 0.009), 103);
  std::set<int> counts;
  for (const auto& row : rows) counts.insert(present_views(row));
  EXPECT_EQ(counts, (std::set<int>{1, 2, 3}));
}

TEST_F(Mask, CyclicTakesTheSameNumberFromEveryView) {
  const Rows rows = mask({"--rows", "100", "--views", "4", "--rate", "0.4", "--protocol", "cyclic"});
  expect_shape(rows, 100, 4);
  for (const int absent : absent_in_views(rows)) EXPECT_EQ(absent, 40);
  // Four slices of 40 go round 100 instances once and 60 further: 60 instances lose two views, 40 lose one.
  std::map<int, int> lost;
  for (const auto& row : rows) ++lost[4 - present_views(row)];
  EXPECT_EQ(lost, (std::map<int, int>{{1, 40}, {2, 60}}));
}

TEST_F(Mask, PartialTakesViewsFromAShareOfTheInstances) {
  const Rows rows = mask({"--rows", "200", "--views", "4", "--rate", "0.25", "--protocol", "partial"});
  expect_shape(rows, 200, 4);
  std::map<int, int> lost;
  for (const auto& row : rows) ++lost[4 - present_views(row)];
  EXPECT_EQ(lost[0], 150);
  for (const int views : {1, 2, 3}) EXPECT_GT(lost[views], 0) << views;
}

TEST_F(Mask, TheSeedDecides) {
  const auto seeded = [&](const std::string& seed) { return mask({"--rows", "50", "--views", "3", "--seed", seed}); };
  EXPECT_EQ(seeded("1"), seeded("1"));
  EXPECT_NE(seeded("1"), seeded("2"));
  EXPECT_EQ(mask({"--rows", "9", "--views", "2", "--rate", "0"}), Rows(9, {1, 1}));
}

TEST_F(Mask, IsWhatFitTakes) {
  const std::string a = dir_.write_file("a.csv", to_text(planted_table(60, 4, 1), ","));
  const std::string b = dir_.write_file("b.csv", to_text(planted_table(60, 4, 2), ","));
  const int absent = absent_in_views(mask({"--rows", "60", "--views", "2"}))[0];
  const Outcome outcome =
      run_command({"fit", a, b, "-k", "3", "--present", dir_.path("mask.txt"), "--json", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("view_details")[0].at("observed"), 60 - absent);
}

TEST_F(Mask, RefusesWhatCannotBe) {
  const Arguments base{"mask", dir_.path("mask.txt")};
  expect_failure(base + Arguments{"--rows", "5", "--views", "1"}, 2, {"views", "1", "2"});
  expect_failure(base + Arguments{"--rows", "5", "--views", "2", "--rate", "1"}, 2, {"rate", "1"});
  expect_failure(base + Arguments{"--rows", "5", "--views", "2", "--rate", "nan"}, 2, {"rate"});
  expect_failure(base + Arguments{"--rows", "-5", "--views", "2"}, 2, {"rows", "-5"});
  expect_failure(base + Arguments{"--rows", "0", "--views", "2"}, 2, {"rows", "0"});
  expect_failure(base + Arguments{"--rows", "5", "--views", "2", "--protocol", "cyclic", "--rate", "0.9"}, 2, {"0.5"});
  expect_failure(base + Arguments{"--rows", "5", "--views", "2", "--protocol", "odd"}, 2, {"odd", "cyclic"});
  expect_failure(base + Arguments{"--rows", "5"}, 2, {"--views"});
  expect_failure({"mask", dir_.path("missing/mask.txt"), "--rows", "5", "--views", "2"}, 4, {"missing/mask.txt"});
  EXPECT_EQ(names_in(dir_.path("")), std::set<std::string>());
}

}  // namespace
}  // namespace omvc::test
