// omvc fit from outside: what it prints and writes, and which options do what they say.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;

class Fit : public testing::Test {
 protected:
  Arguments fit(const Arguments& more) const { return Arguments{"fit", a_, b_, "-k", "3"} + more; }

  // Runs fit with the arguments and returns the bytes of the file that `flag` asks for.
  std::string written(const Arguments& arguments, const std::string& flag = "--labels") const {
    const std::string path = dir_.path("written");
    const Outcome outcome = run_command(arguments + Arguments{flag, path, "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string bytes = read_bytes(path);
    EXPECT_FALSE(bytes.empty());
    return bytes;
  }

  TempDir dir_;
  std::string a_ = dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ","));
  std::string b_ = dir_.write_file("b.csv", to_text(planted_table(kRows, 5, 2), ","));
  std::string truth_ = dir_.write_file("truth.txt", planted_truth(kRows));
};

TEST_F(Fit, WritesOneLabelALineAndFindsThePlantedClusters) {
  const std::string path = dir_.path("labels.txt");
  const Outcome outcome = run_command(fit({"--labels", path}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<int> labels = read_label_file(path);
  EXPECT_EQ(labels.size(), kRows);
  EXPECT_TRUE(are_planted_clusters(labels));
  EXPECT_TRUE(contains(outcome.out, path)) << "the report says where the labels are";
}

TEST_F(Fit, WritesTheEmbeddingInTheFormatOfItsName) {
  ASSERT_EQ(run_command(fit({"--rank", "4", "--quiet", "--embedding", dir_.path("e.npy")})).code, 0);
  const std::string bytes = read_bytes(dir_.path("e.npy"));
  ASSERT_EQ(bytes.size(), 128 + kRows * 4 * sizeof(double));
  EXPECT_TRUE(contains(bytes, "'shape': (60, 4)"));
  std::vector<double> values(kRows * 4);
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(double));

  for (const auto& [name, separator] : {std::pair{"e.csv", ","}, {"e.tsv", "\t"}, {"e.txt", " "}}) {
    run_command(fit({"--rank", "4", "--quiet", "--embedding", dir_.path(name)}));
    std::string expected;
    if (*separator != ' ') expected = fmt::format("e1{0}e2{0}e3{0}e4\n", separator);
    for (std::size_t i = 0; i < kRows; ++i) {
      expected += fmt::format("{}\n", fmt::join(values.begin() + static_cast<std::ptrdiff_t>(4 * i),
                                                values.begin() + static_cast<std::ptrdiff_t>(4 * i + 4), separator));
    }
    EXPECT_EQ(read_bytes(dir_.path(name)), expected) << name;
  }
}

TEST_F(Fit, JsonHoldsEveryKeyAndIsAllThatIsOnStdout) {
  const Outcome outcome = run_command(fit({"--json", "--passes", "3", "--rank", "4", "--memory", "0.002"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json summary = outcome.json();
  EXPECT_EQ(summary.at("n"), kRows);
  EXPECT_EQ(summary.at("views"), 2);
  EXPECT_EQ(summary.at("clusters"), 3);
  EXPECT_EQ(summary.at("rank"), 4);
  EXPECT_EQ(summary.at("passes"), 3);
  EXPECT_GT(summary.at("seconds").get<double>(), 0);
  EXPECT_GT(summary.at("peak_rss_bytes").get<double>(), 1e6);
  EXPECT_GT(summary.at("loss").get<double>(), 0);
  ASSERT_EQ(summary.at("per_pass").size(), 3u);
  EXPECT_EQ(summary.at("per_pass")[2].at("loss"), summary.at("loss"));
  for (const char* key : {"nmi", "ac", "nmi_best", "ac_best", "ari_best"}) EXPECT_FALSE(summary.contains(key)) << key;
}

TEST_F(Fit, JsonCountsTheProductsOfEveryPass) {
  const nlohmann::json summary =
      run_command(fit({"--json", "--quiet", "--preset", "paper", "--passes", "2", "--chunk", "20"})).json();
  ASSERT_EQ(summary.at("per_pass").size(), 2u);
  for (const auto& pass : summary.at("per_pass")) {
    // Of two views: each starts three chunks and is updated in every round.
    const int each = 2 * (3 + pass.at("rounds").get<int>());
    EXPECT_EQ(pass.at("products"),
              nlohmann::json::array({{{"columns", 3}, {"times", each}, {"transpose_times", each}}}));
    EXPECT_NEAR(pass.at("products_per_chunk").get<double>(), 2 * each / 3.0, 1e-9);
  }
}

TEST_F(Fit, JsonHoldsTheTimeOfEveryStep) {
  const nlohmann::json summary = run_command(fit({"--json", "--quiet", "--passes", "2"})).json();
  const std::set<std::string> expected{"opening",    "first_look",      "reading",    "waiting",    "prepare",
                                       "times",      "transpose_times", "gram",       "row_solver", "learning",
                                       "prototypes", "kmeans",          "neighbours", "readers",    "eigenvectors",
                                       "checkpoint", "results",         "saving",     "other"};
  std::set<std::string> steps;
  double sum = 0;
  for (const auto& [step, seconds] : summary.at("profile").items()) {
    steps.insert(step);
    EXPECT_GE(seconds.get<double>(), 0) << step;
    if (step != "reading" && step != "opening" && step != "saving") sum += seconds.get<double>();
  }
  EXPECT_EQ(steps, expected);
  EXPECT_NEAR(sum, summary.at("seconds").get<double>(), 1e-9);
}

TEST_F(Fit, ProfileIsATableOnStderrWhereItIsAskedFor) {
  const Outcome silent = run_command(fit({"--quiet", "--passes", "2", "--id-column", "none"}));
  EXPECT_EQ(silent.err, "");
  const Outcome outcome = run_command(fit({"--quiet", "--passes", "2", "--profile"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::vector<std::string> lines = lines_of(outcome.err);
  const auto line_with = [&](const std::string& part) {
    const auto has = [&](const std::string& line) { return contains(line, part); };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), has), 1) << part << " in: " << outcome.err;
    return std::find_if(lines.begin(), lines.end(), has) - lines.begin();
  };
  for (const char* step :
       {"opening the data", "first look at the data", "reading and placing, beside the rest", "waiting for data",
        "preparing chunks", "  products X U", "  products X' V", "V' V and U' U", "row solver", "rest of learning",
        "rest of prototypes", "k-means", "writing checkpoints", "writing results", "saving models"}) {
    EXPECT_LT(line_with(step), line_with("  other")) << step;
  }
  EXPECT_EQ(line_with("  total") - line_with("  other"), 1);
  // name, seconds, share
  const auto seconds_in = [](const std::string& line) {
    const std::size_t share = line.find_last_of(' ');
    const std::size_t end = line.find_last_not_of(' ', share) + 1;
    return std::stod(line.substr(line.find_last_of(' ', end - 1), end));
  };
  const auto first = line_with("Where the time went") + 3;
  for (auto i = first + 1; i < line_with("  other"); ++i) {
    EXPECT_LE(seconds_in(lines[static_cast<std::size_t>(i)]), seconds_in(lines[static_cast<std::size_t>(i - 1)]));
  }
  EXPECT_TRUE(contains(lines[static_cast<std::size_t>(line_with("  total"))], "100.0"));
  line_with("products a chunk");
}

TEST_F(Fit, JsonHoldsTheScoresWhereTheTruthIsGiven) {
  const nlohmann::json summary =
      run_command(fit({"--json", "--quiet", "--preset", "paper", "--passes", "2", "--truth", truth_})).json();
  for (const char* key : {"nmi_best", "ac_best", "ari_best"})
    EXPECT_NEAR(summary.at(key).get<double>(), 1, 1e-12) << key;
  ASSERT_EQ(summary.at("per_pass").size(), 2u);
  for (const auto& pass : summary.at("per_pass")) {
    for (const char* key : {"loss", "nmi", "ac", "seconds"}) {
      ASSERT_TRUE(pass.contains(key)) << key;
      EXPECT_GE(pass.at(key).get<double>(), 0) << key;
    }
  }
  for (const char* key : {"nmi", "ac"}) {
    EXPECT_EQ(summary.at(key), summary.at("per_pass")[1].at(key)) << key;
    EXPECT_GT(summary.at(key).get<double>(), 0.5) << key;
    EXPECT_LE(summary.at(key).get<double>(), 1) << key << " is a share";
  }
}

TEST_F(Fit, ScoresFollowTheTruthAndNotTheLabelsNumbers) {
  std::string shifted;
  for (std::size_t i = 0; i < kRows; ++i) shifted += i < kRows / 2 ? "left\n" : "right\n";
  const std::string truth = dir_.write_file("halves.txt", shifted);
  const nlohmann::json summary = run_command(fit({"--json", "--quiet", "--truth", truth})).json();
  EXPECT_LT(summary.at("nmi_best").get<double>(), 0.05)
      << "the halves of the file have nothing to do with the clusters";
  EXPECT_NEAR(summary.at("ac_best").get<double>(), 20.0 / 60, 1e-12);
}

TEST_F(Fit, ProgressGoesToStderrUnlessQuiet) {
  const Outcome loud = run_command(fit({"--passes", "2", "--memory", "0.002"}));
  EXPECT_FALSE(contains(loud.out, "pass 1/2")) << "progress is no result";
  EXPECT_TRUE(contains(loud.err, "pass 1/2") && contains(loud.err, "pass 2/2")) << loud.err;
  EXPECT_FALSE(contains(loud.err, "\033")) << "no terminal, no control characters";
  EXPECT_TRUE(contains(loud.err, "joined by row")) << loud.err;
  const Outcome quiet = run_command(fit({"--quiet", "--id-column", "none"}));
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "") << "the user has said that there are no ids";
}

TEST_F(Fit, ThreadsDoNotChangeABitOfAnyOutput) {
  for (const char* preset : {"default", "paper"}) {
    const auto outputs = [&](const std::string& threads) {
      const Outcome outcome =
          run_command(fit({"--preset", preset, "--chunk", "16", "--threads", threads, "--quiet", "--labels",
                           dir_.path("l"), "--embedding", dir_.path("e.npy"), "--model", dir_.path("m")}));
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      return std::array{read_bytes(dir_.path("l")), read_bytes(dir_.path("e.npy")), read_bytes(dir_.path("m"))};
    };
    const auto one = outputs("1");
    const auto two = outputs("2");
    EXPECT_EQ(one[0], two[0]) << preset << ": labels";
    EXPECT_TRUE(one[1] == two[1]) << preset << ": embedding";
    EXPECT_TRUE(one[2] == two[2]) << preset << ": model file";
  }
}

TEST_F(Fit, TheSeedDecidesTheResult) {
  const auto embedding = [&](const std::string& seed) {
    return written(fit({"--preset", "paper", "--seed", seed}), "--embedding");
  };
  EXPECT_EQ(embedding("7"), embedding("7"));
  EXPECT_NE(embedding("7"), embedding("8"));
}

TEST_F(Fit, AnOrderChangesTheStreamAndNotTheRowsOfTheOutput) {
  std::string order;
  for (std::size_t i = 0; i < kRows; ++i) order += fmt::format("{}\n", (i * 7 + 3) % kRows);
  const std::string path = dir_.write_file("order.txt", order);
  for (const Arguments& stream : {Arguments{"--order", path}, Arguments{"--shuffle"}}) {
    const std::string labels = written(fit(stream));
    EXPECT_EQ(lines_of(labels).size(), kRows);
    EXPECT_TRUE(are_planted_clusters(read_label_file(dir_.path("written")))) << stream.front();
    EXPECT_EQ(labels, written(fit({}))) << "data that fit in the sample are learned alike in any order";
    const Arguments paper{"--preset", "paper", "--chunk", "10"};
    EXPECT_NE(written(fit(paper + stream), "--embedding"), written(fit(paper), "--embedding")) << stream.front();
  }
  std::string unchanged;
  for (std::size_t i = 0; i < kRows; ++i) unchanged += fmt::format("{}\n", i);
  const std::string same = dir_.write_file("same.txt", unchanged);
  EXPECT_EQ(written(fit({"--order", same}), "--embedding"), written(fit({}), "--embedding"));
}

TEST_F(Fit, FlagsOverrideTheOptionFile) {
  const std::string toml = dir_.write_file(
      "options.toml",
      "# how we run it\nclusters = 4\npasses = 2\nrank = 5\npreset = \"paper\"\nalpha = [0.01, 0.02]\n");
  const nlohmann::json file = run_command({"fit", a_, b_, "--config", toml, "--json", "--quiet"}).json();
  EXPECT_EQ(file.at("clusters"), 4);
  EXPECT_EQ(file.at("passes"), 2);
  EXPECT_EQ(file.at("rank"), 5);
  const Arguments overridden{"fit",      a_,  b_,       "--config", toml,      "-k",          "3",
                             "--passes", "1", "--json", "--quiet",  "--model", dir_.path("m")};
  const nlohmann::json both = run_command(overridden).json();
  EXPECT_EQ(both.at("clusters"), 3);
  EXPECT_EQ(both.at("passes"), 1);
  EXPECT_EQ(both.at("rank"), 5);
  const nlohmann::json options = run_command({"info", dir_.path("m"), "--json"}).json().at("options");
  EXPECT_EQ(options.at("method"), "omvc-paper") << "the preset of the file";
  EXPECT_EQ(options.at("alpha"), "0.01,0.02");
}

TEST_F(Fit, AnOptionFileIsReadOrRefused) {
  const auto refused = [&](const std::string& content, const std::vector<std::string>& parts) {
    const std::string path = dir_.write_file("options.toml", content);
    expect_failure({"fit", a_, b_, "-k", "3", "--config", path}, 2, parts);
  };
  refused("clusters = 3\nclusterz = 4\n", {"clusterz"});
  refused("passes = \"many\"\n", {"passes", "many"});
  refused("passes = 0\n", {"passes", "0"});
  expect_failure(fit({"--config", dir_.path("none.toml")}), 4, {"none.toml"});
}

TEST_F(Fit, PresetsDiffer) {
  const auto options = [&](const std::string& preset) {
    run_command(fit({"--preset", preset, "--quiet", "--model", dir_.path("m")}));
    return run_command({"info", dir_.path("m"), "--json"}).json().at("options");
  };
  const nlohmann::json paper = options("paper");
  EXPECT_EQ(paper.at("method"), "omvc-paper");
  EXPECT_EQ(paper.at("scaling"), "total");
  EXPECT_EQ(paper.at("solver"), "newton");
  EXPECT_EQ(options("default").at("method"), "omvc");
  run_command(fit({"--quiet", "--model", dir_.path("n")}));
  EXPECT_EQ(read_bytes(dir_.path("n")), read_bytes(dir_.path("m"))) << "no preset means the default one";
}

TEST_F(Fit, AlphaAndBetaCanBeGivenForEachView) {
  const auto embedding = [&](const Arguments& more) {
    return written(fit(Arguments{"--preset", "paper"} + more), "--embedding");
  };
  const std::string one = embedding({"--alpha", "0.01"});
  EXPECT_EQ(embedding({"--alpha", "0.01,0.01"}), one);
  EXPECT_NE(embedding({"--alpha", "0.01,0.5"}), one);
  EXPECT_NE(embedding({"--beta", "1e-7,1e-3"}), one);
  expect_failure(fit({"--preset", "paper", "--alpha", "0.01,0.02,0.03"}), 2, {"alpha", "3 values", "2 views"});
  expect_failure(fit({"--alpha", "0.5"}), 2, {"alpha", "method omvc ", "omvc-paper"});
}

TEST_F(Fit, EverySolverFindsTheClusters) {
  for (const char* solver : {"hals", "newton", "diagonal"}) {
    const nlohmann::json summary =
        run_command(fit({"--solver", solver, "--preset", "paper", "--quiet", "--json", "--truth", truth_})).json();
    EXPECT_NEAR(summary.at("ac_best").get<double>(), 1, 1e-12) << solver;
  }
}

TEST_F(Fit, RefusesTwoOutputsOfTheSameName) {
  expect_failure(fit({"--labels", dir_.path("x"), "--model", dir_.path("x")}), 2, {dir_.path("x")});
  EXPECT_FALSE(std::filesystem::exists(dir_.path("x")));
}

}  // namespace
}  // namespace omvc::test
