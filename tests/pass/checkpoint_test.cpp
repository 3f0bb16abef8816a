#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "file/archive.hpp"
#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/small_fit.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::Collected;

using test::small_options;
using test::small_planted;

struct Killed {};

// Ends a run after some chunks: as a user does who stops it, or as kill -9 does, without a word.
class Ender : public Observer {
 public:
  Ender(int chunks, bool kill) : left_(chunks), kill_(kill) {}
  bool on_chunk(const ChunkReport&) override {
    if (--left_ > 0) return true;
    if (kill_) throw Killed{};
    return false;
  }
  int left() const { return left_; }

 private:
  int left_;
  bool kill_;
};

struct Outcome {
  std::vector<int> labels;
  std::vector<double> embedding;
  std::string model;
  std::vector<std::vector<ProductCount>> products;  // of each pass
  std::vector<Index> chunks;
  bool operator==(const Outcome&) const = default;
};

class Checkpoints : public testing::TestWithParam<Preset> {
 protected:
  // One run; nothing where it was ended before it was done.
  std::optional<Outcome> run(Checkpointing keep, Observer& observer, Options options) {
    const auto source = make_planted_source(small_planted());
    Collected found;
    Clusterer model(options);
    Report report;
    try {
      report = model.fit(*source, found, {.observer = &observer, .checkpointing = keep});
    } catch (const Killed&) {
      return std::nullopt;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      return std::nullopt;
    }
    model.save(folder_.path("model"));
    Outcome outcome{found.labels, found.embedding, test::read_bytes(folder_.path("model")), {}, {}};
    for (const PassReport& pass : report.passes) {
      outcome.products.push_back(pass.products);
      outcome.chunks.push_back(pass.chunks);
    }
    return outcome;
  }
  std::optional<Outcome> run(const Checkpointing& keep, Observer& observer) {
    return run(keep, observer, small_options(GetParam()));
  }
  std::string file() const { return folder_.path("run.ckpt"); }

  test::TempDir folder_;
};
INSTANTIATE_TEST_SUITE_P(Fit, Checkpoints, testing::Values(Preset::standard, Preset::paper));

TEST_P(Checkpoints, ARunEndedAfterAnyChunkAndResumedHasTheSameBits) {
  Observer silent;
  const auto undisturbed = run({}, silent);
  ASSERT_TRUE(undisturbed);
  for (const bool kill : {true, false}) {
    for (int chunks = 1;; ++chunks) {
      remove_checkpoint(file());
      Ender ender(chunks, kill);
      const Checkpointing keep{.file = file(), .resume = true, .seconds = 0, .chunks = 2};
      if (run(keep, ender)) {
        EXPECT_GE(chunks, 10);  // five passes of two chunks
        break;
      }
      ASSERT_TRUE(std::filesystem::exists(file()));
      const auto resumed = run(keep, silent);
      ASSERT_TRUE(resumed) << chunks;
      EXPECT_TRUE(*resumed == *undisturbed) << "ended after chunk " << chunks << (kill ? ", killed" : ", stopped");
    }
  }
}

// Where the sample holds everything, nothing is left to read once the prototypes are made: other data are refused all
// the same.
TEST(WholeCheckpoints, AreNotGoneOnWithOtherData) {
  class Failing : public Collected {
    void finish() override { throw Killed{}; }
  };
  const test::TempDir folder;
  Options options = small_options(Preset::standard);
  options.memory = 64;
  const Checkpointing keep{.file = folder.path("run"), .resume = true, .seconds = 0, .chunks = 1};
  Failing failing;
  EXPECT_THROW(Clusterer(options).fit(*make_planted_source(small_planted()), failing, {.checkpointing = keep}), Killed);
  ASSERT_TRUE(std::filesystem::exists(folder.path("run")));
  PlantedOptions other = small_planted();
  other.seed = 6;
  Collected found;
  test::expect_error(ErrorKind::data, {"the data are not those"},
                     [&] { Clusterer(options).fit(*make_planted_source(other), found, {.checkpointing = keep}); });
  Clusterer(options).fit(*make_planted_source(small_planted()), found, {.checkpointing = keep});
  Collected alone;
  Clusterer(options).fit(*make_planted_source(small_planted()), alone);
  EXPECT_EQ(found.labels, alone.labels);
}

