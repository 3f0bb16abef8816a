// omvc fit over time: interrupted runs keep what was learned, and memory does not grow with the data.
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;
constexpr int kInterrupted = 6;

class LongRun : public testing::Test {
 protected:
  Arguments outputs() const {
    return {"--labels", dir_.path("labels"), "--embedding", dir_.path("embedding.csv"), "--model", dir_.path("model")};
  }
  // All outputs are there, whole, and nothing else is.
  void expect_whole_outputs(std::set<std::string> inputs, std::size_t rows, std::size_t rank) const {
    inputs.insert({"labels", "embedding.csv", "model"});
    EXPECT_EQ(names_in(dir_.path("")), inputs);
    EXPECT_EQ(read_label_file(dir_.path("labels")).size(), rows);
    const auto embedding = lines_of(read_bytes(dir_.path("embedding.csv")));
    EXPECT_EQ(embedding.size(), rows + 1) << "a header and the rows";
    for (const std::string& line : embedding) {
      EXPECT_EQ(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')), rank - 1);
    }
    EXPECT_EQ(run_command({"info", dir_.path("model")}).code, 0);
  }

  TempDir dir_;
};

// More passes than anyone waits for. Their lines fill the pipe long before they are done, so the command is still at
// work when the signal comes.
TEST_F(LongRun, SignalsEndTheRunWithWholeOutputs) {
  const std::string a = dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ","));
  const std::string b = dir_.write_file("b.csv", to_text(planted_table(kRows, 5, 2), ","));
  for (const int signal : {SIGINT, SIGTERM}) {
    Process process(
        Arguments{"fit", a, b, "-k", "3", "--passes", "100000", "--rank", "9", "--memory", "0.002", "--json"} +
        outputs());
    ASSERT_TRUE(process.read_errors_until("pass 1/100000"));
    process.send(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
    EXPECT_TRUE(contains(outcome.err, "interrupted"));
    EXPECT_EQ(outcome.json().at("stopped"), true);
    EXPECT_LT(outcome.json().at("passes").get<int>(), 100000);
    expect_whole_outputs({"a.csv", "b.csv"}, kRows, 9);
    for (const int label : read_label_file(dir_.path("labels"))) EXPECT_TRUE(label >= 0 && label < kClusters) << label;
  }
}

// Views with long names make the lines before the first pass longer than the pipe, so the command cannot start the pass
// before the signal has been sent. It stops after its first chunk.
class EarlySignal : public LongRun {
 protected:
  static constexpr int kPipeBytes = 4096;

  Outcome interrupt(const Arguments& more) const {
    Arguments views;
    for (unsigned v = 0; v < 24; ++v) {
      const std::string name = fmt::format("{:x>200}.csv", v);
      views.push_back(dir_.write_file(name, to_text(planted_table(kRows, 4, v), ",")));
    }
    Process process(Arguments{"fit", "-k", "3", "--threads", "1", "--memory", "0.02"} + views + outputs() + more +
                        Arguments{"--id-column", "none"},
                    {.error_pipe_bytes = kPipeBytes});
    EXPECT_TRUE(process.read_one_byte_of_errors());
    process.send(SIGINT);
    return process.wait();
  }
};

TEST_F(EarlySignal, InTheFirstPassLeavesRowsNotReachedWithoutALabel) {
  const Outcome outcome = interrupt({"--chunk", "20"});
  EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
  const std::vector<int> labels = read_label_file(dir_.path("labels"));
  ASSERT_EQ(labels.size(), kRows) << "one line for every instance, also those not reached";
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(labels[i] >= 0, i < 20) << i;
}

