#include "source/formats/text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

#include "omvc/input.hpp"
#include "omvc/source.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

class Text : public testing::Test {
 protected:
  Rows read(const std::string& content, Index max_rows = 1000) { return read(content, InputOptions(), max_rows); }
  Rows read(const std::string& content, const InputOptions& options, Index max_rows = 1000) {
    const auto reader = open_text(dir_.write_file("view.txt", content), "view", options);
    schema_ = reader->schema();
    ids_.clear();
    const std::vector<std::string> announced = reader->has_ids() ? reader->all_ids() : std::vector<std::string>();
    Rows all;
    while (true) {
      const ViewRows rows = reader->read(max_rows);
      EXPECT_EQ(rows.ids.size(), reader->has_ids() ? static_cast<std::size_t>(rows.instances) : 0u);
      ids_.insert(ids_.end(), rows.ids.begin(), rows.ids.end());
      for (auto& row : dense_rows(rows.view, rows.instances)) all.push_back(std::move(row));
      if (rows.instances < max_rows) break;
    }
    EXPECT_EQ(ids_, announced);
    return all;
  }
  void expect_refused(const std::string& content, std::vector<std::string> parts, const InputOptions& options = {},
                      ErrorKind kind = ErrorKind::data) {
    parts.push_back("view.txt");
    expect_error(kind, parts, [&] { read(content, options); });
  }

  using Names = std::vector<std::string>;
  test::TempDir dir_;
  ViewSchema schema_;
  Names ids_;
};

TEST_F(Text, DetectsTheDelimiter) {
  const Rows expected{{1, 2.5, -3}, {4, 5e-1, 6}};
  EXPECT_EQ(read("1,2.5,-3\n4,5e-1,+6\n"), expected);
  EXPECT_EQ(read("1\t2.5\t-3\n4\t5e-1\t6\n"), expected);
  EXPECT_EQ(read("1;2.5;-3\n4;5e-1;6\n"), expected);
  EXPECT_EQ(read("  1  2.5 -3\n4 5e-1   6  \n"), expected);
  EXPECT_EQ(read("1, 2.5, -3\n4, 5e-1, 6"), expected) << "no newline at the end";
  EXPECT_EQ(schema_.features, 3);
  EXPECT_TRUE(schema_.feature_names.empty());
}

TEST_F(Text, ReadsCrlfByteOrderMarkAndComments) {
  EXPECT_EQ(read("\xEF\xBB\xBF# a comment\r\n#another\r\n1,2\r\n\r\n3,4\r\n"), (Rows{{1, 2}, {}, {3, 4}}));
}

TEST_F(Text, TakesAHeaderAsFeatureNames) {
  EXPECT_EQ(read("\"a, b\",\"say \"\"hi\"\"\"\n1,2\n"), (Rows{{1, 2}}));
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"a, b", "say \"hi\""}));
  EXPECT_EQ(read("one feature\n1\n2\n"), (Rows{{1}, {2}}));
  EXPECT_EQ(schema_.feature_names, (std::vector<std::string>{"one feature"}));
  EXPECT_EQ(read("nan NA NaN\n1 2 3\n"), (Rows{{}, {1, 2, 3}})) << "a line of NaN is not a header";
}

