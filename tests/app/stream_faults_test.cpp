// omvc stream in bad company: signals, kill -9, two at a time, readers that go away, lines without end.
#include <filesystem>
#include <map>
#include <random>

#include "app/live_stream.hpp"

namespace omvc::test {
namespace {

using StreamFaults = StreamTest;

TEST_F(StreamFaults, SignalsFinishSaveAndExitWithSix) {
  std::size_t first = 0;
  for (const int signal : {SIGTERM, SIGINT}) {
    LiveStream live(dir_, start_ + Arguments{"--save-every", "1h"});
    live.send(json_rows(first, first + 130));
    ASSERT_TRUE(live.process().read_output_until(fmt::format("\"r{}\"", first + 129)));
    live.process().send(signal);
    const Outcome outcome = live.process().wait();  // the pipe is still open
    EXPECT_EQ(outcome.code, 6) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "saved")) << outcome.err;
    first += 130;
    EXPECT_EQ(Answers(outcome.out).of("saved").back().at("after"), fmt::format("r{}", first - 1));
    EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), first);
  }
}

TEST_F(StreamFaults, WhereTheModelCannotBeSavedAtTheEndAllAnswersAreHandedOver) {
  std::filesystem::create_directory(dir_.path("folder"));
  const Arguments arguments{"--model", dir_.path("folder/model"), "-k", "3", "--save-every", "1h"};
  for (const bool interrupted : {false, true}) {
    LiveStream live(dir_, arguments);
    live.send(json_rows(0, 200));
    ASSERT_TRUE(live.process().read_output_until("\"r199\""));
    std::filesystem::rename(dir_.path("folder"), dir_.path("away"));
    if (interrupted) live.process().send(SIGTERM);
    const Outcome outcome = live.finish();
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "folder/model")) << outcome.err;
    const Answers answers(outcome.out);
    EXPECT_EQ(answers.rows.size(), 200u);
    EXPECT_EQ(answers.of("not saved").size(), 1u) << outcome.out;
    std::filesystem::rename(dir_.path("away"), dir_.path("folder"));
  }
}

TEST_F(StreamFaults, BeforeThereAreClustersNothingIsLostEither) {
  LiveStream live(dir_, start_);
  live.send(json_rows(0, 40));
  ASSERT_TRUE(live.process().read_output_until("\"r39\""));
  live.process().send(SIGINT);
  EXPECT_EQ(live.process().wait().code, 6);
  const Outcome outcome = stream_file(dir_, json_rows(40, 150), start_);
  const Answers answers(outcome.out);
  EXPECT_EQ(answers.of("resumed").at(0).at("after"), "r39");
  EXPECT_TRUE(answers.rows[59].at("cluster").is_null());
  EXPECT_FALSE(answers.rows[60].at("cluster").is_null()) << "the 40 rows count";
}

TEST_F(StreamFaults, HangupSavesNow) {
  LiveStream live(dir_, start_ + Arguments{"--save-every", "1h", "--every", "1h"});
  live.send(json_rows(0, 300));
  ASSERT_TRUE(live.process().read_output_until("\"r299\""));
  EXPECT_FALSE(std::filesystem::exists(model_));
  live.process().send(SIGHUP);
  ASSERT_TRUE(live.process().read_output_until("\"saved\", \"after\": \"r299\""));
  EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), 300);
  live.send(json_rows(300, 310));
  EXPECT_EQ(live.finish().code, 0);
}

TEST_F(StreamFaults, SavesEverySoOftenWhileRowsComeAndAfterTheyStopped) {
  LiveStream live(dir_, start_ + Arguments{"--save-every", "50ms", "--every", "20ms"});
  live.send(json_rows(0, 250));
  ASSERT_TRUE(live.process().read_output_until("\"saved\", \"after\": \"r249\"")) << "though no row comes any more";
  EXPECT_EQ(live.finish().code, 0);
}

// Every row is answered once or lost with a kill, and the lost ones are behind the last save, whose id is told.
TEST_F(StreamFaults, KilledAtAnyMomentItGoesOnFromTheLastSave) {
  constexpr std::size_t kRows = 6000;
  const Arguments arguments = start_ + Arguments{"--save-every", "20ms", "--every", "40,10ms"};
  std::mt19937 random(7);
  std::map<std::string, int> answered;
  std::size_t next = 0;
  int kills = 0;
  while (next < kRows) {
    LiveStream live(dir_, arguments);
    const std::size_t first = next;
    const std::size_t until = std::min(kRows, next + 150 + random() % 300);
    for (; next < until; next += 10) live.send(json_rows(next, std::min(until, next + 10)));
    next = until;
    const bool last = next == kRows;
    if (!last) {
      live.process().read_lines(random() % 200);
      live.process().send(SIGKILL);
      ++kills;
    }
    const Outcome outcome = live.finish();
    EXPECT_EQ(outcome.code, last ? 0 : -SIGKILL) << outcome.err;
    std::string out = outcome.out;
    out.resize(out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);  // a line cut by the kill is no answer
    const Answers answers(out);
    for (const nlohmann::json& row : answers.rows) ++answered[row.at("id").get<std::string>()];
    for (const nlohmann::json& resumed : answers.of("resumed")) {
      // The rows before `after` were answered or lost with an earlier kill; none of this run was learned before.
      const std::size_t after = std::stoul(resumed.at("after").get<std::string>().substr(1));
      EXPECT_LT(after, first);
      EXPECT_LE(resumed.at("instances"), first);
    }
    // What this run answered is without a gap, from its first row on.
    for (std::size_t i = 0; i < answers.rows.size(); ++i)
      EXPECT_EQ(answers.rows[i].at("id"), fmt::format("r{}", first + i));
    if (std::filesystem::exists(model_)) EXPECT_EQ(run_command({"info", model_}).code, 0) << "the model always loads";
  }
  EXPECT_GT(kills, 5);
  for (const auto& [id, count] : answered) EXPECT_EQ(count, 1) << id;
  for (const std::string& name : names_in(dir_.path(""))) EXPECT_FALSE(contains(name, ".omvc-part")) << name;
}

