// What an engineer meets who embeds the library: sources of their own that are not sound, arrays, models that are used
// by several threads, objects that were moved from.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/omvc.hpp"
#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

PlantedOptions planted() { return {.instances = 800, .features = {12, 20}, .clusters = 4, .missing = 0.3, .seed = 3}; }

Options options_for(double memory = 64) {
  Options options;
  options.clusters = 4;
  options.threads = 2;
  options.memory = memory;
  return options;
}

// Pages of a data base, as somebody would write such a source first.
class Pages final : public Source {
 public:
  enum class Flaw { none, numbers_restart, a_number_twice, empty_pages, other_again, wrong_size };
  Pages(Flaw flaw, bool again) : flaw_(flaw), again_(again), data_(make_planted_source(planted())) {}

  const Schema& schema() const override { return data_->schema(); }
  std::optional<Index> size() const override {
    return flaw_ == Flaw::wrong_size ? std::optional<Index>(801) : std::nullopt;
  }
  bool rewind() override {
    if (!again_) return false;
    ++readings_;
    return data_->rewind();
  }
  std::optional<Chunk> next(Index max_rows) override {
    if (flaw_ == Flaw::empty_pages && ++pages_ % 2 == 0) return empty();
    std::optional<Chunk> chunk = data_->next(std::min<Index>(max_rows, 100));
    if (!chunk) return chunk;
    const Index first = chunk->rows.front();
    for (Index& row : chunk->rows) {
      if (flaw_ == Flaw::numbers_restart) row -= first;
      if (flaw_ == Flaw::a_number_twice && row == 333) row = 132;
    }
    if (flaw_ == Flaw::other_again && readings_ > 0 && first == 0) std::swap(chunk->rows[0], chunk->rows[1]);
    return chunk;
  }

 private:
  Chunk empty() const {
    Chunk chunk;
    for (const ViewSchema& view : schema().views) {
      chunk.views.push_back({DenseBlock<double>{.rows = 0, .cols = view.features, .values = {}}, {}});
    }
    return chunk;
  }

  Flaw flaw_;
  bool again_;
  std::unique_ptr<Source> data_;
  Index pages_ = 0;
  Index readings_ = 0;
};

using Flaw = Pages::Flaw;

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

// (whether it can be read again, MB of the sample): data learned whole, in passes, and read once.
class EveryPath : public testing::TestWithParam<std::pair<bool, double>> {
 public:
  static Fitted fit(Flaw flaw) {
    Pages pages(flaw, GetParam().first);
    return Clusterer(options_for(GetParam().second)).fit(pages);
  }
};
INSTANTIATE_TEST_SUITE_P(Service, EveryPath,
                         testing::Values(std::pair{true, 64.0}, std::pair{true, 0.05}, std::pair{false, 64.0},
                                         std::pair{false, 0.05}));

TEST_P(EveryPath, RowNumbersThatAreNotThroughAreRefused) {
  for (const Flaw flaw : {Flaw::numbers_restart, Flaw::a_number_twice}) {
    const std::string words = refusal(ErrorKind::data, [&] { fit(flaw); });
    EXPECT_NE(words.find("800 instances"), std::string::npos) << words;
    EXPECT_NE(words.find(flaw == Flaw::numbers_restart ? "instance 100 " : "instance 333 "), std::string::npos)
        << words;
  }
}

TEST_P(EveryPath, AnEmptyChunkIsNoEnd) { EXPECT_EQ(fit(Flaw::empty_pages).found.labels, fit(Flaw::none).found.labels); }

TEST(CheckSource, SaysWhatIsWrongWithASource) {
  for (const bool again : {true, false}) {
    Pages sound(Flaw::none, again);
    EXPECT_EQ(check_source(sound), 800);
  }
  const auto words = [](Flaw flaw) {
    Pages pages(flaw, true);
    return refusal(ErrorKind::data, [&] { check_source(pages); });
  };
  EXPECT_NE(words(Flaw::numbers_restart).find("number 0 comes twice, the second time at instance 100"),
            std::string::npos);
  EXPECT_NE(words(Flaw::a_number_twice).find("number 132 comes twice"), std::string::npos);
  EXPECT_NE(words(Flaw::wrong_size).find("size() is 801"), std::string::npos);
  EXPECT_NE(words(Flaw::other_again).find("read again"), std::string::npos);
  EXPECT_EQ(words(Flaw::empty_pages), "");
}

