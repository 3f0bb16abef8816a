// The command writes and reads HDF5: the same data give the same labels, to the bit.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "omvc/input.hpp"

#include "app/command.hpp"
#include "app/planted_files.hpp"

namespace omvc::test {
namespace {

class Convert : public ::testing::Test {
 protected:
  void SetUp() override {
    Table left = planted_table(60, 9, 1);
    Table right = planted_table(60, 7, 2);
    for (std::size_t i = 0; i < 60; i += 5) left[i].clear();
    for (std::size_t i = 2; i < 60; i += 7) right[i].clear();
    inputs_ = {dir_.write_file("left.npy", to_npy(with_nan_rows(left))),
               dir_.write_file("right.npy", to_npy(with_nan_rows(right)))};
    truth_ = dir_.write_file("truth.txt", planted_truth(60));
  }

  void run(const Arguments& arguments) {
    const Outcome outcome = run_command(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.message();
  }

  std::string labels(const Arguments& input) {
    const std::string path = dir_.path("labels.txt");
    run(Arguments{"fit", "-k", "3", "--seed", "4", "--chunk", "16", "--quiet", "--labels", path} + input);
    return read_bytes(path);
  }

  TempDir dir_;
  Arguments inputs_;
  std::string truth_;
};

TEST_F(Convert, TheSameDataGiveTheSameLabels) {
  const std::string mudata = dir_.path("data.h5mu");
  run(Arguments{"convert", "-o", mudata, "--truth", truth_, "--quiet"} + inputs_);
  const std::string expected = labels(inputs_);
  EXPECT_EQ(lines_of(expected).size(), 60U);
  EXPECT_EQ(labels({mudata}), expected);
  const Outcome scored = run_command({"fit", mudata, "-k", "3", "--json", "--quiet", "--label-column", "truth"});
  EXPECT_DOUBLE_EQ(scored.json()["nmi_best"].get<double>(), 1.0) << scored.message();
}

TEST_F(Convert, TheCommandAloneInAnEmptyFolderReadsWhatItWrites) {
  const TempDir folder;
  const std::string program = folder.path("renamed");
  std::filesystem::copy_file(OMVC_COMMAND, program);
  const std::string mudata = dir_.path("data.h5mu");
  const auto run_copy = [&](const Arguments& arguments) { return Process(arguments, {.program = program}).wait(); };
  const Outcome written = run_copy(Arguments{"convert", "-o", mudata, "--quiet"} + inputs_);
  ASSERT_EQ(written.code, 0) << written.message();
  const Outcome fitted = run_copy({"fit", mudata, "-k", "3", "--json", "--quiet"});
  EXPECT_EQ(fitted.code, 0) << fitted.message();
  const std::string bytes = read_bytes(mudata);
  const std::string half = dir_.write_file("half.h5mu", std::string_view(bytes).substr(0, bytes.size() / 2));
  const Outcome refused = run_copy({"fit", half, "-k", "3"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(contains(refused.err, "half.h5mu: the file is damaged")) << refused.message();
}

TEST_F(Convert, ShufflingWhileConvertingIsShufflingTheStream) {
  const std::string shuffled = dir_.path("shuffled.h5mu");
  run(Arguments{"convert", "-o", shuffled, "--shuffle", "--seed", "4", "--quiet"} + inputs_);
  const std::vector<std::string> by_row = lines_of(labels(inputs_ + Arguments{"--shuffle"}));
  const std::vector<std::string> by_place = lines_of(labels({shuffled}));
  const std::vector<int> rows = *open_input({shuffled}, {.label_column = "row"}).truth;
  ASSERT_EQ(rows.size(), 60U);
  EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
  // Instances have other row numbers there, which may give the same clusters other numbers.
  std::map<std::string, std::string> same;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& label = by_row[static_cast<std::size_t>(rows[i])];
    EXPECT_EQ(same.emplace(by_place[i], label).first->second, label);
  }
}

TEST_F(Convert, GeneratedDataHaveTheShapeThatWasAskedFor) {
  const std::string path = dir_.path("g.h5mu");
  run({"generate", path, "--rows", "300", "--features", "10,400", "--density", "1,0.02", "-k", "3", "--missing", "0.3",
       "--seed", "9", "--quiet"});
  const auto json = run_command({"fit", path, "-k", "3", "--json", "--quiet", "--label-column", "truth"}).json();
  EXPECT_EQ(json["n"], 300);
  run({"generate", dir_.path("d.h5mu"), "--shape", "digit", "--rows", "50", "--quiet"});
  expect_failure({"generate", path, "--shape", "square"}, 2, {"square"});
  expect_failure({"generate", dir_.path("g.csv"), "--rows", "10"}, 2, {"g.csv", ".h5mu"});
}

TEST_F(Convert, ResultsCanBeWrittenBack) {
  const std::string mudata = dir_.path("data.h5mu");
  const std::string out = dir_.path("out.h5mu");
  run(Arguments{"convert", "-o", mudata, "--quiet"} + inputs_);
  const std::string expected = labels({mudata, "--output", out});
  // The labels read as the truth agree with those of the same run.
  const auto json = run_command({"fit", out, "-k", "3", "--seed", "4", "--chunk", "16", "--quiet", "--json",
                                 "--label-column", "omvc"})
                        .json();
  EXPECT_DOUBLE_EQ(json["nmi_best"].get<double>(), 1.0);
  expect_failure({"fit", mudata, "-k", "3", "--output", mudata}, 2, {"input"});
  expect_failure({"fit", mudata, "-k", "3", "--output", dir_.path("out.csv")}, 2, {"out.csv"});
  EXPECT_EQ(names_in(dir_.path("")),
            (std::set<std::string>{"data.h5mu", "labels.txt", "left.npy", "out.h5mu", "right.npy", "truth.txt"}));
}

TEST_F(Convert, WrongTruthLeavesNothingBehind) {
  const std::string few = dir_.write_file("few.txt", planted_truth(59));
  expect_failure(Arguments{"convert", "-o", dir_.path("x.h5mu"), "--truth", few} + inputs_, 3, {"59", "60"});
  EXPECT_FALSE(std::filesystem::exists(dir_.path("x.h5mu")));
}

}  // namespace
}  // namespace omvc::test
