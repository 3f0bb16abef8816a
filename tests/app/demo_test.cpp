// omvc demo, help and version: what a new user meets first.
#include <regex>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class Demo : public testing::Test {
 protected:
  TempDir dir_;
};

TEST_F(Demo, ShowsTablesAndWritesWhatItNames) {
  const std::string folder = dir_.path("new/folder");
  const Outcome outcome = run_command({"demo", "--out", folder, "--instances", "600"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"labels.txt", "embedding.npy", "model.omvc", "report.html"}));
  for (const std::string name : {"labels.txt", "embedding.npy", "model.omvc", "report.html"}) {
    EXPECT_TRUE(contains(outcome.out, folder + "/" + name)) << name;
  }
  for (const char* part :
       {"600 instances in 6 clusters, 3 views", "Found clusters against planted ones", "planted 5",
        "features that tell them", "mean confidence", "Presence patterns", "Labels as written", "NMI", "AC"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in:\n" << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.err, "learned from all 600 instances")) << "progress";
  EXPECT_FALSE(contains(outcome.out, "learned from all")) << "progress is no result";
}

TEST_F(Demo, TheTableAddsUpToTheInstancesAndMatchesEveryCluster) {
  const Outcome outcome = run_command({"demo", "--out", dir_.path("demo"), "--instances", "600", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  int total = 0;
  std::set<std::string> matched;
  for (const std::string& line : lines_of(outcome.out)) {
    if (!line.starts_with("  cluster ")) continue;
    const std::size_t match = line.find("planted");
    if (match == std::string::npos) continue;
    matched.insert(line.substr(match));
    std::istringstream cells(line.substr(0, match));
    std::string cell;
    for (cells >> cell >> cell; cells >> cell;) total += cell == "." ? 0 : std::stoi(cell);
  }
  EXPECT_EQ(matched.size(), 6u) << outcome.out;
  EXPECT_EQ(total, 600) << outcome.out;
}

TEST_F(Demo, ItsFilesAreOfUseToTheOtherCommands) {
  const std::string folder = dir_.path("demo");
  ASSERT_EQ(run_command({"demo", "--out", folder, "--instances", "600", "--quiet"}).code, 0);
  const std::vector<int> labels = read_label_file(folder + "/labels.txt");
  EXPECT_EQ(labels.size(), 600u);
  EXPECT_EQ(std::set<int>(labels.begin(), labels.end()).size(), 6u);
  EXPECT_TRUE(read_bytes(folder + "/embedding.npy").starts_with("\x93NUMPY"));
  const nlohmann::json info = run_command({"info", folder + "/model.omvc", "--json"}).json();
  EXPECT_EQ(info.at("instances"), 600);
  EXPECT_EQ(info.at("views").size(), 3u);
  for (const auto& view : info.at("views")) {
    EXPECT_GT(view.at("observed").get<int>(), 300) << "each view lacks about 40 %";
    EXPECT_LT(view.at("observed").get<int>(), 450);
  }
}

TEST_F(Demo, IsTheSameEveryTime) {
  const auto labels = [&](const std::string& folder) {
    EXPECT_EQ(run_command({"demo", "--out", dir_.path(folder), "--instances", "300", "--quiet"}).code, 0);
    return read_bytes(dir_.path(folder + "/labels.txt"));
  };
  EXPECT_EQ(labels("one"), labels("two"));
}

TEST_F(Demo, RefusesAFolderThatCannotBe) {
  const std::string file = dir_.write_file("file", "x");
  expect_failure({"demo", "--out", file + "/demo"}, 4, {file + "/demo"});
  expect_failure({"demo", "--out", file}, 4, {file});
  expect_failure({"demo", "--out", dir_.path("demo"), "--instances", "3"}, 2, {"--instances", "3"});
  EXPECT_EQ(names_in(dir_.path("")), std::set<std::string>{"file"});
}

// The start page shows lines of the demo: numbers aside, these lines in this order; "..." stands for any.
TEST_F(Demo, IsWhatTheStartPageShows) {
  const auto shape = [](const std::string& line) {
    std::string out = std::regex_replace(line, std::regex("[0-9.]+"), "0");
    out = std::regex_replace(out, std::regex("-+"), "-");
    return std::regex_replace(out, std::regex(" +"), " ");
  };
  const std::string page = read_bytes(OMVC_SOURCE_DIR "/docs/index.md");
  const std::size_t begin = page.find("\n```\n", page.find("omvc demo")) + 1;
  const std::size_t end = page.find("\n```\n", begin + 4);
  ASSERT_LT(end, page.size());
  const std::vector<std::string> shown = lines_of(page.substr(begin + 4, end - begin - 4));
  ASSERT_GT(shown.size(), 5u);
  const Outcome outcome = run_command({"demo", "--out", dir_.path("demo"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  std::size_t at = 0;
  for (const std::string& line : shown) {
    if (line.find_first_not_of(" .") == std::string::npos) continue;
    while (at < lines.size() && shape(lines[at]) != shape(line)) ++at;
    EXPECT_LT(at, lines.size()) << "the demo does not show this line of docs/index.md: " << line << "\n" << outcome.out;
  }
}

TEST(Help, EveryCommandExplainsItself) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"fit", {"--clusters", "--present", "--order", "--shuffle", "--truth",  "--labels",  "--embedding",
               "--model",    "--json",    "--quiet", "--config",  "--preset", "--rank",    "--chunk",
               "--passes",   "--alpha",   "--beta",  "--solver",  "--seed",   "--threads", "--profile"}},
      {"assign", {"MODEL", "INPUT", "--present", "--labels", "--embedding", "--chunk"}},
      {"update", {"MODEL", "INPUT", "--present", "--output", "--ignore-extra", "--json"}},
      {"stream", {"--model", "--every", "--no-learn", "--strict", "--in-step", "--save-every", "--half-life"}},
      {"evaluate", {"LABELS", "TRUTH", "--json"}},
      {"mask", {"--rows", "--views", "--rate", "--seed", "independent", "cyclic", "partial"}},
      {"info", {"MODEL", "--json", "--top"}},
      {"report", {"MODEL", "--output", "--json"}},
      {"demo", {"--out", "--instances", "--quiet"}}};
  const Outcome all = run_command({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_TRUE(contains(all.out, "Exit codes"));
  for (const auto& [command, parts] : commands) {
    EXPECT_TRUE(contains(all.out, "\n  " + command + " ")) << command;
    const Outcome help = run_command({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    for (const std::string& part : parts) EXPECT_TRUE(contains(help.out, part)) << command << ": " << part;
  }
}

TEST(Help, VersionIsOneLine) {
  const Outcome outcome = run_command({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("omvc "));
  ASSERT_GT(outcome.out.size(), 5u);
  EXPECT_TRUE(outcome.out[5] >= '0' && outcome.out[5] <= '9');
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

}  // namespace
}  // namespace omvc::test
