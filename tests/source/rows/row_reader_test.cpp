// Lines of a stream as rows: what they mean, and what hostile ones get.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "omvc/rows.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::expect_error;
using test::kNan;
using test::Rows;

// A model of a named sparse view, a dense one without names and a dense one with them.
RowsLike known(bool ignore_extra = false) {
  RowsLike like;
  like.schema.views = {{"text", 3, {"goal", "match", "team"}}, {"image", 2, {}}, {"lab", 2, {"age", "bmi"}}};
  like.sparse = {true, false, false};
  like.ignore_extra = ignore_extra;
  return like;
}

RowsLike growing() {
  RowsLike like;
  like.grows = true;
  return like;
}

TEST(RowReader, ViewsAndIdsAreBoundedAsFeaturesAre) {
  RowsLike like = growing();
  like.max_features = 1 << 17;
  RowReader reader(like);
  std::string many = "{\"id\": 1";
  for (int v = 0; v < 129; ++v) many += ", \"v" + std::to_string(v) + "\": [1, 2]";
  expect_error(ErrorKind::data, {"more than 128 views", "--memory"}, [&] { reader.add(many + "}"); });
  EXPECT_EQ(reader.schema().views.size(), 0u) << "a refused line leaves no trace";
  const std::string id(5000, 'x');
  expect_error(ErrorKind::data, {"id has 5002 bytes", "4096"},
               [&] { reader.add("{\"id\": \"" + id + "\", \"a\": [1, 2]}"); });
  EXPECT_EQ(reader.id(), "null");
  EXPECT_EQ(reader.size(), 0);
  EXPECT_TRUE(reader.add("{\"id\": \"y\", \"a\": [1, 2]}"));
}

// The rows of a view, empty where it is missing; NaN as -1, which no line below has.
Rows rows_of(RowReader& reader, std::size_t view) {
  Chunk chunk = reader.take();
  check_chunk(chunk, reader.schema());
  Rows rows = test::dense_rows(chunk.views[view], chunk.size());
  for (auto& row : rows) {
    for (double& value : row) value = std::isnan(value) ? -1 : value;
  }
  return rows;
}

void expect_refused(RowReader& reader, const std::string& line, const std::vector<std::string>& parts) {
  const Index rows = reader.size();
  const Schema schema = reader.schema();
  expect_error(ErrorKind::data, parts, [&] { reader.add(line); });
  EXPECT_EQ(reader.size(), rows) << line;
  EXPECT_EQ(reader.schema(), schema) << "a bad line teaches nothing: " << line;
}

TEST(RowReader, ReadsViewsByTheirKeys) {
  RowReader reader(known());
  EXPECT_TRUE(reader.add(R"({"id": "p17", "text": {"team": 2, "goal": 1.5}, "image": [0.5, 0.25]})"));
  EXPECT_EQ(reader.id(), "\"p17\"");
  EXPECT_TRUE(reader.add(R"({"image": [3, null], "id": 18, "text": null})"));
  EXPECT_EQ(reader.id(), "18");
  EXPECT_TRUE(reader.add(R"({"lab": {"bmi": 22}, "text": [0, 4, 0]})"));
  EXPECT_EQ(reader.id(), "null");
  EXPECT_TRUE(reader.add("{}"));
  ASSERT_EQ(reader.size(), 4);
  Chunk chunk = reader.take();
  check_chunk(chunk, reader.schema());
  EXPECT_EQ(test::dense_rows(chunk.views[0], 4), (Rows{{1.5, 0, 2}, {}, {0, 4, 0}, {}}));
  EXPECT_TRUE(std::holds_alternative<CsrBlock<double>>(chunk.views[0].block));
  EXPECT_EQ(chunk.views[1].present, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(std::isnan(test::dense_row(chunk.views[1].block, 1)[1])) << "null is a missing value";
  EXPECT_TRUE(std::isnan(test::dense_row(chunk.views[2].block, 0)[0])) << "and so is what a dense view leaves out";
  EXPECT_EQ(reader.size(), 0);
}

TEST(RowReader, FindsFeaturesByNumberWhereTheyHaveNoNames) {
  RowReader reader(known());
  EXPECT_TRUE(reader.add(R"({"image": {"1": 7, "0": 3}, "text": {"2": 5}})"));
  Chunk chunk = reader.take();
  EXPECT_EQ(test::dense_row(chunk.views[1].block, 0), (std::vector<double>{3, 7}));
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{0, 0, 5})) << "no name is a number";
  expect_refused(reader, R"({"image": {"2": 1}})", {"view 'image'", "no feature '2'", "0 to 1"});
  expect_refused(reader, R"({"image": {"-1": 1}})", {"no feature '-1'"});
}