TEST_F(StreamFaults, WhatElseWouldReplaceTheModelIsRefusedWhileTheFirstLives) {
  ASSERT_EQ(stream_file(dir_, json_rows(0, 300), start_).code, 0);
  const std::string file = dir_.write_file("a.csv", to_text(planted_table(50, 6, 4), ","));
  LiveStream live(dir_, start_);
  live.send(json_rows(300, 310));
  ASSERT_TRUE(live.process().read_output_until("\"r309\""));
  const Outcome second = stream_file(dir_, json_rows(0, 5), start_);
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.out, "");
  EXPECT_TRUE(contains(second.err, "another process")) << second.err;
  EXPECT_EQ(run_command({"update", model_, file, "--quiet"}).code, 2);
  const std::string before = read_bytes(model_);
  for (const Arguments& other : {Arguments{"fit", file, "-k", "2", "--quiet", "--model", model_},
                                 Arguments{"cut", model_, "-k", "2", "-o", model_}}) {
    const Outcome refused = run_command(other);
    EXPECT_EQ(refused.code, 2) << other[0];
    EXPECT_TRUE(contains(refused.err, "another process")) << refused.err;
  }
  EXPECT_EQ(read_bytes(model_), before);
  EXPECT_EQ(run_command({"update", model_, file, "--quiet", "-o", dir_.path("new.omvc")}).code, 0);
  EXPECT_EQ(stream_file(dir_, json_rows(0, 5), {"--model", model_, "--no-learn", "--quiet"}).code, 0);
  live.process().send(SIGKILL);
  live.process().wait();
  EXPECT_EQ(stream_file(dir_, json_rows(310, 320), start_).code, 0) << "the lock of a killed one is no lock";
}

TEST_F(StreamFaults, AReaderThatGoesAwayEndsItWithTheModelSaved) {
  const std::string rows = dir_.write_file("rows.jsonl", json_rows(0, 500));
  Process process(Arguments{"stream"} + start_, {.output = "/dev/full", .input = rows});
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "stdout")) << outcome.err;
  EXPECT_EQ(run_command({"info", model_}).code, 0);
}

// What is saved where memory ends is the model of the rows before, never one with half of a chunk in it.
TEST_F(StreamFaults, WithoutMemoryOnlyWholeChunksAreSaved) {
#ifdef OMVC_SANITIZED
  GTEST_SKIP() << "the sanitizer has its own malloc";
#endif
  const Arguments in_step{"--in-step", "--every", "20", "--threads", "1"};
  ASSERT_EQ(stream_file(dir_, json_rows(0, 120), start_ + in_step).code, 0);
  const std::string before = read_bytes(model_);
  const auto go_on = [&](std::size_t rows, const std::vector<std::string>& environment) {
    dir_.write_file("model.omvc", before);
    const std::string input = dir_.write_file("rows.jsonl", json_rows(120, 120 + rows));
    return Process(Arguments{"stream"} + start_ + in_step, {.environment = environment, .input = input}).wait().code;
  };
  const std::string preload = std::string("LD_PRELOAD=") + OMVC_FAULTS;
  const std::string count = dir_.path("count");
  ASSERT_EQ(go_on(100, {preload, "OMVC_FAULT_KIND=memory", "OMVC_FAULT_COUNT=" + count}), 0);
  const int calls = std::stoi(read_bytes(count));
  for (int i = 1; i < 16; ++i) {
    const std::string at = fmt::format("OMVC_FAULT_AT={}", calls * i / 16);
    const int code = go_on(100, {preload, "OMVC_FAULT_KIND=memory", "OMVC_FAULT_ONCE=1", at});
    const std::string saved = read_bytes(model_);
    if (saved == before && code != 0) continue;
    const std::size_t rows = run_command({"info", model_, "--json"}).json().at("instances").get<std::size_t>() - 120;
    ASSERT_EQ(go_on(rows, {}), 0);
    EXPECT_TRUE(read_bytes(model_) == saved) << at << ": the model of " << rows << " rows is another";
    if (code == 0) EXPECT_EQ(rows, 100u) << at;
  }
}

TEST_F(StreamFaults, LinesWithoutEndAndNestingWithoutBottom) {
  std::string text = json_rows(0, 120);
  text += fmt::format("{{\"id\": \"deep\", \"a\": {}\n", std::string(100000, '['));
  text += std::string(70 << 20, 'x') + "\n";
  text += std::string("{\"id\": \"nul\", \"a\": [1, \0]}\n", 27);
  text += json_rows(120, 130);
  const Outcome outcome = stream_file(dir_, text, start_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Answers answers(outcome.out);
  ASSERT_EQ(answers.rows.size(), 133u);
  EXPECT_TRUE(contains(answers.rows[121].at("error"), "longer than")) << answers.rows[121];
  for (const std::size_t i : {120u, 121u, 122u}) EXPECT_TRUE(answers.rows[i].contains("error"));
}

TEST_F(StreamFaults, WhatThePipeHoldsIsNotWaitedFor) {
  LiveStream live(dir_, start_);
  live.send(json_row(0) + "{\"id\": \"half\", ");
  ASSERT_TRUE(live.process().read_output_until("\"r0\""));
  live.process().send(SIGTERM);
  EXPECT_EQ(live.process().wait().code, 6);
}

}  // namespace
}  // namespace omvc::test
