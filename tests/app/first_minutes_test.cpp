// What somebody meets who has never used omvc: commands that are not whole, files that are not what they seem, and
// tables that a terminal shows.
#include <array>
#include <random>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class FirstMinutes : public testing::Test {
 protected:
  // Categories beside numbers none of which is zero.
  std::string mixed_table() {
    std::string text = "patient,hb,crp,ward\n";
    for (std::size_t i = 0; i < 60; ++i) {
      text += fmt::format("P{},{},{},{}\n", i, 10 + 3 * (i % 3) + 0.1 * static_cast<double>(i % 7), 1 + i % 5,
                          std::array{"A", "B", "C", "D"}[i % 4]);
    }
    return dir_.write_file("mixed.csv", text);
  }

  TempDir dir_;
};

TEST_F(FirstMinutes, ACommandThatLacksSomethingShowsHowItIsWritten) {
  expect_failure({"assign"}, 2, {"omvc assign MODEL INPUT...", "omvc help assign"});
  expect_failure({"stream"}, 2, {"omvc stream --model FILE"});
  expect_failure({"evaluate", "labels.txt"}, 2, {"omvc evaluate LABELS TRUTH"});
}

TEST_F(FirstMinutes, AFileInThePlaceOfACommandIsToBeClustered) {
  const std::string file = mixed_table();
  expect_failure({file}, 2, {"to cluster files: omvc fit " + file});
}

TEST_F(FirstMinutes, ASeparatorThatTheFileLacksIsAskedAbout) {
  expect_failure({"look", mixed_table(), "--separator", "tab"}, 3, {"every line is one field", "--separator"});
}

TEST_F(FirstMinutes, ZerosAreThoseOfNumbers) {
  const Outcome look = run_command({"look", mixed_table()});
  ASSERT_EQ(look.code, 0) << look.err;
  EXPECT_TRUE(contains(look.out, "0.0 % of the numbers zero")) << look.out;
}

TEST_F(FirstMinutes, TheShareOfZerosIsThatOfTheNumbersThatAreThere) {
  std::string table = "id,kind,a,b\n";
  for (int i = 0; i < 40; ++i) {
    const std::string b = i % 2 == 0 ? "" : i % 4 == 1 ? "0" : std::to_string(i) + ".5";
    table += "r" + std::to_string(i) + (i % 3 == 0 ? ",x," : ",y,") + std::to_string(i) + ".25," + b + "\n";
  }
  const Outcome look = run_command({"look", dir_.write_file("gaps.csv", table)});
  ASSERT_EQ(look.code, 0) << look.err;
  EXPECT_TRUE(contains(look.out, "16.7 % of the numbers zero")) << "10 of 60: " << look.out;
  EXPECT_TRUE(contains(look.out, "17 % of its numbers are zero")) << look.out;
}

TEST_F(FirstMinutes, NoClearAnswerIsGivenOnce) {
  std::mt19937_64 draw(5);
  std::normal_distribution<double> normal;
  std::string noise = "a,b,c,d\n";
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 4; ++j) noise += std::to_string(normal(draw)) + (j < 3 ? "," : "\n");
  }
  const Outcome fit = run_command({"fit", dir_.write_file("noise.csv", noise)});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto answers = [](const std::string& text) {
    return contains(text, "No clear answer") || contains(text, "No clusters");
  };
  EXPECT_TRUE(answers(fit.out)) << fit.out;
  EXPECT_FALSE(answers(fit.err)) << fit.err;
  EXPECT_FALSE(contains(fit.out + fit.err, " 1 clusters")) << fit.out;
}

TEST_F(FirstMinutes, FeaturesWithoutNamesDoNotLookLikeValues) {
  const std::string view = dir_.write_file("view.csv", to_text(planted_table(60, 6, 1), ","));
  const Outcome fit = run_command({"fit", view, "-k", "3"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.out, "+[")) << fit.out;
}

TEST_F(FirstMinutes, ATableOfClustersTooWideForATerminalHasALineForEachView) {
  std::string names;
  for (int j = 0; j < 6; ++j) names += fmt::format("{}a_name_of_some_length_{}", j > 0 ? "," : "", j);
  std::vector<std::string> files;
  for (const char* name : {"one.csv", "two.csv"}) {
    files.push_back(dir_.write_file(name, names + "\n" + to_text(planted_table(60, 6, 2), ",")));
  }
  const std::string model = dir_.path("m.omvc");
  const Outcome fit = run_command({"fit", files[0], files[1], "-k", "3", "--model", model});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.out, "  cluster size view features\n")) << fit.out;
  const Outcome info = run_command({"info", model});
  EXPECT_TRUE(contains(info.out, "scaling of one: dense")) << info.out;
  EXPECT_FALSE(contains(info.out, "alpha")) << "an option of other methods\n" << info.out;
}

TEST_F(FirstMinutes, AModelWhoseNumberOfClustersWasChosenSaysSo) {
  const std::string model = dir_.path("m.omvc");
  ASSERT_EQ(run_command({"fit", mixed_table(), "--model", model}).code, 0);
  EXPECT_TRUE(contains(run_command({"info", model}).out, "0: chosen from the data"));
}

}  // namespace
}  // namespace omvc::test