TEST_F(EarlySignal, InTheFirstPassKeepsTheLabelsOfTheRowsThatWereReached) {
  std::string order;
  for (std::size_t i = 0; i < kRows; ++i) order += fmt::format("{}\n", kRows - 1 - i);
  const Outcome outcome = interrupt({"--chunk", "20", "--order", dir_.write_file("order.txt", order)});
  EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
  const std::vector<int> labels = read_label_file(dir_.path("labels"));
  ASSERT_EQ(labels.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(labels[i] >= 0, i >= 40) << i;
}

TEST_F(EarlySignal, InTheFirstPassScoresTheRowsThatWereReached) {
  const std::string truth = dir_.write_file("truth.txt", planted_truth(kRows));
  const Outcome outcome = interrupt({"--chunk", "20", "--json", "--truth", truth});
  EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
  EXPECT_NEAR(outcome.json().value("ac_best", 0.0), 1, 1e-12);
}

// There are no clusters to tell yet, but it is still the user who stopped the run and not the data that are wrong.
TEST_F(EarlySignal, BeforeThereAreEnoughInstancesIsStillAnInterruption) {
  const Outcome outcome = interrupt({"--chunk", "2"});
  EXPECT_EQ(outcome.code, kInterrupted) << outcome.message();
  EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.message();
  for (const std::string& name : names_in(dir_.path(""))) {
    EXPECT_TRUE(name.ends_with(".csv") || name == "labels" || name == "model") << "left behind: " << name;
  }
}

TEST_F(LongRun, APipeIsReadOnceAndSaysSo) {
  const std::string fifo = dir_.path("pipe.csv");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Process process(Arguments{"fit", fifo, "-k", "3", "--passes", "4", "--json"} + outputs());
  std::ofstream(fifo) << to_text(planted_table(kRows, 6, 1), ",");
  const Outcome outcome = process.wait();
  ASSERT_EQ(outcome.code, 0) << outcome.message();
  EXPECT_EQ(outcome.json().at("passes"), 1);
  EXPECT_TRUE(contains(outcome.err, "only once")) << outcome.message();
  EXPECT_TRUE(are_planted_clusters(read_label_file(dir_.path("labels"))));
}

// The system counts what the parent held when it started the command, unless one asks for the process alone.
TEST_F(LongRun, PeakMemoryIsThatOfTheCommandAndNotOfItsParent) {
  const std::string a = dir_.write_file("a.csv", to_text(planted_table(kRows, 6, 1), ","));
  constexpr std::size_t kBytes = std::size_t{192} << 20;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const nlohmann::json summary = run_command({"fit", a, "-k", "3", "--json", "--quiet"}).json();
  munmap(memory, kBytes);
  EXPECT_LT(summary.at("peak_rss_bytes").get<double>(), kBytes / 2.0);
}

#ifndef OMVC_SANITIZED
// Writes row after row; nothing here holds the table.
std::string write_long_file(const TempDir& dir, const std::string& name, std::size_t rows, std::size_t features) {
  std::ofstream file(dir.path(name));
  std::mt19937 random(1);
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line;
    for (std::size_t j = 0; j < features; ++j) {
      const unsigned strong = static_cast<int>(j % kClusters) == planted_cluster(i) ? 50 : 0;
      line += fmt::format("{}{}", j == 0 ? "" : ",", strong + random() % 10);
    }
    file << line << '\n';
  }
  return dir.path(name);
}

TEST_F(LongRun, MemoryDoesNotGrowWithTheNumberOfInstances) {
  const auto peak = [&](std::size_t rows) {
    const std::string a = write_long_file(dir_, "a.csv", rows, 4);
    const std::string b = write_long_file(dir_, "b.csv", rows, 3);
    const Arguments options{"-k", "3", "--passes", "1", "--threads", "1", "--memory", "1"};
    const Outcome outcome =
        run_command(Arguments{"fit", a, b, "--json", "--quiet", "--labels", dir_.path("labels")} + options);
    EXPECT_EQ(outcome.code, 0) << outcome.message();
    EXPECT_EQ(outcome.json().at("n"), rows);
    return outcome.json().at("peak_rss_bytes").get<double>();
  };
  const double small = peak(20'000);
  EXPECT_LE(peak(200'000), 1.1 * small);
}
#endif

}  // namespace
}  // namespace omvc::test
