// What the command must never do: replace its inputs, mix messages into results, take what is not its own, or be led by
// names to do more than print them.
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 60;

class Safety : public testing::Test {
 protected:
  Safety() {
    a_ = dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ","));
    b_ = dir_.write_file("b.csv", to_text(planted_table(kRows, 5, 2), ","));
  }

  Arguments fit(const Arguments& more) const { return Arguments{"fit", a_, b_, "-k", "3", "--memory", "0.002"} + more; }

  // The command must refuse the arguments and leave the file alone.
  void expect_kept(const std::string& file, const Arguments& arguments) const {
    const std::string before = read_bytes(file);
    expect_failure(arguments, 2, {"name of its own"});
    EXPECT_TRUE(read_bytes(file) == before) << file;
  }

  TempDir dir_;
  std::string a_;
  std::string b_;
};

TEST_F(Safety, AnOutputNeverReplacesAnInput) {
  fs::create_symlink(a_, dir_.path("link.csv"));
  fs::create_hard_link(a_, dir_.path("twin.csv"));
  const std::string words = dir_.write_file("words.txt", to_text(Table(kRows, {1}), ","));
  const std::string present = dir_.write_file("present.txt", to_text(Table(kRows, {1, 1}), " "));
  Table numbers;
  for (std::size_t i = 0; i < kRows; ++i) numbers.push_back({static_cast<double>(i)});
  const std::string order = dir_.write_file("order.txt", to_text(numbers, ","));
  for (const std::string option : {"--labels", "--embedding", "--model", "--predictor"}) {
    for (const std::string& name : {a_, dir_.path("./a.csv"), dir_.path("link.csv"), dir_.path("twin.csv")}) {
      expect_kept(a_, fit({option, name}));
    }
    expect_kept(words, fit({"--truth", words, option, words}));
    expect_kept(present, fit({"--present", present, option, present}));
    expect_kept(order, fit({"--order", order, option, order}));
  }
  expect_kept(a_, fit({"--labels", dir_.path("labels"), "--checkpoint", dir_.path("./a.csv")}));
  ASSERT_EQ(run_command(fit({"--model", dir_.path("model"), "--quiet"})).code, 0);
  expect_kept(dir_.path("model"), {"assign", dir_.path("model"), a_, b_, "--labels", dir_.path("./model")});
  expect_kept(a_, {"assign", dir_.path("model"), a_, b_, "--embedding", dir_.path("link.csv")});
}

TEST_F(Safety, TwoOutputsAreTwoFiles) {
  // Also by names that are relative to the folder of the command, where neither is there yet.
  expect_failure(fit({"--labels", "no-such-output", "--embedding", "./no-such-output"}), 2, {"name of its own"});
  expect_failure(fit({"--labels", dir_.path("x"), "--model", dir_.path("./x")}), 2, {"same file"});
  fs::create_symlink("x", dir_.path("y"));
  expect_failure(fit({"--labels", dir_.path("x"), "--embedding", dir_.path("y")}), 2, {"same file"});
  EXPECT_FALSE(fs::exists(dir_.path("x")));
}

#ifdef OMVC_WITH_HDF5
TEST_F(Safety, ConvertNeverReplacesAnInput) {
  const std::string data = dir_.path("data.h5mu");
  ASSERT_EQ(run_command({"convert", a_, b_, "-o", data, "--quiet"}).code, 0);
  expect_kept(data, {"convert", data, "-o", dir_.path("./data.h5mu")});
  expect_kept(data, {"fit", data, "-k", "3", "--output", data});
  fs::create_symlink(data, dir_.path("other.h5mu"));
  expect_kept(data, {"convert", data, "-o", dir_.path("other.h5mu")});
}
#endif

TEST_F(Safety, AFolderBesideTheCheckpointThatIsNotItsOwnIsLeftAlone) {
  fs::create_directory(dir_.path("run.rows"));
  const std::string mine = dir_.write_file("run.rows/thesis.txt", "years of work");
  const Arguments run = fit({"--labels", dir_.path("labels"), "--checkpoint", dir_.path("run"), "--quiet"});
  expect_failure(run, 2, {dir_.path("run.rows"), "thesis.txt"});
  EXPECT_EQ(read_bytes(mine), "years of work");
  EXPECT_FALSE(fs::exists(dir_.path("run")));
  const std::string inside = dir_.write_file("run.rows/labels", "");
  expect_failure(fit({"--labels", inside, "--checkpoint", dir_.path("run")}), 2, {inside, "folder of the checkpoint"});
}

TEST_F(Safety, MessagesNeverGoIntoResults) {
  const auto outputs = [&](const std::string& name) {
    return fit({"--labels", dir_.path(name + ".labels"), "--embedding", dir_.path(name + ".npy"), "--passes", "3"});
  };
  ASSERT_EQ(run_command(outputs("right")).code, 0);
  for (const std::string errors : {"closed", "/dev/full"}) {
    const Outcome outcome = Process(outputs("other"), {.errors = errors}).wait();
    EXPECT_EQ(outcome.code, 0) << errors;
    for (const char* ending : {".labels", ".npy"}) {
      EXPECT_TRUE(read_bytes(dir_.path(std::string("other") + ending)) ==
                  read_bytes(dir_.path(std::string("right") + ending)))
          << errors << ending;
    }
    EXPECT_EQ(Process({"fit", "no-such-file", "-k", "2"}, {.errors = errors}).wait().code, 4);
  }
}

