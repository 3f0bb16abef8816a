// omvc update: a model that goes on learning from files; and assign, chunk by chunk.
#include "app/live_stream.hpp"

namespace omvc::test {
namespace {

class UpdateCommand : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome fit = run_command({"fit", a_, b_, "-k", "3", "--quiet", "--model", model_});
    ASSERT_EQ(fit.code, 0) << fit.err;
  }
  // Columns with names, so that their order does not matter.
  std::string csv(const std::string& name, const std::string& header, const Table& table) const {
    return dir_.write_file(name, header + "\n" + to_text(table, ","));
  }

  TempDir dir_;
  std::string a_ = csv("a.csv", "p,q,r,s", planted_table(240, 4, 1));
  std::string b_ = csv("b.csv", "u,v,w", planted_table(240, 3, 2));
  std::string model_ = dir_.path("model.omvc");
};

TEST_F(UpdateCommand, ReplacesTheModelAndSaysWhatChanged) {
  std::filesystem::create_directory(dir_.path("more"));
  const std::string more_a = csv("more/a.csv", "p,q,r,s", planted_table(120, 4, 11));
  const std::string more_b = csv("more/b.csv", "u,v,w", planted_table(120, 3, 12));
  const Outcome outcome = run_command({"update", model_, more_a, more_b, "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"120 instances learned, 240 before: 360 in all", "3 clusters, 3 before", "drift", "model: "}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in: " << outcome.out;
  }
  EXPECT_FALSE(contains(outcome.out, "moved")) << outcome.out;
  EXPECT_EQ(run_command({"info", model_, "--json"}).json().at("instances"), 360);
}

TEST_F(UpdateCommand, WritesANewFileAndJsonAndTakesOneViewInAnyOrderOfItsColumns) {
  const std::string before = read_bytes(model_);
  Table moved = planted_table(120, 4, 11);
  for (auto& row : moved) {
    std::reverse(row.begin(), row.end());
    for (double& x : row) x += 3;
  }
  std::filesystem::create_directory(dir_.path("more"));
  const std::string more = csv("more/a.csv", "s,r,q,p", moved);
  const nlohmann::json json =
      run_command({"update", model_, more, "--quiet", "--json", "-o", dir_.path("new.omvc")}).json();
  EXPECT_EQ(read_bytes(model_), before);
  EXPECT_EQ(json.at("instances"), 120);
  EXPECT_EQ(json.at("views")[0].at("observed"), 120);
  EXPECT_GT(json.at("views")[0].at("drift"), 1);
  EXPECT_EQ(json.at("views")[1].at("observed"), 0);
  EXPECT_TRUE(json.at("views")[1].at("drift").is_null());
  EXPECT_EQ(run_command({"info", dir_.path("new.omvc"), "--json"}).json().at("instances"), 360);
}

TEST_F(UpdateCommand, WhatDoesNotFitLeavesTheModelAsItWas) {
  const std::string before = read_bytes(model_);
  const auto files = names_in(dir_.path(""));
  std::filesystem::create_directory(dir_.path("more"));
  Table bad = planted_table(30, 4, 3);
  bad[20].pop_back();
  expect_failure({"update", model_, csv("more/a.csv", "p,q,r,s", bad), "--quiet"}, 3, {"a.csv:22"});
  expect_failure({"update", model_, csv("more/a.csv", "p,q,r,x", planted_table(30, 4, 3)), "--quiet"}, 3, {"'s'"});
  expect_failure({"update", model_, csv("more/c.csv", "p,q,r,s,t", planted_table(30, 5, 3)), a_, b_, "--quiet"}, 3,
                 {"no view 'c'", "--ignore-extra"});
  expect_failure({"update", dir_.path("none"), a_, "--quiet"}, 4, {"none"});
  expect_failure({"update", model_, model_, "--quiet"}, 2, {"input"});
  std::filesystem::remove_all(dir_.path("more"));
  EXPECT_EQ(names_in(dir_.path("")), files);
  EXPECT_EQ(read_bytes(model_), before);
  ASSERT_EQ(run_command({"fit", a_, b_, "-k", "3", "--quiet", "--predictor", dir_.path("small")}).code, 0);
  expect_failure({"update", dir_.path("small"), a_, b_, "--quiet"}, 2, {"small", "prediction"});
}

TEST_F(UpdateCommand, ResultsThatNobodyCanReadLeaveTheModelAsItWas) {
  const std::string before = read_bytes(model_);
  const Outcome outcome = Process({"update", model_, a_, b_, "--quiet"}, {.output = "/dev/full"}).wait();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "left as it was")) << outcome.err;
  EXPECT_TRUE(read_bytes(model_) == before);
}

TEST_F(UpdateCommand, AnAbsurdRowIsNamedAndNotLearned) {
  std::filesystem::create_directory(dir_.path("more"));
  Table more = planted_table(120, 4, 11);
  more[17].assign(4, 1e18);
  const std::string file = csv("more/a.csv", "p,q,r,s", more);
  const Outcome outcome = run_command({"update", model_, file, "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "not learned until more are: rows 17")) << outcome.out;
  const nlohmann::json info = run_command({"info", model_, "--json"}).json();
  EXPECT_EQ(info.at("instances"), 360);
  EXPECT_EQ(info.at("set_aside"), 1);
  EXPECT_TRUE(contains(run_command({"info", model_}).out, "1 row")) << "and info says so";
}

TEST_F(UpdateCommand, AssignAnswersAPipeChunkByChunk) {
  const std::string fifo = dir_.path("b.fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int descriptor = open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  Process process({"assign", model_, "b=-", "--chunk", "10", "--header", "yes", "--quiet"}, {.input = fifo});
  const std::string text = "u,v,w\n" + to_text(planted_table(2000, 3, 2), ",");
  ASSERT_EQ(write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  // A thousand labels have come while the pipe is open and more rows may follow.
  EXPECT_TRUE(process.read_lines(1000));
  close(descriptor);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 2000u);
  const Outcome whole = run_command({"assign", model_, "b=" + dir_.write_file("big.csv", text)});
  EXPECT_EQ(outcome.out, whole.out) << "the chunk decides nothing";
}

}  // namespace
}  // namespace omvc::test
