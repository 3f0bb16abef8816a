// omvc fit on the same data in many forms: file formats, ways to say "absent", and chunks of awkward sizes.
#include <cmath>

#include "app/command.hpp"
#include "app/planted_files.hpp"
#ifdef OMVC_WITH_MATIO
#include "support/mat_writer.hpp"
#endif

namespace omvc::test {
namespace {

constexpr std::size_t kRows = 60;

class FitData : public testing::Test {
 protected:
  // The labels as written, and the embedding, for which a difference in the last bit shows.
  struct Result {
    std::string labels;
    std::string embedding;
    bool operator==(const Result&) const = default;
  };

  Result fit(const Arguments& arguments) const {
    const Outcome outcome = run_command(Arguments{"fit", "-k", "3", "--quiet", "--labels", dir_.path("labels"),
                                                  "--embedding", dir_.path("embedding.txt")} +
                                        arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    Result result{read_bytes(dir_.path("labels")), read_bytes(dir_.path("embedding.txt"))};
    EXPECT_EQ(lines_of(result.labels).size(), kRows);
    return result;
  }
  std::vector<int> labels() const { return read_label_file(dir_.path("labels")); }

  TempDir dir_;
  Table a_ = planted_table(kRows, 6, 1);
  Table b_ = planted_table(kRows, 5, 2);
  std::string a_csv_ = dir_.write_file("a.csv", to_text(a_, ","));
  std::string b_csv_ = dir_.write_file("b.csv", to_text(b_, ","));
};

#ifdef OMVC_WITH_MATIO
matvar_t* mat_matrix(const Table& table) {
  std::vector<double> by_column;
  for (std::size_t j = 0; j < table.front().size(); ++j) {
    for (const auto& row : table) by_column.push_back(row[j]);
  }
  return mat_doubles(nullptr, table.size(), table.front().size(), by_column);
}
#endif

std::vector<std::size_t> all_rows(bool backwards = false) {
  std::vector<std::size_t> rows(kRows);
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = backwards ? kRows - 1 - i : i;
  return rows;
}

TEST_F(FitData, EveryFormatGivesTheSameBits) {
  const Result expected = fit({a_csv_, b_csv_});
  EXPECT_TRUE(are_planted_clusters(labels()));
  const std::vector<Arguments> same{
      {dir_.write_file("a.tsv", to_text(a_, "\t")), dir_.write_file("b.tsv", to_text(b_, "\t"))},
      {dir_.write_file("a.txt", to_text(a_, "  ")), dir_.write_file("b", to_text(b_, " "))},
      {dir_.write_gzip("a.csv.gz", to_text(a_, ",")), dir_.write_gzip("b.txt.gz", to_text(b_, " "))},
      {dir_.write_file("a.npy", to_npy(a_)), dir_.write_file("b.npy", to_npy(b_))},
      {dir_.write_file("a.mtx", to_market_array(a_)), dir_.write_gzip("b.mtx.gz", to_market_array(b_))},
      {dir_.write_file("named.csv", "f1,f2,f3,f4,f5,f6\n" + to_text(a_, ",")), b_csv_},
      {dir_.write_file("a.svm", to_svmlight(a_)), dir_.write_file("b.libsvm", to_svmlight(b_))},
      {dir_.write_file("a.odd", to_svmlight(a_)), dir_.write_file("b.dat", to_svmlight(b_)), "--format", "svmlight"},
      {dir_.write_file("t.csv", to_text(transposed(a_), ",")), dir_.write_file("t.npy", to_npy(transposed(b_))),
       "--transpose"},
      {dir_.write_file("ids.csv", to_text_with_ids(a_, all_rows())),
       dir_.write_file("back.csv", to_text_with_ids(b_, all_rows(true)))},
#ifdef OMVC_WITH_MATIO
      {write_mat(dir_.path("both.mat"), {mat_cell("X", {mat_matrix(a_), mat_matrix(b_)})})},
#endif
  };
  for (const Arguments& files : same) EXPECT_TRUE(fit(files) == expected) << files.front();
}

TEST_F(FitData, LabelTablesNameTheSamples) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kRows; i += 2) some.push_back(i);
  const std::string a = dir_.write_file("some.csv", to_text_with_ids(a_, some));
  const std::string b = dir_.write_file("all.csv", to_text_with_ids(b_, all_rows()));
  for (const Arguments& order : {Arguments{}, Arguments{"--shuffle"}}) {
    const Outcome outcome = run_command(
        Arguments{"fit", a, b, "-k", "3", "--quiet", "--labels", dir_.path("l.csv"), "--model", dir_.path("model")} +
        order);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::vector<std::string> lines = lines_of(read_bytes(dir_.path("l.csv")));
    ASSERT_EQ(lines.size(), kRows + 1);
    EXPECT_EQ(lines[0], "id,label,confidence,distance");
    EXPECT_TRUE(lines[1].starts_with("s0,") && lines[2].starts_with("s2,") && lines[31].starts_with("s1,"));
  }
  const Outcome outcome =
      run_command({"assign", dir_.path("model"), a, b, "--labels", dir_.path("assigned.tsv"), "--id-column", "id"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(read_bytes(dir_.path("assigned.tsv")).starts_with("id\tlabel\tconfidence\tdistance\ns0\t"));
  EXPECT_EQ(run_command({"evaluate", dir_.path("l.csv"), dir_.path("assigned.tsv")}).code, 0);
  const nlohmann::json told = run_command({"fit", a, b, "-k", "3", "--quiet", "--json"}).json();
  for (const nlohmann::json& members : told.at("cluster_members")) {
    for (const nlohmann::json& one : members.at("typical")) {
      EXPECT_TRUE(one.at("id").get<std::string>().starts_with("s")) << one.dump();
    }
  }
  expect_failure({"fit", a, b, "-k", "3", "--id-column", "other"}, 2, {"some.csv", "'other'"});
  expect_failure({"fit", a, b, "-k", "3", "--format", "other"}, 2, {"'other'", "svmlight"});
}

TEST_F(FitData, TextCanComeThroughStandardInput) {
  const Arguments common{"-k", "3", "--passes", "1", "--quiet", "--labels", dir_.path("labels")};
  for (const std::string& file : {b_csv_, dir_.write_gzip("b.gz", to_text(b_, ","))}) {
    Process process(Arguments{"fit", a_csv_, "-"} + common, {.input = file});
    const Outcome outcome = process.wait();
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_EQ(labels().size(), kRows);
    EXPECT_TRUE(are_planted_clusters(labels()));
  }
  const std::string bad = dir_.write_file("bad.csv", "1,2\n3\n");
  Process process({"fit", "-", "-k", "3"}, {.input = bad});
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "standard input:2:")) << outcome.err;
}

// How a view is stored must not decide how it is scaled.
TEST_F(FitData, AFullCoordinateFileGivesTheSameLabelsAsTheText) {
  const Arguments sparse{dir_.write_file("as.mtx", to_market_coordinate(a_)),
                         dir_.write_file("bs.mtx", to_market_coordinate(b_))};
  for (const char* preset : {"default", "paper"}) {
    const std::string expected = fit({a_csv_, b_csv_, "--preset", preset}).labels;
    EXPECT_EQ(fit(sparse + Arguments{"--preset", preset}).labels, expected) << preset;
    const auto scalings = [&](const Arguments& files) {
      const Arguments rest{"-k", "3", "--preset", preset, "--json", "--quiet"};
      const nlohmann::json summary = run_command(Arguments{"fit"} + files + rest).json();
      return summary.at("view_details")[0].at("scaling").get<std::string>();
    };
    EXPECT_EQ(scalings(sparse), scalings({a_csv_, b_csv_})) << preset;
  }
}

#ifdef OMVC_WITH_MATIO
TEST_F(FitData, LabelsInAContainerServeAsTheTruth) {
  std::vector<double> truth;
  for (std::size_t i = 0; i < kRows; ++i) truth.push_back(planted_cluster(i) + 1);
  const std::string mat = write_mat(
      dir_.path("labelled.mat"), {mat_cell("X", {mat_matrix(a_), mat_matrix(b_)}), mat_doubles("gt", kRows, 1, truth)});
  const nlohmann::json summary = run_command({"fit", mat, "-k", "3", "--json", "--quiet"}).json();
  EXPECT_NEAR(summary.at("ac_best").get<double>(), 1, 1e-12);
  EXPECT_NEAR(summary.at("nmi_best").get<double>(), 1, 1e-12);
}
#endif

TEST_F(FitData, EveryWayToSayAbsentGivesTheSameBits) {
  std::string mask;
  Table a = a_;
  Table b = b_;
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool lacks_a = i % 4 == 1;
    const bool lacks_b = i % 5 == 3 && !lacks_a;
    if (lacks_a) a[i].clear();
    if (lacks_b) b[i].clear();
    mask += fmt::format("{} {}\n", lacks_a ? 0 : 1, lacks_b ? 0 : 1);
  }
  const std::string present = dir_.write_file("present.txt", mask);
  for (const Arguments& preset : {Arguments{"--preset", "default"}, Arguments{"--preset", "paper"}}) {
    const Result masked = fit(Arguments{a_csv_, b_csv_, "--present", present} + preset);
    EXPECT_TRUE(preset[1] == "paper" || are_planted_clusters(labels()));
    EXPECT_FALSE(masked == fit(Arguments{a_csv_, b_csv_} + preset)) << "the mask hides something";
    const Arguments empty_lines{dir_.write_file("ae.csv", to_text(a, ",")), dir_.write_file("be.csv", to_text(b, ","))};
    EXPECT_TRUE(fit(empty_lines + preset) == masked) << "empty lines, " << preset[1];
    const Arguments nan_lines{dir_.write_file("an.csv", to_text(with_nan_rows(a), ",")),
                              dir_.write_file("bn.csv", to_text(with_nan_rows(b), ","))};
    EXPECT_TRUE(fit(nan_lines + preset) == masked) << "NaN in text, " << preset[1];
    const Arguments nan_rows{dir_.write_file("an.npy", to_npy(with_nan_rows(a))),
                             dir_.write_file("bn.npy", to_npy(with_nan_rows(b)))};
    EXPECT_TRUE(fit(nan_rows + preset) == masked) << "NaN rows of NPY, " << preset[1];
  }
}