TEST_F(Safety, ResultsThatCannotBeWrittenAreAnError) {
  for (const Arguments& arguments : {fit({"--json", "--quiet"}), Arguments{"--help"}, Arguments{"--version"}}) {
    const Outcome outcome = Process(arguments, {.output = "/dev/full"}).wait();
    EXPECT_EQ(outcome.code, 4) << arguments[0];
    EXPECT_TRUE(contains(outcome.err, "cannot write to ")) << outcome.message();
  }
  // The checkpoint stays while the results are nowhere.
  const Arguments kept = fit({"--json", "--quiet", "--checkpoint", dir_.path("run")});
  EXPECT_EQ(Process(kept, {.output = "/dev/full"}).wait().code, 4);
  EXPECT_TRUE(fs::exists(dir_.path("run")));
  EXPECT_EQ(run_command(kept + Arguments{"--resume"}).code, 0);
  EXPECT_FALSE(fs::exists(dir_.path("run")));
}

TEST_F(Safety, NamesThatAreNotTextAreShownAndKept) {
  const std::string strange = dir_.write_file("v\x1b[31m\xff\n.csv", read_bytes(a_));
  const std::string model = dir_.path("model");
  const Outcome outcome = run_command({"fit", strange, b_, "-k", "3", "--memory", "0.002", "--json", "--model", model});
  EXPECT_EQ(outcome.code, 0) << outcome.message();
  EXPECT_FALSE(outcome.json().is_null());
  EXPECT_FALSE(contains(outcome.err, "\x1b[31m")) << "a terminal would obey a file name";
  EXPECT_TRUE(contains(outcome.err, "\\x1b[31m\\xff")) << outcome.message();
  EXPECT_EQ(run_command({"info", model, "--json"}).code, 0);
  EXPECT_EQ(run_command({"assign", model, strange, b_}).code, 0);
  const Outcome failed = run_command({"fit", dir_.path("no\x1b[2J"), "-k", "2"});
  EXPECT_EQ(failed.code, 4);
  EXPECT_FALSE(contains(failed.err, "\x1b"));
}

TEST_F(Safety, AnyNameSurvivesInAModelAndACheckpoint) {
  const std::string strange = dir_.write_file("two\nlines.csv", read_bytes(a_));
  const Arguments run{"fit",
                      strange,
                      b_,
                      "-k",
                      "3",
                      "--memory",
                      "0.002",
                      "--quiet",
                      "--labels",
                      dir_.path("labels"),
                      "--model",
                      dir_.path("model"),
                      "--checkpoint",
                      dir_.path("run"),
                      "--checkpoint-chunks",
                      "1",
                      "--resume"};
#ifndef OMVC_SANITIZED
  // The address sanitizer asks to be loaded before anything else.
  const Outcome killed =
      Process(run, {.environment = {"OMVC_KILL_AT=30", std::string("LD_PRELOAD=") + OMVC_FAULTS}}).wait();
  EXPECT_EQ(killed.code, -SIGKILL) << killed.message();
#endif
  EXPECT_EQ(run_command(run).code, 0);
  const Outcome info = run_command({"info", dir_.path("model"), "--json"});
  EXPECT_EQ(info.json().at("views").at(0).at("name"), "two\nlines");
}

TEST_F(Safety, AFileThatMayNotGrowIsAMessageAndNotASignal) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &limit);
  const Outcome outcome = run_command(fit({"--labels", dir_.path("labels"), "--quiet"}));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(outcome.code, 4) << outcome.message();
  EXPECT_TRUE(contains(outcome.err, "File too large")) << outcome.message();
  EXPECT_FALSE(fs::exists(dir_.path("labels")));
}

TEST_F(Safety, ASecondRunIsRefusedWhileTheFirstLives) {
  const Arguments endless = Arguments{"fit", a_, b_, "-k", "3", "--passes", "100000", "--memory", "0.002"} +
                            Arguments{"--checkpoint", dir_.path("run"), "--labels", dir_.path("labels"), "--resume"};
  Process first(endless);
  ASSERT_TRUE(first.read_errors_until("pass 1/100000"));
  expect_failure(endless, 2, {dir_.path("run.rows"), "another run"});
  first.send(SIGKILL);
  EXPECT_EQ(first.wait().code, -SIGKILL);
  Process next(endless);
  ASSERT_TRUE(next.read_errors_until("pass "));
  next.send(SIGHUP);
  EXPECT_EQ(next.wait().code, 6);
}

TEST_F(Safety, AnyFileIsKnownAtItsBeginning) {
  expect_failure({"info", "/dev/zero"}, 3, {"/dev/zero", "does not start like one"});
  expect_failure({"assign", "/dev/zero", a_, b_}, 3, {"/dev/zero"});
}

// One line of a number in every other byte: a few kilobytes that would take gigabytes.
TEST_F(Safety, ALineWithoutEndIsRefusedBeforeItTakesTheMemory) {
  std::string line(std::size_t{20} << 20, '0');
  for (std::size_t i = 1; i < line.size(); i += 2) line[i] = ',';
  const std::string bomb = dir_.write_gzip("bomb.csv.gz", line + "0\n");
  ASSERT_LT(fs::file_size(bomb), 100'000u);
  expect_failure({"fit", bomb, "-k", "2"}, 3, {bomb, "columns"});
}

}  // namespace
}  // namespace omvc::test
