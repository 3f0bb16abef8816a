// omvc assign and omvc info: what a model file is good for, and models that do not fit.
#include <sstream>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;

class Assign : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome fit =
        run_command({"fit", a_, b_, "-k", "3", "--quiet", "--labels", dir_.path("labels"), "--model", model_});
    ASSERT_EQ(fit.code, 0) << fit.err;
  }

  static std::vector<int> labels_in(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<int> labels;
    for (const std::string& line : lines_of(outcome.out)) labels.push_back(std::stoi(line));
    return labels;
  }
  std::string csv(const std::string& name, const Table& table) const {
    return dir_.write_file(name, to_text(table, ","));
  }
  // The label that most rows of a planted cluster got from fit.
  int label_of(int cluster) const { return read_label_file(dir_.path("labels"))[static_cast<std::size_t>(cluster)]; }

  TempDir dir_;
  std::string a_ = csv("a.csv", planted_table(kRows, 6, 1));
  std::string b_ = csv("b.csv", planted_table(kRows, 5, 2));
  std::string model_ = dir_.path("model.omvc");
};

TEST_F(Assign, GivesTheLabelsOfTheFitToItsOwnData) {
  const Outcome outcome = run_command({"assign", model_, a_, b_, "--id-column", "none"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_bytes(dir_.path("labels")));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Assign, LabelsNewInstancesWithAnyViewsMissing) {
  Table a = planted_table(30, 6, 11);
  Table b = planted_table(30, 5, 12);
  for (std::size_t i = 0; i < 10; ++i) a[i].clear();
  for (std::size_t i = 10; i < 20; ++i) b[i].clear();
  a[25].clear();
  b[25].clear();
  const std::vector<int> labels = labels_in(run_command({"assign", model_, csv("c.csv", a), csv("d.csv", b)}));
  ASSERT_EQ(labels.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(labels[i], i == 25 ? -1 : label_of(planted_cluster(i))) << i;
}

TEST_F(Assign, PresentHidesWhatItSays) {
  std::string mask;
  for (std::size_t i = 0; i < kRows; ++i) mask += i == 4 ? "0 0\n" : i % 2 == 0 ? "1 0\n" : "0 1\n";
  const std::string present = dir_.write_file("present.txt", mask);
  const std::vector<int> labels = labels_in(run_command({"assign", model_, a_, b_, "--present", present}));
  ASSERT_EQ(labels.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(labels[i], i == 4 ? -1 : label_of(planted_cluster(i))) << i;
}

TEST_F(Assign, ARowDoesNotDependOnItsNeighbours) {
  const std::vector<int> all = labels_in(run_command({"assign", model_, a_, b_}));
  Table a = planted_table(kRows, 6, 1);
  Table b = planted_table(kRows, 5, 2);
  for (const std::size_t i : {0u, 17u, 59u}) {
    const Arguments one{"assign", model_, csv("c.csv", {a[i]}), csv("d.csv", {b[i]})};
    EXPECT_EQ(labels_in(run_command(one)), std::vector<int>{all[i]}) << i;
  }
}

TEST_F(Assign, WritesFilesInsteadOfStdout) {
  const Outcome outcome = run_command(
      {"assign", model_, a_, b_, "--labels", dir_.path("new.txt"), "--embedding", dir_.path("embedding.tsv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_bytes(dir_.path("new.txt")), read_bytes(dir_.path("labels")));
  const auto rows = lines_of(read_bytes(dir_.path("embedding.tsv")));
  ASSERT_EQ(rows.size(), kRows + 1) << "a header and the rows";
  EXPECT_EQ(std::count(rows[7].begin(), rows[7].end(), '\t'), 10) << "rank 11";
}

TEST_F(Assign, ModelThatDoesNotFitTheData) {
  const auto before = names_in(dir_.path(""));
  const Arguments labels{"--labels", dir_.path("new.txt")};
  expect_failure(Arguments{"assign", model_, "new=" + a_} + labels, 3, {"2 views", "'a', 'b'", "have 1"});
  expect_failure(Arguments{"assign", model_, a_, b_, "new=" + a_} + labels, 3, {"no view 'new'", "--ignore-extra"});
  expect_failure(Arguments{"assign", model_, "a=" + b_, "b=" + a_} + labels, 3, {"view 1 (a)", "6 features", "have 5"});
  const std::string wide = csv("wide.csv", planted_table(kRows, 9, 3));
  expect_failure(Arguments{"assign", model_, a_, wide} + labels, 3, {"view 2 (b)", "5 features", "have 9"});
  std::filesystem::remove(wide);
  EXPECT_EQ(names_in(dir_.path("")), before) << "nothing was written";
}

TEST_F(Assign, ModelThatIsNotSound) {
  const std::string whole = read_bytes(model_);
  std::vector<std::pair<std::string, std::string>> broken{{"empty.omvc", ""}, {"text.omvc", "1,2\n"}};
  for (const std::size_t size : {std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    broken.emplace_back(fmt::format("cut{}.omvc", size), whole.substr(0, size));
  }
  for (const std::size_t at : {std::size_t{10}, whole.size() / 3, whole.size() - 2}) {
    broken.emplace_back(fmt::format("bit{}.omvc", at), whole);
    broken.back().second[at] ^= 1;
  }
  for (const auto& [name, bytes] : broken) {
    const std::string path = dir_.write_file(name, bytes);
    expect_failure({"assign", path, a_, b_}, 3, {path, "not a sound omvc model", "fit again"});
    expect_failure({"info", path}, 3, {path, "not a sound omvc model"});
  }
  for (const char* command : {"assign", "info"}) {
    Arguments arguments{command, dir_.path("none.omvc")};
    if (command == std::string("assign")) arguments.push_back(a_);
    expect_failure(arguments, 4, {"none.omvc", "No such file"});
    arguments[1] = dir_.path("");
    expect_failure(arguments, 4, {dir_.path("")});
  }
}

TEST_F(Assign, OutputsThatCannotBeWritten) {
  for (const char* flag : {"--labels", "--embedding"}) {
    expect_failure({"assign", dir_.path("none.omvc"), a_, b_, flag, dir_.path("missing/file")}, 4, {"missing/file"});
  }
}

TEST_F(Assign, BadDataLeaveNothingBehind) {
  Table a = planted_table(kRows, 6, 1);
  a[41].pop_back();
  const auto before = names_in(dir_.path(""));
  expect_failure({"assign", model_, csv("bad.csv", a), b_, "--labels", dir_.path("new.txt")}, 3, {"bad.csv:42:"});
  std::filesystem::remove(dir_.path("bad.csv"));
  EXPECT_EQ(names_in(dir_.path("")), before);
}

TEST_F(Assign, InfoShowsTheModel) {
  const Outcome text = run_command({"info", model_});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"3 clusters", "rank 11", "60 instances", "fine prototypes", "half-life"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << " in: " << text.out;
  }
  const nlohmann::json json = run_command({"info", model_, "--json"}).json();
  EXPECT_EQ(json.at("instances"), kRows);
  EXPECT_EQ(json.at("rank"), 11);
  EXPECT_EQ(json.at("options").at("scaling"), "auto");
  ASSERT_EQ(json.at("views").size(), 2u);
  EXPECT_EQ(json.at("views")[1].at("name"), "b");
  EXPECT_EQ(json.at("views")[1].at("features"), 5);
  EXPECT_EQ(json.at("views")[1].at("observed"), kRows);
}

TEST_F(Assign, InfoRefusesANumberOfFeaturesThatCannotBe) {
  expect_failure({"info", model_, "--top", "-3"}, 2, {"--top", "-3"});
  EXPECT_EQ(run_command({"info", model_, "--top", "1000"}).code, 0) << "more than there are shows all";
}

TEST_F(Assign, InfoNamesTheFeaturesThatTellAClusterFromTheOthers) {
  const std::string named = dir_.write_file("named.csv", "red,green,blue\n" + to_text(planted_table(kRows, 3, 3), ","));
  ASSERT_EQ(run_command({"fit", named, "-k", "3", "--quiet", "--model", model_, "--labels", dir_.path("labels")}).code,
            0);
  const std::string text = run_command({"info", model_, "--top", "1"}).out;
  const std::array<std::string, 3> features{"red", "green", "blue"};
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    const std::string label = fmt::format("{}", label_of(cluster));
    bool found = false;
    for (const std::string& line : lines_of(text)) {
      std::string first;
      std::istringstream(line) >> first;
      found |= first == label && contains(line, "+" + features[static_cast<std::size_t>(cluster)]);
    }
    EXPECT_TRUE(found) << features[static_cast<std::size_t>(cluster)] << " in: " << text;
  }
}

}  // namespace
}  // namespace omvc::test