TEST_F(Text, FindsTheColumnOfIds) {
  const Rows expected{{1, 2}, {3, 4}};
  const Names ids{"s1", "s2"};
  const Names names{"a", "b"};
  const auto check = [&](const std::string& content, const Names& expected_names, const Names& expected_ids) {
    EXPECT_EQ(read(content), expected) << content;
    EXPECT_EQ(schema_.feature_names, expected_names) << content;
    EXPECT_EQ(ids_, expected_ids) << content;
  };
  check("s1,1,2\ns2,3,4\n", {}, ids);
  check("x,a,b\ns1,1,2\ns2,3,4\n", names, ids);
  check(",a,b\ns1,1,2\ns2,3,4\n", names, ids);
  check(",a,b\n0,1,2\n1,3,4\n", names, {"0", "1"});
  check(",0,1\ns1,1,2\ns2,3,4\n", {"0", "1"}, ids);
  check("Sample_ID\ta\tb\n7\t1\t2\n8\t3\t4\n", names, {"7", "8"});
  check("barcode,0,1\ns1,1,2\ns2,3,4\n", {"0", "1"}, ids);
  check("\"a\" \"b\"\n\"s1\" 1 2\n\"s2\" 3 4\n", names, ids);  // R's write.table
  check("a;b\ns1;1;2\ns2;3;4\n", names, ids);
  check("a,b\n1,2\n3,4\n", names, {});
  check("a,b,ID\n1,2,s1\n3,4,s2\n", names, ids);
}

