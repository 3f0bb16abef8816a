// What cannot work ends with the exit code of its kind, one message that says where and what to do, and no file.
#include <cmath>
#include <sys/stat.h>

#include "app/command.hpp"
#include "app/planted_files.hpp"
#ifdef OMVC_WITH_MATIO
#include "support/mat_writer.hpp"
#endif

namespace omvc::test {
namespace {

constexpr int kUsage = 2;
constexpr int kData = 3;
constexpr int kInputOutput = 4;
constexpr std::size_t kRows = 12;

class Errors : public testing::Test {
 protected:
  // Fitting these views must fail, and leave the folder of outputs empty.
  void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& parts) const {
    std::filesystem::create_directory(dir_.path("out"));
    const Arguments outputs{"--labels", dir_.path("out/labels"), "--embedding", dir_.path("out/embedding.npy"),
                            "--model",  dir_.path("out/model"),  "--json",      "--quiet"};
    expect_failure(Arguments{"fit", "-k", "3"} + arguments + outputs, code, parts);
    EXPECT_EQ(names_in(dir_.path("out")), std::set<std::string>());
  }
  void expect_bad_data(const Arguments& arguments, const std::vector<std::string>& parts) const {
    expect_refused(arguments, kData, parts);
  }
  std::string csv(const std::string& name, const Table& table) const {
    return dir_.write_file(name, to_text(table, ","));
  }
  // The file without its last bytes.
  std::string cut(const std::string& name, const std::string& path, std::size_t bytes) const {
    const std::string whole = read_bytes(path);
    return dir_.write_file(name, whole.substr(0, whole.size() - bytes));
  }

