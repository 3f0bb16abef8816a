// Columns of percent and money.
#include "source/table/marks.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "omvc/input.hpp"
#include "omvc/rows.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

TEST(Marks, AreSplitFromTheNumber) {
  const auto split = [](std::string_view cell) {
    const auto found = split_mark(cell);
    return found ? std::string(found->mark) + " " + found->number : "none";
  };
  EXPECT_EQ(split("95.7%"), "% 95.7");
  EXPECT_EQ(split(" 12 € "), "€ 12");
  EXPECT_EQ(split("12\xC2\xA0€"), "€ 12");
  EXPECT_EQ(split("$3.50"), "$ 3.50");
  EXPECT_EQ(split("-£2"), "£ -2");
  EXPECT_EQ(split("$-2"), "$ -2");
  for (const char* cell : {"12", "%", "%5", "$", "", "1.2 kg", "a"}) {
    const std::string found = split(cell);
    EXPECT_EQ(found, "none") << cell;
  }
}

class Marked : public testing::Test {
 protected:
  Rows read(const std::string& content, const InputOptions& options = {}) {
    Input input = open_input({dir_.write_file("view.csv", content)}, options);
    schema_ = input.source->schema().views[0];
    notes_.clear();
    for (const std::string& note : input.notes) notes_ += note + "\n";
    const Chunk all = read_all(*input.source);
    return dense_rows(all.views[0], all.size());
  }

  test::TempDir dir_;
  ViewSchema schema_;
  std::string notes_;
};

TEST_F(Marked, PercentAndMoneyAreNumbers) {
  EXPECT_EQ(read("id,x,share\na,1,95.7%\nb,2,90 %\nc,3,-4%\n"), (Rows{{1, 95.7}, {2, 90}, {3, -4}}));
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"x", "share"}));
  EXPECT_NE(notes_.find("'share' is read as numbers without the %"), std::string::npos) << notes_;
  EXPECT_EQ(read("id,x,price\na,1,\"$1,250.50\"\nb,2,$3\n"), (Rows{{1, 1250.5}, {2, 3}}));
  EXPECT_EQ(read("id;x;price\na;1,5;12,50 €\nb;2,5;3 €\n"), (Rows{{1.5, 12.5}, {2.5, 3}}));
  const Rows rows = read("id,x,share\na,1,5%\nb,2,\nc,3,NA\n");
  EXPECT_TRUE(std::isnan(rows[1][1]) && std::isnan(rows[2][1]));
  EXPECT_EQ(read("share,x\n5%,1\n6%,2\n"), (Rows{{5, 1}, {6, 2}})) << "a first column of them holds no ids";
}

TEST_F(Marked, ACellThatIsNoneAmongThemIsRefused) {
  std::string text = "id,x,share\n";
  for (int i = 0; i < 30; ++i) text += "s" + std::to_string(i) + ",1," + std::to_string(i) + "%\n";
  for (const char* cell : {"0.5", "high", "3 €"}) {
    expect_error(ErrorKind::data, {"view.csv:32:", cell, "with %", "--drop 'share'"},
                 [&] { read(text + "last,1," + cell + "\n"); });
  }
}

TEST_F(Marked, DifferentMarksAreLeftOutWithTheReason) {
  std::string text = "id,x,price\n";
  for (int i = 0; i < 30; ++i)
    text += "s" + std::to_string(i) + ",1," + std::to_string(i % 5) + (i % 2 ? " €\n" : "%\n");
  read(text);
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"x"}));
  EXPECT_NE(notes_.find("'price' is left out: its numbers do not all have the same mark"), std::string::npos) << notes_;
}

TEST_F(Marked, AModelAndAStreamReadThemToo) {
  InputOptions options;
  options.like.views = {{"view", 2, {"x", "share"}}};
  EXPECT_EQ(read("id,x,share\na,1,95.7%\nb,2,90%\n", options), (Rows{{1, 95.7}, {2, 90}}));
  RowReader reader({.schema = options.like, .sparse = {false}, .text = {}, .id_column = ""});
  EXPECT_FALSE(reader.add("id,x,share"));
  EXPECT_TRUE(reader.add("a,1,95.7%"));
  const Chunk chunk = reader.take();
  EXPECT_EQ(dense_rows(chunk.views[0], 1), (Rows{{1, 95.7}}));
}

}  // namespace
}  // namespace omvc
