#include "run/together.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/planted.hpp"

#include "support/collected.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_exchange.hpp"

namespace omvc {
namespace {

#ifdef OMVC_SANITIZED  // where everything takes ten times as long
constexpr Index kInstances = 18000;
constexpr int kInSecondPass = 13;
const std::vector<int> kRanks{2, 5};
#else
constexpr Index kInstances = 40000;
constexpr int kInSecondPass = 25;  // chunk of the second of three processes
const std::vector<int> kRanks{2, 3, 4, 8};
#endif

PlantedOptions planted() {
  return {.instances = kInstances, .features = {6, 40}, .density = {1, 0.1}, .clusters = 4, .missing = 0.3, .seed = 5};
}

Options options() {
  Options options;
  options.clusters = 4;
  options.memory = 0.3;  // the data are more than the sample holds
  options.chunk = 700;   // which divides nothing
  options.passes = 2;
  options.threads = 1;
  return options;
}

struct Outcome {
  std::vector<int> labels;
  std::vector<double> embedding;
  std::string model;
  std::vector<PatternReport> patterns;
  std::vector<Index> sizes;

  bool operator==(const Outcome& other) const {
    return labels == other.labels && embedding == other.embedding && model == other.model && sizes == other.sizes &&
           patterns.size() == other.patterns.size();
  }
};

Outcome fit(Exchange& exchange, const Options& chosen, Observer& observer, const Checkpointing& checkpointing = {}) {
  const auto source = make_planted_source(planted());
  test::Collected sink;
  Clusterer model(chosen);
  const Report report =
      model.fit(*source, sink, {.observer = &observer, .checkpointing = checkpointing, .exchange = &exchange});
  if (exchange.rank() > 0) return {};
  return {sink.labels, sink.embedding, model.to_bytes(), report.patterns, report.cluster_sizes};
}

Outcome fit_by(int ranks, const Options& chosen, const Checkpointing& checkpointing = {}) {
  Outcome outcome;
  const std::vector<std::string> failures = test::run_ranks(ranks, [&](Exchange& exchange) {
    Observer silent;
    Outcome mine = fit(exchange, chosen, silent, checkpointing);
    if (exchange.rank() == 0) outcome = std::move(mine);
  });
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  return outcome;
}

TEST(Together, AnyNumberOfProcessesAndThreadsGivesTheSameBits) {
  const Outcome alone = fit_by(1, options());
  ASSERT_EQ(alone.labels.size(), static_cast<std::size_t>(kInstances));
  for (const int ranks : kRanks) {
    Options chosen = options();
    chosen.threads = ranks % 3 + 1;
    EXPECT_TRUE(fit_by(ranks, chosen) == alone) << ranks;
  }
}

TEST(Together, DataThatFitInTheSampleAreLearnedByTheFirst) {
  Options chosen = options();
  chosen.memory = 64;
  EXPECT_TRUE(fit_by(3, chosen) == fit_by(1, chosen));
}

// Stops the run of one process in its n-th chunk of all passes.
class Stopper : public Observer {
 public:
  explicit Stopper(int chunks) : left_(chunks) {}
  bool on_chunk(const ChunkReport&) override { return --left_ != 0; }

 private:
  int left_;
};

TEST(Together, AStoppedRunGoesOnWithAnotherNumberOfProcesses) {
  const Outcome alone = fit_by(1, options());
  const test::TempDir folder;
  // In the first and in the second pass of the process that is stopped.
  for (const std::pair<int, int>& tried : {std::pair{3, 2}, {kInSecondPass, 1}, {kInSecondPass, 2}}) {
    const int chunk = tried.first;
    const int resumed = tried.second;
    const Checkpointing keep{.file = folder.path("run"), .resume = true};
    const std::vector<std::string> failures = test::run_ranks(3, [&](Exchange& exchange) {
      Stopper stopper(exchange.rank() == 1 ? chunk : 1000000);
      fit(exchange, options(), stopper, keep);
    });
    for (const std::string& failure : failures) EXPECT_NE(failure.find("interrupted"), std::string::npos) << failure;
    ASSERT_TRUE(std::filesystem::exists(keep.file));
    EXPECT_TRUE(fit_by(resumed, options(), keep) == alone) << chunk << ", by " << resumed;
    remove_checkpoint(keep.file);
  }
}

TEST(Together, WhatOneProcessThrowsAllThrow) {
  class Failing : public Observer {
   public:
    bool on_chunk(const ChunkReport&) override { throw Error(ErrorKind::io, "the disk is full"); }
  };
  const std::vector<std::string> failures = test::run_ranks(4, [&](Exchange& exchange) {
    Observer silent;
    Failing failing;
    fit(exchange, options(), exchange.rank() == 2 ? static_cast<Observer&>(failing) : silent);
  });
  for (const std::string& failure : failures) EXPECT_EQ(failure, "rank 2 of 4: the disk is full");
}

TEST(Together, OtherOptionsOfOneProcessAreRefusedByAll) {
  const std::vector<std::string> failures = test::run_ranks(3, [&](Exchange& exchange) {
    Observer silent;
    Options chosen = options();
    if (exchange.rank() == 1) chosen.seed = 9;
    fit(exchange, chosen, silent);
  });
  for (const std::string& failure : failures)
    EXPECT_EQ(failure.find("rank 1 has other data or options"), 0u) << failure;
}

TEST(Together, PartsCoverTheDataOnce) {
  for (const Index instances : {Index{0}, Index{5}, Index{8192}, Index{100000}}) {
    for (const int size : {1, 2, 3, 7, 16}) {
      Index next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Rows rows = part_of(instances, rank, size);
        EXPECT_EQ(rows.first, next);
        next += rows.count;
      }
      EXPECT_EQ(next, instances);
    }
  }
}

}  // namespace
}  // namespace omvc