  TempDir dir_;
  Table table_ = planted_table(kRows, 4, 1);
  std::string good_ = csv("good.csv", planted_table(kRows, 3, 2));
};

TEST_F(Errors, WithoutACommandItSaysWhatToDoNext) {
  expect_failure({}, kUsage, {"which command?", "omvc demo", "omvc look", "omvc fit", "omvc help"});
}

TEST_F(Errors, RowsOfViewsThatDoNotMatch) {
  const std::string shorter = csv("shorter.csv", planted_table(kRows - 1, 4, 1));
  expect_bad_data({good_, shorter}, {"good.csv has 12 rows", "shorter.csv has 11 rows", "every file needs a row"});
  expect_bad_data({shorter, good_, "--chunk", "4"}, {"good.csv", "shorter.csv has 11 rows"});
  const std::string npy = dir_.write_file("long.npy", to_npy(planted_table(kRows + 1, 4, 1)));
  expect_bad_data({good_, npy}, {"good.csv has 12 rows", "long.npy has 13 rows"});
}

TEST_F(Errors, SideFilesThatDoNotMatch) {
  const std::string truth = dir_.write_file("truth.txt", planted_truth(kRows - 2));
  expect_bad_data({good_, "--truth", truth}, {"truth.txt", "10", "12"});
  expect_bad_data({dir_.write_file("good.npy", to_npy(table_)), "--truth", truth}, {"truth.txt", "10", "12"});
  expect_bad_data({good_, "--present", dir_.write_file("mask.txt", "1\n0\n")}, {"mask.txt", "2 rows"});
  expect_bad_data({good_, "--present", dir_.write_file("wide.txt", "1 1\n")}, {"wide.txt:1:", "expected 1 columns"});
  expect_bad_data({good_, "--order", dir_.write_file("order.txt", "0\n1\n")}, {"order.txt", "2 rows", "12"});
  expect_bad_data({good_, "--order", dir_.write_file("twice.txt", "0\n0\n")}, {"twice.txt:2:", "row 0", "before"});
  expect_refused({good_, "--order", good_, "--shuffle"}, kUsage, {"--order", "--shuffle"});
  for (const char* flag : {"--truth", "--present", "--order"}) {
    expect_refused({good_, flag, dir_.path("none.txt")}, kInputOutput, {"none.txt", "No such file"});
  }
}

TEST_F(Errors, TextRowWithTheWrongNumberOfColumns) {
  Table table = table_;
  table[6].pop_back();
  expect_bad_data({good_, csv("narrow.csv", table)}, {"narrow.csv:7:", "expected 4 columns", "found 3"});
  table[6].resize(6);
  expect_bad_data({good_, csv("wide.csv", table)}, {"wide.csv:7:", "expected 4 columns", "found 6"});
  expect_bad_data({good_, dir_.write_file("word.csv", "1,2\n3,four\n")}, {"word.csv:2:", "column 2", "'four'"});
}

TEST_F(Errors, InfiniteValues) {
  Table table = table_;
  table[4][2] = std::numeric_limits<double>::infinity();
  expect_bad_data({good_, csv("endless.csv", table)}, {"endless.csv:5:", "column 3", "infinite"});
  expect_bad_data({good_, dir_.write_file("endless.npy", to_npy(table))}, {"endless.npy", "row 4", "inf"});
  expect_bad_data({good_, dir_.write_file("endless.mtx", to_market_array(table))}, {"endless.mtx:", "infinite"});
  expect_bad_data({good_, dir_.write_file("huge.csv", "1,2\n3,1e999\n")}, {"huge.csv:2:", "too large"});
}

TEST_F(Errors, NumberOfClusters) {
  expect_failure({"fit", good_, "-k", "1"}, kUsage, {"clusters", "1", "at least 2"});
  expect_failure({"fit", good_, "-k", "-3"}, kUsage, {"clusters", "-3"});
  expect_failure({"fit", good_, "-k", "2.5"}, kUsage, {"clusters", "2.5"});
  expect_failure({"fit", good_, "--method", "opimc"}, kUsage, {"clusters", "opimc", "method omvc"});
  EXPECT_EQ(run_command({"fit", good_, "--quiet"}).code, 0) << "without -k the data say";
  expect_failure({"fit", good_, "-k", "13"}, kData, {"13 clusters", "12 instances", "fewer"});
  EXPECT_EQ(run_command({"fit", good_, "-k", "12", "--quiet"}).code, 0) << "as many as instances is allowed";
  Table gaps = planted_table(kRows, 3, 2);
  gaps[0].clear();
  expect_failure({"fit", csv("gaps.csv", gaps), "-k", "12"}, kData, {"12 clusters", "11 instances"});
}

TEST_F(Errors, ViewWithoutInstances) {
  const std::string absent = dir_.write_file("absent.npy", to_npy(Table(kRows, std::vector<double>(2, NAN))));
  expect_bad_data({good_, absent}, {"view absent", "no instance"});
  std::string mask;
  for (std::size_t i = 0; i < kRows; ++i) mask += "1 0\n";
  expect_bad_data({good_, csv("hidden.csv", table_), "--present", dir_.write_file("mask.txt", mask)},
                  {"view hidden", "no instance"});
  expect_bad_data({good_, dir_.write_file("blank.csv", std::string(kRows, '\n'))}, {"blank.csv", "no data"});
  expect_bad_data({dir_.write_file("nothing.csv", "")}, {"nothing.csv", "no data"});
}

TEST_F(Errors, ViewOfZeros) {
  const std::string zeros = csv("zeros.csv", Table(kRows, {0, 0}));
  for (const char* preset : {"default", "paper"}) {
    expect_bad_data({good_, zeros, "--preset", preset}, {"view zeros", "zero everywhere", "leave it out"});
  }
  const std::string empty = dir_.write_file("e.mtx", "%%MatrixMarket matrix coordinate real general\n12 3 0\n");
  expect_bad_data({good_, empty}, {"view e", "zero everywhere"});
  expect_bad_data({good_, csv("minus.csv", Table(kRows, {-1, -2})), "--preset", "paper"},
                  {"view minus", "no positive"});
}

TEST_F(Errors, FilesThatCannotBeRead) {
  expect_refused({good_, dir_.path("none.csv")}, kInputOutput, {"none.csv", "cannot open", "no such file"});
  for (const char* folder : {"folder", "folder.csv", "folder.npy", "folder.mtx", "folder.mat"}) {
    std::filesystem::create_directory(dir_.path(folder));
    expect_refused({dir_.path(folder)}, kInputOutput, {folder, "folder"});
  }
}

TEST_F(Errors, FilesThatMayNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  for (const char* name : {"secret.csv", "secret.npy", "secret.mtx", "secret.mat"}) {
    const std::string path = dir_.write_file(name, "1,2\n");
    ASSERT_EQ(chmod(path.c_str(), 0), 0);
    expect_refused({path}, kInputOutput, {name, "Permission denied"});
  }
}

TEST_F(Errors, TruncatedFiles) {
  const std::string npy = dir_.write_file("whole.npy", to_npy(table_));
  expect_bad_data({good_, cut("cut.npy", npy, 8)}, {"cut.npy", "truncated"});
  expect_bad_data({good_, dir_.write_file("stub.npy", "\x93NUMPY")}, {"stub.npy", "NPY"});
  const std::string coordinate = dir_.write_file("whole.mtx", to_market_coordinate(table_));
  const std::size_t last_line = lines_of(read_bytes(coordinate)).back().size() + 1;
  expect_bad_data({good_, cut("cut.mtx", coordinate, last_line)}, {"cut.mtx", "truncated"});
  const std::string array = dir_.write_file("array.mtx", to_market_array(table_));
  expect_bad_data({good_, cut("cut2.mtx", array, lines_of(read_bytes(array)).back().size() + 1)},
                  {"cut2.mtx", "truncated"});
  const std::string gzip = dir_.write_gzip("whole.csv.gz", to_text(planted_table(kRows, 40, 1), ","));
  expect_bad_data({good_, cut("cut.csv.gz", gzip, 20)}, {"cut.csv.gz", "truncated"});
  // A text file cut inside a line has too few columns there; cut after a line it has too few rows.
  expect_bad_data({good_, cut("cut.csv", csv("whole.csv", Table(kRows, {1, 2, 3})), 3)}, {"cut.csv:12:", "columns"});
  expect_bad_data({good_, cut("cut2.csv", csv("whole.csv", Table(kRows, {1, 2, 3})), 6)}, {"cut2.csv has 11 rows"});
  std::string damaged = read_bytes(gzip);
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 8; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  expect_bad_data({good_, dir_.write_file("damaged.csv.gz", damaged)}, {"damaged.csv.gz"});
}

#ifdef OMVC_WITH_MATIO
TEST_F(Errors, TruncatedMatFile) {
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    matvar_t* view = mat_doubles(nullptr, 4, 2, {1, 2, 3, 4, 5, 6, 7, 8});
    const std::string mat = write_mat(dir_.path("whole.mat"), {mat_cell("X", {view})}, MAT_FT_MAT5, compression);
    const std::size_t size = read_bytes(mat).size();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{30}, size - 130, size - 60}) {
      expect_bad_data({cut("cut.mat", mat, bytes)}, {"cut.mat", "truncated"});
    }
  }
  expect_bad_data({dir_.write_file("empty.mat", "")}, {"empty.mat"});
  expect_bad_data({dir_.write_file("text.mat", "1,2\n3,4\n")}, {"text.mat"});
}
#endif

