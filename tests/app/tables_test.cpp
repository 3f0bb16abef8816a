// Tables with one trap each, through the command: the clusters stay what they are, or the trap is named.
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 240;
constexpr int kClusters = 4;

// Two files with ids, names, and clusters that overlap a little; and the truth with ids.
class Tables : public testing::Test {
 protected:
  using Columns = std::vector<std::vector<std::string>>;  // by column, beginning with its name

  Tables() {
    for (std::size_t v = 0; v < 2; ++v) {
      std::mt19937_64 draw(20 + v);
      std::normal_distribution<double> normal;
      std::vector<std::vector<double>> centres(kClusters);
      for (auto& centre : centres) {
        for (int j = 0; j < 6; ++j) centre.push_back(2.5 * normal(draw));
      }
      Columns& columns = views_[v];
      columns.push_back({"id"});
      for (int j = 0; j < 6; ++j) columns.push_back({"x" + std::to_string(v * 6 + static_cast<std::size_t>(j))});
      for (std::size_t i = 0; i < kRows; ++i) {
        columns[0].push_back("s" + std::to_string(i));
        for (std::size_t j = 0; j < 6; ++j) {
          columns[j + 1].push_back(std::to_string(centres[i % kClusters][j] + normal(draw)));
        }
      }
    }
    std::string truth = "id,label\n";
    for (std::size_t i = 0; i < kRows; ++i)
      truth += "s" + std::to_string(i) + "," + std::to_string(i % kClusters) + "\n";
    dir_.write_file("truth.csv", truth);
  }

  std::string write(const std::string& name, const Columns& columns) const {
    std::string text;
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) text += (j == 0 ? "" : ",") + columns[j][i];
      text += "\n";
    }
    return dir_.write_file(name, text);
  }
  Outcome fit(const Arguments& more = {}) const {
    Arguments arguments{"fit",
                        write("a.csv", views_[0]),
                        write("b.csv", views_[1]),
                        "-k",
                        std::to_string(kClusters),
                        "--truth",
                        dir_.path("truth.csv"),
                        "--quiet",
                        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  static double nmi(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json()["nmi_best"].get<double>();
  }
  template <class F>
  void add(std::size_t view, const std::string& name, const F& value) {
    views_[view].push_back({name});
    for (std::size_t i = 0; i < kRows; ++i) views_[view].back().push_back(value(i));
  }

  TempDir dir_;
  std::array<Columns, 2> views_;
  std::mt19937_64 draw_{99};
};

TEST_F(Tables, AYesNoColumnAndCategoriesDoNotTakeAViewOver) {
  const double before = nmi(fit());
  EXPECT_GT(before, 0.9);
  add(0, "treated", [&](std::size_t) { return std::to_string(draw_() % 2); });
  add(0, "ward", [&](std::size_t) { return draw_() % 2 == 0 ? "north" : "south"; });
  add(1, "site", [&](std::size_t) { return std::string(1, static_cast<char>('a' + draw_() % 4)); });
  const Outcome after = fit();
  EXPECT_NEAR(nmi(after), before, 0.03);
  EXPECT_NE(after.json()["view_details"][0]["scaling"].get<std::string>().find("2 columns"), std::string::npos);
}

TEST_F(Tables, GlitchesAreClippedAndNamed) {
  const double before = nmi(fit());
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::size_t j = 1; j < 7; ++j) {
      std::string& cell = views_[v][j][1 + draw_() % kRows];
      cell = std::to_string(1000 * (std::stod(cell) + 1));
    }
  }
  const Outcome after = fit();
  EXPECT_NEAR(nmi(after), before, 0.03);
  EXPECT_NE(after.err.find("interquartile ranges from most others"), std::string::npos) << after.err;
  EXPECT_NE(after.err.find("x0: 1 cell"), std::string::npos) << after.err;
  EXPECT_EQ(after.json()["view_details"][0]["columns"].size(), 6u);
}

TEST_F(Tables, NumbersForMissingValuesAreAskedAbout) {
  const double before = nmi(fit());
  std::size_t cells = 0;
  for (std::size_t i = 1; i <= kRows; i += 19, ++cells) views_[0][3][i] = "-999";
  const Outcome after = fit();
  EXPECT_NEAR(nmi(after), before, 0.03);
  EXPECT_NE(after.err.find("x2: " + std::to_string(cells) + " cells are -999"), std::string::npos) << after.err;
  EXPECT_NE(after.err.find("--missing-values usual,-999"), std::string::npos) << after.err;
  const Outcome told = fit({"--missing-values", "-999"});
  EXPECT_EQ(told.err.find("-999"), std::string::npos) << told.err;
  EXPECT_EQ(told.json()["view_details"][0]["missing"].get<std::size_t>(), cells);
}

