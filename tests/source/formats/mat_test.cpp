#include "source/formats/mat.hpp"

#include <gtest/gtest.h>

#include "omvc/source.hpp"

#include "support/chunks.hpp"
#include "support/data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::kNan;
using test::Rows;

struct Loaded {
  explicit Loaded(const std::string& path) {
    Input input = open_mat(path);
    schema = input.source->schema();
    table = read_all(*input.source);
    truth = input.truth;
    EXPECT_NO_THROW(check_chunk(table, schema));
  }
  Rows view(std::size_t v) const { return dense_rows(table.views[v], table.size()); }
  std::vector<Index> features() const {
    std::vector<Index> out;
    for (const ViewSchema& view : schema.views) out.push_back(view.features);
    return out;
  }
  std::vector<Index> present() const {
    std::vector<Index> out;
    for (const ChunkView& view : table.views) out.push_back(static_cast<Index>(view.present.size()));
    return out;
  }
  bool sparse(std::size_t v) const { return std::holds_alternative<CsrBlock<double>>(table.views[v].block); }

  Schema schema;
  Chunk table;
  std::optional<std::vector<int>> truth;
};

}  // namespace
}  // namespace omvc

#ifdef OMVC_WITH_MATIO

#include "support/mat_writer.hpp"
#ifdef OMVC_WITH_HDF5
#include "support/mat73_writer.hpp"
#endif

namespace omvc {
namespace {

using test::mat_cell;
using test::mat_dense;
using test::mat_doubles;
using test::mat_sparse;
using test::write_mat;

using WriteMat = std::string (*)(const std::string& path, const std::vector<matvar_t*>& variables);

class Mat : public testing::Test {
 protected:
  virtual std::string write(const std::vector<matvar_t*>& variables) {
    return write_mat(dir_.path("set.mat"), variables);
  }
  void expect_refused(const std::vector<matvar_t*>& variables, std::vector<std::string> parts) {
    const std::string path = write(variables);
    parts.push_back("set.mat");
    expect_error(ErrorKind::data, parts, [&] { open_mat(path); });
  }

