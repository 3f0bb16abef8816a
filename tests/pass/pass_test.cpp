#include "pass/pass.hpp"

#include <gtest/gtest.h>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "chunk/fingerprint.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

constexpr Index kRows = 95;

std::unique_ptr<Source> planted(std::uint64_t seed = 1) {
  return make_planted_source(
      {.instances = kRows, .features = {5, 40}, .density = {1, 0.2}, .missing = 0.3, .seed = seed});
}

// A pass over all rows; what it has handed on is in `rows`.
Progress gone_through(Source& source, const PassOptions& options, std::vector<Index>* rows = nullptr) {
  Pass pass(source, source.schema(), options);
  EXPECT_TRUE(pass.each([&](std::vector<StreamedChunk>& chunks) {
    EXPECT_FALSE(chunks.empty());
    EXPECT_TRUE(options.together || chunks.size() == 1);
    for (const StreamedChunk& item : chunks) {
      EXPECT_LE(item.chunk.size(), options.rows);
      if (rows != nullptr) rows->insert(rows->end(), item.chunk.rows.begin(), item.chunk.rows.end());
    }
    return true;
  }));
  return pass.progress();
}

TEST(Pass, ProgressIsThatOfTheWholeForAnyChunks) {
  const Chunk whole = read_all(*planted());
  for (const Index size : {1, 7, 32, 95, 1000}) {
    for (const int readers : {1, 3}) {
      for (const bool together : {false, true}) {
        std::vector<Index> rows;
        const Progress found = gone_through(
            *planted(), {.rows = size, .ahead = {.readers = readers}, .together = together, .first = 4000}, &rows);
        EXPECT_EQ(rows, whole.rows);
        EXPECT_EQ(found.instances, kRows);
        EXPECT_EQ(found.chunks, (kRows + size - 1) / size);
        EXPECT_EQ(found.fingerprint, fingerprint(whole));
        EXPECT_EQ(found.order, order_hash(4000, whole));
      }
    }
  }
}

TEST(Pass, ProgressOfPartsAddsUp) {
  const Chunk whole = read_all(*planted());
  const auto source = planted();
  Progress sum;
  for (const Index first : {0, 30, 61}) {
    const auto part = make_range_source(*source, first, (first == 61 ? kRows : first == 0 ? 30 : 61) - first);
    const Progress found = gone_through(*part, {.rows = 8, .first = first});
    sum.instances += found.instances;
    sum.fingerprint += found.fingerprint;
    sum.order += found.order;
  }
  EXPECT_EQ(sum.instances, kRows);
  EXPECT_EQ(sum.fingerprint, fingerprint(whole));
  EXPECT_EQ(sum.order, order_hash(0, whole));
}

TEST(Pass, StopsWhereItIsTold) {
  for (const Index stop : {1, 4, 10}) {
    const auto source = planted();
    Pass pass(*source, source->schema(), {.rows = 10});
    Index chunks = 0;
    EXPECT_FALSE(pass.each([&](std::vector<StreamedChunk>&) {
      EXPECT_EQ(pass.progress().chunks, ++chunks) << "what is handed on is counted already";
      return chunks < stop;
    }));
    EXPECT_EQ(chunks, stop);
    EXPECT_EQ(pass.progress().chunks, stop);
    EXPECT_EQ(pass.progress().instances, std::min(10 * stop, kRows));
  }
}

TEST(Pass, GoesOnBehindWhatWasDone) {
  const Progress all = gone_through(*planted(), {.rows = 10});
  for (const Index done : {0, 1, 6, 10}) {
    const auto source = planted();
    Pass first(*source, source->schema(), {.rows = 10});
    if (done > 0) first.each([&](std::vector<StreamedChunk>&) { return first.progress().chunks < done; });
    const auto again = planted();
    Pass second(*again, again->schema(), {.rows = 10});
    second.skip(first.progress());
    EXPECT_EQ(second.progress(), first.progress());
    std::vector<Index> rows;
    second.each([&](std::vector<StreamedChunk>& chunks) {
      rows.insert(rows.end(), chunks.front().chunk.rows.begin(), chunks.front().chunk.rows.end());
      return true;
    });
    std::vector<Index> rest;
    for (Index row = std::min(10 * done, kRows); row < kRows; ++row) rest.push_back(row);
    EXPECT_EQ(rows, rest);
    EXPECT_EQ(second.progress(), all);
  }
}

TEST(Pass, RefusesToGoOnWithOtherData) {
  const auto source = planted();
  Pass first(*source, source->schema(), {.rows = 10});
  first.each([&](std::vector<StreamedChunk>&) { return first.progress().chunks < 4; });
  const auto refuses = [&](Source& other, Progress done, Index rows = 10, Index place = 0) {
    test::expect_error(ErrorKind::data, {"not those"}, [&] {
      Pass pass(other, other.schema(), {.rows = rows, .first = place});
      pass.skip(done);
    });
  };
  const Progress done = first.progress();
  refuses(*planted(2), done);
  refuses(*planted(), done, 11);
  refuses(*planted(), done, 10, 10);
  refuses(*make_shuffled_source(planted(), 1), done);
  // Fewer rows than were done.
  const auto whole = planted();
  refuses(*make_range_source(*whole, 0, 35), done);
  refuses(*make_range_source(*whole, 1, 90), done);
  for (const int field : {0, 1, 2}) {
    Progress bad = done;
    if (field == 0) bad.fingerprint ^= 1;
    if (field == 1) bad.order ^= 1;
    if (field == 2) bad.chunks = 3;
    refuses(*planted(), bad);
  }
}

TEST(Pass, TakesRowsInWhereItIsGivenAnIntake) {
  const auto source = planted();
  const Schema& schema = source->schema();
  std::vector<ViewScaling> scaling(2);
  scaling[0] = {.known = true, .factor = 3};
  const Intake intake(schema, scaling, {Intake::Kind::sparse, Intake::Kind::unseen});
  Chunk whole = read_all(*planted());
  const std::uint64_t print = fingerprint(whole);
  intake.take(whole);
  Pass pass(*source, schema, {.rows = 20, .intake = &intake});
  pass.each([&](std::vector<StreamedChunk>& chunks) {
    const Chunk& chunk = chunks.front().chunk;
    EXPECT_TRUE(std::holds_alternative<CsrBlock<float>>(chunk.views[0].block));
    EXPECT_TRUE(chunk.views[1].present.empty());
    const test::Rows all = test::dense_rows(whole.views[0], kRows);
    const Index first = pass.progress().instances - chunk.size();
    EXPECT_EQ(test::dense_rows(chunk.views[0], chunk.size()),
              test::Rows(all.begin() + first, all.begin() + first + chunk.size()));
    return true;
  });
  EXPECT_EQ(pass.progress().fingerprint, print) << "of the rows as they came";
}

}  // namespace
}  // namespace omvc