TEST_F(Text, IdsMayBeQuotedAndNeedNotBeUtf8) {
  EXPECT_EQ(read("id,\"f\xE9\"\n\"a, \"\"b\"\"\",1\n\xFF\xFE,2\n"), (Rows{{1}, {2}}));
  EXPECT_EQ(ids_, (Names{"a, \"b\"", "\xFF\xFE"}));
  EXPECT_EQ(schema_.feature_names, (Names{"f\xE9"}));
  EXPECT_EQ(read("\"a, b\" 1 2\nc 3 4\n"), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(ids_, (Names{"a, b", "c"}));
  EXPECT_EQ(read("5\",1,2\n6\",3,4\n"), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(ids_, (Names{"5\"", "6\""}));
}

TEST_F(Text, TheColumnOfIdsCanBeNamed) {
  const std::string content = "a,key,b\n1,s1,2\n3,s2,4\n";
  for (const char* column : {"key", "2"}) {
    EXPECT_EQ(read(content, {.id_column = {column}}), (Rows{{1, 2}, {3, 4}})) << column;
    EXPECT_EQ(ids_, (Names{"s1", "s2"}));
    EXPECT_EQ(schema_.feature_names, (Names{"a", "b"}));
  }
  EXPECT_EQ(read("1,2\n3,4\n", {.id_column = {"2"}}), (Rows{{1}, {3}}));
  EXPECT_EQ(ids_, (Names{"2", "4"}));
  EXPECT_EQ(read("id,a\n1,2\n3,4\n", {.id_column = {"none"}}), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(ids_, Names());
  expect_refused(content, {"'other'", "no column"}, {.id_column = {"other"}}, ErrorKind::usage);
  expect_refused(content, {"'4'", "no column"}, {.id_column = {"4"}}, ErrorKind::usage);
  expect_refused(content, {"'0'", "no column"}, {.id_column = {"0"}}, ErrorKind::usage);
  expect_refused("id\n1\n", {":2:", "no features"}, {.id_column = {"id"}});
}

TEST_F(Text, AnInstanceWithAnIdIsAbsentByNanAndAnEmptyLineIsNothing) {
  EXPECT_EQ(read("id,a,b\n\ns1,1,2\ns2,,\n\ns3,nan,NA\ns4,3,4\n\n\n"), (Rows{{1, 2}, {}, {}, {3, 4}}));
  EXPECT_EQ(ids_, (Names{"s1", "s2", "s3", "s4"}));
  expect_refused("id,a\ns1,1\n,2\n", {":3:", "id is missing"});
}

TEST_F(Text, AModelDecidesWhatColumnsAre) {
  InputOptions options;
  options.like.views = {{"view", 3, {"eyes=blue", "eyes=brown", "age"}}};
  EXPECT_EQ(read("reg,eyes,age\n1,brown,30\n2,blue,40\n", options), (Rows{{0, 1, 30}, {1, 0, 40}}));
  EXPECT_EQ(schema_.feature_names, options.like.views[0].feature_names);
  EXPECT_EQ(ids_, (Names{"1", "2"})) << "no feature of the model, so ids";
  const Rows rows = read("eyes,age\nviolet,30\nblue,40\n", options);
  EXPECT_TRUE(std::isnan(rows[0][0]) && std::isnan(rows[0][1])) << "a value that is new counts as missing";
  EXPECT_EQ(rows[1], (std::vector<double>{1, 0, 40}));
  options.like.views = {{"view", 2, {"patient", "age"}}};
  EXPECT_EQ(read("patient,age\n1,30\n2,40\n", options), (Rows{{1, 30}, {2, 40}}))
      << "a feature of the model, so no ids";
}

TEST_F(Text, LineEndsMayBeMixedButNotOldOnes) {
  EXPECT_EQ(read("1,2\r\n3,4\n5,6\r\n7,8\r\r\n"), (Rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  expect_refused("1 2\n3 4\r5 6\n", {":2:", "carriage return"});
}

TEST_F(Text, TransposedALineIsAFeature) {
  const InputOptions transposed{.transpose = true};
  EXPECT_EQ(read("1,2,3\n4,5,6\n", transposed), (Rows{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(schema_.features, 2);
  EXPECT_EQ(ids_, Names());
  EXPECT_EQ(read("gene,s1,s2,s3\nA,1,nan,3\nB,4,,6\n", transposed), (Rows{{1, 4}, {}, {3, 6}}));
  EXPECT_EQ(ids_, (Names{"s1", "s2", "s3"}));
  EXPECT_EQ(schema_.feature_names, (Names{"A", "B"}));
}

TEST_F(Text, AFileWhoseColumnsChangeBetweenReadingsIsRefused) {
  const std::string path = dir_.write_file("view.csv", "id,a\nx,1\n");
  const auto reader = open_text(path, "view");
  dir_.write_file("view.csv", "id,a,b\nx,1,2\n");
  expect_error(ErrorKind::data, {"view.csv", "changed"}, [&] { reader->rewind(); });
}

TEST_F(Text, EmptyLinesAndLinesOfNanAreAbsentInstances) {
  EXPECT_EQ(read("\n\n1,2\n,\nnan,NA\n  \n3,4\n\n"), (Rows{{}, {}, {1, 2}, {}, {}, {}, {3, 4}, {}}));
  EXPECT_EQ(read("1 2\n-nan nan\n"), (Rows{{1, 2}, {}}));
}

TEST_F(Text, DeliversTheSameRowsWhateverTheChunkSize) {
  std::string content = "\n\n";
  for (int i = 0; i < 50; ++i) content += i % 3 == 0 ? "\n" : std::to_string(i) + " " + std::to_string(2 * i) + "\n";
  const Rows whole = read(content);
  ASSERT_EQ(whole.size(), 52u);
  for (const Index size : {1, 2, 7, 51, 52, 53}) EXPECT_EQ(read(content, size), whole) << size;
}

TEST_F(Text, ReadsLinesLongerThanTheBuffer) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line.append(i == 0 ? "" : ",").append(std::to_string(i));
  const Rows rows = read(line + "\r\n" + line + "\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), 100'000u);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[1][99'999], 99'999.0);
}

TEST_F(Text, TinyNumbersAreZero) {
  EXPECT_EQ(read("1e-400 -1e-999 2\n"), (Rows{{0, 0, 2}}));
  const std::string zeros(400, '0');
  EXPECT_EQ(read("-." + zeros + "1 0." + zeros + "1e+50 2\n"), (Rows{{0, 0, 2}}));
}

// A point, or a negative power, does not make a number small.
TEST_F(Text, NumbersThatAreTooLargeAreRefusedHoweverTheyAreWritten) {
  const std::string nines(400, '9');
  for (const std::string& number : std::vector<std::string>{"0.5e400", "-0.5e400", ".5E+400", nines + "e-10",
                                                            nines + ".5", "-" + nines, "0.0001e99999999999999999999"}) {
    expect_refused("1 2\n" + number + " 2\n", {":2:", "column 1", "too large"});
  }
}

TEST_F(Text, NamesFileLineAndColumnOfWhatItCannotUse) {
  expect_refused("1,2,3\n4,5\n", {":2:", "expected 3 columns, found 2"});
  expect_refused("# c\n1 2\n3 4x\n", {":3:", "column 2", "'4x'"});
  expect_refused("1,2\n\n\ninf,2\n", {":4:", "column 1", "infinite"});
  expect_refused("1,2\n1e999,2\n", {":2:", "column 1", "too large"});
  expect_refused("a,b,c\n1,2\n", {":1:", "3 columns", "line 2 has 2"});
  expect_refused("1,2\nx,2\n", {":2:", "column 1", "'x'", "--id-column 1"});
  expect_refused("1\n2 3\n", {":2:", "expected 1 columns, found 2"});
  expect_refused("1,2\n3\n", {":2:", "expected 2 columns, found 1"});
  expect_refused("a;1;2\nb 1 2\n", {":1:", "1 columns", "line 2 has 3"});
  expect_refused("1,2\n+-3,1\n", {":2:", "'+-3'"});
}

TEST_F(Text, RefusesFilesWithoutData) {
  for (const char* content : {"", "\n", "\n\n", "# only a comment\n", "a,b\n"}) {
    expect_refused(content, {"no data"});
  }
  expect_error(ErrorKind::io, {"missing.txt", "No such file"}, [&] { open_text(dir_.path("missing.txt"), "v"); });
  expect_error(ErrorKind::io, {"folder"}, [&] { open_text(dir_.path(""), "v"); });
}

TEST_F(Text, RewindsToTheFirstInstanceAndKeepsTheSchema) {
  const auto reader = open_text(dir_.write_file("view.csv", "a,b\n\n1,2\n3,4\n"), "view");
  const ViewSchema schema = reader->schema();
  const ViewRows first = reader->read(10);
  ASSERT_TRUE(reader->rewind());
  const ViewRows second = reader->read(10);
  EXPECT_EQ(dense_rows(first.view, first.instances), dense_rows(second.view, second.instances));
  EXPECT_EQ(first.instances, 3);
  EXPECT_EQ(reader->schema(), schema);
}

TEST_F(Text, ReadsGzipAndReportsDamage) {
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919 % 10007) + "," + std::to_string(i) + "\n";
  const std::string path = dir_.write_gzip("view.csv.gz", content);
  const auto reader = open_text(path, "view");
  const ViewRows rows = reader->read(100'000);
  EXPECT_EQ(rows.instances, 20'000);
  EXPECT_EQ(test::dense_row(rows.view.block, 19'999)[1], 19'999.0);
  ASSERT_TRUE(reader->rewind());
  EXPECT_EQ(reader->read(100'000).instances, 20'000);

  const std::string bytes = test::read_bytes(path);
  dir_.write_file("view.csv.gz", bytes.substr(0, bytes.size() / 2));
  expect_error(ErrorKind::data, {"view.csv.gz", "truncated"}, [&] { open_text(path, "view")->read(100'000); });
  std::string damaged = bytes;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 20; ++i)
    damaged[i] = static_cast<char>(~damaged[i]);
  dir_.write_file("view.csv.gz", damaged);
  expect_error(ErrorKind::data, {"view.csv.gz"}, [&] { open_text(path, "view")->read(100'000); });
}

TEST_F(Text, APipeIsReadOnce) {
  const std::string path = dir_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { dir_.write_file("pipe", "1 2\n3 4\n"); });
  Input input = open_input({path});
  const auto chunk = input.source->next(10);
  writer.join();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->size(), 2);
  EXPECT_FALSE(input.source->rewind());
}

TEST_F(Text, EmptyLinesWithoutEndAreNoData) {
  const std::string path = dir_.write_gzip("view.csv.gz", "1,2\n3,4\n" + std::string(10'100'000, '\n'));
  expect_error(ErrorKind::data, {"view.csv.gz", "empty lines"}, [&] { open_text(path, "view")->read(100'000); });
}

}  // namespace
}  // namespace omvc
