// Ids that are not at the usual place, through open_input: files are joined by them, or nothing is joined unasked.
#include "source/join/unused_ids.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;
using Names = std::vector<std::string>;

class UnusedIds : public testing::Test {
 protected:
  // The same ids in two files in different orders. `row` formats an id and a value.
  void write(const std::string& header_a, const std::string& header_b,
             const std::function<std::string(int id, int value)>& row) {
    std::string a = header_a + "\n";
    std::string b = header_b + "\n";
    for (int i = 0; i < 40; ++i) a += row(100 + i, 3 * i) + "\n";
    for (int i = 40; i-- > 0;) b += row(100 + i, 5 * i) + "\n";
    a_ = dir_.write_file("a.csv", a);
    b_ = dir_.write_file("b.csv", b);
  }
  void expect_joined(const InputOptions& options = {}) const {
    const Input input = open_input({a_, b_}, options);
    const Chunk all = read_all(*input.source);
    ASSERT_EQ(all.size(), 40);
    EXPECT_EQ(input.source->schema().views[0].features, 1);
    const Rows a = dense_rows(all.views[0], 40);
    const Rows b = dense_rows(all.views[1], 40);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(5 * a[i][0], 3 * b[i][0]) << i;
  }
  static bool has_note(const Input& input, const std::string& part) {
    return std::any_of(input.notes.begin(), input.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
  }
  static std::string last(int id, int value) { return fmt::format("{},{}", value, id); }

  test::TempDir dir_;
  std::string a_;
  std::string b_;
};

TEST_F(UnusedIds, AColumnCalledIdIsTheIdsWhereverItIs) {
  write("x,id", "y,ID", last);
  expect_joined();
  write("x,id", "id,y", [](int id, int value) { return fmt::format("P{},P{}", value, id); });
  const std::string number = dir_.write_file("b.csv", "site,Id,y\nn,7,1\ns,8,2\nn,9,3\n");
  const Input one = open_input({number});
  EXPECT_EQ(one.source->ids(0, 3), (Names{"7", "8", "9"}));
  EXPECT_EQ(one.source->schema().views[0].feature_names, (Names{"site=n", "site=s", "y"}));
  const std::string repeats = dir_.write_file("c.csv", "x,id\n1,1\n2,1\n3,2\n4,2\n");
  EXPECT_EQ(open_input({repeats}).source->schema().views[0].feature_names, (Names{"x", "id"}));
  const std::string fractions = dir_.write_file("d.csv", "x,id\n1,1.5\n2,2.5\n");
  EXPECT_EQ(open_input({fractions}).source->schema().views[0].features, 2) << "measurements are no ids";
}

TEST_F(UnusedIds, FilesThatShareAColumnOfIdsAreNotJoinedByRow) {
  write("x,patient_id", "y,patient_id", last);
  expect_error(ErrorKind::data, {"a.csv, ", "b.csv", "'patient_id'", "--id-column 'patient_id'", "--drop 'patient_id'"},
               [&] {
                 open_input({a_, b_});
               });
  expect_joined({.id_column = {"patient_id"}});
  InputOptions dropped;
  dropped.text.drop = {"patient_id"};
  const Input by_row = open_input({a_, b_}, dropped);
  EXPECT_TRUE(has_note(by_row, "joined by row"));
  EXPECT_EQ(by_row.source->schema().views[1].features, 1);
  const Input none = open_input({a_, b_}, {.id_column = {"none"}});
  EXPECT_EQ(none.source->schema().views[0].features, 2);
  EXPECT_FALSE(has_note(none, "joined by row")) << "the user has said it";
}

TEST_F(UnusedIds, WordsThatWouldBeLeftOutAreIds) {
  write("x,Sample", "y,sample", [](int id, int value) { return fmt::format("{},S{}", value, id); });
  expect_error(ErrorKind::data, {"--id-column 'a=Sample'", "--id-column 'b=sample'"}, [&] { open_input({a_, b_}); });
  expect_joined({.id_column = {"a=Sample", "b=sample"}});
}

TEST_F(UnusedIds, TheIdsOfOneFileAreLookedForInTheOthers) {
  write("patient,x", "patient,y", [](int id, int value) { return fmt::format("{},{}", id, value); });
  b_ = dir_.write_file("b.csv", "y,patient\n1,100\n2,101\n");
  expect_error(ErrorKind::data, {"b.csv: column 'patient'", "--id-column 'patient'"}, [&] { open_input({a_, b_}); });
}

TEST_F(UnusedIds, AnIdThatComesTwiceIsRefusedWithBothLines) {
  write("patient_id,x", "patient_id,y", [](int id, int value) { return fmt::format("{},{}", id, value); });
  std::string text = "patient_id,x\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", 100 + (i == 30 ? 3 : i), i);
  a_ = dir_.write_file("a.csv", text);
  expect_error(ErrorKind::data, {"a.csv:32:", "'103'", "'patient_id'", "a.csv:5", "--id-column 'a=none'"}, [&] {
    open_input({a_, b_});
  });
}

