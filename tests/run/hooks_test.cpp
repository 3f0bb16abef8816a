// A program with threads, a log and a stop button of its own, and what happens where it uses an object wrongly.
#include "omvc/hooks.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/explain.hpp"
#include "omvc/planted.hpp"
#include "omvc/stream.hpp"

#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::TempDir;

PlantedOptions planted(Index instances = 800) {
  return {.instances = instances, .features = {12, 20}, .clusters = 4, .missing = 0.3, .seed = 3};
}

Options options_for(double memory = 64) {
  Options options;
  options.clusters = 4;
  options.threads = 3;
  options.memory = memory;
  return options;
}

// Threads of a program.
class Pool final : public Executor {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int threads() const override { return static_cast<int>(threads_.size()); }
  void submit(std::function<void()> work) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
      ++submitted_;
    }
    changed_.notify_one();
  }
  int submitted() const { return submitted_; }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  int submitted_ = 0;
  std::vector<std::thread> threads_;
};

// One that has no time: what it is given it runs when it is asked to, long after.
class Busy final : public Executor {
 public:
  int threads() const override { return 4; }
  void submit(std::function<void()> work) override { waiting_.push_back(std::move(work)); }
  void run_all() {
    for (const std::function<void()>& work : waiting_) work();
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::vector<std::function<void()>> waiting_;
};

Fitted fit(Clusterer& model) {
  const auto source = make_planted_source(planted());
  return model.fit(*source);
}

std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

template <class F>
std::string refusal(ErrorKind kind, const F& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "";
}

// MB of the sample: data learned whole, and in a pass.
class Hooked : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Hooks, Hooked, testing::Values(64.0, 0.05));

TEST_P(Hooked, WorkOnTheProgramsThreadsGivesTheSameBitsAndStartsNoOther) {
  Clusterer plain(options_for(GetParam()));
  const Fitted expected = fit(plain);
  const auto pool = std::make_shared<Pool>(2);
  const std::size_t before = threads_of_process();
  std::size_t most = 0;
  Clusterer model(options_for(GetParam()));
  model.set_hooks(
      {.progress = [&](const PhaseReport&) { most = std::max(most, threads_of_process()); }, .executor = pool});
  const Fitted found = fit(model);
  EXPECT_EQ(found.found.labels, expected.found.labels);
  EXPECT_EQ(found.found.confidence, expected.found.confidence);
  EXPECT_GT(pool->submitted(), 0);
#ifndef OMVC_SANITIZED  // whose runtime has threads of its own
  EXPECT_EQ(most, before);
#endif
}

TEST_P(Hooked, AnExecutorThatNeverComesHoldsNothingUp) {
  Clusterer plain(options_for(GetParam()));
  const auto busy = std::make_shared<Busy>();
  Clusterer model(options_for(GetParam()));
  model.set_hooks({.executor = busy});
  EXPECT_EQ(fit(model).found.labels, fit(plain).found.labels);
  EXPECT_GT(busy->waiting(), 0u);
  busy->run_all();
}

TEST_P(Hooked, EveryPhaseIsToldFromItsBeginningToItsEnd) {
  std::map<Phase, std::vector<double>> told;
  Clusterer model(options_for(GetParam()));
  bool calibrating = false;
  model.set_hooks({.progress = [&](const PhaseReport& now) {
    told[now.phase].push_back(now.share);
    // The models of other rows that it makes are steps of it.
    EXPECT_TRUE(!calibrating || now.phase == Phase::confidence) << name_of(now.phase);
    calibrating = now.phase == Phase::confidence && now.share < 1;
  }});
  fit(model);
  std::vector<Phase> expected{Phase::reading, Phase::prototypes, Phase::clusters, Phase::confidence, Phase::labelling};
  if (GetParam() < 1) expected.push_back(Phase::learning);
  for (const Phase phase : expected) {
    std::vector<double>& shares = told[phase];
    ASSERT_GE(shares.size(), 2u) << name_of(phase);
    EXPECT_EQ(shares.front(), 0) << name_of(phase);
    EXPECT_EQ(shares.back(), 1) << name_of(phase);
    // A phase that comes again begins at 0.
    for (std::size_t i = 1; i < shares.size(); ++i) {
      EXPECT_TRUE(shares[i] >= shares[i - 1] || shares[i] == 0) << name_of(phase) << ": " << shares[i];
    }
  }
}