TEST(RowReader, RefusesWhatIsNoRowAndGoesOn) {
  RowReader reader(known());
  reader.add(R"({"image": [1, 2]})");
  expect_refused(reader, R"({"image": [1, 2)", {"not JSON"});
  expect_refused(reader, R"([1, 2])", {"a list", "a key for each view"});
  expect_refused(reader, R"({"id": "x", "sound": [1]})",
                 {"no view 'sound'", "'text', 'image', 'lab'", "--ignore-extra"});
  EXPECT_EQ(reader.id(), "\"x\"") << "the id is known though the line is bad";
  expect_refused(reader, R"({"image": [1, 2, 3]})", {"view 'image'", "3 numbers", "2 features"});
  expect_refused(reader, R"({"image": []})", {"0 numbers"});
  expect_refused(reader, R"({"image": ["1", 2]})", {"view 'image'", "a text", "null"});
  expect_refused(reader, R"({"image": [true, 2]})", {"true or false"});
  expect_refused(reader, R"({"image": [[1], 2]})", {"a list is where a number"});
  expect_refused(reader, R"({"image": [1e400, 2]})", {"number"});
  expect_refused(reader, R"({"image": [123456789012345678901234567890, 2]})", {"number"});
  expect_refused(reader, R"({"image": [NaN, 2]})", {"not JSON"});
  expect_refused(reader, R"({"image": 3})", {"view 'image' is a number", "a list of numbers"});
  expect_refused(reader, R"({"image": "3"})", {"is a text"});
  expect_refused(reader, R"({"text": {"goal": 1, "goal": 2}})", {"feature 'goal' comes twice"});
  expect_refused(reader, R"({"image": [1, 2], "image": [1, 2]})", {"'image' comes twice"});
  expect_refused(reader, R"({"id": 1, "id": 2})", {"id comes twice"});
  expect_refused(reader, R"({"id": [1]})", {"the id is a list"});
  expect_refused(reader, R"({"id": 1.5})", {"whole number"});
  expect_refused(reader, R"({"text": {"nil": 1}})", {"no feature 'nil'"});
  expect_refused(reader, std::string("{\"image\": [1, \0 2]}", 19), {"not JSON"});
  expect_refused(reader, "{\"image\xFF\": [1, 2]}", {"UTF-8"});
  expect_refused(reader, R"({"image": [1, 2]} {"image": [1, 2]})", {"not JSON"});
  expect_refused(reader, std::string(100000, '[') + std::string(100000, ']'), {"not JSON"});
  expect_refused(reader, R"({"image": )" + std::string(2000, '[') + std::string(2000, ']') + "}", {"deeply"});
  EXPECT_FALSE(reader.add("")) << "an empty line is no row";
  EXPECT_FALSE(reader.add("  \r"));
  reader.add(R"({"image": [3, 4]})");
  EXPECT_EQ(rows_of(reader, 1), (Rows{{1, 2}, {3, 4}})) << "what was added before and after stays";
}

TEST(RowReader, LeavesOutWhatTheModelLacksWhereAsked) {
  RowReader reader(known(true));
  EXPECT_TRUE(reader.add(R"({"time": "noon", "sound": [1], "deep": {"er": {}}, "text": {"goal": 1, "nil": 4}})"));
  EXPECT_EQ(rows_of(reader, 0), (Rows{{1, 0, 0}}));
  expect_refused(reader, R"({"image": "noon"})", {"is a text"});
}