  test::TempDir dir_;
};

// What a file means does not depend on its version, so these tests run on every version.
class MatLayouts : public Mat, public testing::WithParamInterface<WriteMat> {
 protected:
  std::string write(const std::vector<matvar_t*>& variables) override {
    return GetParam()(dir_.path("set.mat"), variables);
  }
};

std::string write_mat5(const std::string& path, const std::vector<matvar_t*>& variables) {
  return write_mat(path, variables);
}
INSTANTIATE_TEST_SUITE_P(Version5, MatLayouts, testing::Values(write_mat5));
#ifdef OMVC_WITH_HDF5
INSTANTIATE_TEST_SUITE_P(Version73, MatLayouts, testing::Values(test::write_mat73));
#endif

TEST_P(MatLayouts, ReadsDenseAndSparseCellsWithInstancesInRows) {
  const Loaded set(write({mat_cell("X", {mat_doubles(nullptr, 3, 2, {1, 2, 3, 4, 5, 6}),
                                         mat_sparse(nullptr, 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})}),
                          mat_doubles("Y", 3, 1, {1, 2, 1})}));
  EXPECT_EQ(set.view(0), (Rows{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(set.view(1), (Rows{{0, 8}, {0, 9}, {7, 0}}));
  EXPECT_TRUE(set.sparse(1));
  EXPECT_FALSE(set.sparse(0));
  EXPECT_EQ(set.truth, (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(set.schema.views[1].name, "view2");
}

TEST_P(MatLayouts, LabelsDecideWhereTheInstancesAre) {
  const Loaded set(write({mat_cell("fea", {mat_doubles(nullptr, 2, 3, {1, 2, 3, 4, 5, 6}),
                                           mat_sparse(nullptr, 3, 3, {0, 1, 1, 2}, {2, 0}, {7, 8})}),
                          mat_cell("truelabel", {mat_doubles(nullptr, 1, 3, {5, 6, 7})})}));
  EXPECT_EQ(set.view(0), (Rows{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(set.view(1), (Rows{{0, 0, 7}, {0, 0, 0}, {8, 0, 0}})) << "a square view follows the others";
  EXPECT_EQ(set.truth, (std::vector<int>{5, 6, 7}));
}

TEST_P(MatLayouts, WithoutLabelsTheSideThatAllViewsShareIsTheInstances) {
  const Loaded columns(
      write({mat_cell("data", {mat_doubles(nullptr, 1, 2, {1, 2}), mat_doubles(nullptr, 2, 2, {3, 4, 5, 6})})}));
  EXPECT_EQ(columns.view(1), (Rows{{3, 4}, {5, 6}}));
  EXPECT_FALSE(columns.truth);
  const Loaded both(write({mat_cell("data", {mat_doubles(nullptr, 2, 2, {3, 4, 5, 6})})}));
  EXPECT_EQ(both.view(0), (Rows{{3, 5}, {4, 6}})) << "rows where both would do";
  expect_refused({mat_cell("X", {mat_doubles(nullptr, 1, 2, {1, 2}), mat_doubles(nullptr, 3, 1, {3, 4, 5})})},
                 {"X", "1 x 2", "3 x 1"});
}

TEST_P(MatLayouts, NanAndIndexSayWhoIsAbsent) {
  const Loaded set(write(
      {mat_cell("data", {mat_doubles(nullptr, 2, 3, {1, 2, kNan, kNan, 5, 6}), mat_doubles(nullptr, 1, 3, {1, 2, 3})}),
       mat_cell("index", {mat_doubles(nullptr, 3, 1, {1, 2, 3}), mat_doubles(nullptr, 2, 1, {1, 3})}),
       mat_doubles("gt", 3, 1, {0, 1, 2})}));
  EXPECT_EQ(set.view(0), (Rows{{1, 2}, {}, {5, 6}}));
  EXPECT_EQ(set.view(1), (Rows{{1}, {}, {3}}));
}

TEST_P(MatLayouts, FoldsSayWhoIsAbsent) {
  const auto views = [] {
    return mat_cell(
        "X", {mat_doubles(nullptr, 2, 3, {1, 2, 3, 4, 5, 6}), mat_doubles(nullptr, 3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
  };
  const auto first = [](const char* name) { return mat_doubles(name, 3, 2, {1, 0, 1, 0, 1, 1}); };
  const Rows expected{{1, 2}, {}, {5, 6}};
  const Loaded one(
      write({views(), mat_dense<std::uint8_t>("folds", 3, 2, {1, 0, 1, 0, 1, 1}, MAT_C_UINT8, MAT_T_UINT8)}));
  EXPECT_EQ(one.view(0), expected) << "the folds tell that instances are columns";
  EXPECT_EQ(one.view(1), (Rows{{}, {4, 5, 6}, {7, 8, 9}}));
  const std::string path =
      write({views(), mat_cell("folds", {first(nullptr), mat_doubles(nullptr, 3, 2, {0, 1, 1, 1, 1, 1})})});
  EXPECT_EQ(Loaded(path).view(0), expected) << "the first is used";
  EXPECT_EQ(Loaded(path + ":2").view(0), (Rows{{}, {3, 4}, {5, 6}}));
  expect_error(ErrorKind::data, {"folds", "fold 3", "there are 2"}, [&] { open_mat(path + ":3"); });
  expect_error(ErrorKind::data, {"fold 0"}, [&] { open_mat(path + ":0"); });
  EXPECT_EQ(read_presence(path, 2), (std::vector<bool>{true, false, false, true, true, true}));
  EXPECT_EQ(read_presence(path + ":2", 2), (std::vector<bool>{false, true, true, true, true, true}));
  expect_error(ErrorKind::data, {"folds", "3 x 2", "4 views"}, [&] { read_presence(path, 4); });
  const Loaded both(write({views(), first("folds"),
                           mat_cell("index", {mat_doubles(nullptr, 1, 1, {1}), mat_doubles(nullptr, 1, 2, {1, 2})})}));
  EXPECT_EQ(both.view(0), (Rows{{1, 2}, {}, {}})) << "index and folds together";
  EXPECT_EQ(both.view(1), (Rows{{}, {4, 5, 6}, {}}));
}

TEST_P(MatLayouts, FoldsThatDoNotFitAreRefused) {
  const auto views = [] {
    return mat_cell("X", {mat_doubles(nullptr, 3, 1, {1, 2, 3}), mat_doubles(nullptr, 3, 1, {1, 2, 3})});
  };
  expect_refused({views(), mat_doubles("folds", 3, 2, {1, 1, 1, 1, 2, 1})}, {"folds", "instance 1", "view 2"});
  expect_refused({views(), mat_doubles("y", 3, 1, {1, 2, 3}), mat_doubles("folds", 4, 2, std::vector<double>(8, 1))},
                 {"folds", "4 instances", "have 3"});
  expect_refused({views(), mat_doubles("folds", 3, 4, std::vector<double>(12, 1))}, {"folds", "3 x 4", "2 views"});
  const std::string path = write({views()});
  expect_error(ErrorKind::data, {"set.mat", "fold 2"}, [&] { open_mat(path + ":2"); });
  expect_error(ErrorKind::data, {"set.mat", "no variable 'folds'"}, [&] { read_presence(path, 2); });
}

TEST_P(MatLayouts, TripletsHaveFoldsToo) {
  const Loaded set(write({mat_doubles("A", 2, 3, {1, 3, 2, 1, 0.5, -2}), mat_doubles("B", 1, 3, {2, 1, 1}),
                          mat_doubles("C", 1, 3, {1, 1, 1}), mat_doubles("folds", 3, 3, {1, 1, 0, 1, 1, 1, 0, 0, 0})}));
  EXPECT_EQ(set.features(), (std::vector<Index>{2, 1, 1})) << "folds of three views are not triplets";
  EXPECT_EQ(set.view(0), (Rows{{0, 0.5}, {0, 0}, {}}));
  EXPECT_EQ(set.present(), (std::vector<Index>{2, 3, 0}));
}

TEST_P(MatLayouts, ReadsEveryNumericClass) {
  const auto one = [&](matvar_t* matrix) { return Loaded(write({mat_cell("X", {matrix})})); };
  const Rows expected{{1, 3}, {2, 100}};
  EXPECT_EQ(one(mat_dense<std::uint8_t>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_UINT8, MAT_T_UINT8)).view(0), expected);
  EXPECT_EQ(one(mat_dense<std::int16_t>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_INT16, MAT_T_INT16)).view(0), expected);
  EXPECT_EQ(one(mat_dense<std::int32_t>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_INT32, MAT_T_INT32)).view(0), expected);
  EXPECT_EQ(one(mat_dense<std::uint64_t>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_UINT64, MAT_T_UINT64)).view(0), expected);
  const Loaded single = one(mat_dense<float>(nullptr, 2, 2, {1, 2, 3, 100}, MAT_C_SINGLE, MAT_T_SINGLE));
  EXPECT_EQ(single.view(0), expected);
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(single.table.views[0].block));
}

TEST_P(MatLayouts, DenseViewsOfZerosBecomeSparse) {
  std::vector<double> nine_zeros(20, 0.0);
  nine_zeros[3] = nine_zeros[4] = 1.0;
  std::vector<double> more_zeros(20, 0.0);
  more_zeros[3] = 1.0;
  const Loaded set(
      write({mat_cell("X", {mat_doubles(nullptr, 2, 10, nine_zeros), mat_doubles(nullptr, 2, 10, more_zeros)})}));
  EXPECT_FALSE(set.sparse(0)) << "90 % is not more than 90 %";
  EXPECT_TRUE(set.sparse(1));
  EXPECT_EQ(set.view(1)[1], (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_P(MatLayouts, ReadsTriplets) {
  const Loaded set(write({mat_doubles("truth", 3, 1, {1, 1, 2}), mat_doubles("A", 3, 3, {1, 3, 1, 2, 1, 1, 0.5, -2, 4}),
                          mat_doubles("B", 1, 3, {2, 5, 1})}));
  EXPECT_EQ(set.view(0), (Rows{{4, 0.5}, {0, 0}, {-2, 0}}));
  EXPECT_EQ(set.view(1), (Rows{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}}));
  EXPECT_EQ(set.schema.views[0].name, "A");
  EXPECT_EQ(set.schema.views[1].name, "B");
  expect_refused({mat_doubles("a", 2, 3, {1, 1, 2, 2, 5, 6})}, {"a", "entry 2", "row 1, column 2"});
  expect_refused({mat_doubles("a", 1, 3, {0, 1, 2})}, {"a", "entry 1", "row 0"});
  expect_refused({mat_doubles("y", 2, 1, {1, 2}), mat_doubles("a", 1, 3, {3, 1, 2})}, {"a", "row 3", "2 labels"});
  expect_refused({mat_doubles("a", 1, 3, {2e9, 1, 2})}, {"a", "2000000000 rows"});
}

TEST_F(Mat, TripletsAreViewsInTheOrderOfTheFile) {
  const Loaded set(write({mat_doubles("EN", 1, 3, {1, 1, 1}), mat_doubles("DE", 1, 3, {1, 1, 1})}));
  EXPECT_EQ(set.schema.views[0].name, "EN");
  EXPECT_EQ(set.schema.views[1].name, "DE");
}

TEST_P(MatLayouts, SaysWhatIsWrong) {
  expect_refused({mat_doubles("Z", 2, 2, {1, 2, 3, 4})}, {"no views", "found Z"});
  expect_refused({mat_cell("X", {mat_doubles(nullptr, 2, 2, {1, 2, 3, test::kInf})})},
                 {"X{1}", "row 1, column 1", "infinite"});
  expect_refused(
      {mat_cell("X", {mat_doubles(nullptr, 2, 4, std::vector<double>(8, 1.0))}), mat_doubles("y", 3, 1, {1, 2, 3})},
      {"X{1}", "2 x 4", "3 labels"});
  expect_refused({mat_cell("X", {mat_doubles(nullptr, 2, 1, {1, 2})}), mat_doubles("y", 2, 1, {1, 2.5})},
                 {"y", "entry 2", "2.5"});
  expect_refused(
      {mat_cell("X", {mat_doubles(nullptr, 2, 1, {1, 2})}), mat_cell("index", {mat_doubles(nullptr, 1, 1, {3})})},
      {"index", "cell 1", "instance 3"});
  expect_refused({mat_cell("X", {mat_doubles(nullptr, 2, 1, {1, 2})}),
                  mat_cell("index", {mat_doubles(nullptr, 1, 1, {1}), mat_doubles(nullptr, 1, 1, {1})})},
                 {"index", "2 cells", "1 views"});
  expect_refused({mat_cell("X", {mat_cell(nullptr, {mat_doubles(nullptr, 1, 1, {1})})})}, {"X{1}", "not a matrix"});
  dir_.write_file("text.mat", "this is text, not MATLAB\n");
  expect_error(ErrorKind::data, {"text.mat"}, [&] { open_mat(dir_.path("text.mat")); });
  expect_error(ErrorKind::io, {"none.mat"}, [&] { open_mat(dir_.path("none.mat")); });
}

TEST_F(Mat, TruncatedFilesAreRefused) {
  for (const auto compression : {MAT_COMPRESSION_ZLIB, MAT_COMPRESSION_NONE}) {
    const std::string path = write_mat(dir_.path("set.mat"),
                                       {mat_doubles("Y", 3, 1, {1, 2, 1}),
                                        mat_cell("X", {mat_doubles(nullptr, 3, 2, {1, 2, 3, 4, 5, 6}),
                                                       mat_sparse(nullptr, 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})})},
                                       MAT_FT_MAT5, compression);
    const std::string whole = test::read_bytes(path);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      dir_.write_file("cut.mat", std::string_view(whole).substr(0, size));
      EXPECT_THROW(open_mat(dir_.path("cut.mat")), Error) << size << " of " << whole.size();
    }
  }
}

TEST_F(Mat, DamagedCompressedVariablesAreRefused) {
  std::vector<double> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 101);
  const std::string whole = test::read_bytes(write({mat_cell("X", {mat_doubles(nullptr, 20, 20, values)})}));
  for (std::size_t at = 140; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    dir_.write_file("damaged.mat", damaged);
    expect_error(ErrorKind::data, {"damaged.mat", "damaged"}, [&] { open_mat(dir_.path("damaged.mat")); });
  }
}

TEST_F(Mat, TakesNoMemoryForSizesThatAreOnlyAnnounced) {
  const std::string path = write_mat(dir_.path("set.mat"), {mat_cell("X", {mat_doubles(nullptr, 3, 1, {1, 2, 3})})},
                                     MAT_FT_MAT5, MAT_COMPRESSION_NONE);
  std::string bytes = test::read_bytes(path);
  // Header 128, tag 8, flags 16, then the tag of the dimensions and the two of them.
  const std::string dims("\x05\0\0\0\x08\0\0\0\x01\0\0\0\x01\0\0\0", 16);
  ASSERT_EQ(bytes.substr(152, 16), dims);
  bytes.replace(160, 8, "\x01\xFF\xFF\x7F\xFF\xFF\xFF\x7F");
  dir_.write_file("set.mat", bytes);
  expect_error(ErrorKind::data, {"set.mat", "byte 128", "announces"}, [&] { open_mat(path); });
}

#ifdef OMVC_WITH_HDF5

std::vector<matvar_t*> small_set() {
  return {mat_doubles("Y", 3, 1, {1, 2, 1}),
          mat_cell("X", {mat_doubles(nullptr, 3, 2, {1, 2, 3, 4, 5, 6}),
                         mat_sparse(nullptr, 3, 2, {0, 1, 3}, {2, 0, 1}, {7, 8, 9})})};
}

TEST_F(Mat, TruncatedAndDamagedFilesOfVersion73DoNoHarm) {
  const std::string whole = test::read_bytes(test::write_mat73(dir_.path("set.mat"), small_set()));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    dir_.write_file("cut.mat", std::string_view(whole).substr(0, size));
    EXPECT_THROW(open_mat(dir_.path("cut.mat")), Error) << size << " of " << whole.size();
  }
  int refused = 0;
  for (std::size_t at = 512; at < whole.size(); at += 101) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    dir_.write_file("damaged.mat", damaged);
    try {
      const Loaded set(dir_.path("damaged.mat"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(Mat, ReadsVersion73AsMatioWritesIt) {
  mat_t* probe = Mat_CreateVer(dir_.path("probe.mat").c_str(), nullptr, MAT_FT_MAT73);
  if (probe == nullptr) GTEST_SKIP() << "this matio was built without HDF5";
  Mat_Close(probe);
  const Loaded set(write_mat(dir_.path("set.mat"), small_set(), MAT_FT_MAT73));
  EXPECT_EQ(set.view(0), (Rows{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(set.view(1), (Rows{{0, 8}, {0, 9}, {7, 0}}));
  EXPECT_EQ(set.truth, (std::vector<int>{1, 2, 1}));
}

TEST_F(Mat, EmptyCellsOfVersion73) {
  const Loaded set(test::write_mat73(
      dir_.path("set.mat"),
      {mat_cell("X", {mat_doubles(nullptr, 2, 1, {1, 2}), mat_sparse(nullptr, 2, 2, {0, 0, 0}, {}, {})}),
       mat_cell("index", {mat_doubles(nullptr, 1, 2, {1, 2}), mat_doubles(nullptr, 0, 0, {})})}));
  EXPECT_EQ(set.present(), (std::vector<Index>{2, 0}));
}

#else

TEST_F(Mat, SaysHowToReadVersion73) {
  const std::string path = dir_.write_file("set.mat", "MATLAB 7.3 MAT-file");
  expect_error(ErrorKind::data, {"set.mat", "OMVC_WITH_HDF5", "-v7"}, [&] { open_mat(path); });
}

#endif

TEST(MatData, WebKb) {
  OMVC_NEED_DATA("webkb/WebKB.mat");
  const Loaded set(test::data_path("webkb/WebKB.mat"));
  EXPECT_EQ(set.features(), (std::vector<Index>{1840, 3000}));
  EXPECT_EQ(set.present(), (std::vector<Index>{1051, 1051}));
  EXPECT_TRUE(set.sparse(0) && set.sparse(1));
  EXPECT_NEAR(test::sum(set.table.views[0].block), 1814.4433944741459, 1e-8);
  EXPECT_EQ(std::count(set.truth->begin(), set.truth->end(), set.truth->front()), 230);
}

TEST(MatData, Reuters1200) {
  OMVC_NEED_DATA("reuters-1200/Reuters_1200_sparse.mat");
  const Loaded set(test::data_path("reuters-1200/Reuters_1200_sparse.mat"));
  EXPECT_EQ(set.features(), std::vector<Index>(5, 2000));
  EXPECT_EQ(set.table.size(), 1200);
  EXPECT_EQ(std::get<CsrBlock<double>>(set.table.views[0].block).nonzeros(), 42018);
  EXPECT_NEAR(test::sum(set.table.views[0].block), 165418.539608, 1e-5);
}

TEST(MatData, Reuters600) {
  OMVC_NEED_DATA("reuters-600/reuters.mat");
  const Loaded set(test::data_path("reuters-600/reuters.mat"));
  EXPECT_EQ(set.features(), (std::vector<Index>{21526, 24892, 34121, 15487, 11539})) << "the largest column in use";
  EXPECT_EQ(set.table.size(), 600);
  EXPECT_EQ(set.schema.views[2].name, "EN_GR_sample");
  EXPECT_EQ(std::get<CsrBlock<double>>(set.table.views[4].block).nonzeros(), 50481);
  EXPECT_EQ(set.truth->size(), 600u);
}

TEST(MatData, NaturallyIncompleteSets) {
  OMVC_NEED_DATA("3sources/3sourceIncomplete.mat");
  OMVC_NEED_DATA("bbcsport/bbcsportIncomplete.mat");
  const Loaded sources(test::data_path("3sources/3sourceIncomplete.mat"));
  EXPECT_EQ(sources.table.size(), 416);
  EXPECT_EQ(sources.features(), (std::vector<Index>{3560, 3631, 3068}));
  EXPECT_EQ(sources.present(), (std::vector<Index>{352, 302, 294}));
  EXPECT_TRUE(sources.sparse(0));
  EXPECT_EQ(test::sum(sources.table.views[0].block), 74487.0);
  EXPECT_EQ(sources.truth->size(), 416u);
  const Loaded sport(test::data_path("bbcsport/bbcsportIncomplete.mat"));
  EXPECT_EQ(sport.features(), (std::vector<Index>{3183, 3203}));
  EXPECT_EQ(sport.present(), (std::vector<Index>{644, 637}));
}

TEST(MatData, HandwrittenDigits) {
  OMVC_NEED_DATA("hdigit/Hdigit.mat");
  const Loaded set(test::data_path("hdigit/Hdigit.mat"));
  EXPECT_EQ(set.features(), (std::vector<Index>{784, 256}));
  EXPECT_EQ(set.present(), (std::vector<Index>{10000, 10000}));
  EXPECT_EQ(test::sum(set.table.views[0].block), 264042938.0);
  EXPECT_FALSE(set.sparse(0));
}

}  // namespace
}  // namespace omvc

#else

namespace omvc {
namespace {

TEST(Mat, SaysHowToGetMatio) {
  test::TempDir dir;
  const std::string path = dir.write_file("set.mat", "MATLAB 5.0 MAT-file");
  expect_error(ErrorKind::data, {"set.mat", "matio", "OMVC_WITH_MATIO"}, [&] { Loaded{path}; });
}

}  // namespace
}  // namespace omvc

#endif
