// How often files with ids are read from opening them to the end of a first pass: twice, as the system counts it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using Names = std::vector<std::string>;

// Bytes that this process has read from anywhere; nothing where the system does not tell.
std::optional<std::uintmax_t> bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string word;
  std::uintmax_t bytes = 0;
  while (file >> word >> bytes) {
    if (word == "rchar:") return bytes;
  }
  return std::nullopt;
}

struct Shape {
  std::string id = "id";        // the name of the column
  std::string prefix = "row-";  // of each id
  bool category = false;        // the last column holds words
  bool shuffled = false;
};

// A few megabytes, much more than is read to find out what a file is.
std::string table(const Shape& shape) {
  constexpr int kRows = 12'000;
  constexpr int kColumns = 20;
  std::vector<int> order(kRows);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 generator(7);
  if (shape.shuffled) std::shuffle(order.begin(), order.end(), generator);
  std::string text = shape.id;
  for (int j = 0; j < kColumns; ++j) text += ",x" + std::to_string(j);
  text += shape.category ? ",colour\n" : "\n";
  for (const int i : order) {
    text += shape.prefix + std::to_string(i);
    for (int j = 0; j < kColumns; ++j) text += "," + std::to_string(i + 0.001 * j);
    if (shape.category) text += i % 3 == 0 ? ",red" : ",blue";
    text += "\n";
  }
  return text;
}

class Reads : public testing::Test {
 protected:
  // What a fit does whose data fit its sample.
  void expect_two_readings(const Shape& first, const Shape& second) {
    const Names paths{dir_.write_file("a.csv", table(first)), dir_.write_file("b.csv", table(second))};
    // The first 4 kB of each are looked at for the format; the rest is for what the system reads beside.
    constexpr std::uintmax_t kBeside = 2 * 4096 + 16'384;
    const std::uintmax_t bytes = std::filesystem::file_size(paths[0]) + std::filesystem::file_size(paths[1]);
    ASSERT_GT(bytes, 20 * kBeside);
    const auto before = bytes_read();
    if (!before) GTEST_SKIP() << "/proc/self/io does not tell how much was read";
    const Input input = open_input(paths);
    ASSERT_TRUE(input.source->rewind());
    Index rows = 0;
    while (const auto chunk = input.source->next(1000)) {
      rows += chunk->size();
      for (const ChunkView& view : chunk->views) ASSERT_EQ(static_cast<Index>(view.present.size()), chunk->size());
    }
    EXPECT_EQ(rows, 12'000);
    EXPECT_LE(*bytes_read() - *before, 2 * bytes + kBeside);
  }

  test::TempDir dir_;
};

TEST_F(Reads, FilesInTheSameOrderAreReadTwice) { expect_two_readings({}, {}); }

TEST_F(Reads, FilesInAnotherOrderAreReadTwice) { expect_two_readings({}, {.shuffled = true}); }

TEST_F(Reads, ColumnsInDoubtAreLookedAtWhileIdsAreRead) { expect_two_readings({.category = true}, {.category = true}); }

TEST_F(Reads, NumbersThatTurnOutToBeIdsAreReadTwice) {
  expect_two_readings({.id = "visit", .prefix = "", .category = true}, {.id = "visit", .prefix = "", .shuffled = true});
}

// Behind the first lines, where the whole file shows that the shared column holds no ids.
TEST_F(Reads, NumbersThatComeAgainBehindTheFirstLinesStayAFeature) {
  std::string text = table({.id = "visit", .prefix = ""});
  const std::string a = dir_.write_file("a.csv", text);
  const std::string b = dir_.write_file("b.csv", text + text.substr(text.rfind('\n', text.size() - 2) + 1));
  test::expect_error(ErrorKind::data, {"a.csv has 12000 rows", "b.csv has"}, [&] {
    const Input input = open_input({a, b});
    EXPECT_EQ(input.source->schema().views[0].features, 21);
    EXPECT_EQ(input.source->schema().views[1].feature_names.front(), "visit");
    while (input.source->next(1000)) continue;
  });
}

// Lines without quotes are read in a quicker way than those with them, which must not show.
TEST_F(Reads, CellsBesideAQuotedFieldAreTheSame) {
  Names cells{"0",
              "-0",
              "007",
              "1.",
              ".5",
              "-.5",
              "+3",
              "1e5",
              "-2.5E-3",
              "123456789012345678",
              "",
              "NA",
              "nan",
              "-",
              "?",
              " 4.5",
              "9007199254740991",
              "9007199254740993",
              "0.1",
              "1e-7",
              "0.30000000000000004",
              "1,500",
              "5 000",
              "0.000000000000000001",
              "1234567890123456789012"};
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-1000, 1000);
  for (int i = 0; i < 3000; ++i) {
    char text[64];
    std::snprintf(text, sizeof text, i % 2 == 0 ? "%.17g" : "%.6f", uniform(generator) * std::pow(10.0, i % 9 - 4));
    cells.emplace_back(text);
  }
  for (const char* separator : {",", ";", "\t"}) {
    std::string plain = std::string("id") + separator + "x" + separator + "y\n";
    std::string quoted = plain;
    int number = 0;
    for (const std::string& cell : cells) {
      if (cell.find(separator) != std::string::npos) continue;
      const std::string id = "s" + std::to_string(number++);
      plain += id + separator + cell + separator + "0.5\n";
      quoted += '"' + id + '"' + separator + cell + separator + "0.5\n";
    }
    InputOptions options;
    options.text.decimal = ".";
    options.text.separator = separator;
    const Input one = open_input({dir_.write_file("plain.csv", plain)}, options);
    const Input other = open_input({dir_.write_file("quoted.csv", quoted)}, options);
    const auto chunk = one.source->next(number);
    const auto same = other.source->next(number);
    ASSERT_EQ(chunk->size(), number);
    EXPECT_EQ(one.source->ids(0, number), other.source->ids(0, number));
    const auto& x = std::get<DenseBlock<double>>(chunk->views[0].block).values;
    const auto& y = std::get<DenseBlock<double>>(same->views[0].block).values;
    ASSERT_EQ(x.size(), y.size());
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
  }
}

}  // namespace
}  // namespace omvc