TEST(RowReader, GrowsWithTheRowsUntilItIsFrozen) {
  RowReader reader(growing());
  reader.add(R"({"text": {"b": 1}})");
  expect_refused(reader, R"({"text": {"bad": 1}, "image": ["x"]})", {"a text"});
  expect_refused(reader, R"({"image": []})", {"0 numbers"});
  reader.add(R"({"empty": {}, "image": [1, 2], "text": {"7": 2, "b": 3}})");
  expect_refused(reader, R"({"image": [1]})", {"1 numbers", "2 features"});
  const Index grown = reader.growth();
  EXPECT_GT(grown, 0);
  EXPECT_EQ(rows_of(reader, 0), (Rows{{1, 0}, {3, 2}}));
  EXPECT_EQ(reader.schema(), (Schema{{{"text", 2, {"b", "7"}}, {"image", 2, {}}}}));
  EXPECT_EQ(reader.sparse(), (std::vector<bool>{true, false}));
  reader.add(R"({"text": {"b": 4}})");
  EXPECT_EQ(reader.growth(), grown);
  reader.freeze();
  expect_refused(reader, R"({"text": {"c": 4}})", {"no feature 'c'"});
  expect_refused(reader, R"({"sound": [4]})", {"no view 'sound'"});
}

// A line means the same to a reader that has seen the views come and to one that starts with them.
TEST(RowReader, AfterItsViewsHaveComeItIsAsIfItHadStartedWithThem) {
  RowReader grown({.schema = {}, .sparse = {}, .grows = true, .new_names = true, .text = {}});
  grown.add(R"({"image": [1, 2], "text": {"a": 1}})");
  grown.take();
  grown.freeze();
  RowReader started({.schema = grown.schema(), .sparse = grown.sparse(), .new_names = true, .text = {}});
  for (RowReader* reader : {&grown, &started}) {
    EXPECT_TRUE(reader->add(R"({"image": {"1": 7}, "text": {"b": 2, "0": 1}})"));
    const Chunk chunk = reader->take();
    EXPECT_EQ(test::dense_row(chunk.views[0].block, 0)[1], 7);
    EXPECT_EQ(test::dense_row(chunk.views[1].block, 0), (std::vector<double>{0, 2, 1})) << "a number may be a word";
    expect_refused(*reader, R"({"image": {"2": 7}})", {"no feature '2'"});
    expect_refused(*reader, R"({"sound": {"x": 7}})", {"no view 'sound'"});
  }
  EXPECT_EQ(grown.schema(), started.schema());
}

TEST(RowReader, NamesBeyondTheMostAreLeftOutAndLongerListsRefused) {
  RowReader reader({.schema = {}, .sparse = {}, .grows = true, .new_names = true, .max_features = 2, .text = {}});
  EXPECT_TRUE(reader.add(R"({"text": {"a": 1, "b": 2, "c": 3}})"));
  EXPECT_TRUE(reader.add(R"({"text": {"c": 3, "d": 3}})"));
  expect_refused(reader, R"({"image": [1, 2, 3]})", {"view 'image'", "3 numbers", "--max-features 3"});
  EXPECT_EQ(reader.left_out(), 3);
  const Chunk chunk = reader.take();
  EXPECT_EQ(chunk.views[0].present, (std::vector<Index>{0})) << "a row of names alone that have no room lacks the view";
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{1, 2}));
}

TEST(RowReader, ReadsCsvWhoseColumnsNameTheirViews) {
  for (const char* mark : {":", ".", "/", "_"}) {
    RowReader reader(growing());
    std::string header = "id,text:goal,image:1,text:match,image:2";
    for (char& c : header) c = c == ':' ? mark[0] : c;
    EXPECT_FALSE(reader.add(header));
    EXPECT_TRUE(reader.add("p1,1,2,3,4\r"));
    EXPECT_EQ(reader.id(), "\"p1\"");
    EXPECT_TRUE(reader.add("\"p \"\"2\"\"\",,2,NA,4"));
    EXPECT_EQ(reader.id(), R"("p \"2\"")");
    EXPECT_TRUE(reader.add("p3,1,,,"));
    EXPECT_EQ(reader.schema().views[0].feature_names, (std::vector<std::string>{"goal", "match"}));
    const Chunk chunk = reader.take();
    EXPECT_EQ(chunk.views[0].present, (std::vector<Index>{0, 2}));
    EXPECT_EQ(chunk.views[1].present, (std::vector<Index>{0, 1})) << "a view without any cell is missing";
    EXPECT_EQ(test::dense_row(chunk.views[1].block, 0), (std::vector<double>{2, 4}));
  }
}

