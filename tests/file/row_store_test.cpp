#include "file/row_store.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "kmeans/row_sample.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

TEST(RowStore, GivesRowsBackByNumberWhateverTheOrderOfWriting) {
  RowStore store(2);
  const std::vector<Index> order{5, 6, 7, 1, 3};
  std::vector<double> data;
  for (const Index row : order) data.insert(data.end(), {static_cast<double>(row), -static_cast<double>(row)});
  store.write(order, data.data());
  EXPECT_EQ(store.rows(), 8);
  std::vector<double> all(20);
  store.read(0, 10, all.data());
  for (Index row = 0; row < 10; ++row) {
    const bool written = std::find(order.begin(), order.end(), row) != order.end();
    EXPECT_EQ(std::isnan(all[static_cast<std::size_t>(2 * row)]), !written) << row;
    if (written) {
      EXPECT_EQ(all[static_cast<std::size_t>(2 * row + 1)], -static_cast<double>(row));
    }
  }
  std::vector<double> some(4);
  store.read_last(std::vector<Index>{7, 1}, some.data());
  EXPECT_EQ(some, (std::vector<double>{7, -7, 1, -1}));
}

TEST(RowStore, RowsCanBeWrittenAgain) {
  RowStore store(1);
  const double one = 1, two = 2;
  store.write(std::vector<Index>{0}, &one);
  store.write(std::vector<Index>{0}, &two);
  double out = 0;
  store.read(0, 1, &out);
  EXPECT_EQ(out, 2);
}

// More rows than wait in memory, those written first once more in between.
TEST(RowStore, ManyRowsInNoOrderAreThoseThatWereWrittenLast) {
  constexpr Index kRows = 150000;
  RowStore store(1);
  const auto value = [](Index row, Index round) { return static_cast<double>(2 * row + round); };
  for (Index round = 0; round < 2; ++round) {
    for (Index first = 0; first < kRows; first += 1000) {
      std::vector<Index> rows;
      std::vector<double> data;
      for (Index i = first; i < first + 1000; ++i) {
        rows.push_back(kRows - 1 - i);
        data.push_back(value(rows.back(), round));
      }
      store.write(rows, data.data());
      const double again = -1;
      store.write(std::vector<Index>{rows.front()}, &again);
      store.write(std::vector<Index>{rows[1], rows[0]}, std::vector<double>{data[1], data[0]}.data());
    }
  }
  std::vector<double> all(kRows);
  store.read(0, kRows, all.data());
  for (Index row = 0; row < kRows; ++row) ASSERT_EQ(all[static_cast<std::size_t>(row)], value(row, 1)) << row;
}

std::vector<double> last_of(const RowStore& store, const std::vector<Index>& rows) {
  std::vector<double> out(rows.size() * static_cast<std::size_t>(store.width()));
  store.read_last(rows, out.data());
  return out;
}

double now_of(const RowStore& store, Index row) {
  double out = 0;
  store.read(row, 1, &out);
  return out;
}

// What the last generation left is there until the one after the next, whatever this one has written; a store opened
// again goes on from its position.
TEST(RowStore, ALastingStoreKeepsTheLastGenerationWhileTheNextIsWritten) {
  const test::TempDir folder;
  const std::vector<Index> rows{0, 1, 2, 3};
  const std::vector<double> first{10, 11, 12, 13}, second{20, 21, 22, 23};
  RowStore::Position position;
  {
    RowStore store(1, folder.path("rows"));
    store.write(rows, first.data());
    store.begin_generation();
    EXPECT_EQ(last_of(store, rows), first);
    position = store.position();
    store.write(std::vector<Index>{0, 1, 2}, second.data());
    EXPECT_EQ(last_of(store, rows), first);
    EXPECT_EQ(now_of(store, 1), 21);
    EXPECT_EQ(now_of(store, 3), 13);
    store.sync();
  }
  RowStore again(1, folder.path("rows"));
  again.go_to(position);
  EXPECT_EQ(last_of(again, rows), first);
  again.write(rows, second.data());
  again.begin_generation();
  EXPECT_EQ(last_of(again, rows), second);
  EXPECT_EQ(now_of(again, 2), 22);
  EXPECT_TRUE(std::isnan(now_of(again, 4)));
}

