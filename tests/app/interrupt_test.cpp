// Signals at any moment: the command ends with exit code 6, a message, and no output but whole ones.
#include <csignal>
#include <filesystem>
#include <thread>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr int kInterrupted = 6;

class Interrupt : public testing::Test {
 protected:
  // Nothing but what was there before is there afterwards.
  void expect_nothing_written(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
    EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.message();
    for (const std::string& name : names_in(dir_.path(""))) EXPECT_TRUE(name.ends_with(".csv")) << name;
  }

  TempDir dir_;
};

// The command waits for the pipe to be opened: it has not begun to learn, whenever the signal comes.
TEST_F(Interrupt, BeforeTheDataAreOpenEndsAtOnce) {
  const std::string pipe = dir_.path("pipe.csv");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Process process({"fit", pipe, "-k", "3", "--labels", dir_.path("labels")});
    while (!process.handles(signal)) std::this_thread::yield();
    process.send(signal);
    expect_nothing_written(process.wait());
  }
}

TEST_F(Interrupt, NeedsNobodyToReadItsMessage) {
  const std::string pipe = dir_.path("pipe.csv");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process process({"fit", pipe, "-k", "3"});
  process.stop_reading_errors();
  while (!process.handles(SIGTERM)) std::this_thread::yield();
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().code, kInterrupted);
}

// A step of minutes: no chunk ends in it. TERM and INT reach one process alone here, as from kill.
TEST_F(Interrupt, WithinALongStepEndsTheRun) {
  const std::string data = dir_.write_file("a.csv", to_text(planted_table(3000, 40, 1), ","));
  for (const std::string method : {"concat-kmeans", "masked-kmeans", "multinmf", "mic"}) {
    Arguments words{"fit", data, "-k", "200", "--method", method, "--labels", dir_.path("labels")};
    if (method == "multinmf" || method == "mic") words = words + Arguments{"--rounds", "1000000", "--tolerance", "0"};
    Process process(words);
    ASSERT_TRUE(process.read_errors_until("clusters, ")) << method;
    process.send(SIGTERM);
    expect_nothing_written(process.wait());
  }
}

// A run that is nearly done is let finish; either way the same labels come out of it.
TEST_F(Interrupt, WhilePrototypesAreMadeKeepsTheFirstLook) {
  const std::string data = dir_.write_file("a.csv", to_text(planted_table(1500, 20, 1), ","));
  const Arguments fit{"fit", data, "-k", "60", "--labels"};
  const Arguments keep{"--checkpoint", dir_.path("run"), "--resume"};
  Process process(fit + Arguments{dir_.path("labels")} + keep);
  while (!std::filesystem::exists(dir_.path("run"))) std::this_thread::yield();
  process.send(SIGTERM);
  const Outcome outcome = process.wait();
  ASSERT_TRUE(outcome.code == kInterrupted || outcome.code == 0) << outcome.message();
  EXPECT_EQ(std::filesystem::exists(dir_.path("run")), outcome.code == kInterrupted);
  const Outcome resumed = run_command(fit + Arguments{dir_.path("labels")} + keep);
  ASSERT_EQ(resumed.code, 0) << resumed.message();
  ASSERT_EQ(run_command(fit + Arguments{dir_.path("alone")}).code, 0);
  EXPECT_EQ(read_bytes(dir_.path("labels")), read_bytes(dir_.path("alone")));
  EXPECT_FALSE(std::filesystem::exists(dir_.path("run")));
}

TEST_F(Interrupt, AComparisonEndsWithItsMethod) {
  const std::string data = dir_.write_file("a.csv", to_text(planted_table(3000, 40, 1), ","));
  Process process({"compare", data, "-k", "200", "--methods", "concat-kmeans"});
  ASSERT_TRUE(process.read_errors_until("clusters, "));
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().code, kInterrupted);
}

}  // namespace
}  // namespace omvc::test
