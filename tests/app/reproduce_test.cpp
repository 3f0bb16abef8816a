// omvc reproduce, from outside: a folder of small data in the layout of the real ones.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <regex>

#include "app/command.hpp"
#include "app/planted_files.hpp"
#include "support/temp_dir.hpp"

namespace omvc::test {
namespace {

constexpr int kUsage = 2;
constexpr int kData = 3;
constexpr int kInputOutput = 4;
constexpr int kInterrupted = 6;
constexpr std::size_t kRows = 60;

// Every tag is closed, in the right order, and attributes have quotes.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-zA-Z0-9]+)((?:\\s+[a-zA-Z:-]+=\"[^\"<]*\")*)\\s*(/?)>");
  std::size_t end = 0;
  for (auto it = std::sregex_iterator(xml.begin(), xml.end(), tag); it != std::sregex_iterator(); ++it) {
    const std::string between = xml.substr(end, static_cast<std::size_t>(it->position()) - end);
    if (between.find_first_of("<>") != std::string::npos) return false;
    end = static_cast<std::size_t>(it->position() + it->length());
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != (*it)[2]) return false;
      open.pop_back();
    } else if ((*it)[4] != "/") {
      open.push_back((*it)[2]);
    }
  }
  return open.empty() && end > 0 && xml.find_first_not_of(" \n", end) == std::string::npos;
}

class Reproduce : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_.path("data/digit"));
    unsigned seed = 0;
    for (const char* name : {"fou", "fac", "kar", "pix", "zer"}) {
      dir_.write_file(std::string("data/digit/mfeat-") + name, to_text(planted_table(kRows, 6 + seed, seed), " "));
      ++seed;
    }
    dir_.write_file("data/digit/labels.txt", planted_truth(kRows));
  }

  Arguments command(const std::string& what, const std::string& seeds = "2") const {
    return {"reproduce",      what,      "--data", dir_.path("data"), "--out",
            dir_.path("out"), "--seeds", seeds,    "--passes",        "2"};
  }
  std::string out(const std::string& name) const { return read_bytes(dir_.path("out/" + name)); }

  TempDir dir_;
};

