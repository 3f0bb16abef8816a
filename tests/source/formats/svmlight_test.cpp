#include "source/formats/svmlight.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

class Svmlight : public testing::Test {
 protected:
  Rows read(const std::string& content, Index max_rows = 1000) {
    const Input input = open_input({dir_.write_file("view.svm", content)});
    truth_ = input.truth;
    features_ = input.source->schema().views[0].features;
    Rows all;
    for (int pass = 0; pass < 2; ++pass) {
      all.clear();
      while (const auto chunk = input.source->next(max_rows)) {
        EXPECT_NO_THROW(check_chunk(*chunk, input.source->schema()));
        sparse_ = std::holds_alternative<CsrBlock<double>>(chunk->views[0].block);
        for (auto& row : dense_rows(chunk->views[0], chunk->size())) all.push_back(std::move(row));
      }
      EXPECT_TRUE(input.source->rewind());
    }
    return all;
  }
  void expect_refused(const std::string& content, std::vector<std::string> parts) {
    parts.push_back("view.svm");
    expect_error(ErrorKind::data, parts, [&] { read(content); });
  }

  using Truth = std::optional<std::vector<int>>;
  test::TempDir dir_;
  Truth truth_;
  Index features_ = 0;
  bool sparse_ = false;
};

TEST_F(Svmlight, BytesThatAreNoTextAreNoInstance) {
  const std::string zeros(100, '\0');
  const std::string path = dir_.write_file("zeros.svm", "1 1:2\n0 2:1\n" + zeros);
  expect_error(ErrorKind::data, {"zeros.svm:3", "the file is damaged"}, [&] { read_all(*open_input({path}).source); });
}

TEST_F(Svmlight, ReadsLabelsAndFeatures) {
  const std::string content =
      "\xEF\xBB\xBF# made by hand\r\n+1 1:0.5 4:2 # doc 7\r\n-1 qid:3 4:1\t2:-3\n  # more\n1\n1 3:1e1";
  const Rows expected{{0.5, 0, 0, 2}, {0, -3, 0, 1}, {0, 0, 0, 0}, {0, 0, 10, 0}};
  for (const Index size : {1, 3, 100}) EXPECT_EQ(read(content, size), expected);
  EXPECT_EQ(truth_, Truth({1, -1, 1, 1}));
  EXPECT_TRUE(sparse_);
}

TEST_F(Svmlight, AnEmptyLineIsAnAbsentInstance) {
  EXPECT_EQ(read("1 1:1\n\n2 2:1\n"), (Rows{{1, 0}, {}, {0, 1}}));
  EXPECT_EQ(truth_, std::nullopt) << "nothing tells the class of the second";
}

TEST_F(Svmlight, FeaturesAreNumberedFromZeroIfZeroOccurs) {
  EXPECT_EQ(read("a 1:1 3:2\nb 2:5\n"), (Rows{{1, 0, 2}, {0, 5, 0}}));
  EXPECT_EQ(read("a 1:1 3:2\nb 0:5\n"), (Rows{{0, 1, 0, 2}, {5, 0, 0, 0}}));
  EXPECT_EQ(truth_, Truth({0, 1}));
}

TEST_F(Svmlight, OnlyWholeNumbersAndWordsAreClasses) {
  read("C15 1:1\nGCAT 1:1\nC15 1:1\n");
  EXPECT_EQ(truth_, Truth({0, 1, 0}));
  read("1.0 1:1\n3.0 1:1\n");
  EXPECT_EQ(truth_, Truth({1, 3}));
  read("0.25 1:1\n0.5 1:1\n");
  EXPECT_EQ(truth_, std::nullopt) << "a regression";
  read("1,2 1:1\n2 1:1\n");
  EXPECT_EQ(truth_, std::nullopt) << "several classes";
}

TEST_F(Svmlight, MostlyFullViewsAreDense) {
  read("1 1:1 2:2\n1 1:3 2:4\n");
  EXPECT_FALSE(sparse_);
}