TEST_P(Checkpoints, ARunEndedWithinAStepGoesOnToTheSameBits) {
  class Impatient : public Observer {
   public:
    explicit Impatient(int polls) : left_(polls) {}
    bool on_wait() override { return --left_ > 0; }

   private:
    int left_;
  };
  Observer silent;
  const auto undisturbed = run({}, silent);
  const Checkpointing keep{.file = file(), .resume = true, .seconds = 0, .chunks = 1};
  for (const int polls : {1, 7, 60, 400}) {
    remove_checkpoint(file());
    Impatient impatient(polls);
    run(keep, impatient);
    const auto resumed = run(keep, silent);
    ASSERT_TRUE(resumed);
    EXPECT_TRUE(*resumed == *undisturbed) << polls;
  }
}

TEST_P(Checkpoints, ARunThatIsKilledAgainAndAgainEndsWithTheSameBits) {
  Observer silent;
  const auto undisturbed = run({}, silent);
  const Checkpointing keep{.file = file(), .resume = true, .seconds = 0, .chunks = 1};
  std::optional<Outcome> outcome;
  int runs = 0;
  for (; !outcome; ++runs) {
    Ender ender(2, true);
    outcome = run(keep, ender);
    ASSERT_LT(runs, 100);
  }
  EXPECT_GT(runs, 5);
  EXPECT_TRUE(*outcome == *undisturbed);
}

TEST_P(Checkpoints, StartingAnewForgetsAnOlderRun) {
  Observer silent;
  const auto undisturbed = run({}, silent);
  Ender ender(5, true);
  Options other = small_options(GetParam());
  other.seed = 99;
  run({.file = file(), .chunks = 1}, ender, other);
  EXPECT_TRUE(run({.file = file(), .chunks = 1}, silent) == undisturbed);
}