// The words that are missing by themselves stay so, and all numbers are named at once.
TEST_F(Tables, TheAdviceOnMissingNumbersCanBeFollowedAsItIs) {
  for (std::size_t i = 1; i <= kRows; i += 19) views_[0][3][i] = "-999";
  for (std::size_t i = 3; i <= kRows; i += 23) views_[0][4][i] = "9999";
  for (std::size_t i = 5; i <= kRows; i += 29) views_[0][5][i] = "?";
  const Outcome before = fit();
  EXPECT_NE(before.err.find("--missing-values usual,-999,9999"), std::string::npos) << before.err;
  const Outcome after = fit({"--missing-values", "usual,-999,9999"});
  EXPECT_EQ(after.code, 0) << after.err;
  EXPECT_EQ(after.err.find("missing values"), std::string::npos) << after.err;
  const std::size_t cells = (kRows + 18) / 19 + (kRows - 3) / 23 + 1 + (kRows - 5) / 29 + 1;
  EXPECT_EQ(after.json()["view_details"][0]["missing"].get<std::size_t>(), cells);
}

TEST_F(Tables, AFileWithoutIdsBesideOneWithIdsIsSaid) {
  Columns bare = views_[1];
  bare.erase(bare.begin());
  const Outcome look = run_command({"look", write("a.csv", views_[0]), write("bare.csv", bare)});
  EXPECT_EQ(look.code, 0) << look.err;
  EXPECT_NE(look.err.find("bare.csv: has no sample ids"), std::string::npos) << look.err;
  EXPECT_NE(look.out.find("by row, since not all files have sample ids"), std::string::npos) << look.out;
}

TEST_F(Tables, OneFileTwiceIsRefused) {
  const std::string file = write("a.csv", views_[0]);
  const Outcome twice = run_command({"look", file, file});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("is given twice"), std::string::npos) << twice.err;
}

// What is explained is the share of the labels that are written.
TEST_F(Tables, WhatIsExplainedIsThatOfTheLabels) {
  const std::string file = write("one.csv", views_[0]);
  const Outcome done = run_command(
      {"fit", file, "-k", "3", "--quiet", "--json", "--scaling", "variance", "--labels", dir_.path("one.labels.csv")});
  ASSERT_EQ(done.code, 0) << done.err;
  std::vector<int> labels;
  for (const std::string& line : lines_of(read_bytes(dir_.path("one.labels.csv")))) {
    if (!line.starts_with("id")) labels.push_back(std::stoi(line.substr(line.find(',') + 1)));
  }
  ASSERT_EQ(labels.size(), kRows);
  double between = 0;
  double total = 0;
  for (std::size_t j = 1; j <= 6; ++j) {
    std::map<int, std::pair<double, double>> groups;
    double sum = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double x = std::stod(views_[0][j][i + 1]);
      groups[labels[i]].first += x;
      groups[labels[i]].second += 1;
      sum += x;
    }
    const double mean = sum / kRows;
    for (std::size_t i = 0; i < kRows; ++i) total += std::pow(std::stod(views_[0][j][i + 1]) - mean, 2);
    for (const auto& [label, group] : groups) between += group.second * std::pow(group.first / group.second - mean, 2);
  }
  EXPECT_NEAR(done.json()["view_details"][0]["explained"].get<double>(), between / total, 1e-4);
}

TEST_F(Tables, AMissingCellOfACategoryIsOneCell) {
  const std::vector<std::string> wards{"north", "south", "east", "west"};
  std::vector<std::string> ward{"ward"};
  for (std::size_t i = 0; i < kRows; ++i) ward.push_back(i % 10 == 0 ? "" : wards[i * 7 % 4]);
  views_[0].push_back(ward);
  const nlohmann::json view = fit().json()["view_details"][0];
  EXPECT_EQ(view["table_columns"].get<std::size_t>() + wards.size() - 1, view["features"].get<std::size_t>());
  EXPECT_EQ(view["missing"].get<std::size_t>(), (kRows + 9) / 10);
}

// What was said to be missing when the model was learned is missing in the tables that it labels.
TEST_F(Tables, AModelRemembersTheWordsOfMissingValues) {
  for (std::size_t i = 1; i <= kRows; i += 9) views_[0][1 + i % 3][i] = "-77";
  const std::string a = write("a.csv", views_[0]);
  const std::string model = dir_.path("model.omvc");
  const std::string fitted = dir_.path("fitted.csv");
  const Outcome fit = run_command(
      {"fit", a, "-k", "4", "--quiet", "--missing-values", "usual,-77", "--model", model, "--labels", fitted});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const std::string assigned = dir_.path("assigned.csv");
  ASSERT_EQ(run_command({"assign", model, a, "--quiet", "--labels", assigned}).code, 0);
  EXPECT_EQ(read_bytes(assigned), read_bytes(fitted));
  const std::string otherwise = dir_.path("otherwise.csv");
  ASSERT_EQ(run_command({"assign", model, a, "--quiet", "--missing-values", "none", "--labels", otherwise}).code, 0);
  EXPECT_NE(read_bytes(otherwise), read_bytes(fitted));
}