TEST_F(FitData, AnInstanceWithoutAnyViewGetsMinusOne) {
  Table a = a_;
  Table b = b_;
  for (const std::size_t i : {0u, 1u, 30u, 59u}) {
    a[i].clear();
    b[i].clear();
  }
  // A last line that is empty has to end in a newline of its own to be a row, which to_text gives it.
  const Arguments files{dir_.write_file("ae.csv", to_text(a, ",")), dir_.write_file("be.csv", to_text(b, ","))};
  const Outcome outcome = run_command(Arguments{"fit", "-k", "3", "--json", "--labels", dir_.path("labels"),
                                                "--embedding", dir_.path("embedding.csv")} +
                                      files);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<int> found = labels();
  ASSERT_EQ(found.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(found[i] == -1, a[i].empty()) << i;
  EXPECT_EQ(outcome.json().at("n"), kRows);
  EXPECT_EQ(outcome.json().at("unobserved"), 4);
  EXPECT_TRUE(contains(outcome.err, "4 of 60 instances have no view")) << outcome.err;
  EXPECT_TRUE(lines_of(read_bytes(dir_.path("embedding.csv")))[31].starts_with("nan,nan"))
      << "an unknown row is no zero";
}

TEST_F(FitData, ChunksSmallerThanTheNumberOfClustersWork) {
  for (const char* preset : {"default", "paper"}) {
    for (const char* chunk : {"1", "2"}) {
      fit({a_csv_, b_csv_, "--chunk", chunk, "--preset", preset});
      for (const int label : labels()) EXPECT_TRUE(label >= 0 && label < 3) << label;
      const nlohmann::json summary =
          run_command({"fit", a_csv_, b_csv_, "-k", "3", "--chunk", chunk, "--preset", preset, "--json", "--quiet"})
              .json();
      EXPECT_TRUE(std::isfinite(summary.at("loss").get<double>())) << preset << ", chunk " << chunk;
      EXPECT_EQ(summary.at("n"), kRows);
    }
  }
}

TEST_F(FitData, AViewMayBeAbsentFromWholeChunks) {
  Table a = a_;
  Table b = b_;
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i / 10 == 0 || i / 10 == 3) a[i].clear();
    if (i / 10 == 5) b[i].clear();
  }
  const Arguments files{dir_.write_file("ae.csv", to_text(a, ",")), dir_.write_file("be.csv", to_text(b, ","))};
  for (const char* preset : {"default", "paper"}) {
    fit(files + Arguments{"--chunk", "10", "--preset", preset});
    for (const int label : labels()) EXPECT_TRUE(label >= 0 && label < kClusters) << preset << ": " << label;
    // The paper's own method is not asked for perfect clusters where data are missing.
    EXPECT_TRUE(std::string(preset) == "paper" || are_planted_clusters(labels()));
  }
}