// A small run that leaves a checkpoint in the middle of its second pass.
class LeftCheckpoint : public Checkpoints {
 protected:
  void SetUp() override {
    Ender ender(4, true);
    run({.file = file(), .chunks = 1}, ender);
    ASSERT_TRUE(std::filesystem::exists(file()));
  }
  void expect_refused(ErrorKind kind, const std::vector<std::string>& parts, const Options& options,
                      const PlantedOptions& data = small_planted()) {
    test::expect_error(kind, parts, [&] {
      const auto source = make_planted_source(data);
      Collected found;
      Clusterer(options).fit(*source, found, {.checkpointing = {.file = file(), .resume = true}});
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Fit, LeftCheckpoint, testing::Values(Preset::standard));

TEST_P(LeftCheckpoint, IsRefusedForOtherOptionsAndOtherData) {
  Options options = small_options(GetParam());
  options.passes = 6;
  expect_refused(ErrorKind::usage, {"passes = 5", "now it is 6", "--resume"}, options);
  options = small_options(GetParam());
  options.threads = 2;
  PlantedOptions wider = small_planted();
  wider.features[0] = 13;
  expect_refused(ErrorKind::data, {"other data"}, options, wider);
  PlantedOptions other = small_planted();
  other.seed = 6;
  expect_refused(ErrorKind::data, {"not those that the checkpoint was made with"}, options, other);
}

TEST_P(LeftCheckpoint, IsRefusedWhereItIsCutOrAnyBitIsFlipped) {
  const std::string good = test::read_bytes(file());
  for (std::size_t size = 0; size < good.size(); ++size) {
    test::expect_error(ErrorKind::data, {"not a sound omvc"},
                       [&] { Archive::from_bytes(std::string_view(good).substr(0, size), "run.ckpt"); });
  }
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    test::expect_error(ErrorKind::data, {"not a sound omvc"}, [&] { Archive::from_bytes(bad, "run.ckpt"); });
  }
}

TEST_P(LeftCheckpoint, IsRefusedWithoutItsRows) {
  std::filesystem::remove_all(file() + ".rows");
  expect_refused(ErrorKind::data, {"run.ckpt.rows", "missing"}, small_options(GetParam()));
}

// OPIMC goes on from the labels that the last pass left on disk.
class LeftLabels : public LeftCheckpoint {
 protected:
  void SetUp() override {
    options_ = method_options(Algorithm::opimc);
    options_.clusters = 3;
    options_.chunk = 60;
    options_.passes = 5;
    options_.threads = 1;
    end_after_four();
    ASSERT_TRUE(std::filesystem::exists(file()));
  }
  void end_after_four() {
    Ender ender(4, true);
    run({.file = file(), .resume = true, .chunks = 1}, ender, options_);
  }
  Options options_;
};
INSTANTIATE_TEST_SUITE_P(Fit, LeftLabels, testing::Values(Preset::standard));

TEST_P(LeftLabels, AreRefusedWhereTheyWereAltered) {
  const std::string rows = file() + ".rows/candidates.1";
  std::string bytes = test::read_bytes(rows);
  ASSERT_GT(bytes.size(), 100u);
  // The last row is one that the resumed pass has still to read.
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);
  folder_.write_file("run.ckpt.rows/candidates.1", bytes);
  expect_refused(ErrorKind::data, {"candidates.1", "altered"}, options_);
}

// Rows that the run wrote later than the checkpoint, or a copy of the checkpoint that is older than its rows.
TEST_P(LeftLabels, AreRefusedWhereTheyAreOfAnotherMoment) {
  const std::string older = test::read_bytes(file());
  end_after_four();
  folder_.write_file("run.ckpt", older);
  expect_refused(ErrorKind::data, {"run.ckpt.rows", "does not belong"}, options_);
}

// Entries as only somebody who sets the checksum right can write them.
TEST_P(LeftCheckpoint, IsRefusedWhereItsNumbersMakeNoSense) {
  constexpr Index kHuge = std::numeric_limits<Index>::max();
  const std::string good = test::read_bytes(file());
  const auto expect_refused_with = [&](const std::string& key, std::size_t at, Index number) {
    SCOPED_TRACE(testing::Message() << key << "[" << at << "] = " << number);
    Archive archive = Archive::from_bytes(good, "run.ckpt");
    std::vector<Index> numbers = archive.integers(key);
    ASSERT_LT(at, numbers.size());
    numbers[at] = number;
    archive.put(key, numbers);
    archive.save(file());
    expect_refused(ErrorKind::data, {}, small_options(GetParam()));
  };
  for (const std::size_t at : {2u, 3u, 4u}) expect_refused_with("checkpoint/position", at, kHuge);
  for (const std::size_t at : {0u, 1u, 2u, 3u, 4u}) expect_refused_with("checkpoint/counts", at, kHuge);
  expect_refused_with("checkpoint/counts", 2, 121);
  expect_refused_with("living/passes", 0, -1);
  expect_refused_with("clusters/group", 0, kHuge);
  expect_refused_with("clusters/numbers", 0, -1);
  expect_refused_with("clusters/state", 0, kHuge);
  for (const std::size_t at : {0u, 1u}) expect_refused_with("near/rows", at, kHuge);
  for (const char* key : {"checkpoint/products", "checkpoint/products0"}) {
    for (const Index number : {kHuge, Index{-1}}) {
      for (const std::size_t at : {0u, 1u, 2u}) expect_refused_with(key, at, number);
    }
    expect_refused_with(key, 0, 0);
  }
  expect_refused_with("checkpoint/products0", 3, 1);  // not in order
  for (const Index number : {kHuge, Index{-1}}) expect_refused_with("checkpoint/chunks", 0, number);

  for (const int column : {0, 1, 6}) {
    for (const double number : {std::nan(""), -1.0, 1e300}) {
      Archive archive = Archive::from_bytes(good, "run.ckpt");
      Matrix reports = archive.matrix("checkpoint/reports");
      reports(0, column) = number;
      archive.put("checkpoint/reports", reports);
      archive.save(file());
      expect_refused(ErrorKind::data, {"contradict"}, small_options(GetParam()));
    }
  }
}

TEST_P(LeftCheckpoint, IsRefusedWhereItsTimesMakeNoSense) {
  const std::string good = test::read_bytes(file());
  for (const double number : {std::nan(""), -1.0, std::numeric_limits<double>::infinity()}) {
    Archive archive = Archive::from_bytes(good, "run.ckpt");
    std::vector<double> seconds = archive.numbers("checkpoint/profile");
    seconds.back() = number;
    archive.put("checkpoint/profile", seconds);
    archive.save(file());
    expect_refused(ErrorKind::data, {"contradict"}, small_options(GetParam()));
  }
}

// Every step has at least the time of the run so far; with steps of another version, the sum of it goes to the last.
TEST_P(LeftCheckpoint, CarriesTheTimesOfTheRun) {
  constexpr double kLong = 1e6;
  Archive archive = Archive::load(file());
  std::vector<double> then = archive.numbers("checkpoint/profile");
  for (double& seconds : then) seconds += kLong;
  std::vector<double> times = archive.numbers("checkpoint/times");
  times[0] = kLong;
  archive.put("checkpoint/times", times);
  archive.put("checkpoint/profile", then);
  archive.save(file());
  const test::TempDir folder;
  std::filesystem::copy(file(), folder.path("ckpt"));
  std::filesystem::copy(file() + ".rows", folder.path("ckpt.rows"), std::filesystem::copy_options::recursive);
  const auto source = make_planted_source(small_planted());
  Collected found;
  const Report report = Clusterer(small_options(GetParam()))
                            .fit(*source, found, {.checkpointing = {.file = folder.path("ckpt"), .resume = true}});
  ASSERT_EQ(report.profile.size(), then.size());
  double sum = 0;
  for (std::size_t i = 0; i < then.size(); ++i) {
    const StepTime& step = report.profile[i];
    const double before = then[i];
    EXPECT_GE(step.seconds, before) << step.name;
    EXPECT_LT(step.seconds, before + kLong) << step.name;
    sum += step.overlaps ? 0 : step.seconds;
  }
  EXPECT_EQ(report.seconds, sum);
}

// The same instances in another order are other chunks.
TEST_P(LeftCheckpoint, IsRefusedForAnotherOrderOfTheSameData) {
  test::expect_error(ErrorKind::data, {"another order"}, [&] {
    const auto source = make_shuffled_source(make_planted_source(small_planted()), 1);
    Collected found;
    Clusterer(small_options(GetParam())).fit(*source, found, {.checkpointing = {.file = file(), .resume = true}});
  });
}

TEST_P(LeftCheckpoint, IsNoModel) {
  test::expect_error(ErrorKind::data, {"is a checkpoint"}, [&] { Clusterer::load(file()); });
}

TEST(Checkpoint, AStreamThatIsReadOnceCannotHaveOne) {
  class Once : public Source {
   public:
    const Schema& schema() const override { return source_->schema(); }
    std::optional<Chunk> next(Index rows) override { return source_->next(rows); }
    bool rewind() override { return false; }

   private:
    std::unique_ptr<Source> source_ = make_planted_source(small_planted());
  } once;
  const test::TempDir folder;
  Collected found;
  test::expect_error(ErrorKind::usage, {"read only once"}, [&] {
    Clusterer(small_options(Preset::standard)).fit(once, found, {.checkpointing = {.file = folder.path("x")}});
  });
}

// The data of a source that changes after some passes: other values, or other instances.
TEST(Fit, RefusesDataThatChangeBetweenPasses) {
  class Changing : public Source {
   public:
    const Schema& schema() const override { return source_->schema(); }
    std::optional<Chunk> next(Index rows) override { return source_->next(rows); }
    bool rewind() override {
      PlantedOptions options = small_planted();
      if (++rewinds_ > 3) options.seed = 17;
      source_ = make_planted_source(options);
      return true;
    }

   private:
    std::unique_ptr<Source> source_ = make_planted_source(small_planted());
    int rewinds_ = 0;
  } changing;
  Collected found;
  test::expect_error(ErrorKind::data, {"changed while they were read", "pass 3"},
                     [&] { Clusterer(small_options(Preset::standard)).fit(changing, found); });
}

}  // namespace
}  // namespace omvc
