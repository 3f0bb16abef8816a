#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "omvc/evaluation.hpp"
#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/data.hpp"
#include "support/npz_writer.hpp"
#include "support/temp_dir.hpp"
#ifdef OMVC_WITH_MATIO
#include "support/mat_writer.hpp"
#endif

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::kNan;
using test::npy_doubles;
using test::Rows;

class Open : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(Open, TheSameDataInEveryFormatGiveTheSameChunks) {
  const Rows expected{{1, 0, 2.5}, {}, {0, 0, 0}, {-4, 5, 0}};
  const std::string lines = "1,0,2.5\nnan,nan,nan\n0,0,0\n-4,5,0\n";
  std::string blanks = lines;
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  const std::string market =
      "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 1\n1 3 2.5\n2 1 nan\n4 1 -4\n4 2 5\n";
  std::vector<std::string> paths{
      dir_.write_file("a.csv", lines),
      dir_.write_gzip("b.csv.gz", lines),
      dir_.write_file("c", blanks),
      dir_.write_file("d.unknown", "\xEF\xBB\xBF" + blanks),
      dir_.write_file("e.mtx", market),
      dir_.write_gzip("f.MTX.GZ", market),
      dir_.write_file("market_without_extension", market),
      dir_.write_file("g.mtx",
                      "%%MatrixMarket matrix array real general\n4 3\n1\nnan\n0\n-4\n0\nnan\n0\n5\n2.5\nnan\n0\n0\n"),
      dir_.write_file("h.npy", npy_doubles(4, 3, {1, 0, 2.5, kNan, kNan, kNan, 0, 0, 0, -4, 5, 0})),
      dir_.write_file("npy_without_extension", npy_doubles(4, 3, {1, 0, 2.5, kNan, kNan, kNan, 0, 0, 0, -4, 5, 0}))};
#ifdef OMVC_WITH_MATIO
  for (const char* name : {"i.mat", "mat_without_extension"}) {
    paths.push_back(test::write_mat(
        dir_.path(name),
        {test::mat_cell("X", {test::mat_doubles(nullptr, 4, 3, {1, kNan, 0, -4, 0, kNan, 0, 5, 2.5, kNan, 0, 0})})}));
  }
#endif
  for (const std::string& path : paths) {
    const Input input = open_input({path});
    ASSERT_EQ(input.source->schema().views.size(), 1u) << path;
    for (int pass = 0; pass < 2; ++pass) {
      Rows rows;
      Index number = 0;
      while (const auto chunk = input.source->next(3)) {
        EXPECT_NO_THROW(check_chunk(*chunk, input.source->schema())) << path;
        for (const Index row : chunk->rows) EXPECT_EQ(row, number++) << path;
        for (auto& row : dense_rows(chunk->views[0], chunk->size())) rows.push_back(std::move(row));
      }
      EXPECT_EQ(rows, expected) << path;
      EXPECT_TRUE(input.source->rewind()) << path;
    }
  }
}