TEST_F(UnusedIds, OtherColumnsOfOneNameAreNoIds) {
  for (const char* name : {"number", "age", "code"}) {
    write(fmt::format("x,{}", name), fmt::format("y,{}", name), last);
    const Input input = open_input({a_, b_});
    EXPECT_EQ(input.source->schema().views[0].features, 2) << name;
    EXPECT_TRUE(has_note(input, "joined by row")) << name;
  }
  write("x,sample", "y,sample", [](int id, int value) { return fmt::format("{},{}", value, id % 4); });
  EXPECT_EQ(open_input({a_, b_}).source->schema().views[0].features, 2) << "values that repeat";
  write("x,patient_id", "y,subject", last);
  EXPECT_TRUE(has_note(open_input({a_, b_}), "joined by row")) << "two names";
}

TEST_F(UnusedIds, NumbersThatAreCalledLikeIdsAreAFeatureWithANote) {
  write("x,patient_id", "y", last);
  const Input one = open_input({a_});
  EXPECT_EQ(one.source->schema().views[0].features, 2);
  EXPECT_TRUE(has_note(one, "'patient_id' looks like sample ids"));
  EXPECT_TRUE(has_note(one, "--drop 'patient_id'"));
  write("x,patient_id", "y", [](int id, int value) { return fmt::format("{},{}", value, id / 3); });
  EXPECT_TRUE(has_note(open_input({a_}), "come several times"));
  InputOptions dropped;
  dropped.text.drop = {"patient_id"};
  EXPECT_FALSE(has_note(open_input({a_}, dropped), "patient_id"));
}

TEST_F(UnusedIds, WhatAModelKnowsIsNoId) {
  write("x,patient_id", "y,patient_id", last);
  InputOptions options;
  options.like.views = {{"a", 2, {"x", "patient_id"}}, {"b", 2, {"y", "patient_id"}}};
  EXPECT_EQ(open_input({a_, b_}, options).source->schema().views[0].features, 2);
  options.like.views = {{"a", 1, {"x"}, {"patient_id"}}, {"b", 1, {"y"}, {"patient_id"}}};
  EXPECT_EQ(open_input({a_, b_}, options).source->schema().views[0].features, 2);
}

// DataFrame.to_csv without index=False writes the number of each row before it.
TEST_F(UnusedIds, NumbersOfRowsAreNotTakenForIdsWhereAllFilesHaveOthers) {
  const auto numbered = [&](const std::string& name, bool backwards, int first) {
    std::string text = ",patient,x\n";
    for (int i = 0; i < 40; ++i) {
      const int id = backwards ? 139 - i : 100 + i;
      text += fmt::format("{},P{},{}\n", first + i, id, id * (backwards ? 5 : 3));
    }
    return dir_.write_file(name, text);
  };
  for (const int first : {0, 1}) {
    a_ = numbered("a.csv", false, first);
    b_ = numbered("b.csv", true, first);
    expect_error(ErrorKind::data,
                 {"a.csv", "b.csv", "'patient'", "numbers of their rows", "--id-column 'patient' --drop 1"}, [&] {
                   open_input({a_, b_});
                 });
    InputOptions by_patient;
    by_patient.id_column = {"patient"};
    by_patient.text.drop = {"1"};
    const Input joined = open_input({a_, b_}, by_patient);
    EXPECT_EQ(joined.source->ids(0, 1), (Names{"P100"}));
    EXPECT_EQ(joined.source->schema().views[0].features, 1);
    InputOptions by_number;
    by_number.text.drop = {"patient"};
    EXPECT_EQ(open_input({a_, b_}, by_number).source->ids(0, 1), (Names{std::to_string(first)}));
  }
}