TEST_F(Errors, OutputsThatCannotBeWrittenAreFoundBeforeTheDataAreRead) {
  // The input does not exist either: the message is about the output only if outputs come first.
  const Arguments fit{"fit", dir_.path("none.csv"), "-k", "3"};
  for (const char* flag : {"--labels", "--embedding", "--model"}) {
    expect_failure(fit + Arguments{flag, dir_.path("missing/file")}, kInputOutput,
                   {dir_.path("missing/file"), "No such file or directory", "folder"});
    expect_failure(fit + Arguments{flag, dir_.path("")}, kInputOutput, {dir_.path(""), "is a folder"});
    expect_failure(fit + Arguments{flag, good_ + "/file"}, kInputOutput, {good_ + "/file", "Not a directory"});
  }
  EXPECT_EQ(names_in(dir_.path("")), (std::set<std::string>{"good.csv"}));
}

// A full disk behind stdout loses results just as a full disk behind a file does.
TEST_F(Errors, StdoutThatCannotBeWritten) {
  const std::string model = dir_.path("model");
  const std::string truth = dir_.write_file("truth.txt", planted_truth(kRows));
  ASSERT_EQ(run_command({"fit", good_, "-k", "3", "--quiet", "--model", model}).code, 0);
  for (const Arguments& arguments : {Arguments{"fit", good_, "-k", "3", "--quiet", "--json"},
                                     {"assign", model, good_},
                                     {"evaluate", truth, truth},
                                     {"info", model}}) {
    const Outcome outcome = Process(arguments, {.output = "/dev/full"}).wait();
    EXPECT_EQ(outcome.code, kInputOutput) << arguments.front();
    EXPECT_TRUE(contains(outcome.err, "No space left")) << arguments.front() << ": " << outcome.err;
  }
}