TEST_F(Tables, AColumnThatIsTheClustersIsNamed) {
  add(0, "income", [&](std::size_t) { return std::to_string((draw_() % 2 == 0 ? 20000 : 90000) + draw_() % 900); });
  const std::string a = write("a.csv", views_[0]);
  const Outcome outcome = run_command({"fit", a, "-k", "4", "--quiet", "--json", "--scaling", "variance"});
  EXPECT_NE(outcome.err.find("One column alone"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.json()["leading"]["column"], "income");
  EXPECT_EQ(outcome.json()["leading"]["view"], "a");
  const Outcome without = run_command({"fit", a, "-k", "4", "--quiet", "--json", "--drop", "income"});
  EXPECT_EQ(without.err.find("One column alone"), std::string::npos) << without.err;
}

TEST_F(Tables, TheScalingAndItsReasonAreTold) {
  const Outcome outcome = run_command({"fit", write("a.csv", views_[0]), "-k", "3"});
  EXPECT_NE(outcome.err.find("dense: each feature to 0 .. 1, total variance 1 (0 % of its numbers are zero"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(fit().json()["view_details"][1]["reason"],
            "0 % of its numbers are zero, and features may have different units");
}

TEST_F(Tables, LogarithmsBringHeavyTailsBack) {
  const double before = nmi(fit());
  for (auto& view : views_) {
    for (std::size_t j = 1; j < 7; ++j) {
      for (std::size_t i = 1; i <= kRows; ++i) view[j][i] = std::to_string(std::exp(1.5 * std::stod(view[j][i])));
    }
  }
  EXPECT_NEAR(nmi(fit({"--scaling", "log"})), before, 0.05);
}

TEST_F(Tables, ClassesWithoutIdsBesideFilesInAnotherOrderAreRefused) {
  std::string classes;
  for (std::size_t i = 0; i < kRows; ++i) classes += std::to_string(i % kClusters) + "\n";
  const std::string truth = dir_.write_file("classes.txt", classes);
  const std::string a = write("a.csv", views_[0]);
  const Outcome said =
      run_command({"fit", a, write("b.csv", views_[1]), "-k", "4", "--truth", truth, "--quiet", "--json"});
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.err.find("no sample ids and are taken by row; the first is that of s0"), std::string::npos)
      << said.err;
  for (auto& column : views_[1]) std::swap(column[1], column[2]);
  const Outcome refused =
      run_command({"fit", a, write("b.csv", views_[1]), "-k", "4", "--truth", truth, "--quiet", "--json"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("b.csv are not in the order"), std::string::npos) << refused.err;
}

TEST_F(Tables, IdsInOtherFormsAreNamed) {
  const std::string a = write("a.csv", views_[0]);
  for (std::size_t i = 1; i <= kRows; ++i) views_[1][0][i] = "S-00" + views_[1][0][i].substr(1);
  const Outcome refused = run_command({"fit", a, write("b.csv", views_[1]), "-k", "4", "--quiet"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("'S-000' here and 's0' in"), std::string::npos) << refused.err;
  for (std::size_t i = 1; i <= kRows; ++i) views_[1][0][i] = (i <= 5 ? "S" : "s") + std::to_string(i - 1);
  const Outcome noted = run_command({"fit", a, write("b.csv", views_[1]), "-k", "4", "--quiet"});
  EXPECT_EQ(noted.code, 0) << noted.err;
  EXPECT_NE(noted.err.find("5 of its sample ids are in other files with other case"), std::string::npos) << noted.err;
}

TEST_F(Tables, AssignFindsViewsByTheirFeaturesAndCountsWhatIsLeftOut) {
  const std::string model = dir_.path("model");
  add(0, "comment", [](std::size_t i) { return "written by " + std::to_string(i); });
  EXPECT_EQ(fit({"--model", model, "--drop", "a=x0"}).code, 0);
  const std::string a = dir_.path("a.csv");
  // The same file: what the fit left out is left out again without a word.
  const Outcome same = run_command({"assign", model, a, dir_.path("b.csv"), "--quiet"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.err.find("x0"), std::string::npos) << same.err;
  // Under another name, with one more column: found by its features.
  add(0, "y", [](std::size_t) { return "1.5"; });
  const std::string other = write("visit2.csv", views_[0]);
  const Outcome found = run_command({"assign", model, other, dir_.path("b.csv"), "--ignore-extra", "--quiet"});
  EXPECT_EQ(found.out, same.out);
  EXPECT_NE(found.err.find("1 column that the model lacks is left out: 'y'"), std::string::npos) << found.err;
  // Another view altogether, and rows that have nothing else.
  Columns strange{{"id"}, {"u"}, {"v"}};
  for (std::size_t i = 0; i < 10; ++i) {
    strange[0].push_back("t" + std::to_string(i));
    strange[1].push_back(std::to_string(i));
    strange[2].push_back(std::to_string(i * i));
  }
  const Outcome counted = run_command({"assign", model, write("strange.csv", strange), dir_.path("b.csv"),
                                       "--ignore-extra", "--allow-disjoint", "--quiet"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_NE(counted.err.find("left out, since the model has no such view: 'strange'"), std::string::npos)
      << counted.err;
  EXPECT_NE(counted.err.find("10 of 250 instances have no view"), std::string::npos) << counted.err;
}

TEST_F(Tables, FeaturesWithoutNamesCountAsTheirFileDoes) {
  std::string lines;
  for (std::size_t i = 0; i < 60; ++i) lines += i % 2 == 0 ? "0 1:5 3:1\n" : "0 2:5 3:1\n";
  const std::string svm = dir_.write_file("words.svm", lines);
  const std::string model = dir_.path("words.model");
  EXPECT_EQ(run_command({"fit", svm, "-k", "2", "--quiet", "--model", model}).code, 0);
  const auto features = [&] {
    std::set<std::string> names;
    const nlohmann::json info = run_command({"info", model, "--json", "--top", "2"}).json();
    for (const auto& cluster : info["clusters"]) {
      for (const auto& feature : cluster["features"]["words"]) names.insert(feature["name"].get<std::string>());
    }
    return names;
  };
  EXPECT_EQ(features(), (std::set<std::string>{"1", "2"}));
  const std::string names = dir_.write_file("names.txt", "apple\npear\nplum\n");
  EXPECT_EQ(run_command({"fit", svm, "-k", "2", "--quiet", "--model", model, "--names", "words=" + names}).code, 0);
  EXPECT_EQ(features(), (std::set<std::string>{"apple", "pear"}));
  const std::string few = dir_.write_file("few.txt", "apple\npear\n");
  const Outcome refused = run_command({"fit", svm, "-k", "2", "--quiet", "--names", "words=" + few});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("has 2 names, and view words has 3 features"), std::string::npos) << refused.err;
}

TEST_F(Tables, LookTellsWhatIsThere) {
  add(0, "treated", [](std::size_t i) { return std::to_string(i % 2); });
  add(0, "site", [](std::size_t i) { return std::string(1, static_cast<char>('a' + i % 3)); });
  add(1, "number", [](std::size_t i) { return std::to_string(i + 1); });
  for (std::size_t i = 1; i <= kRows; i += 30) views_[0][2][i] = "-9999";
  views_[1][1][4] = "";
  const std::string a = write("a.csv", views_[0]);
  const std::string b = write("b.csv", views_[1]);
  const nlohmann::json look = run_command({"look", a, b, "--json"}).json();
  EXPECT_EQ(look["instances"], kRows);
  EXPECT_EQ(look["in_views"], (std::vector<std::size_t>{0, 0, kRows}));
  EXPECT_EQ(look["first_id"], "s0");
  const nlohmann::json& columns = look["views"][0]["columns"];
  ASSERT_EQ(columns.size(), 8u);
  EXPECT_EQ(columns[1]["found"], "missing_word");
  EXPECT_EQ(columns[1]["cells"], 8);
  EXPECT_EQ(columns[6]["kind"], "two values");
  EXPECT_EQ(columns[7]["kind"], "category");
  EXPECT_EQ(columns[7]["values"], 3);
  double sum = 0;
  for (std::size_t i = 1; i <= kRows; ++i) sum += std::stod(views_[0][1][i]);
  EXPECT_NEAR(columns[0]["mean"].get<double>(), sum / kRows, 1e-9);
  EXPECT_EQ(look["views"][1]["columns"][0]["missing"], 1);
  EXPECT_EQ(look["views"][1]["columns"][6]["kind"], "row numbers");
  const std::string page = dir_.path("look.html");
  const Outcome text = run_command({"look", a, b, "--report", page});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("by sample id; the first is s0, the last s239"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("8 cells of -9999: missing?"), std::string::npos) << text.out;
  EXPECT_NE(read_bytes(page).find("<td>x1</td>"), std::string::npos);
}

}  // namespace
}  // namespace omvc::test
