// omvc stream and those who read its results: readers that stall, that do not wait, that go away.
#include <filesystem>

#include "app/live_stream.hpp"

namespace omvc::test {
namespace {

class StreamStops : public StreamTest {
 protected:
  static constexpr std::size_t kRows = 4000;  // whose answers are more than a pipe holds

  std::string rows() { return dir_.write_file("many.jsonl", json_rows(0, kRows)); }
  std::size_t saved() {
    if (!std::filesystem::exists(model_)) return 0;
    return run_command({"info", model_, "--json"}).json().at("instances");
  }
};

TEST_F(StreamStops, AStalledReaderKeepsNobodyFromSaving) {
  Process process(Arguments{"stream"} + start_ + Arguments{"--save-every", "1h"}, {.input = rows()});
  // Hangups save what was read, though nobody takes the answers.
  ASSERT_TRUE(process.read_lines(1));
  while (saved() < 600) process.send(SIGHUP);
  process.send(SIGTERM);
  const Outcome outcome = process.wait_without_reading();
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  std::string out = outcome.out;
  out.resize(out.rfind('\n') + 1);  // the pipe may hold the beginning of a line
  const Answers answers(out);
  ASSERT_LT(answers.rows.size(), kRows);
  // Every row that was learned was delivered, or is named when the stream goes on.
  const Outcome again = stream_file(dir_, json_row(kRows), start_);
  EXPECT_EQ(again.code, 0) << again.err;
  const nlohmann::json resumed = Answers(again.out).of("resumed").at(0);
  EXPECT_EQ(resumed.at("undelivered").at("from"), fmt::format("r{}", answers.rows.size()));
  const std::size_t learned = answers.rows.size() + resumed.at("undelivered").at("rows").get<std::size_t>();
  EXPECT_EQ(resumed.at("instances"), learned);
  EXPECT_EQ(resumed.at("after"), fmt::format("r{}", learned - 1));
  EXPECT_TRUE(contains(outcome.err, "not delivered")) << outcome.err;
  // It is told once.
  const Outcome third = stream_file(dir_, json_row(kRows + 1), start_);
  EXPECT_FALSE(Answers(third.out).of("resumed").at(0).contains("undelivered"));
}

TEST_F(StreamStops, AReaderThatGoesOnGetsTheRest) {
  Process process(Arguments{"stream"} + start_, {.input = rows()});
  ASSERT_TRUE(process.read_lines(1));
  while (saved() < 600) process.send(SIGHUP);
  process.send(SIGTERM);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  const Answers answers(outcome.out);
  EXPECT_EQ(answers.of("saved").back().at("after"), answers.rows.back().at("id"));
}

TEST_F(StreamStops, OutputThatDoesNotBlockIsWaitedFor) {
  const std::string file = rows();
  const std::string table = dir_.write_file("a.csv", to_text(planted_table(9000, 3, 1), ","));
  ASSERT_EQ(run_command({"fit", table, "-k", "3", "--quiet", "--model", dir_.path("fit.omvc")}).code, 0);
  Process process(Arguments{"stream"} + start_, {.input = file, .nonblocking_output = true});
  ASSERT_TRUE(process.read_lines(10));
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Answers(outcome.out).rows.size(), kRows);
  const Arguments assign{"assign", dir_.path("fit.omvc"), table, "--quiet"};
  const Outcome labels = Process(assign, {.nonblocking_output = true}).wait();
  EXPECT_EQ(labels.code, 0) << labels.err;
  EXPECT_EQ(labels.out, run_command(assign).out);
}

TEST_F(StreamStops, WhoHasReadEnoughMayGo) {
  Process process(Arguments{"stream"} + start_, {.input = rows()});
  ASSERT_TRUE(process.read_lines(3));
  process.stop_reading_output();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 0) << "as with | head";
  EXPECT_TRUE(contains(outcome.err, "not delivered")) << outcome.err;
  EXPECT_GE(saved(), 3u) << "and what was answered is learned";
  const std::string table = dir_.write_file("a.csv", to_text(planted_table(9000, 3, 1), ","));
  const std::string model = dir_.path("fit.omvc");
  ASSERT_EQ(run_command({"fit", table, "-k", "3", "--quiet", "--model", model}).code, 0);
  Process assign({"assign", model, table, "--quiet"});
  ASSERT_TRUE(assign.read_lines(3));
  assign.stop_reading_output();
  const Outcome labels = assign.wait();
  EXPECT_EQ(labels.code, 0) << labels.err;
  EXPECT_EQ(labels.err, "");
}

}  // namespace
}  // namespace omvc::test
