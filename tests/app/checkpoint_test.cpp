// omvc fit --checkpoint and --resume: killed, stopped or out of room at any file operation, nothing is lost.
#include <filesystem>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;

class CheckpointedRun : public testing::Test {
 protected:
  CheckpointedRun() {
    Table b = planted_table(kRows, 5, 2);
    for (std::size_t i = 0; i < kRows; i += 4) b[i].clear();
    inputs_ = {dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ",")),
               dir_.write_file("b.csv", to_text(with_nan_rows(b), ","))};
    EXPECT_EQ(run_command(fit("undisturbed", false)).code, 0);
  }

  // All outputs of a run have its name.
  Arguments fit(const std::string& name, bool checkpoint = true) const {
    Arguments arguments{"fit",   "-k",       "3", "--chunk", "30",        "--memory",
                        "0.002", "--passes", "4", "--quiet", "--threads", "1"};
    arguments = arguments + inputs_ + Arguments{"--labels", dir_.path(name + ".labels")};
    arguments = arguments + Arguments{"--model", dir_.path(name + ".model")};
    if (!checkpoint) return arguments;
    return arguments + Arguments{"--checkpoint", dir_.path("ckpt"), "--checkpoint-chunks", "1", "--resume"};
  }

  void expect_same(const std::string& name, const std::string& when) const {
    for (const char* what : {".labels", ".model"}) {
      EXPECT_TRUE(read_bytes(dir_.path(name + what)) == read_bytes(dir_.path(std::string("undisturbed") + what)))
          << what << " differs: " << when;
    }
    EXPECT_FALSE(std::filesystem::exists(dir_.path("ckpt"))) << when;
    EXPECT_FALSE(std::filesystem::exists(dir_.path("ckpt.rows"))) << when;
  }

  Outcome run_with(const std::vector<std::string>& variables, const std::string& name) const {
    std::vector<std::string> environment = variables;
    environment.push_back(std::string("LD_PRELOAD=") + OMVC_FAULTS);
    return Process(fit(name), {.environment = environment}).wait();
  }

  long count_file_operations() const {
    const std::string count = dir_.path("count");
    EXPECT_EQ(run_with({"OMVC_FAULT_COUNT=" + count}, "counted").code, 0);
    expect_same("counted", "nothing went wrong");
    return std::stol(read_bytes(count));
  }

  TempDir dir_;
  Arguments inputs_;
};

// An odd stride meets every kind of operation: row stores, syncs, the archive, its link and its rename, the outputs.
constexpr long kStride = 7;

#ifndef OMVC_SANITIZED
TEST_F(CheckpointedRun, KilledAtAnyFileOperationAndResumedHasTheSameBits) {
  const long operations = count_file_operations();
  ASSERT_GT(operations, 100);
  for (long at = 1; at <= operations; at += kStride) {
    const Outcome killed = run_with({fmt::format("OMVC_KILL_AT={}", at)}, "killed");
    EXPECT_EQ(killed.code, -SIGKILL) << at;
    EXPECT_EQ(run_command(fit("killed")).code, 0);
    expect_same("killed", fmt::format("killed at file operation {} of {}", at, operations));
  }
}

TEST_F(CheckpointedRun, OutOfRoomAtAnyFileOperationKeepsTheLastCheckpoint) {
  const long operations = count_file_operations();
  for (long at = 3; at <= operations; at += kStride) {
    const Outcome full = run_with({fmt::format("OMVC_FAULT_AT={}", at)}, "full");
    EXPECT_EQ(full.code, 4) << at << full.message();
    EXPECT_TRUE(contains(full.err, "cannot ")) << full.message();
    for (const std::string& name : names_in(dir_.path(""))) {
      EXPECT_FALSE(name.starts_with(".omvc-part-")) << "left behind: " << name;
    }
    EXPECT_EQ(run_command(fit("full")).code, 0);
    expect_same("full", fmt::format("out of room at file operation {} of {}", at, operations));
  }
}
#endif

// More passes than anyone waits for, so that the command is still at work when the signal comes.
TEST_F(CheckpointedRun, SignalsWriteACheckpointThatIsResumed) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Arguments endless = Arguments{"fit", "-k", "3", "--passes", "100000", "--memory", "0.002"} + inputs_ +
                              Arguments{"--checkpoint", dir_.path("ckpt"), "--labels", dir_.path("never"), "--resume"};
    for (int round = 0; round < 2; ++round) {
      Process process(endless);
      ASSERT_TRUE(process.read_errors_until(round == 0 ? "pass 1/100000" : "pass "));
      process.send(signal);
      const Outcome outcome = process.wait();
      EXPECT_EQ(outcome.code, 6) << outcome.message();
      EXPECT_TRUE(contains(outcome.err, dir_.path("ckpt"))) << outcome.message();
      EXPECT_TRUE(contains(outcome.err, "--resume")) << outcome.message();
      EXPECT_FALSE(std::filesystem::exists(dir_.path("never")));
    }
    std::filesystem::remove(dir_.path("ckpt"));
  }
}

TEST_F(CheckpointedRun, BadPlacesAreFoundBeforeTheWork) {
  const Arguments bare = Arguments{"fit", "-k", "3"} + inputs_;
  expect_failure(bare + Arguments{"--checkpoint", dir_.path("x")}, 2, {"none are asked for", "--labels"});
  const Arguments start = bare + Arguments{"--labels", dir_.path("labels")};
  expect_failure(start + Arguments{"--resume"}, 2, {"--checkpoint FILE"});
  expect_failure(start + Arguments{"--checkpoint", dir_.path("no/such/place")}, 4, {dir_.path("no/such/place")});
  expect_failure(start + Arguments{"--checkpoint", dir_.path("x"), "--model", dir_.path("x")}, 2, {"same name"});
  const std::string text = dir_.write_file("text", "no checkpoint\n");
  expect_failure(start + Arguments{"--checkpoint", text, "--resume"}, 3, {text, "not a sound omvc"});
  EXPECT_EQ(run_command(start + Arguments{"--model", dir_.path("model")}).code, 0);
  expect_failure(start + Arguments{"--checkpoint", dir_.path("model"), "--resume"}, 3,
                 {dir_.path("model"), "not a checkpoint"});
  // Starting anew replaces a checkpoint and nothing else.
  expect_failure(start + Arguments{"--checkpoint", dir_.path("model")}, 2, {dir_.path("model"), "is a model"});
  expect_failure(start + Arguments{"--checkpoint", inputs_[0]}, 2, {inputs_[0], "is an input"});
}

TEST_F(CheckpointedRun, APredictorAssignsLikeTheModel) {
  EXPECT_EQ(run_command(fit("small", false) + Arguments{"--predictor", dir_.path("predictor")}).code, 0);
  const Outcome by_model = run_command(Arguments{"assign", dir_.path("small.model")} + inputs_);
  const Outcome by_predictor = run_command(Arguments{"assign", dir_.path("predictor")} + inputs_);
  EXPECT_EQ(by_model.code, 0);
  EXPECT_EQ(by_model.out, by_predictor.out);
  EXPECT_LT(std::filesystem::file_size(dir_.path("predictor")), std::filesystem::file_size(dir_.path("small.model")));
}

}  // namespace
}  // namespace omvc::test