TEST(RowStore, RefusesARecordThatWasAltered) {
  const test::TempDir folder;
  const std::vector<double> values{1, 2, 3, 4};
  {
    RowStore store(2, folder.path("rows"));
    store.write(std::vector<Index>{0, 1}, values.data());
  }
  const std::string good = test::read_bytes(folder.path("rows.1"));
  ASSERT_EQ(good.size(), 48u);
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ 4);
    folder.write_file("rows.1", bad);
    RowStore store(2, folder.path("rows"));
    store.go_to({1, 2});
    std::vector<double> out(4);
    const std::string what = byte % 24 < 4 ? "does not belong" : "altered";
    test::expect_error(ErrorKind::data, {"rows.1", "row " + std::to_string(byte / 24), what},
                       [&] { store.read(0, 2, out.data()); });
  }
}

TEST(RowFolder, SaysWhereItCannotWrite) {
  const test::TempDir folder;
  folder.write_file("plain", "x");
  test::expect_error(ErrorKind::io, {"plain/rows"}, [&] { RowFolder(folder.path("plain/rows")); });
}

TEST(RowStore, RefusesRowsOfARunOfAnotherIdentity) {
  const test::TempDir folder;
  const std::vector<double> values{1, 2};
  {
    RowStore store(2, folder.path("rows"), 7);
    store.write(std::vector<Index>{0}, values.data());
  }
  std::vector<double> out(2);
  for (const std::uint64_t identity : {std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{0}}) {
    RowStore store(2, folder.path("rows"), identity);
    store.go_to({1, 1});
    if (identity == 7) {
      store.read(0, 1, out.data());
      EXPECT_EQ(out, values);
    } else {
      test::expect_error(ErrorKind::data, {"rows.1", "another run"}, [&] { store.read(0, 1, out.data()); });
    }
  }
}

TEST(RowFolder, IsForOneRunAtATime) {
  const test::TempDir folder;
  const std::string path = folder.path("rows");
  std::uint64_t first = 0;
  {
    RowFolder mine(path);
    mine.start_anew();
    first = mine.identity();
    test::expect_error(ErrorKind::usage, {path, "another run"}, [&] { RowFolder other(path); });
    mine.open("store", 1);
  }
  RowFolder next(path);
  test::expect_error(ErrorKind::data, {path, "another run"}, [&] { next.go_on(first + 2); });
  next.go_on(first);
  EXPECT_EQ(next.identity(), first);
  next.start_anew();
  EXPECT_NE(next.identity(), first);
  EXPECT_FALSE(std::filesystem::exists(path + "/store.0"));
  next.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RowFolder, LeavesWhatIsNotItsOwn) {
  const test::TempDir folder;
  const std::string path = folder.path("rows");
  { const RowFolder unused(path); }
  EXPECT_FALSE(std::filesystem::exists(path)) << "a folder that nothing was put into goes again";
  std::filesystem::create_directory(path);
  folder.write_file("rows/thesis.txt", "mine");
  test::expect_error(ErrorKind::usage, {path, "thesis.txt"}, [&] { RowFolder other(path); });
  std::filesystem::remove(path + "/thesis.txt");
  // Named like one of ours, without our mark beside it.
  folder.write_file("rows/data.0", "mine");
  test::expect_error(ErrorKind::usage, {path, "not marked"}, [&] { RowFolder(path).start_anew(); });
  RowFolder(path).remove();
  EXPECT_EQ(test::read_bytes(path + "/data.0"), "mine");
}

TEST(RowSample, KeepsAllWhileTheyFitAndThenTheSameOnesInAnyOrder) {
  const auto value = [](Index row) { return std::vector<double>{static_cast<double>(row)}; };
  RowSample forward(100, 1), backward(100, 1), few(100, 1);
  for (Index i = 0; i < 1000; ++i) forward.offer(i, value(i));
  for (Index i = 999; i >= 0; --i) backward.offer(i, value(i));
  for (Index i = 0; i < 60; ++i) few.offer(i, value(i));
  EXPECT_EQ(forward.size(), 100);
  EXPECT_EQ(forward.rows(), backward.rows());
  EXPECT_EQ(forward.values(), backward.values());
  EXPECT_EQ(few.size(), 60);
  // A fair sample of 0 .. 999 has a mean near 500: the standard error is 29.
  double mean = 0;
  for (const Index row : forward.rows()) mean += static_cast<double>(row) / 100;
  EXPECT_NEAR(mean, 500, 120);
}

TEST(RowSample, TakesTheLatestOfARowAndLeavesOutNaN) {
  RowSample sample(10, 0);
  sample.offer(3, std::vector<double>{1.0});
  sample.offer(3, std::vector<double>{2.0});
  sample.offer(4, std::vector<double>{std::nan("")});
  EXPECT_EQ(sample.values(), std::vector<double>{2.0});
}

}  // namespace
}  // namespace omvc