TEST(RowReader, MatchesCsvColumnsWithTheModel) {
  RowReader reader(known());
  EXPECT_FALSE(reader.add("image:a,text:team,text:goal,text:match,image:b"));
  EXPECT_TRUE(reader.add("1,2,3,4,5"));
  const Chunk chunk = reader.take();
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{3, 4, 2})) << "by name";
  EXPECT_EQ(test::dense_row(chunk.views[1].block, 0), (std::vector<double>{1, 5})) << "without names, by place";
  expect_refused(reader, "1,2,3,4", {"expected 5 columns, found 4"});
  expect_refused(reader, "1,2,3,4,x", {"column 5 ('image:b')", "'x' is not a number"});
  expect_refused(reader, "1,2,3,4,1e999", {"infinite"});
}

TEST(RowReader, RefusesCsvColumnsThatDoNotFit) {
  const auto expect_header = [](const std::string& header, const std::vector<std::string>& parts) {
    RowReader reader(known());
    expect_error(ErrorKind::usage, parts, [&] {
      reader.add(header);
      std::string row = "1";
      for (const char c : header) row += c == ',' ? ",1" : "";
      reader.add(row);
    });
  };
  expect_header("a,b,c", {"VIEW:FEATURE"});
  expect_header("[1, 2]", {"VIEW:FEATURE", "JSON Lines"});
  expect_header("id,sound:1", {"no view 'sound'"});
  expect_header("id,image:1,image:2,image:3", {"2 features", "3 columns"});
  expect_header("id,text:goal,text:match", {"lack the feature 'team'"});
  expect_header("id,text:goal,text:match,text:team,text:nil", {"no feature 'nil'"});
  expect_header("id,text:goal,text:match,text:team,text:goal", {"no feature 'goal.1'"});
  expect_header("1,2,3", {"VIEW:FEATURE"});
}

TEST(RowReader, FindsTheColumnsOfATableByTheFeaturesOfTheModel) {
  RowReader reader(known());
  EXPECT_FALSE(reader.add("who;team;goal;match;bmi;age"));
  EXPECT_TRUE(reader.add("anna;1;2,5;0;21;30"));
  EXPECT_EQ(reader.id(), "\"anna\"") << "the first column is no feature, and all others are";
  const Chunk chunk = reader.take();
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), (std::vector<double>{2.5, 0, 1}));
  EXPECT_EQ(test::dense_row(chunk.views[2].block, 0), (std::vector<double>{30, 21}));
  EXPECT_TRUE(chunk.views[1].present.empty());
}

// The table that fit took: with ids under any name, and with columns that it left out.
TEST(RowReader, TheHeaderOfAModelMayHaveColumnsThatItLacks) {
  RowsLike like;
  like.schema.views = {{"blood", 2, {"hb", "crp"}, {"taken", "visit"}}, {"scan", 1, {"size"}, {}}};
  like.sparse = {false, false};
  RowReader reader(like);
  EXPECT_FALSE(reader.add("patient,hb,crp,taken,visit"));
  EXPECT_TRUE(reader.add("P1,10.5,2,2026-11-16,7"));
  EXPECT_EQ(reader.id(), "\"P1\"");
  EXPECT_EQ(rows_of(reader, 0), (Rows{{10.5, 2}}));
  std::string notes;
  for (const std::string& note : reader.notes()) notes += note + "\n";
  EXPECT_NE(notes.find("'taken' is left out"), std::string::npos) << notes;
  EXPECT_NE(notes.find("left out, as by the fit: 'visit'"), std::string::npos) << notes;

  RowReader words(like);
  EXPECT_FALSE(words.add("hb,site,crp,note"));
  EXPECT_TRUE(words.add("10.5,north,2,free text"));
  EXPECT_EQ(words.id(), "null");
  RowReader numbers(like);
  EXPECT_FALSE(numbers.add("hb,crp,weight,bmi"));
  expect_error(ErrorKind::usage, {"'weight', 'bmi'", "--ignore-extra", "--drop 'weight,bmi'"},
               [&] { numbers.add("10.5,2,80,21"); });
  like.ignore_extra = true;
  RowReader ignoring(like);
  EXPECT_FALSE(ignoring.add("hb,crp,weight,bmi"));
  EXPECT_TRUE(ignoring.add("10.5,2,80,21"));
  EXPECT_EQ(rows_of(ignoring, 0), (Rows{{10.5, 2}}));
}

