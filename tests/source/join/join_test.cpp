// Joining views by sample id and by row, through open_input.
#include "source/join/join.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/stat.h>
#include <thread>

#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;
using Names = std::vector<std::string>;

struct Table {
  std::vector<Rows> views;
  Names ids;
};

Table read_pass(Source& source, Index max_rows) {
  Table out;
  out.views.resize(source.schema().views.size());
  Index number = 0;
  while (const auto chunk = source.next(max_rows)) {
    EXPECT_NO_THROW(check_chunk(*chunk, source.schema()));
    EXPECT_LE(chunk->size(), max_rows);
    for (const Index row : chunk->rows) EXPECT_EQ(row, number++);
    for (std::size_t v = 0; v < out.views.size(); ++v) {
      for (auto& row : dense_rows(chunk->views[v], chunk->size())) out.views[v].push_back(std::move(row));
    }
  }
  out.ids = source.ids(0, number);
  return out;
}

class Join : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(Join, AnIdThatAFileLacksIsAMissingView) {
  const Input input = open_input(
      {dir_.write_file("a.csv", "id,x\nann,1\nbob,2\n"), dir_.write_file("b.csv", "id,y,z\neve,5,6\nbob,3,4\n")});
  for (const Index size : {1, 2, 10}) {
    const Table table = read_pass(*input.source, size);
    EXPECT_EQ(table.ids, (Names{"ann", "bob", "eve"}));
    EXPECT_EQ(table.views[0], (Rows{{1}, {2}, {}}));
    EXPECT_EQ(table.views[1], (Rows{{}, {3, 4}, {5, 6}}));
    ASSERT_TRUE(input.source->rewind());
  }
  EXPECT_EQ(input.source->size(), 3);
  EXPECT_EQ(input.source->ids(1, 1), (Names{"bob"}));
  EXPECT_EQ(input.source->ids(2, 5), (Names{"eve"}));
}

// Random subsets in random or ascending order, against a map from ids to rows.
TEST_F(Join, AgreesWithAMapFromIdsToRows) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
    std::vector<std::map<std::string, double>> expected(3);
    Names ids;
    std::vector<std::string> paths;
    for (std::size_t v = 0; v < 3; ++v) {
      std::vector<int> samples;
      for (int i = 0; i < 30; ++i) {
        if (!chance(seed % 2 == 0 ? 3 : 100)) samples.push_back(i);
      }
      if (samples.empty()) samples.push_back(0);
      if (chance(2)) std::shuffle(samples.begin(), samples.end(), random);
      std::string text = "id,x\n";
      for (const int i : samples) {
        const std::string id = std::string("s").append(std::to_string(i));
        const bool absent = chance(5);
        const double value = 100.0 * static_cast<double>(v) + i;
        text += id + "," + (absent ? "nan" : std::to_string(value)) + "\n";
        if (!absent) expected[v][id] = value;
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
      paths.push_back(dir_.write_file("view" + std::to_string(v) + ".csv", text));
    }
    const Input input = open_input(paths);
    for (const Index size : {1, 4, 100}) {
      const Table table = read_pass(*input.source, size);
      ASSERT_EQ(table.ids, ids) << seed;
      for (std::size_t v = 0; v < 3; ++v) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
          const auto found = expected[v].find(ids[i]);
          const auto& row = table.views[v][i];
          ASSERT_EQ(row, found == expected[v].end() ? std::vector<double>() : std::vector<double>{found->second})
              << seed << " " << v << " " << ids[i];
        }
      }
      ASSERT_TRUE(input.source->rewind());
    }
    const Chunk whole = read_all(*input.source);
    EXPECT_EQ(whole.size(), static_cast<Index>(ids.size()));
  }
}

// What is streamed shows that a file was changed under its reader; what is in memory does not.
TEST_F(Join, OnlyFilesInAnotherOrderAreHeldInMemory) {
  const std::string first = dir_.write_file("a.csv", "id,x\nann,1\nbob,2\neve,3\n");
  const auto second_reading = [&](const std::string& before, const std::string& after) {
    const Input input = open_input({first, dir_.write_file("b.csv", before)});
    dir_.write_file("b.csv", after);
    EXPECT_TRUE(input.source->rewind());
    return read_pass(*input.source, 2).views[1];
  };
  EXPECT_EQ(second_reading("id,y\nann,4\nbob,5\neve,6\n", "id,y\nann,7\nbob,8\neve,9\n"), (Rows{{7}, {8}, {9}}));
  EXPECT_EQ(second_reading("id,y\nann,4\neve,6\nnew,1\n", "id,y\nann,7\neve,9\nnew,2\n"), (Rows{{7}, {}, {9}, {2}}));
  EXPECT_EQ(second_reading("id,y\neve,6\nann,4\n", "id,y\neve,9\nann,7\n"), (Rows{{4}, {}, {6}}));
}

