// One data set in every format: the chunks and the labels must be the same to the bit. A format is a line of kFormats
// and the function that writes it; one of several forms of a format (its ways to say what is absent, its orientations)
// is a line too.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "omvc/clusterer.hpp"
#include "omvc/convert.hpp"
#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/data_set.hpp"
#include "support/npz_writer.hpp"
#include "support/temp_dir.hpp"
#ifdef OMVC_WITH_MATIO
#include "support/mat_writer.hpp"
#ifdef OMVC_WITH_HDF5
#include "support/mat73_writer.hpp"
#endif
#endif

namespace omvc {
namespace {

using test::by_column;
using test::by_row;
using test::DataSet;
using test::kNan;
using test::TempDir;

// Stands where a mask says that nothing is: a reader that lets it through changes everything.
constexpr double kHidden = 4096;

struct Format {
  const char* name;
  bool sparse;  // whether the third view arrives as CSR; the results of both storages are not compared
  Input (*write_and_open)(const TempDir& dir, const DataSet& data);
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

std::string view_name(std::size_t v, const char* extension) { return fmt::format("view{}{}", v + 1, extension); }

std::string csv(const DataSet& data, std::size_t v, bool empty_lines) {
  std::string text;
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index j = 0; j < data.views[v].cols() && !(empty_lines && !data.has(v, i)); ++j) {
      text += fmt::format("{}{}", j == 0 ? "" : ",", data.has(v, i) ? data.views[v](i, j) : kNan);
    }
    text += "\n";
  }
  return text;
}

template <bool empty_lines>
Input open_csv(const TempDir& dir, const DataSet& data) {
  std::vector<std::string> paths;
  for (std::size_t v = 0; v < 3; ++v) {
    paths.push_back(dir.write_gzip(view_name(v, ".csv.gz"), csv(data, v, empty_lines)));
  }
  return open_input(paths);
}

std::string npy_matrix(const Matrix& X) {
  return test::npy_doubles(static_cast<std::size_t>(X.rows()), static_cast<std::size_t>(X.cols()), by_row(X));
}

std::string npy_mask(const DataSet& data) {
  const std::vector<double> mask = by_column(data.mask());
  return test::npy("|b1", fmt::format("({}, 3)", data.rows()),
                   test::bytes_of(std::vector<char>(mask.begin(), mask.end())), true);
}

Input open_npy(const TempDir& dir, const DataSet& data) {
  std::vector<std::string> paths;
  for (std::size_t v = 0; v < 3; ++v) {
    paths.push_back(dir.write_file(view_name(v, ".npy"), npy_matrix(data.marked(v, kHidden))));
  }
  Input input = open_input(paths);
  input.source =
      make_masked_source(std::move(input.source), read_presence(dir.write_file("mask.npy", npy_mask(data)), 3));
  return input;
}

void add_csr(test::NpzContent& content, const std::string& prefix, const Matrix& X) {
  const CsrBlock<double> block = test::csr_block<double>(X);
  content.push_back({prefix + "indices", test::npy_longs({block.columns.begin(), block.columns.end()})});
  content.push_back({prefix + "indptr", test::npy_longs({block.offsets.begin(), block.offsets.end()})});
  content.push_back({prefix + "format", test::npy("|S3", "()", "csr")});
  content.push_back({prefix + "shape", test::npy_longs({X.rows(), X.cols()})});
  content.push_back({prefix + "data", test::npy_vector({block.values.begin(), block.values.end()})});
}

template <bool sparse>
Input open_npz(const TempDir& dir, const DataSet& data) {
  test::NpzContent content;
  for (std::size_t v = 0; v < 3; ++v) {
    const Matrix X = data.marked(v, kHidden);
    if (sparse && DataSet::sparse(v)) {
      add_csr(content, view_name(v, "_"), X);
    } else {
      content.push_back({view_name(v, ""), npy_matrix(X)});
    }
  }
  content.push_back({"mask", npy_mask(data)});
  content.push_back({"label", test::npy_longs({data.truth.begin(), data.truth.end()})});
  return open_input({test::write_npz(dir.path("set.npz"), content)});
}

std::string market_array(const Matrix& X) {
  return fmt::format("%%MatrixMarket matrix array real general\n{} {}\n{}\n", X.rows(), X.cols(),
                     fmt::join(by_column(X), "\n"));
}

std::string market_coordinate(const Matrix& X) {
  std::string lines;
  Index entries = 0;
  for (Index j = 0; j < X.cols(); ++j) {
    for (Index i = 0; i < X.rows(); ++i) {
      if (X(i, j) == 0) continue;
      lines += fmt::format("{} {} {}\n", i + 1, j + 1, X(i, j));
      ++entries;
    }
  }
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n{}", X.rows(), X.cols(), entries, lines);
}

template <bool sparse>
Input open_market(const TempDir& dir, const DataSet& data) {
  std::vector<std::string> paths;
  for (std::size_t v = 0; v < 3; ++v) {
    const Matrix X = data.marked(v, kNan);
    paths.push_back(
        dir.write_file(view_name(v, ".mtx"), sparse && DataSet::sparse(v) ? market_coordinate(X) : market_array(X)));
  }
  return open_input(paths);
}

// The dense views as text: a reader of svmlight cannot know that they are dense.
Input open_svmlight(const TempDir& dir, const DataSet& data) {
  std::string text;
  for (Index i = 0; i < data.rows(); ++i) {
    if (data.has(2, i)) text += fmt::format("{}", data.truth[static_cast<std::size_t>(i)]);
    for (Index j = 0; data.has(2, i) && j < data.views[2].cols(); ++j) {
      if (data.views[2](i, j) != 0) text += fmt::format(" {}:{}", j + 1, data.views[2](i, j));
    }
    text += "\n";
  }
  return open_input({dir.write_file("view1.csv", csv(data, 0, true)), dir.write_file("view2.csv", csv(data, 1, false)),
                     dir.write_file("view3.svm", text)});
}

#ifdef OMVC_WITH_HDF5
// As omvc convert writes it.
template <bool sparse>
Input open_mudata(const TempDir& dir, const DataSet& data) {
  const auto source = make_table_source(test::schema_of({8, 5, 40}), data.table(sparse));
  write_mudata(*source, dir.path("set.h5mu"),
               {.label = [&](Index row) { return data.truth[static_cast<std::size_t>(row)]; }});
  return open_input({dir.path("set.h5mu")}, {.label_column = "truth"});
}
#endif

#ifdef OMVC_WITH_MATIO

matvar_t* mat_matrix(const char* name, const Matrix& X) {
  return test::mat_doubles(name, static_cast<std::size_t>(X.rows()), static_cast<std::size_t>(X.cols()), by_column(X));
}

matvar_t* mat_columns(const Matrix& X) {
  const CsrBlock<double> turned = test::csr_block<double>(X.transpose());
  return test::mat_sparse(nullptr, static_cast<std::size_t>(X.rows()), static_cast<std::size_t>(X.cols()),
                          {turned.offsets.begin(), turned.offsets.end()},
                          {turned.columns.begin(), turned.columns.end()}, {turned.values.begin(), turned.values.end()});
}

matvar_t* mat_truth(const char* name, const DataSet& data) {
  return test::mat_doubles(name, data.truth.size(), 1, {data.truth.begin(), data.truth.end()});
}

template <bool sparse>
matvar_t* mat_views(const char* name, const DataSet& data, double mark, bool in_columns) {
  std::vector<matvar_t*> cells;
  for (std::size_t v = 0; v < 3; ++v) {
    Matrix X = data.marked(v, mark);
    if (in_columns) X = X.transpose().eval();
    cells.push_back(sparse && DataSet::sparse(v) ? mat_columns(X) : mat_matrix(nullptr, X));
  }
  return test::mat_cell(name, cells);
}

using WriteMat = std::string (*)(const std::string& path, const std::vector<matvar_t*>& variables);

std::string write_mat5(const std::string& path, const std::vector<matvar_t*>& variables) {
  return test::write_mat(path, variables);
}

// Instances in rows, NaN where they are absent.
template <bool sparse, WriteMat write>
Input open_mat_nan(const TempDir& dir, const DataSet& data) {
  return open_input({write(dir.path("set.mat"), {mat_views<sparse>("X", data, kNan, false), mat_truth("gt", data)})});
}

// Instances in columns, `folds` as a cell array of which the second is chosen.
template <bool sparse, WriteMat write>
Input open_mat_folds(const TempDir& dir, const DataSet& data) {
  const Matrix none = Matrix::Zero(data.rows(), 3);
  write(dir.path("set.mat"), {mat_views<sparse>("fea", data, kHidden, true), mat_truth("Y", data),
                              test::mat_cell("folds", {mat_matrix(nullptr, none), mat_matrix(nullptr, data.mask())})});
  return open_input({dir.path("set.mat:2")});
}

// Instances in columns, `index` cells, labels in a cell.
template <bool sparse, WriteMat write>
Input open_mat_index(const TempDir& dir, const DataSet& data) {
  std::vector<matvar_t*> index;
  for (std::size_t v = 0; v < 3; ++v) {
    std::vector<double> numbers;
    for (const Index row : data.present_rows(v)) numbers.push_back(static_cast<double>(row + 1));
    index.push_back(test::mat_doubles(nullptr, numbers.size(), 1, numbers));
  }
  return open_input({write(dir.path("set.mat"),
                           {mat_views<sparse>("data", data, kHidden, true),
                            test::mat_cell("truelabel", {mat_truth(nullptr, data)}), test::mat_cell("index", index)})});
}

// Complete views, and the masks in a file of their own.
template <bool sparse, WriteMat write>
Input open_mat_mask_file(const TempDir& dir, const DataSet& data) {
  const std::string mask =
      write(dir.path("set_percentDel_0.3.mat"), {test::mat_cell("folds", {mat_matrix(nullptr, data.mask())})});
  Input input =
      open_input({write(dir.path("set.mat"), {mat_views<sparse>("X", data, kHidden, true), mat_truth("truth", data)})});
  input.source = make_masked_source(std::move(input.source), read_presence(mask, 3));
  return input;
}

#endif

const Format kFormats[] = {
    {"text_empty_lines", false, open_csv<true>},
    {"text_nan", false, open_csv<false>},
    {"npy_and_mask", false, open_npy},
    {"npz_dense", false, open_npz<false>},
    {"npz_sparse", true, open_npz<true>},
    {"market_array", false, open_market<false>},
    {"market_coordinate", true, open_market<true>},
    {"svmlight", true, open_svmlight},
#ifdef OMVC_WITH_HDF5
    {"mudata_dense", false, open_mudata<false>},
    {"mudata_sparse", true, open_mudata<true>},
#endif
#ifdef OMVC_WITH_MATIO
    {"mat5_dense_nan", false, open_mat_nan<false, write_mat5>},
    {"mat5_sparse_nan", true, open_mat_nan<true, write_mat5>},
    {"mat5_dense_folds", false, open_mat_folds<false, write_mat5>},
    {"mat5_sparse_folds", true, open_mat_folds<true, write_mat5>},
    {"mat5_sparse_index", true, open_mat_index<true, write_mat5>},
    {"mat5_sparse_mask_file", true, open_mat_mask_file<true, write_mat5>},
#ifdef OMVC_WITH_HDF5
    {"mat73_dense_nan", false, open_mat_nan<false, test::write_mat73>},
    {"mat73_sparse_nan", true, open_mat_nan<true, test::write_mat73>},
    {"mat73_dense_folds", false, open_mat_folds<false, test::write_mat73>},
    {"mat73_sparse_index", true, open_mat_index<true, test::write_mat73>},
    {"mat73_sparse_mask_file", true, open_mat_mask_file<true, test::write_mat73>},
#endif
#endif
};

using Result = test::Collected;

Result cluster(Source& source) {
  Options options;
  options.clusters = 3;
  options.chunk = 40;
  options.passes = 2;
  options.threads = 1;
  Result result;
  Clusterer(options).fit(source, result);
  return result;
}

class SameData : public testing::TestWithParam<Format> {
 protected:
  TempDir dir_;
  DataSet data_ = test::small_data_set();
  Input input_ = GetParam().write_and_open(dir_, data_);
  std::unique_ptr<Source> expected_ = make_table_source(test::schema_of({8, 5, 40}), data_.table(GetParam().sparse));
};

std::string format_name(const testing::TestParamInfo<Format>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Formats, SameData, testing::ValuesIn(kFormats), format_name);

TEST_P(SameData, GivesTheSameChunks) {
  for (std::size_t v = 0; v < 3; ++v) EXPECT_EQ(input_.source->schema().views[v].features, data_.views[v].cols());
  while (const auto expected = expected_->next(40)) {
    const auto chunk = input_.source->next(40);
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->rows, expected->rows);
    for (std::size_t v = 0; v < 3; ++v) {
      EXPECT_EQ(chunk->views[v].block.index(), expected->views[v].block.index()) << "view " << v;
      EXPECT_EQ(test::dense_rows(chunk->views[v], 40), test::dense_rows(expected->views[v], 40)) << "view " << v;
    }
  }
  EXPECT_FALSE(input_.source->next(40));
  EXPECT_EQ(input_.truth.value_or(data_.truth), data_.truth);
}

TEST_P(SameData, GivesTheSameLabels) {
  const Result expected = cluster(*expected_);
  const Result found = cluster(*input_.source);
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_EQ(found.embedding, expected.embedding);
  EXPECT_EQ(std::set<int>(found.labels.begin(), found.labels.end()).size(), 3u);
}

}  // namespace
}  // namespace omvc