TEST(RowReader, ALineThatIsRefusedDecidesNothingOfATable) {
  RowReader reader(growing());
  EXPECT_FALSE(reader.add("id;a;b"));
  expect_refused(reader, "x", {"expected 3 columns, found 1"});
  expect_refused(reader, "7", {"expected 3 columns, found 1"});
  expect_refused(reader, "x;1;2;3", {"expected 3 columns, found 4"});
  expect_refused(reader, "x;1.234;2", {"may be 1.234 or 1234", "--decimal"});
  expect_refused(reader, "x;blue;2,5", {"column 2 ('a')", "'blue' is not a number", "--drop 'a'"});
  expect_refused(reader, "x;1;\"2", {"not closed"});
  EXPECT_TRUE(reader.add("x;1;2"));
  expect_refused(reader, "x;1,5;blue", {"'blue'"});
  EXPECT_TRUE(reader.add("y;1.5;2")) << "the line before would have shown a comma";
  expect_refused(reader, "x;1,5;2", {"another decimal mark"});
  EXPECT_TRUE(reader.add("z;1.234;2"));
  EXPECT_EQ(rows_of(reader, 0), (Rows{{1, 2}, {1.5, 2}, {1.234, 2}}));
}

TEST(RowReader, CategoriesAreThoseOfTheModel) {
  RowsLike like;
  like.schema.views = {{"clinic", 4, {"age", "eyes=blue", "eyes=brown", "smoker=TRUE"}}};
  RowReader reader(like);
  EXPECT_FALSE(reader.add("patient\tsmoker\teyes\tage\tseen"));
  EXPECT_TRUE(reader.add("7\tTRUE\tbrown\t30\t2026-11-16"));
  EXPECT_TRUE(reader.add("8\tFALSE\tgreen\t31\t"));
  EXPECT_TRUE(reader.add("9\t\tNA\t\t2026-11-16"));
  EXPECT_EQ(reader.id(), "\"9\"");
  ASSERT_EQ(reader.notes().size(), 1u);
  EXPECT_NE(reader.notes()[0].find("'seen' is left out"), std::string::npos);
  EXPECT_EQ(rows_of(reader, 0), (Rows{{30, 0, 1, 1}, {31, -1, -1, -1}, {}})) << "what was never seen is missing";
}

TEST(RowReader, AFirstLineThatIsNoJsonDoesNotMakeATableOfTheRest) {
  for (const char* first : {"oops", "id: 1, \"image\"", "a,b,c", "\"id\": \"p1\", \"a\": [1]}"}) {
    RowReader reader({.grows = true});
    EXPECT_FALSE(reader.add(first)) << first;
    EXPECT_TRUE(reader.add(R"({"id": "p2", "a": [1, 2]})")) << first;
    EXPECT_EQ(reader.id(), "\"p2\"");
    EXPECT_EQ(reader.notes().size(), 1u) << "which says what became of the first line";
    EXPECT_THROW(reader.add("oops"), Error);
    EXPECT_TRUE(reader.add(R"({"a": [3, 4]})"));
    EXPECT_EQ(reader.size(), 2);
  }
}

TEST(RowReader, ByteOrderMarkAndChosenFormat) {
  RowReader marked(known());
  EXPECT_TRUE(marked.add("\xEF\xBB\xBF{\"image\": [1, 2]}"));
  RowReader json(known(), RowFormat::json);
  expect_refused(json, "id,image:1,image:2", {"not JSON"});
}

// Every cut of a good line is a good line or a refusal, and never leaves half a row.
TEST(RowReader, EveryTruncationAndManyDamagedLinesAreRowsOrRefused) {
  const std::string line =
      R"({"id": "a\u00e9\"", "text": {"goal": 2.5e-3, "match": -1}, "image": [0.1, null], "lab": {"age": 3}})";
  std::mt19937 random(4);
  for (const bool grows : {false, true}) {
    RowReader reader(grows ? growing() : known());
    Index added = 0;
    const auto feed = [&](const std::string& text) {
      try {
        added += reader.add(text) ? 1 : 0;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      }
      ASSERT_EQ(reader.size(), added);
    };
    feed(line);
    for (std::size_t size = 0; size < line.size(); ++size) feed(line.substr(0, size));
    for (int i = 0; i < 20000; ++i) {
      std::string damaged = line;
      for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      }
      std::erase(damaged, '\n');
      feed(damaged);
    }
    const Chunk chunk = reader.take();
    EXPECT_EQ(chunk.size(), added);
    EXPECT_NO_THROW(check_chunk(chunk, reader.schema()));
  }
}

}  // namespace
}  // namespace omvc