TEST_F(Join, DuplicateIdsAreRefusedWithBothLines) {
  const std::string path = dir_.write_file("a.csv", "id,x\nann,1\n\nbob,2\nann,3\n");
  expect_error(ErrorKind::data, {"a.csv:5:", "'ann'", "a.csv:2", "--id-column none"}, [&] { open_input({path}); });
  const std::string bytes = dir_.write_file("b.csv", "id,x\n\xFF,1\n\xFF,3\n");
  expect_error(ErrorKind::data, {"b.csv:3:", "'?'", "b.csv:2"}, [&] { open_input({bytes}); });
}

TEST_F(Join, AFileThatChangesBetweenPassesIsRefused) {
  const std::string path = dir_.write_file("a.csv", "id,x\nann,1\nbob,2\n");
  const Input input = open_input({path});
  read_pass(*input.source, 10);
  dir_.write_file("a.csv", "id,x\nann,1\neve,2\n");
  ASSERT_TRUE(input.source->rewind());
  expect_error(ErrorKind::data, {"a.csv", "changed"}, [&] { read_pass(*input.source, 10); });
  dir_.write_file("a.csv", "id,x\nann,1\n");
  ASSERT_TRUE(input.source->rewind());
  expect_error(ErrorKind::data, {"a.csv", "changed"}, [&] { read_pass(*input.source, 10); });
}

TEST_F(Join, FilesWithoutIdsAreJoinedByRowWithThoseThatHaveThem) {
  const std::string with = dir_.write_file("a.csv", "id,x\nann,1\nbob,2\n");
  const std::string without = dir_.write_file("b.csv", "3\n4\n");
  const Input input = open_input({without, with});
  const Table table = read_pass(*input.source, 1);
  EXPECT_EQ(table.ids, (Names{"ann", "bob"}));
  EXPECT_EQ(table.views, (std::vector<Rows>{{{3}, {4}}, {{1}, {2}}}));

  const std::string longer = dir_.write_file("c.csv", "3\n4\n5\n");
  expect_error(ErrorKind::data, {"c.csv has 3 rows", "a.csv has 2 rows", "ids, which", "c.csv lacks"}, [&] {
    read_pass(*open_input({with, longer}).source, 10);
  });
  const std::string other = dir_.write_file("d.csv", "id,x\nann,1\neve,2\n");
  expect_error(ErrorKind::data, {"d.csv", "instance 2", "'eve'", "'bob'", "b.csv has no ids"}, [&] {
    read_pass(*open_input({with, without, other}).source, 10);
  });
  const std::string twice = dir_.write_file("e.csv", "id,x\nann,1\nann,2\n");
  expect_error(ErrorKind::data, {"e.csv", "'ann'", "instances 1 and 2"}, [&] {
    read_pass(*open_input({twice, without}).source, 10);
  });
}

TEST_F(Join, APipeMustListTheSameIds) {
  const std::string pipe = dir_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string same = dir_.write_file("a.csv", "id,x\nann,1\nbob,2\n");
  const std::string other = dir_.write_file("b.csv", "id,x\nbob,1\nann,2\n");
  const auto through_pipe = [&](const std::string& path) {
    std::thread writer([&] { dir_.write_file("pipe", "id,y\nann,3\nbob,4\n"); });
    const Input input = open_input({path, pipe});
    writer.join();
    return read_pass(*input.source, 10);
  };
  const Table table = through_pipe(same);
  EXPECT_EQ(table.ids, (Names{"ann", "bob"}));
  EXPECT_EQ(table.views, (std::vector<Rows>{{{1}, {2}}, {{3}, {4}}}));
  expect_error(ErrorKind::data, {"pipe", "instance 1", "'ann'", "'bob'", "to a file first"},
               [&] { through_pipe(other); });
}

TEST_F(Join, OrderedTablesKeepTheirIds) {
  const Input input = open_input({dir_.write_file("a.csv", "id,x\nann,1\nbob,2\neve,3\n")});
  const Schema schema = input.source->schema();
  Chunk table = read_all(*input.source);
  const auto ordered = make_table_source(schema, std::move(table), {2, 0, 1}, input.source->ids(0, 3));
  EXPECT_EQ(ordered->ids(0, 3), (Names{"ann", "bob", "eve"}));
  EXPECT_EQ(ordered->ids(2, 9), (Names{"eve"}));
  EXPECT_EQ(ordered->ids(7, 1), Names());
  EXPECT_EQ(ordered->next(1)->rows, (std::vector<Index>{2}));
}

}  // namespace
}  // namespace omvc