// A rename onto a pipe or a device such as /dev/null would replace it by a file, for everybody on the machine.
TEST_F(Errors, OutputsNeverReplaceWhatIsNotAFile) {
  const std::string fifo = dir_.path("pipe");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDWR | O_NONBLOCK);  // Whoever writes into the pipe does not wait.
  ASSERT_GE(reader, 0);
  for (const char* flag : {"--labels", "--embedding", "--model"}) {
    const Outcome outcome = run_command({"fit", good_, "-k", "3", "--quiet", flag, fifo});
    EXPECT_TRUE(std::filesystem::is_fifo(fifo)) << flag;
    EXPECT_TRUE(outcome.code == 0 || (outcome.code == kInputOutput && contains(outcome.err, fifo))) << outcome.err;
  }
  close(reader);
}

TEST_F(Errors, AFailureLeavesTheOutputsOfAnEarlierRunAlone) {
  const std::string labels = dir_.write_file("labels", "kept\n");
  const std::string model = dir_.write_file("model", "kept too\n");
  const Arguments outputs{"--labels", labels, "--model", model};
  expect_failure(Arguments{"fit", good_, csv("zeros.csv", Table(kRows, {0})), "-k", "3"} + outputs, kData, {"zeros"});
  EXPECT_EQ(read_bytes(labels), "kept\n");
  EXPECT_EQ(read_bytes(model), "kept too\n");
  EXPECT_EQ(names_in(dir_.path("")), (std::set<std::string>{"good.csv", "zeros.csv", "labels", "model"}));
}

TEST_F(Errors, UsageNamesWhatIsWrong) {
  expect_failure({"fits"}, kUsage, {"fits"});
  expect_failure({"fit", "-k", "3"}, kUsage, {"input"});
  expect_failure({"fit", good_, "-k", "3", "--bogus"}, kUsage, {"--bogus"});
  expect_failure({"fit", good_, "-k"}, kUsage, {"clusters"});
  expect_failure({"fit", good_, "-k", "3", "--preset", "papier"}, kUsage, {"preset", "papier", "default", "paper"});
  expect_failure({"fit", good_, "-k", "3", "--solver", "magic"}, kUsage, {"solver", "magic", "hals", "newton"});
  expect_failure({"fit", good_, "-k", "3", "--chunk", "-1"}, kUsage, {"chunk", "0"});
  expect_failure({"fit", good_, "-k", "3", "--alpha", "nan"}, kUsage, {"alpha"});
  expect_failure({"fit", good_, "-k", "3", "--passes", "3", "--passes", "4"}, kUsage, {"passes"});
  expect_failure({"assign", "model"}, kUsage, {"input"});
  expect_failure({"evaluate", good_}, kUsage, {"truth"});
}

}  // namespace
}  // namespace omvc::test