// Stops a call the n-th time that it is asked, for every n there is, and looks at what it has left behind.
template <class Call, class Check>
int stop_everywhere(Clusterer& model, const Call& call, const Check& check) {
  for (int n = 1;; n = n + 1 + n / 8) {
    int asked = 0;
    model.set_hooks({.stopping = [&] { return ++asked == n; }});
    if (refusal(ErrorKind::interrupted, [&] { call(); }).empty()) return n;
    check();
  }
}

TEST(Stopping, RefreshCutAndTreeLeaveTheModelAsItWas) {
  Clusterer model(options_for());
  fit(model);
  const std::string before = model.to_bytes();
  const auto same = [&] { EXPECT_EQ(model.to_bytes(), before); };
  EXPECT_GT(stop_everywhere(
                model, [&] { cluster_tree(model, 6); }, same),
            3);
  Clusterer cut = Clusterer::from_bytes(before);
  EXPECT_GT(stop_everywhere(
                cut, [&] { cut.cut(6); }, [&] { EXPECT_EQ(cut.to_bytes(), before); }),
            3);
  EXPECT_EQ(cut.clusters().size(), 6u);
  EXPECT_GT(stop_everywhere(
                model, [&] { model.refresh(); }, same),
            3);
}

TEST(Stopping, AFitThatIsEndedLeavesTheModelAsItWas) {
  Clusterer model(options_for());
  fit(model);
  const std::string before = model.to_bytes();
  int n = 0;
  model.set_hooks({.stopping = [&] { return ++n > 2; }});
  EXPECT_NE(refusal(ErrorKind::interrupted, [&] { fit(model); }), "");
  EXPECT_EQ(model.to_bytes(), before);
}

TEST(Stopping, APartialFitThatIsEndedHasLearnedItsChunk) {
  const auto source = make_planted_source(planted(2000));
  Clusterer model(options_for());
  bool stop = false;
  model.set_hooks({.stopping = [&] { return stop; }});
  model.partial_fit(*source->next(500), source->schema());
  stop = true;
  EXPECT_NE(refusal(ErrorKind::interrupted, [&] { model.partial_fit(*source->next(500)); }), "");
  EXPECT_EQ(model.summary().instances, 1000);
  EXPECT_EQ(model.clusters().size(), 4u);
  stop = false;
  const Assignment found = model.partial_fit(*source->next(500));
  EXPECT_EQ(model.summary().instances, 1500);
  EXPECT_EQ(found.labels.size(), 500u);
}

TEST(Log, TellsOfWarningsAndOfWhatWasLearned) {
  PlantedOptions with_nothing = planted();
  with_nothing.keep_one_view = false;
  const auto source = make_planted_source(with_nothing);
  std::vector<std::pair<LogLevel, std::string>> lines;
  Clusterer model(options_for());
  model.set_hooks({.log = [&](LogLevel level, std::string_view words) { lines.emplace_back(level, words); }});
  model.fit(*source);
  const auto has = [&](LogLevel level, const std::string& words) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return line.first == level && line.second.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(has(LogLevel::warning, "no view at all"));
  EXPECT_TRUE(has(LogLevel::info, "learned 800 instances"));
}