TEST_F(Open, JoinsFilesByRow) {
  const Input input =
      open_input({dir_.write_file("text.v1.csv", "a,b\n1,2\n\n3,4\n"), dir_.write_file("image", "\n5\n6\n")});
  const Schema& schema = input.source->schema();
  EXPECT_EQ(schema, (Schema{{{"text.v1", 2, {"a", "b"}}, {"image", 1, {}}}}));
  EXPECT_FALSE(input.truth);
  const auto first = input.source->next(2);
  const auto second = input.source->next(2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(dense_rows(first->views[0], 2), (Rows{{1, 2}, {}}));
  EXPECT_EQ(dense_rows(first->views[1], 2), (Rows{{}, {5}}));
  EXPECT_EQ(second->rows, (std::vector<Index>{2}));
  EXPECT_FALSE(input.source->next(2));
  expect_error(ErrorKind::usage, {"at least 1"}, [&] { input.source->next(0); });
}

TEST_F(Open, NamesTwoFilesOfTheSameStemByPath) {
  const std::string csv = dir_.write_file("x.csv", "1\n");
  const std::string txt = dir_.write_file("x.txt", "1\n");
  EXPECT_EQ(open_input({csv, txt}).source->schema().views[1].name, txt);
}

TEST_F(Open, FilesOfDifferentLengthAreRefused) {
  const std::string three = dir_.write_file("three.csv", "1\n2\n3\n");
  const std::string five = dir_.write_file("five.csv", "1\n2\n3\n4\n5\n");
  const std::string npy = dir_.write_file("four.npy", npy_doubles(4, 1, {1, 2, 3, 4}));
  const std::string market = dir_.write_file("two.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  expect_error(ErrorKind::data, {"four.npy has 4 rows", "two.mtx has 2 rows"}, [&] { open_input({npy, market}); });
  const auto drain = [](const std::vector<std::string>& paths, Index size) {
    const Input input = open_input(paths);
    while (input.source->next(size)) continue;
  };
  expect_error(ErrorKind::data, {"three.csv has 3 rows", "five.csv has 5 rows"}, [&] { drain({five, three}, 100); });
  expect_error(ErrorKind::data, {"three.csv has 3 rows", "five.csv has at least 4 rows"}, [&] {
    drain({five, three}, 1);
  });
  expect_error(ErrorKind::data, {"three.csv has 3 rows", "four.npy has 4 rows"}, [&] { drain({npy, three}, 3); });
}

TEST_F(Open, SaysWhatCannotBeOpened) {
  expect_error(ErrorKind::usage, {"no input"}, [] { open_input({}); });
  expect_error(ErrorKind::io, {"none.csv"}, [&] { open_input({dir_.path("none.csv")}); });
  expect_error(ErrorKind::io, {"folder"}, [&] { open_input({dir_.path("")}); });
  const std::string binary = dir_.write_file("a.bin", std::string("\1\0\2", 3));
  expect_error(ErrorKind::data, {"a.bin", "not known"}, [&] { open_input({binary}); });
  const std::string npy = dir_.write_gzip("a.npy.gz", "x");
  expect_error(ErrorKind::data, {"a.npy.gz", "unpack"}, [&] { open_input({npy}); });
  const std::string mat = dir_.write_file("a.mat", "MATLAB 5.0");
  const std::string csv = dir_.write_file("a.csv", "1\n");
  expect_error(ErrorKind::usage, {"a.mat", "only input"}, [&] { open_input({csv, mat}); });
}

TEST_F(Open, StandardInputIsOneViewOfText) {
  expect_error(ErrorKind::usage, {"standard input", "one view"}, [] { open_input({"-", "-"}); });
  expect_error(ErrorKind::usage, {"standard input"}, [] { open_input({"-"}, {.format = "npy"}); });
}

TEST_F(Open, ReadsLabels) {
  const auto labels = [&](const std::string& content) { return read_labels(dir_.write_file("labels.csv", content)); };
  EXPECT_EQ(labels("3\n-1\r\n+7\n3"), (std::vector<int>{3, -1, 7, 3}));
  EXPECT_EQ(labels("1.0\n2.000e+00\n"), (std::vector<int>{1, 2}));
  EXPECT_EQ(labels("B cells\nT cells\n\"B cells\"\n7\n"), (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(labels("id,label\nann,3\nbob,4\n"), (std::vector<int>{3, 4}));
  EXPECT_EQ(labels("# classes\n\"label\"\n5\n6\n"), (std::vector<int>{5, 6}));
  expect_error(ErrorKind::data, {"labels.csv:2:", "found 2"}, [&] { labels("a\nb,c\n"); });
  expect_error(ErrorKind::data, {"labels.csv:2:", "missing"}, [&] { labels("a\n\nb\n"); });
  expect_error(ErrorKind::data, {"labels.csv", "empty"}, [&] { labels(""); });
}

TEST_F(Open, WordsOfMissingValuesAreNoLabels) {
  const auto table = [&](const std::string& content) {
    return read_label_table(dir_.write_file("labels.csv", content));
  };
  for (const char* word : {"NA", "nan", "?", "null", "None"}) {
    const LabelTable words = table(std::string("a\n") + word + "\nb\na\n");
    EXPECT_EQ(words.labels, (std::vector<int>{0, kNoClass, 1, 0})) << word;
    EXPECT_EQ(words.names, (std::vector<std::string>{"a", "b"})) << word;
    EXPECT_EQ(words.unlabelled, 1) << word;
    const LabelTable numbers = table(std::string("id,class\nann,3\nbob,") + word + "\neve,-1\n");
    EXPECT_EQ(numbers.labels, (std::vector<int>{3, kNoClass, -1})) << word;
    EXPECT_EQ(numbers.ids.size(), 3u);
    EXPECT_TRUE(numbers.names.empty()) << word;
  }
  EXPECT_EQ(table("class\n1\nNA\n2\n").labels, (std::vector<int>{1, kNoClass, 2})) << "a header above numbers";
  EXPECT_EQ(table("id,class\nann,3\nbob,\neve,4\n").unlabelled, 1);
  EXPECT_EQ(table("+\n-\n+\n").names, (std::vector<std::string>{"+", "-"})) << "beside a plus";
  expect_error(ErrorKind::data, {"labels.csv", "no line has a label"}, [&] { table("NA\nNA\n"); });
}

TEST_F(Open, MissingValuesOfOneColumnAreRefused) {
  const std::string a = dir_.write_file("a.csv", "id,likert\ns1,1\ns2,9\n");
  InputOptions options;
  options.text.missing_values = {"usual", "likert=9"};
  expect_error(ErrorKind::usage, {"likert=9", "all columns", "usual,9"}, [&] { open_input({a}, options); });
  options.text.missing_values = {"<=0.1", "=NA()"};
  EXPECT_NO_THROW(open_input({a}, options));
}

TEST_F(Open, ReadsLabelsWithTheirIds) {
  const auto table = [&](const std::string& content) {
    return read_label_table(dir_.write_file("labels.csv", content));
  };
  const std::vector<std::string> ids{"ann", "bob"};
  for (const char* content :
       {"id,label\nann,3\nbob,4\n", "sample,class\nann,3\nbob,4\n", "ann,3\nbob,4\n", "x\ty\nann\t3\nbob\t4\n",
        "id,label,confidence\nann,3,0.5\nbob,4,0.25\n", "\"id\";confidence;label\n\"ann\";0.5;3\nbob;0.25;4\n"}) {
    EXPECT_EQ(table(content).ids, ids) << content;
    EXPECT_EQ(table(content).labels, (std::vector<int>{3, 4})) << content;
  }
  EXPECT_EQ(table("id,type\nann,B cell\nbob,T cell\n").labels, (std::vector<int>{0, 1}));
  EXPECT_EQ(table("patient,kind\nann,B cell\nbob,T cell\n").names, (std::vector<std::string>{"B cell", "T cell"}));
  EXPECT_EQ(table("3\n4\n").ids.size(), 0u);
  // What `fit` writes where the data have no ids; the first column is the labels.
  const LabelTable bare = table("label,confidence,distance\n3,0.5,1\n-1,nan,nan\n3,0.5,1\n4,0.25,2\n");
  EXPECT_EQ(bare.ids.size(), 0u);
  EXPECT_EQ(bare.labels, (std::vector<int>{3, -1, 3, 4}));
  EXPECT_EQ(bare.guessed_column, "");
  EXPECT_EQ(table("label,confidence\nB cell,0.5\nT cell,1\nB cell,1\n").labels, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(table("label,patient_id\n3,ann\n4,bob\n").ids, ids);
  EXPECT_EQ(table("label,class\nann,3\nbob,4\n").ids, ids) << "labels of things, and their classes";
  expect_error(ErrorKind::data, {"labels.csv:3:", "missing"}, [&] { table("label,confidence\n3,1\n,1\n"); });
  expect_error(ErrorKind::data, {"labels.csv:4:", "'ann'", "line 2"},
               [&] { table("id,label\nann,3\nbob,4\nann,3\n"); });

  const LabelTable known = table("id,label\nbob,4\nann,3\neve,5\n");
  EXPECT_EQ(labels_of_ids(known, {"ann", "bob", "tom"}, "here"), (std::vector<int>{3, 4, kNoClass}));
  expect_error(ErrorKind::data, {"here", "1 of 3", "'bob'", "'Sample ann'"}, [&] {
    labels_of_ids(known, {"Sample ann", "Sample bob", "eve"}, "here");
  });
}

TEST_F(Open, SaysWhatAForeignFileIs) {
  const auto refused = [&](const std::string& content, const std::vector<std::string>& parts) {
    expect_error(ErrorKind::data, parts, [&] { open_input({dir_.write_file("data.csv", content)}); });
  };
  refused(std::string("PK\x03\x04\x14\0\x06\0[Content_Types].xml", 27), {"data.csv", "Excel", "CSV"});
  refused("[{\"a\": 1}, {\"a\": 2}]", {"JSON", "to_csv"});
  refused("{\n  \"a\": [1, 2]\n}", {"JSON"});
  refused(std::string("\xFF\xFE"
                      "a\0,\0b\0\n\0",
                      10),
          {"UTF-16", "iconv"});
  refused(std::string("1\0,\0"
                      "2\0\n\0"
                      "3\0,\0"
                      "4\0",
                      14),
          {"UTF-16", "iconv"});
  refused("PAR1....", {"Parquet", "Python"});
  refused("<!DOCTYPE html><html>", {"web page"});
}

TEST_F(Open, AViewCanBeNamedAndItsColumnsChosen) {
  const std::string a = dir_.write_file("a.csv", "id,x,y\ns1,1,2\ns2,3,4\n");
  const std::string b = dir_.write_file("b.csv", "key,x,y\ns1,5,6\ns2,7,8\n");
  InputOptions options;
  options.text.drop = {"scan=y"};
  Input input = open_input({"scan=" + a, b}, options);
  ASSERT_EQ(input.source->schema().views.size(), 2u);
  EXPECT_EQ(input.source->schema().views[0], (ViewSchema{"scan", 1, {"x"}}));
  EXPECT_EQ(input.source->schema().views[1], (ViewSchema{"b", 2, {"x", "y"}}));
  options.text.drop = {"z"};
  expect_error(ErrorKind::usage, {"a.csv", "--drop", "'z'", "VIEW=COLUMN"}, [&] { open_input({a, b}, options); });
  expect_error(ErrorKind::usage, {"'v'", "NAME=FILE"}, [&] { open_input({"v=" + a, "v=" + b}); });
}

TEST_F(Open, NumericIdsUnderTheSameNameInEveryFileAreIds) {
  const std::string a = dir_.write_file("a.csv", "reg,x,y\n7,1,2\n9,3,4\n");
  const std::string b = dir_.write_file("b.csv", "reg,u,v\n9,5,6\n7,7,8\n");
  Input input = open_input({a, b});
  EXPECT_EQ(input.source->ids(0, 2), (std::vector<std::string>{"7", "9"}));
  EXPECT_EQ(input.source->schema().views[1].features, 2);
  ASSERT_EQ(input.notes.size(), 1u);
  EXPECT_NE(input.notes[0].find("'reg'"), std::string::npos);
  EXPECT_EQ(open_input({a, b}, {.id_column = {"none"}}).source->schema().views[1].features, 3);
  EXPECT_EQ(open_input({a}).source->schema().views[0].features, 3) << "one file says too little";
  dir_.write_file("b.csv", "reg,u,v\n9,5,6\n9,7,8\n");
  EXPECT_EQ(open_input({a, b}).source->schema().views[1].features, 3) << "an id comes once";
}

TEST_F(Open, ViewsWithoutACommonIdAreRefused) {
  const std::string a = dir_.write_file("a.csv", "id,x\nS0,1\nS1,2\nS2,2\nS3,2\nS4,2\n");
  const std::string b = dir_.write_file("b.csv", "id,x\n\"Sample, S0\",1\n\"Sample, S1\",2\n");
  expect_error(ErrorKind::data, {"a.csv", "none of its 5", "'S0'", "'Sample, S0'", "--allow-disjoint"}, [&] {
    open_input({a, b});
  });
  EXPECT_EQ(open_input({a, b}, {.allow_disjoint = true}).source->size(), 7);
  dir_.write_file("b.csv", "id,x\nS0,1\nsx,2\nsy,2\n");
  const Input few = open_input({a, b});
  ASSERT_EQ(few.notes.size(), 1u);
  EXPECT_NE(few.notes[0].find("1 of its 5 sample ids"), std::string::npos) << few.notes[0];
  dir_.write_file("b.csv", "id,x\nS0,1\nS1,2\nsy,2\n");
  EXPECT_TRUE(open_input({a, b}).notes.empty());
  dir_.write_file("b.csv", "id,x\ns0,1\ns1,2\n");
  try {
    open_input({a, b});
    FAIL() << "no id is shared";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.find("in the same way"), said.rfind("in the same way")) << said;
  }
}

TEST_F(Open, ReadsOrders) {
  const auto order = [&](const std::string& content) { return read_order(dir_.write_file("order.txt", content)); };
  EXPECT_EQ(order("2\n0\n1\n"), (std::vector<Index>{2, 0, 1}));
  expect_error(ErrorKind::data, {"order.txt:3:", "row 3", "0 .. 2"}, [&] { order("1\n2\n3\n"); });
  expect_error(ErrorKind::data, {"order.txt:3:", "row 0", "before"}, [&] { order("0\n1\n0\n"); });
  expect_error(ErrorKind::data, {"order.txt:2:", "'x'"}, [&] { order("0\nx\n"); });
  expect_error(ErrorKind::data, {"order.txt:1:", "row -1"}, [&] { order("-1\n0\n"); });
  expect_error(ErrorKind::data, {"order.txt", "empty"}, [&] { order(""); });
}

TEST_F(Open, ReadsPresence) {
  const auto mask = [&](const std::string& content) { return read_presence(dir_.write_file("mask.txt", content), 2); };
  EXPECT_EQ(mask("1 0\n0 0\n1 1\n"), (std::vector<bool>{true, false, false, false, true, true}));
  EXPECT_EQ(mask("1,0\n0,1"), (std::vector<bool>{true, false, false, true}));
  expect_error(ErrorKind::data, {"mask.txt:2:", "expected 2 columns", "found 3"}, [&] { mask("1 0\n1 0 1\n"); });
  expect_error(ErrorKind::data, {"mask.txt:1:", "column 2", "'2'"}, [&] { mask("1 2\n"); });
  expect_error(ErrorKind::data, {"mask.txt:1:", "column 1", "'nan'"}, [&] { mask("nan 1\n"); });
  expect_error(ErrorKind::data, {"mask.txt", "empty"}, [&] { mask(""); });
}

TEST_F(Open, ReadsDigit) {
  OMVC_NEED_DATA("digit/mfeat-fou");
  std::vector<std::string> paths;
  for (const char* view : {"fou", "fac", "kar", "pix", "zer"}) {
    paths.push_back(test::data_path(std::string("digit/mfeat-") + view));
  }
  const Input input = open_input(paths);
  std::vector<Index> features;
  for (const ViewSchema& view : input.source->schema().views) features.push_back(view.features);
  EXPECT_EQ(features, (std::vector<Index>{76, 216, 64, 240, 47}));
  EXPECT_EQ(input.source->schema().views[0].name, "mfeat-fou");
  const Chunk chunk = read_all(*input.source);
  EXPECT_EQ(chunk.size(), 2000);
  for (const ChunkView& view : chunk.views) EXPECT_EQ(view.present.size(), 2000u);
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0)[0], 0.06588172);
  const auto labels = read_labels(test::data_path("digit/labels.txt"));
  EXPECT_EQ(labels.size(), 2000u);
  EXPECT_EQ(std::set<int>(labels.begin(), labels.end()).size(), 10u);
}

TEST_F(Open, ReadsTheMasksAndOrdersOfDigit) {
  OMVC_NEED_DATA("masks/digit-cyclic-40-0.txt");
  const auto present = read_presence(test::data_path("masks/digit-cyclic-40-0.txt"), 5);
  ASSERT_EQ(present.size(), 10'000u);
  for (std::size_t view = 0; view < 5; ++view) {
    int absent = 0;
    for (std::size_t row = 0; row < 2000; ++row) absent += present[5 * row + view] ? 0 : 1;
    EXPECT_EQ(absent, 800) << view;
  }
  EXPECT_EQ(read_order(test::data_path("masks/digit-order-0.txt")).size(), 2000u);
}

TEST_F(Open, FormatsAreNamed) {
  const std::string file = dir_.write_file("a.csv", "1\n");
  expect_error(ErrorKind::usage, {"'reuters'", "svmlight", "text"}, [&] { open_input({file}, {.format = "reuters"}); });
  expect_error(ErrorKind::usage, {"'mfeat-uci'", "omvc convert --from mfeat-uci FOLDER"},
               [&] { open_input({file}, {.format = "mfeat-uci"}); });
  const std::string odd = dir_.write_file("odd.npy", "1 2\n");
  EXPECT_EQ(open_input({odd}, {.format = "text"}).source->schema().views[0].features, 2);
}

}  // namespace
}  // namespace omvc
