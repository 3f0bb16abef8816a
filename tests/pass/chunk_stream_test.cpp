#include "pass/chunk_stream.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "chunk/fingerprint.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

std::unique_ptr<Source> planted() {
  return make_planted_source({.instances = 95, .features = {5, 40}, .density = {1, 0.2}, .missing = 0.3, .seed = 1});
}

// Delivers some chunks and then fails.
class FailingSource : public Source {
 public:
  explicit FailingSource(int good) : good_(good), source_(planted()) {}
  const Schema& schema() const override { return source_->schema(); }
  std::optional<Chunk> next(Index rows) override {
    if (good_-- == 0) throw Error(ErrorKind::data, "views.txt:17: ragged");
    return source_->next(rows);
  }
  bool rewind() override { return source_->rewind(); }

 private:
  int good_;
  std::unique_ptr<Source> source_;
};

TEST(ChunkStream, DeliversWhatTheSourceDoes) {
  const auto source = planted();
  const auto direct = planted();
  ChunkStream stream(*source, source->schema(), 10, nullptr);
  Index chunks = 0;
  while (const auto item = stream.next()) {
    const auto expected = direct->next(10);
    ASSERT_TRUE(expected);
    EXPECT_EQ(item->chunk.rows, expected->rows);
    EXPECT_EQ(item->fingerprint, fingerprint(*expected));
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_EQ(test::dense_rows(item->chunk.views[v], item->chunk.size()),
                test::dense_rows(expected->views[v], expected->size()));
    }
    ++chunks;
  }
  EXPECT_EQ(chunks, 10);
  EXPECT_FALSE(stream.next());
  EXPECT_FALSE(direct->next(10));
  EXPECT_GE(stream.waited(), 0);
}

TEST(ChunkStream, ReadersDoOtherWorkAndChunksOfShortRowsGrow) {
  const auto source = planted();
  const auto work = [](const Chunk& chunk) { return std::any(chunk.rows.front()); };
  ChunkStream stream(*source, source->schema(), 3, nullptr, {.readers = 4, .grow = true, .work = work});
  Index next = 0;
  Index largest = 0;
  while (const auto item = stream.next()) {
    EXPECT_EQ(item->chunk.rows.front(), next);
    EXPECT_EQ(std::any_cast<Index>(item->done), next);
    next += item->chunk.size();
    largest = std::max(largest, item->chunk.size());
  }
  EXPECT_EQ(next, 95);
  EXPECT_EQ(largest, 24) << "eight times as many";
}

TEST(ChunkStream, WhatTheOtherWorkThrowsComesWithItsChunk) {
  const auto source = planted();
  const auto work = [](const Chunk& chunk) {
    if (chunk.rows.front() == 30) throw Error(ErrorKind::data, "row 30 is too large");
    return std::any();
  };
  ChunkStream stream(*source, source->schema(), 10, nullptr, {.readers = 4, .work = work});
  for (int chunk = 0; chunk < 3; ++chunk) EXPECT_TRUE(stream.next());
  EXPECT_THROW(stream.next(), Error);
}

TEST(ChunkStream, ScalesAndKeepsTheFingerprintOfWhatWasRead) {
  const auto source = planted();
  const auto direct = planted();
  Survey survey(source->schema());
  Compute compute;
  survey.add(read_all(*source), compute);
  source->rewind();
  const std::vector<ViewScaling> scaling{choose_scaling(Scaling::minmax, survey.views[0], {"view1", 0, {}}),
                                         choose_scaling(Scaling::l2, survey.views[1], {"view1", 0, {}})};
  const Intake intake(source->schema(), scaling, kinds_of(survey));
  ChunkStream stream(*source, source->schema(), 95, &intake);
  const auto item = stream.next();
  auto expected = direct->next(95);
  EXPECT_EQ(item->fingerprint, fingerprint(*expected));
  EXPECT_EQ(item->negatives, (std::vector<Index>{0, 0}));
  apply_scaling(scaling, direct->schema(), *expected);
  EXPECT_EQ(fingerprint(item->chunk), fingerprint(*expected));
}

// Chunks of 20 MB each, and how far reading is ahead of what was taken.
class WideSource : public Source {
 public:
  const Schema& schema() const override { return schema_; }
  std::optional<Chunk> next(Index) override {
    if (begun_ == 12) return std::nullopt;
    ahead = std::max(ahead, ++begun_ - taken);
    Chunk chunk{{begun_ - 1}, {}};
    chunk.views.push_back({DenseBlock<float>{1, kWide, std::vector<float>(kWide, 1.0F)}, {0}});
    return chunk;
  }
  bool rewind() override { return false; }

  std::atomic<Index> taken = 0;
  Index ahead = 0;

 private:
  static constexpr Index kWide = 5'000'000;
  Schema schema_{{{"wide", kWide, {}}}};
  Index begun_ = 0;
};

TEST(ChunkStream, FewLargeChunksWaitHoweverManyReadersThereAre) {
  WideSource source;
  ChunkStream stream(source, source.schema(), 1, nullptr, {.readers = 8});
  while (stream.next()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++source.taken;
  }
  EXPECT_EQ(source.taken, 12);
  EXPECT_LE(source.ahead, 4);  // three in 64 MB, and the one that was taken and not yet counted
}

TEST(ChunkStream, SeveralThatAreReadyComeAtOnceAndInOrder) {
  const auto source = planted();
  const auto direct = planted();
  ChunkStream stream(*source, source->schema(), 10, nullptr, {.readers = 4});
  Index row = 0;
  for (std::vector<StreamedChunk> chunks = stream.next_ready(); !chunks.empty(); chunks = stream.next_ready()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const StreamedChunk& item : chunks) {
      EXPECT_EQ(item.chunk.rows.front(), row);
      EXPECT_EQ(item.fingerprint, fingerprint(*direct->next(10)));
      row += item.chunk.size();
    }
  }
  EXPECT_EQ(row, 95);
}

TEST(ChunkStream, AnErrorComesAfterTheChunksBeforeItAndOnlyOnce) {
  for (const int good : {0, 1, 3}) {
    FailingSource source(good);
    ChunkStream stream(source, source.schema(), 10, nullptr);
    for (int i = 0; i < good; ++i) EXPECT_TRUE(stream.next());
    test::expect_error(ErrorKind::data, {"views.txt:17: ragged"}, [&] { stream.next(); });
    EXPECT_FALSE(stream.next());
  }
}

TEST(ChunkStream, CanBeGivenUpAtAnyMoment) {
  for (int taken = 0; taken < 12; ++taken) {
    const auto source = planted();
    {
      ChunkStream stream(*source, source->schema(), 10, nullptr);
      for (int i = 0; i < taken; ++i) stream.next();
    }
    source->rewind();
    EXPECT_EQ(read_all(*source).size(), 95);
  }
}

TEST(ChunkStream, RefusesChunksThatContradictTheSchema) {
  const auto source = planted();
  Schema other = source->schema();
  other.views[1].features = 39;
  ChunkStream stream(*source, other, 10, nullptr);
  test::expect_error(ErrorKind::data, {"view2"}, [&] { stream.next(); });
}

}  // namespace
}  // namespace omvc