TEST(Misuse, AThreadThatReadsAModelWhileAnotherChangesItIsRefused) {
  Clusterer model(options_for());
  fit(model);
  const auto source = make_planted_source(planted());
  const Chunk probe = *source->next(10);
  const Snapshot snapshot = model.snapshot();
  std::vector<std::string> words;
  std::size_t labelled = 0;
  model.set_hooks({.progress = [&](const PhaseReport&) {
    std::thread([&] {
      words.push_back(refusal(ErrorKind::usage, [&] { model.assign(probe); }));
      words.push_back(refusal(ErrorKind::usage, [&] { model.cut(3); }));
      labelled += snapshot.assign(probe).labels.size();
    }).join();
  }});
  model.refresh();
  ASSERT_FALSE(words.empty());
  for (const std::string& said : words) EXPECT_NE(said.find("snapshot()"), std::string::npos) << said;
  EXPECT_EQ(labelled, words.size() * 5);
  EXPECT_EQ(model.assign(probe).labels.size(), 10u);
}

TEST(Misuse, ASecondThreadAtAStreamIsRefused) {
  TempDir dir;
  StreamOptions options{.file = dir.path("model.omvc"), .model = options_for()};
  options.in_step = true;
  Stream* stream = nullptr;
  std::vector<std::string> words;
  options.hooks.progress = [&](const PhaseReport&) {
    std::thread([&] { words.push_back(refusal(ErrorKind::usage, [&] { stream->events(); })); }).join();
  };
  Stream own(options);
  stream = &own;
  const auto source = make_planted_source(planted());
  while (const std::optional<Chunk> chunk = source->next(200)) own.push(*chunk);
  ASSERT_FALSE(words.empty());
  for (const std::string& said : words) EXPECT_NE(said.find("two threads use this Stream"), std::string::npos) << said;
}

TEST(Misuse, AStreamThatIsPushedWithoutASchemaOrIdsLearns) {
  TempDir dir;
  const auto labels_of = [&](const std::string& file, bool named) {
    StreamOptions options{.file = dir.path(file), .model = options_for()};
    options.in_step = true;
    Stream stream(options);
    const auto source = make_planted_source(planted());
    if (named) stream.widen(source->schema());
    std::vector<int> labels;
    while (const std::optional<Chunk> chunk = source->next(150)) {
      const StreamLabels found = stream.push(*chunk);
      labels.insert(labels.end(), found.labels.begin(), found.labels.end());
    }
    stream.finish();
    EXPECT_EQ(stream.instances(), 800);
    return labels;
  };
  const std::vector<int> labels = labels_of("plain.omvc", false);
  EXPECT_EQ(labels, labels_of("named.omvc", true));
  EXPECT_GT(std::count_if(labels.begin(), labels.end(), [](int label) { return label >= 0; }), 300);
  EXPECT_EQ(Clusterer::load(dir.path("plain.omvc")).schema().views[1].name, "view2");
  const Stream again({.file = dir.path("plain.omvc"), .model = options_for()});
  EXPECT_EQ(again.resumed_after(), "799");
}

TEST(Misuse, AStreamSaysWhatIsWrongWithACall) {
  TempDir dir;
  Stream stream({.file = dir.path("model.omvc"), .model = options_for()});
  const auto source = make_planted_source(planted());
  const Chunk chunk = *source->next(20);
  EXPECT_NE(refusal(ErrorKind::usage,
                    [&] {
                      stream.push(chunk, {"1", "2"});
                    })
                .find("2 ids were given for 20 rows"),
            std::string::npos);
  stream.push(chunk);
  Chunk lacking = chunk;
  lacking.views.pop_back();
  EXPECT_NE(refusal(ErrorKind::data, [&] { stream.push(lacking); }).find("1 views where the stream has 2"),
            std::string::npos);
  Chunk astray = chunk;
  astray.views[1].present.back() = 20;
  EXPECT_NE(refusal(ErrorKind::data, [&] { stream.push(astray); }).find("view2 of the rows is not well formed"),
            std::string::npos);
  Stream other = std::move(stream);
  EXPECT_NE(refusal(ErrorKind::usage, [&] { stream.push(chunk); }).find("moved from"), std::string::npos);
  other.finish();
  EXPECT_NE(refusal(ErrorKind::usage, [&] { other.push(chunk); }).find("finished"), std::string::npos);
}

}  // namespace
}  // namespace omvc
