// What is matched by name and id in the place of position, and help for names that are mistyped.
#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;

class Names : public testing::Test {
 protected:
  // A table with ids and a header; the columns and rows in the order given.
  std::string named(const std::string& name, const Table& table, const std::vector<std::size_t>& columns,
                    bool backwards = false) const {
    std::string text = "id";
    for (const std::size_t j : columns) text += "," + name.substr(0, 1) + std::to_string(j);
    text += "\n";
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::size_t row = backwards ? table.size() - 1 - i : i;
      text += "s" + std::to_string(row);
      for (const std::size_t j : columns) text += "," + std::to_string(table[row][j]);
      text += "\n";
    }
    return dir_.write_file(name, text);
  }

  void SetUp() override {
    const Outcome fit = run_command({"fit", a_, b_, "-k", "3", "--quiet", "--labels", labels_, "--model", model_});
    ASSERT_EQ(fit.code, 0) << fit.err;
  }

  TempDir dir_;
  Table first_ = planted_table(kRows, 4, 1);
  Table second_ = planted_table(kRows, 4, 2);
  std::string a_ = named("a.csv", first_, {0, 1, 2, 3});
  std::string b_ = named("b.csv", second_, {0, 1, 2, 3});
  std::string labels_ = dir_.path("labels.csv");
  std::string model_ = dir_.path("model.omvc");
};

TEST_F(Names, AssignFindsColumnsAndViewsByName) {
  const std::string expected = run_command({"assign", model_, a_, b_}).out;
  named("a.csv", first_, {3, 1, 0, 2});
  named("b.csv", second_, {2, 3, 1, 0});
  const Outcome swapped = run_command({"assign", model_, b_, a_});
  EXPECT_EQ(swapped.code, 0) << swapped.err;
  EXPECT_EQ(swapped.out, expected);
}

TEST_F(Names, AssignTakesSomeOfTheViewsAndNamesWhatDoesNotFit) {
  const Outcome one = run_command({"assign", model_, "b=" + b_});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(lines_of(one.out).size(), kRows);
  named("b.csv", second_, {0, 1, 2});
  const Outcome lacking = run_command({"assign", model_, a_, b_});
  EXPECT_EQ(lacking.code, 3);
  EXPECT_NE(lacking.err.find("'b3'"), std::string::npos) << lacking.err;
}

TEST_F(Names, EvaluateAndTruthAreJoinedById) {
  std::string shuffled = "id,label,confidence,distance\n";
  const std::vector<std::string> lines = lines_of(read_bytes(labels_));
  for (std::size_t i = lines.size() - 1; i > 0; --i) shuffled += lines[i] + "\n";
  const std::string truth = dir_.write_file("truth.csv", shuffled);
  const Outcome scores = run_command({"evaluate", labels_, truth, "--json"});
  EXPECT_EQ(scores.code, 0) << scores.err;
  EXPECT_EQ(scores.json().at("nmi").get<double>(), 1.0);
  EXPECT_EQ(scores.json().at("joined_by"), "id");
  const Outcome fit = run_command({"fit", a_, b_, "-k", "3", "--quiet", "--truth", truth, "--json"});
  EXPECT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(fit.json().at("nmi_best").get<double>(), 1.0);
  const std::string others = dir_.write_file("others.csv", "id,label\nx1,0\nx2,1\ns3,0\n");
  EXPECT_EQ(run_command({"evaluate", labels_, others}).code, 3);
}

TEST(Help, SaysWhatWasMeantAndIsMadeFromTheCommandLine) {
  const Outcome command = run_command({"fti"});
  EXPECT_EQ(command.code, 2);
  EXPECT_NE(command.err.find("did you mean 'fit'"), std::string::npos) << command.err;
  const Outcome option = run_command({"fit", "x.csv", "--cluster", "3"});
  EXPECT_EQ(option.code, 2);
  EXPECT_NE(option.err.find("did you mean '--clusters'"), std::string::npos) << option.err;
  const std::string all = run_command({"help"}).out;
  const std::string manual = run_command({"help", "--man"}).out;
  for (const char* name : {"fit", "assign", "evaluate", "convert", "help"}) {
    EXPECT_NE(all.find(name), std::string::npos) << name;
    EXPECT_NE(manual.find(std::string(".SS omvc ") + name), std::string::npos) << name;
    for (const char* shell : {"bash", "zsh", "fish"}) {
      EXPECT_NE(run_command({"help", "--completion", shell}).out.find(name), std::string::npos) << shell << name;
    }
    EXPECT_EQ(run_command({"help", name}).out, run_command({name, "--help"}).out);
  }
  EXPECT_EQ(run_command({"help", "fitt"}).code, 2);
}

}  // namespace
}  // namespace omvc::test