TEST_F(Svmlight, NamesTheLineOfWhatItCannotUse) {
  expect_refused("1 1:1\n1 2:1 2:3\n", {":2:", "feature 2", "twice"});
  expect_refused("1 1:1\n1 3:1 2:3 3:1\n", {":2:", "feature 3", "twice"});
  expect_refused("1 1:1\n1 2\n", {":2:", "'2'"});
  expect_refused("1 1:1\n1 -2:1\n", {":2:", "'-2:1'"});
  expect_refused("1 1:1\n1 x:1\n", {":2:", "'x:1'"});
  expect_refused("1 1:1\n1 2:\n", {":2:", "'2:'", "finite"});
  expect_refused("1 1:1\n1 2:inf\n", {":2:", "finite"});
  expect_refused("1 1:1\n1 2:nan\n", {":2:", "finite"});
  expect_refused("1 1:1\n1 9999999999:1\n", {":2:", "9999999999", "out of range"});
  expect_refused("1 1:1\n1 2000000000:1\n", {"2000000000 columns"});
  expect_refused("1:1 2:1\n", {":1:", "label"});
  expect_refused("", {"no data"});
  expect_refused("1\n2\n", {"no data"});
}

TEST_F(Svmlight, FilesThatAgreeOnTheClassesTellTheTruth) {
  const std::string a = dir_.write_file("a.svm", "1 1:1\n\n2 2:1\n");
  const std::string b = dir_.write_file("b.libsvm", "1 1:1\n2 1:3\n2 2:1\n");
  const std::string c = dir_.write_gzip("c.svmlight.gz", "1 1:1\n3 1:3\n2 2:1\n");
  EXPECT_EQ(open_input({a, b}).truth, Truth({1, 2, 2}));
  EXPECT_EQ(open_input({a, b, c}).truth, std::nullopt);
  EXPECT_EQ(open_input({a, dir_.write_file("d.csv", "1\n2\n3\n")}).truth, std::nullopt);
}

TEST_F(Svmlight, IsRecognisedByItsContent) {
  const auto features = [&](const std::string& name, const std::string& content) {
    return open_input({dir_.write_file(name, content)}).source->schema().views[0].features;
  };
  EXPECT_EQ(features("plain", "# c\n\n1 7:1\n"), 7);
  EXPECT_EQ(features("view.txt", "C15 3:0.5 9:1 # x\n"), 9);
  std::string wide = "1";
  for (int i = 1; i <= 400; ++i) wide.append(" ").append(std::to_string(i)).append(":0.123456");
  EXPECT_EQ(features("wide", wide + "\n"), 400);
  EXPECT_TRUE(looks_like_svmlight("1 qid:2 7:1\n"));
  for (const char* text : {"", "1 2 3\n", "a b\n1 2\n", "1\n2\n", "a 1:2 b\n", "12:30 1\n", "a:1 2:3\n", "1 2:x\n",
                           "1 2:\n", "id,1:2\n", "# 1 7:1\n"}) {
    EXPECT_FALSE(looks_like_svmlight(text)) << text;
  }
}

TEST_F(Svmlight, CannotBeAPipeOrTransposed) {
  const std::string pipe = dir_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // Open for both, so that opening it does not wait, and writing to it does not end the process once it is refused.
  const int kept = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(kept, 0);
  EXPECT_EQ(::write(kept, "1 1:1\n", 6), 6);
  expect_error(ErrorKind::data, {"pipe", "twice"}, [&] { open_input({pipe}, {.format = "svmlight"}); });
  ::close(kept);
  const std::string path = dir_.write_file("a.svm", "1 1:1\n");
  expect_error(ErrorKind::usage, {"a.svm", "--transpose"}, [&] { open_input({path}, {.transpose = true}); });
}

TEST_F(Svmlight, AFileThatGrowsBetweenPassesIsRefused) {
  const Input input = open_input({dir_.write_file("a.svm", "1 1:1\n2 2:1\n")});
  dir_.write_file("a.svm", "1 1:1\n2 3:1\n");
  ASSERT_TRUE(input.source->rewind());
  expect_error(ErrorKind::data, {"a.svm:2:", "feature 3", "changed"}, [&] { input.source->next(10); });
}

}  // namespace
}  // namespace omvc
