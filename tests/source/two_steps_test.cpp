// Sources that divide their work: whoever runs the second steps, and in whatever order, gets what next() delivers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

#include "omvc/borrowed.hpp"
#include "omvc/convert.hpp"
#include "omvc/input.hpp"
#include "omvc/planted.hpp"

#include "chunk/fingerprint.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

constexpr Index kInstances = 211;
constexpr Index kAtOnce = 9;

PlantedOptions planted() {
  return {.instances = kInstances, .features = {6, 30}, .density = {1, 0.3}, .missing = 0.3, .seed = 4};
}

std::unique_ptr<Source> table() {
  const auto source = make_planted_source(planted());
  return make_table_source(source->schema(), read_all(*source));
}

std::string csv(const Chunk& chunk, std::size_t view, bool ids) {
  const test::Rows rows = test::dense_rows(chunk.views[view], chunk.size());
  const auto features = static_cast<std::size_t>(block_cols(chunk.views[view].block));
  std::string text = ids ? "id," : "";
  for (std::size_t j = 0; j < features; ++j) text += fmt::format("{}f{}", j == 0 ? "" : ",", j);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += ids ? fmt::format("\ns{}", i) : "\n";
    for (std::size_t j = 0; j < features; ++j) {
      text += j == 0 && !ids ? "" : ",";
      text += rows[i].empty() ? "nan" : fmt::format("{}", rows[i][j]);
    }
  }
  return text + "\n";
}

std::unique_ptr<Source> text(const test::TempDir& dir, bool ids) {
  const Chunk all = read_all(*table());
  std::vector<std::string> paths;
  for (std::size_t v = 0; v < 2; ++v) paths.push_back(dir.write_file(fmt::format("v{}.csv", v), csv(all, v, ids)));
  return open_input(paths).source;
}

std::unique_ptr<Source> lent(const std::vector<float>& values) {
  Schema schema{{{"a", 4, {}}}};
  BorrowedView view{DenseRows<float>{values.data(), static_cast<Index>(values.size()) / 4, 4, 4, 1}, {}, {}};
  return make_borrowed_source(schema, {view}, static_cast<Index>(values.size()) / 4);
}

void expect_same(const std::string& name, Source& source) {
  std::vector<Chunk> expected;
  ASSERT_TRUE(source.rewind()) << name;
  while (std::optional<Chunk> chunk = source.next(kAtOnce)) expected.push_back(std::move(*chunk));
  ASSERT_GT(expected.size(), 5u) << name;
  ASSERT_TRUE(source.rewind()) << name;
  std::vector<Source::Delivery> deliveries;
  for (Source::Delivery next = source.begin_next(kAtOnce); next.rows > 0; next = source.begin_next(kAtOnce)) {
    deliveries.push_back(std::move(next));
  }
  ASSERT_EQ(deliveries.size(), expected.size()) << name;
  std::vector<Chunk> found(expected.size());
  std::vector<std::thread> threads;
  constexpr std::size_t kThreads = 4;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = deliveries.size(); i-- > 0;) {
        if (i % kThreads == t) found[i] = deliveries[i].read();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(deliveries[i].rows, expected[i].size()) << name;
    EXPECT_EQ(found[i].rows, expected[i].rows) << name;
    EXPECT_EQ(fingerprint(found[i]), fingerprint(expected[i])) << name;
  }
}

TEST(TwoSteps, ThreadsInAnyOrderGetWhatNextDelivers) {
  const test::TempDir dir;
  expect_same("table", *table());
  expect_same("text", *text(dir, false));
  expect_same("text with ids", *text(dir, true));
  std::vector<float> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  expect_same("lent", *lent(values));
  std::vector<bool> present(2 * kInstances);
  for (std::size_t i = 0; i < present.size(); ++i) present[i] = i % 3 != 0;
  expect_same("masked", *make_masked_source(text(dir, true), present));
  const auto whole = text(dir, false);
  expect_same("range", *make_range_source(*whole, 17, 150));
  Schema turned = whole->schema();
  std::swap(turned.views[0], turned.views[1]);
  expect_same("matched", *make_matched_source(text(dir, false), turned));
}

#ifdef OMVC_WITH_HDF5
TEST(TwoSteps, ThreadsReadOneHdf5FileAtOnce) {
  const test::TempDir dir;
  for (const int gzip : {0, 4}) {
    ConvertOptions options;
    options.compression = gzip;
    const std::string path = dir.path(fmt::format("set{}.h5mu", gzip));
    const auto source = table();
    write_mudata(*source, path, options);
    expect_same(path, *open_input({path}).source);
  }
}
#endif

TEST(TwoSteps, WhatIsWrongIsThrownByTheStepThatFindsIt) {
  const test::TempDir dir;
  std::string rows = "a,b\n";
  for (int i = 0; i < 3000; ++i) rows += i == 2500 ? "1,oops\n" : "1,2\n";
  const auto source = open_input({dir.write_file("bad.csv", rows)}).source;
  Index read = 0;
  test::expect_error(ErrorKind::data, {"bad.csv:2502", "oops"}, [&] {
    for (Source::Delivery next = source->begin_next(100); next.rows > 0; next = source->begin_next(100)) {
      next.read();
      read += next.rows;
    }
  });
  EXPECT_EQ(read, 2500);
}

}  // namespace
}  // namespace omvc