// df[df.x > 1].to_csv leaves the numbers of the rows that are left.
TEST_F(UnusedIds, NumbersOfFilteredRowsAreNotTakenForIdsEither) {
  const auto filtered = [&](const std::string& name, const std::string& header, int step, bool shuffled) {
    std::string text = header + "\n";
    for (int i = 0; i < 40; ++i) {
      const int number = 3 + (shuffled ? (7 * i) % 40 : i) + (i > 20 && !shuffled ? step : 0);
      const int id = step > 0 ? 139 - i : 100 + i;
      text += fmt::format("{},P{},{}\n", number, id, id);
    }
    return dir_.write_file(name, text);
  };
  for (const char* title : {"", "Unnamed: 0"}) {
    const std::string header = fmt::format("{},patient,x", title);
    a_ = filtered("a.csv", header, 0, false);
    b_ = filtered("b.csv", header, 2, false);
    expect_error(ErrorKind::data, {"'patient'", "numbers of their rows", "--id-column 'patient' --drop"}, [&] {
      open_input({a_, b_});
    });
    // Numbers that do not ascend are those of rows that were shuffled with them.
    b_ = filtered("b.csv", header, 2, true);
    EXPECT_EQ(open_input({a_, b_}).source->ids(0, 1), (Names{"3"})) << title;
  }
  a_ = filtered("a.csv", "index,patient,x", 0, false);
  b_ = filtered("b.csv", "index,patient,x", 2, false);
  EXPECT_EQ(open_input({a_, b_}).source->ids(0, 1), (Names{"3"})) << "somebody gave these a name";
}

TEST_F(UnusedIds, WordsThatFilesShareAreIdsUnderAnyName) {
  const auto file = [&](const std::string& name, const std::string& header, const std::string& word, bool numbers,
                        bool backwards) {
    std::string text = (numbers ? "," : "") + header + "\n";
    for (int i = 0; i < 40; ++i) {
      const int id = backwards ? 139 - i : 100 + i;
      text += (numbers ? fmt::format("{},", i) : "") + fmt::format("{},{}{}\n", id * 3, word, id);
    }
    return dir_.write_file(name, text);
  };
  for (const bool numbers : {false, true}) {
    a_ = file("a.csv", "x,key", "P", numbers, false);
    b_ = file("b.csv", "y,label of it", "P", numbers, true);
    expect_error(ErrorKind::data,
                 {"--id-column 'a=key'", "--id-column 'b=label of it'", numbers ? "numbers of their rows" : "by row"},
                 [&] {
                   open_input({a_, b_});
                 });
    b_ = file("b.csv", "y,key", "P", numbers, true);
    expect_error(ErrorKind::data, {"--id-column 'key'", "--drop 'key'"}, [&] { open_input({a_, b_}); });
    b_ = file("b.csv", "y,key", "P", numbers, false);
    EXPECT_EQ(read_all(*open_input({a_, b_}).source).size(), 40) << "the same rows are joined either way";
    b_ = file("b.csv", "y,key", "Q", numbers, true);
    EXPECT_EQ(read_all(*open_input({a_, b_}).source).size(), 40) << "other words";
  }
  b_ = file("b.csv", "y,key", "P", false, true);
  a_ = file("a.csv", "x,key", "P", false, false);
  InputOptions by_key;
  by_key.id_column = {"key"};
  EXPECT_EQ(open_input({a_, b_}, by_key).source->ids(0, 1), (Names{"P100"}));
  InputOptions dropped;
  dropped.text.drop = {"key"};
  EXPECT_TRUE(has_note(open_input({a_, b_}, dropped), "joined by row"));
}

}  // namespace
}  // namespace omvc