TEST_F(Reproduce, WritesTheTableBesideThePapersNumbers) {
  const Outcome done = run_command(command("table6"));
  ASSERT_EQ(done.code, 0) << done.message();
  for (const char* part : {"WebKB is absent", "YouTube is absent", "in all"}) {
    EXPECT_TRUE(contains(done.err, part)) << part << " in " << done.err;
  }
  const std::vector<std::string> table = lines_of(out("table6.csv"));
  EXPECT_EQ(table.size(), 1u + 3 * (3 * 4 + 2)) << "three shares; three on-line methods of four chunks, two off-line";
  EXPECT_TRUE(std::any_of(table.begin(), table.end(), [](const std::string& line) {
    return line.starts_with("digit,40,50,omvc-paper,") && contains(line, ",0.4885,");
  })) << out("table6.csv");
  const std::string page = out("README.md");
  for (const char* part : {"Table VI: NMI on Digit", "0.4885", "Nothing was tuned", "WebKB is absent"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  EXPECT_TRUE(contains(out("index.html"), "<h2>Table VI"));
}

#ifdef OMVC_WITH_HDF5
TEST_F(Reproduce, TakesTheConvertedFileInThePlaceOfAStandIn) {
  ASSERT_EQ(
      run_command({"generate", dir_.path("data/youtube.h5mu"), "--rows", "120", "--features", "8,6,5", "-k", "31"})
          .code,
      0);
  const Outcome done =
      run_command(command("fig1-8", "1") + Arguments{"--sets", "youtube", "--methods", "omvc-paper,onmf-i"});
  ASSERT_EQ(done.code, 0) << done.message();
  EXPECT_FALSE(contains(done.err, "YouTube is absent")) << done.err;
  EXPECT_TRUE(contains(out("results.csv"), "youtube/40%/omvc-paper"));
  EXPECT_FALSE(contains(out("README.md"), "planted")) << "the real file stands for itself";
}
#endif

TEST_F(Reproduce, GoesOnAfterACutLineAndRunsOnlyWhatIsMissing) {
  const Arguments first = command("table6") + Arguments{"--methods", "omvc-paper"};
  ASSERT_EQ(run_command(first).code, 0);
  const std::string whole = out("results.csv");
  std::vector<std::string> lines = lines_of(whole);
  ASSERT_EQ(lines.size(), 1u + 3 * 4 * 2);
  const std::string cut = whole.substr(0, whole.size() - lines.back().size() / 2);
  dir_.write_file("out/results.csv", cut);
  const Outcome again = run_command(first);
  ASSERT_EQ(again.code, 0) << again.message();
  EXPECT_TRUE(contains(again.err, "24 runs, 23 of them done before")) << again.err;
  std::vector<std::string> after = lines_of(out("results.csv"));
  ASSERT_EQ(after.size(), lines.size());
  const auto without_times = [](const std::string& line) {
    return std::regex_replace(line, std::regex("^((?:[^,]*,){10})[^,]*,[^,]*,"), "$1");
  };
  EXPECT_EQ(std::vector(after.begin(), after.end() - 1), std::vector(lines.begin(), lines.end() - 1));
  EXPECT_EQ(without_times(after.back()), without_times(lines.back()));
  const Outcome nothing = run_command(first);
  EXPECT_EQ(nothing.code, 0);
  EXPECT_FALSE(contains(nothing.err, "in all")) << "nothing is left to run: " << nothing.err;
}

TEST_F(Reproduce, KeepsWhatIsDoneWhenInterrupted) {
  const Arguments many{"reproduce", "table6",   "--data", dir_.path("data"), "--out", dir_.path("out"), "--seeds",
                       "300",       "--passes", "2",      "--parallel",      "2"};
  Process process(many);
  ASSERT_TRUE(process.read_errors_until("in all"));
  process.send(SIGINT);
  const Outcome stopped = process.wait();
  EXPECT_EQ(stopped.code, kInterrupted) << stopped.message();
  EXPECT_TRUE(contains(stopped.err, "run the same command again to go on")) << stopped.message();
  const std::string results = out("results.csv");
  EXPECT_EQ(results.back(), '\n');
  EXPECT_TRUE(contains(out("README.md"), "runs are done"));
}

TEST_F(Reproduce, DrawsFiguresThatAreWellFormed) {
  const Arguments sets{"--sets", "digit"};
  ASSERT_EQ(run_command(command("fig1-8", "1") + sets).code, 0);
  ASSERT_EQ(run_command(command("fig9-12", "1") + sets).code, 0);
  const Outcome grid =
      run_command(command("fig13", "1") + sets + Arguments{"--alphas", "1e-3,1e-2,1", "--betas", "1e-9,1e-7"});
  ASSERT_EQ(grid.code, 0) << grid.message();
  for (const char* name : {"fig3", "fig4", "fig11", "fig13a"}) {
    const std::string svg = out(std::string(name) + ".svg");
    EXPECT_TRUE(is_well_formed(svg)) << name << svg.substr(0, 500);
    EXPECT_FALSE(contains(svg, "nan")) << name;
    EXPECT_FALSE(out(std::string(name) + ".csv").empty());
  }
  for (const char* method : {"OMVC", "ONMF-I", "ONMF-DA", "MIC", "MultiNMF"}) {
    EXPECT_TRUE(contains(out("fig3.svg"), fmt::format(">{}</text>", method))) << method;
  }
  EXPECT_EQ(lines_of(out("fig13a.csv")).size(), 1u + 3 * 2);
  EXPECT_TRUE(contains(out("README.md"), "fig3.svg")) << "figures of earlier runs stay on the page";
}

TEST_F(Reproduce, SaysThatItWroteNoPngWithoutTheConverter) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", dir_.path("nowhere").c_str(), 1);
  const Outcome done = run_command(command("fig9-12") + Arguments{"--sets", "digit", "--quiet"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(done.code, 0) << done.message();
  EXPECT_TRUE(contains(done.err, "rsvg-convert")) << done.err;
  EXPECT_TRUE(names_in(dir_.path("out")).contains("fig11.svg"));
  EXPECT_FALSE(names_in(dir_.path("out")).contains("fig11.png"));
}

TEST_F(Reproduce, TunesWithLabelsAndSaysSo) {
  const Arguments grid{"--grid", "--alphas", "1e-3,1e-2", "--betas", "1e-9", "--methods", "omvc-paper,onmf-i"};
  const Outcome done = run_command(command("table6") + grid);
  ASSERT_EQ(done.code, 0) << done.message();
  EXPECT_TRUE(contains(done.err, fmt::format("{} runs", 3 * 4 * 2 * (2 + 1)))) << done.err;
  EXPECT_TRUE(contains(out("README.md"), "Tuned with the class labels")) << out("README.md");
  EXPECT_TRUE(std::regex_search(out("table6.csv"), std::regex("digit,40,50,omvc-paper,.*,alpha=1e-[23] beta=1e-9,")));
}

TEST_F(Reproduce, RefusesWhatCannotWorkBeforeItRunsAnything) {
  expect_failure(command("table7"), kUsage, {"'table7'", "table4", "fig13"});
  expect_failure(command("table6") + Arguments{"--methods", "omvc,kmeans"}, kUsage, {"'kmeans'", "masked-kmeans"});
  expect_failure(command("table6") + Arguments{"--methods", "mic,mic"}, kUsage, {"mic", "twice"});
  expect_failure(command("table6") + Arguments{"--sets", "iris"}, kUsage, {"'iris'", "webkb"});
  expect_failure(command("table6") + Arguments{"--sets", "webkb"}, kData, {"webkb", "not in"});
  expect_failure(command("table6", "0"), kUsage, {"--seeds 0"});
  expect_failure(command("table6") + Arguments{"--alphas", "1"}, kUsage, {"--grid"});
  expect_failure(command("fig13") + Arguments{"--alphas", "1e-2,ten"}, kUsage, {"alpha", "'ten'"});
  expect_failure(command("fig13") + Arguments{"--alphas", "0"}, kUsage, {"alpha", "outside"});
  expect_failure(command("fig13") + Arguments{"--betas", "1e-7,0.0000001"}, kUsage, {"beta", "twice"});
  expect_failure(command("table5"), kData, {"nothing to run for table5", "WebKB is absent", "WebKB.mat"});
  EXPECT_FALSE(std::filesystem::exists(dir_.path("out")));
  Arguments nowhere = command("table6");
  nowhere[3] = dir_.path("nowhere");
  expect_failure(nowhere, kInputOutput, {"nowhere", "no such folder"});
}

TEST_F(Reproduce, RefusesDataThatDoNotFitTogether) {
  std::filesystem::create_directories(dir_.path("data/masks"));
  dir_.write_file("data/masks/digit-cyclic-40-1.txt", "1 1 1 1 1\n");
  expect_failure(command("table6") + Arguments{"--quiet"}, kData, {"digit-cyclic-40-1.txt", "1 rows", "60"});
  EXPECT_EQ(lines_of(out("results.csv")).size(), 1u) << "found before the first run";
  std::filesystem::remove(dir_.path("data/masks/digit-cyclic-40-1.txt"));
  dir_.write_file("data/digit/labels.txt", planted_truth(kRows - 1));
  expect_failure(command("table6") + Arguments{"--quiet"}, kData, {"labels.txt", "59", "60"});
}

TEST_F(Reproduce, UsesTheMasksOfTheFolderAndGoesOnAfterARunThatFails) {
  const Arguments few = command("table6", "1") + Arguments{"--methods", "concat-kmeans"};
  ASSERT_EQ(run_command(few).code, 0);
  std::filesystem::create_directories(dir_.path("data/masks"));
  // Three views are wholly missing, which the mask of omvc's own protocol would never do.
  std::string mask;
  for (std::size_t i = 0; i < kRows; ++i) mask += i % 2 == 0 ? "0 0 0 0 1\n" : "1 0 0 0 0\n";
  dir_.write_file("data/masks/digit-cyclic-40-0.txt", mask);
  const Outcome done = run_command(few);
  EXPECT_EQ(done.code, 0) << done.message();
  EXPECT_TRUE(contains(done.err, "3 runs, 0 of them done before")) << "other masks are other data: " << done.err;
  EXPECT_TRUE(contains(done.err, "warning: digit/40%/concat-kmeans")) << done.err;
  EXPECT_TRUE(contains(out("README.md"), "view mfeat-fac has no instance present")) << out("README.md");
  EXPECT_TRUE(contains(out("README.md"), "2 of 3 runs are done"));
}

}  // namespace
}  // namespace omvc::test
