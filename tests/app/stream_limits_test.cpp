// omvc stream within its limits: memory, names, lines, ranks; and what it says of its labels.
#include "app/live_stream.hpp"

namespace omvc::test {
namespace {

using StreamLimits = StreamTest;

TEST_F(StreamLimits, ASampleTooSmallForPrototypesIsRefused) {
  const Outcome outcome = stream_file(dir_, json_rows(0, 300), start_ + Arguments{"--memory", "0.001"});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "give --memory")) << outcome.err;
}

TEST_F(StreamLimits, AnyRankAndAnyNumberOfThreadsWillDo) {
  const Outcome outcome = stream_file(dir_, json_rows(0, 300), start_ + Arguments{"--rank", "90", "--threads", "4096"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(Answers(outcome.out).rows.back().at("cluster").is_null());
  std::string table = "x\n";
  for (int i = 0; i < 100; ++i) table += i % 3 == 0 ? "7\n" : "2\n";
  const std::string file = dir_.write_file("two.csv", table);
  const Outcome fit = run_command({"fit", file, "-k", "2", "--rank", "9", "--quiet", "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(fit.json().at("cluster_sizes"), (std::vector<int>{66, 34}));
}

TEST_F(StreamLimits, LinesAndNamesAreBoundedByTheMemory) {
  std::string text = json_rows(0, 120);
  text += "{\"id\": \"long\", \"a\": [" + std::string(5 << 20, '1') + "]}\n";
  std::string names;
  for (int i = 0; i < 70000; ++i) names += fmt::format("{}\"w{}\": 1", i == 0 ? "" : ", ", i);
  const std::string wide = "{\"id\": \"wide\", \"text\": {" + names + "}}\n";
  const Outcome outcome = stream_file(dir_, wide + text, {"--model", model_, "-k", "3", "--memory", "8"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Answers answers(outcome.out);
  EXPECT_TRUE(contains(answers.rows.back().at("error"), "longer than 2 MB")) << answers.rows.back();
  EXPECT_TRUE(answers.rows.back().at("id").is_null()) << answers.rows.back();
  EXPECT_TRUE(contains(outcome.err, "4464 entries were left out")) << outcome.err;
  for (const nlohmann::json& view : run_command({"info", model_, "--json"}).json().at("views")) {
    EXPECT_LE(view.at("features"), 65536);
  }
}

TEST_F(StreamLimits, AFileThatIsReplayedIsToldWhatItsLabelsAre) {
  const Arguments loud{"--model", model_, "-k", "3"};
  const std::string note = "most labels are those of the first model";
  EXPECT_TRUE(contains(stream_file(dir_, json_rows(0, 300), loud).err, note));
  EXPECT_FALSE(contains(stream_file(dir_, json_rows(300, 400), loud + Arguments{"--in-step"}).err, note));
  LiveStream live(dir_, loud);
  live.send(json_rows(400, 410));
  EXPECT_FALSE(contains(live.finish().err, note)) << "of rows that come in their own time";
}

}  // namespace
}  // namespace omvc::test