TEST(BorrowedArrays, RowsLieOneBehindTheOtherUnlessAStepIsGiven) {
  std::vector<float> values;
  for (Index i = 0; i < 300 * 6; ++i)
    values.push_back(static_cast<float>(i / 6 % 3 == i % 6 ? 5 : (i * 37 % 11) * 0.05));
  const DenseRows<float> plain{.data = values.data(), .rows = 300, .cols = 6};
  DenseRows<float> stepped = plain;
  stepped.row_step = 6;
  Options options = options_for();
  options.clusters = 3;
  const Fitted found = Clusterer(options).fit({{.rows = plain}});
  EXPECT_EQ(found.found.labels, Clusterer(options).fit({{.rows = stepped}}).found.labels);
  EXPECT_EQ(found.report.instances, 300);
  for (std::size_t i = 3; i < 300; ++i) EXPECT_EQ(found.found.labels[i], found.found.labels[i % 3]);
}

TEST(BorrowedArrays, ViewsOfOtherLengthsAreRefusedByName) {
  const std::vector<double> values(60, 1.0);
  const std::string words = refusal(ErrorKind::data, [&] {
    Clusterer(options_for())
        .fit({{.rows = DenseRows<double>{.data = values.data(), .rows = 30, .cols = 2}},
              {.rows = DenseRows<double>{.data = values.data(), .rows = 20, .cols = 3}}});
  });
  EXPECT_NE(words.find("view 'view2': it has 20 rows where the first view has 30"), std::string::npos) << words;
}

TEST(Misuse, AClustererThatWasMovedFromSaysSo) {
  Clusterer model(options_for());
  Clusterer other = std::move(model);
  EXPECT_NE(refusal(ErrorKind::usage, [&] { model.clusters(); }).find("moved from"), std::string::npos);
  EXPECT_NE(refusal(ErrorKind::usage, [&] { model.save("/tmp/never"); }).find("moved from"), std::string::npos);
  EXPECT_EQ(other.summary().instances, 0);
}

TEST(Misuse, AViewThatIsNotThereIsAnErrorOfUsage) {
  Pages pages(Flaw::none, true);
  Clusterer model(options_for());
  model.fit(pages);
  EXPECT_EQ(basis(model, 1).size(), static_cast<std::size_t>(20 * model.summary().rank));
  EXPECT_NE(refusal(ErrorKind::usage, [&] { basis(model, 9); }).find("no view 9"), std::string::npos);
}

TEST(Snapshots, StayAsTheyAreWhileTheModelLearns) {
#ifdef OMVC_SANITIZED  // where everything takes ten times as long
  constexpr Index kLearned = 600;
#else
  constexpr Index kLearned = 2400;
#endif
  PlantedOptions more = planted();
  more.instances = kLearned;
  const auto source = make_planted_source(more);
  Clusterer model(options_for());
  const auto probe_source = make_planted_source(planted());
  const Chunk probe = *probe_source->next(200);
  model.partial_fit(*source->next(400), source->schema());
  const Snapshot before = model.snapshot();
  const Assignment expected = model.assign(probe);
  EXPECT_EQ(before.schema(), model.schema());
  EXPECT_EQ(before.clusters(), model.clusters());

  std::atomic<bool> learning{true};
  std::atomic<int> differences{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&, mine = before] {
      do {
        const Assignment found = mine.assign(probe);
        if (found.labels != expected.labels || found.confidence != expected.confidence) ++differences;
      } while (learning);
    });
  }
  while (const std::optional<Chunk> chunk = source->next(200)) model.partial_fit(*chunk);
  model.refresh();
  learning = false;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(differences, 0);
  EXPECT_EQ(model.summary().instances, kLearned);
}

TEST(ConstFunctions, RunSideBySideWithTheSameBits) {
  Pages pages(Flaw::none, true);
  Clusterer model(options_for());
  model.fit(pages);
  const auto source = make_planted_source(planted());
  const Chunk probe = *source->next(300);
  const Assignment expected = model.assign(probe, {.embedding = true});
  std::atomic<int> differences{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const Assignment found = model.assign(probe, {.embedding = true});
        if (found.labels != expected.labels || found.distance != expected.distance) ++differences;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(differences, 0);
}

}  // namespace
}  // namespace omvc