TEST_F(FitData, TheFirstChunkMayLackEverything) {
  Table a = a_;
  Table b = b_;
  for (std::size_t i = 0; i < 12; ++i) {
    a[i].clear();
    b[i].clear();
  }
  const Arguments files{dir_.write_file("ae.csv", to_text(a, ",")), dir_.write_file("be.csv", to_text(b, ","))};
  for (const char* preset : {"default", "paper"}) {
    fit(files + Arguments{"--chunk", "6", "--preset", preset});
    std::vector<int> found = labels();
    EXPECT_EQ(std::vector<int>(found.begin(), found.begin() + 12), std::vector<int>(12, -1)) << preset;
    found.erase(found.begin(), found.begin() + 12);
    EXPECT_TRUE(are_planted_clusters(found)) << preset;
  }
}

TEST_F(FitData, NegativeValuesAreCountedAndWarnedOfOnce) {
  Table a = a_;
  a[3][0] = a[7][1] = a[7][2] = -0.5;
  const std::string path = dir_.write_file("negative.csv", to_text(a, ","));
  const Outcome outcome = run_command({"fit", path, b_csv_, "-k", "3", "--preset", "paper", "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.json().at("view_details")[0].at("negatives"), 3) << "counted once, whatever the number of passes";
  const std::string warning = "3 negative entries";
  ASSERT_TRUE(contains(outcome.err, warning)) << outcome.err;
  EXPECT_EQ(outcome.err.find(warning), outcome.err.rfind(warning)) << "said once";
  expect_failure({"fit", path, b_csv_, "-k", "3", "--scaling", "none"}, 3, {"negative", "row ", "scaling"});
}

}  // namespace
}  // namespace omvc::test
