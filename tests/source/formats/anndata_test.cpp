// The layouts that mudata itself writes are tested by tests/exchange_test.py; here are those that it does not, and what
// is refused.
#include "source/formats/anndata.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/evaluation.hpp"

#include "hdf5/file.hpp"
#include "support/chunks.hpp"
#include "support/h5_file.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using h5::File;
using h5::Group;
using h5::Store;
using test::dense_rows;
using test::expect_error;
using test::kNan;
using test::Rows;
using test::TempDir;

using Names = std::vector<std::string>;

void add_table(Group& owner, const std::string& name, const Names& index) {
  Group table = owner.create_group(name);
  table.set_attribute("_index", "names");
  table.create("names", Store::text).append_text(index);
}

template <class T>
void add_numbers(Group& owner, const std::string& name, Store store, const std::vector<T>& values, Index cols = 0) {
  owner.create(name, store, {.cols = cols})
      .append(values.data(), static_cast<Index>(values.size()) / std::max<Index>(cols, 1));
}

struct Sparse {
  std::vector<double> data;
  std::vector<std::int32_t> indices;
  std::vector<Index> indptr;
  std::vector<Index> shape;
  std::string encoding = "csr_matrix";
};

void add_sparse(Group& owner, const std::string& name, const Sparse& matrix) {
  Group group = owner.create_group(name);
  group.set_attribute("encoding-type", matrix.encoding);
  group.set_attribute("shape", matrix.shape);
  add_numbers(group, "data", Store::float64, matrix.data);
  add_numbers(group, "indices", Store::int32, matrix.indices);
  add_numbers(group, "indptr", Store::int64, matrix.indptr);
}

const Names kSamples{"a", "b", "c", "d"};
const Names kFeatures{"f", "g", "h"};
const Rows kValues{{1, 0, 2}, {0, 0, 0}, {0, 3, 0}, {4, 5, 6}};
const Sparse kCsr{{2, 1, 3, 4, 5, 6}, {2, 0, 1, 0, 1, 2}, {0, 2, 2, 3, 6}, {4, 3}};  // the first row is not sorted
const Sparse kCsc{{1, 4, 3, 5, 2, 6}, {0, 3, 2, 3, 0, 3}, {0, 2, 4, 6}, {4, 3}, "csc_matrix"};

// An AnnData file of kSamples x kFeatures with whatever `add` adds.
template <class F>
std::string anndata(const TempDir& dir, const F& add) {
  const std::string path = dir.path("a.h5ad");
  File file = test::create_h5(path);
  Group root = file.root();
  add_table(root, "obs", kSamples);
  add_table(root, "var", kFeatures);
  add(root);
  return path;
}

Rows read_rows(Source& source, Index at_once, std::size_t view = 0) {
  Rows all;
  while (const auto chunk = source.next(at_once)) {
    check_chunk(*chunk, source.schema());
    const Rows rows = dense_rows(chunk->views[view], chunk->size());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

TEST(AnnData, SparseAndDenseMatricesHoldTheSameRowsInChunksOfAnySize) {
  const TempDir dir;
  const std::string path = anndata(dir, [](Group& root) {
    add_sparse(root, "X", kCsr);
    Group layers = root.create_group("layers");
    add_sparse(layers, "csc", kCsc);
    add_numbers<std::int32_t>(layers, "dense", Store::int32, {1, 0, 2, 0, 0, 0, 0, 3, 0, 4, 5, 6}, 3);
  });
  for (const std::string layer : {"", "csc", "dense"}) {
    const Input input = open_h5(path, {.layer = layer});
    EXPECT_FALSE(input.truth);
    EXPECT_EQ(input.source->size(), 4);
    EXPECT_EQ(input.source->ids(1, 2), (Names{"b", "c"}));
    ASSERT_EQ(input.source->schema().views.size(), 1U);
    EXPECT_EQ(input.source->schema().views[0], (ViewSchema{"a", 3, kFeatures}));
    for (const Index at_once : {1, 2, 3, 100}) {
      EXPECT_EQ(read_rows(*input.source, at_once), kValues) << layer;
      EXPECT_TRUE(input.source->rewind());
    }
  }
  expect_error(ErrorKind::data, {path, "absent", "csc, dense"}, [&] { open_h5(path, {.layer = "absent"}); });
}

TEST(AnnData, SinglePrecisionStaysAndRowsOfNanAreAbsent) {
  const TempDir dir;
  const auto nan = static_cast<float>(kNan);
  const std::string path = anndata(dir, [&](Group& root) {
    add_numbers<float>(root, "X", Store::float32, {1, 2, 3, nan, nan, nan, 4, 5, 6, 7, 8, 9}, 3);
  });
  const Input input = open_h5(path, {});
  const auto chunk = input.source->next(10);
  EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(chunk->views[0].block));
  EXPECT_EQ(chunk->views[0].present, (std::vector<Index>{0, 2, 3}));
}

TEST(AnnData, WhatMakesNoSenseIsRefusedWithItsPlace) {
  const auto refuse = [](const Sparse& matrix, const std::vector<std::string>& parts) {
    const TempDir dir;
    const std::string path = anndata(dir, [&](Group& root) { add_sparse(root, "X", matrix); });
    std::vector<std::string> all{path, "/X"};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_error(ErrorKind::data, all, [&] { read_rows(*open_h5(path, {}).source, 2); });
  };
  for (Sparse matrix : {kCsr, kCsc}) {
    Sparse bad = matrix;
    bad.indices[1] = 9;
    refuse(bad, {"indices[1]", "9"});
    bad.indices[1] = -1;
    refuse(bad, {"indices[1]", "-1"});
    bad = matrix;
    bad.indptr[1] = 5;
    bad.indptr[2] = 4;
    refuse(bad, {"indptr[2]"});
    bad.indptr[2] = 1000;
    refuse(bad, {"indptr[2]", "1000"});
    bad = matrix;
    bad.indptr.pop_back();
    refuse(bad, {"indptr"});
    bad = matrix;
    bad.data.pop_back();
    refuse(bad, {"data", "indices"});
    bad = matrix;
    bad.shape = {5, 3};
    refuse(bad, {"5 x 3"});
    bad.shape = {4};
    refuse(bad, {"shape"});
    bad = matrix;
    bad.encoding = "coo";
    refuse(bad, {"coo"});
  }
  Sparse twice = kCsr;
  twice.indices = {2, 2, 1, 0, 1, 2};
  refuse(twice, {"row 0", "column 2", "twice"});
  twice = kCsc;
  twice.indices = {0, 0, 2, 3, 0, 3};
  refuse(twice, {"row 0", "column 0", "twice"});
}

TEST(AnnData, LabelsAreNumbersCategoriesOrWords) {
  const TempDir dir;
  const std::string path = anndata(dir, [](Group& root) {
    add_sparse(root, "X", kCsr);
    Group obs = root.group("obs");
    add_numbers<Index>(obs, "numbers", Store::int64, {7, -2, 7, 0});
    add_numbers<double>(obs, "reals", Store::float64, {1, 2, 2, 1});
    obs.create("words", Store::text).append_text({"y", "x", "y", "z"});
    obs.create("digits", Store::text).append_text({"3", "1", "3", "2"});
    Group categories = obs.create_group("categories");
    add_numbers<std::int32_t>(categories, "codes", Store::int32, {2, 0, 2, 1});
    categories.create("categories", Store::text).append_text({"p", "q", "r"});
    Group missing = obs.create_group("missing");
    add_numbers<std::int32_t>(missing, "codes", Store::int32, {0, 0, -1, 0});
    missing.create("categories", Store::text).append_text({"p"});
    Group wrong = obs.create_group("wrong");
    add_numbers<std::int32_t>(wrong, "codes", Store::int32, {0, 0, 1, 0});
    wrong.create("categories", Store::text).append_text({"p"});
    Group below = obs.create_group("below");
    add_numbers<std::int32_t>(below, "codes", Store::int32, {0, 0, -2, 0});
    below.create("categories", Store::text).append_text({"p"});
    obs.create("short", Store::text).append_text({"y"});
  });
  const auto labels = [&](const std::string& column) { return open_h5(path, {.label_column = column}).truth; };
  EXPECT_EQ(labels("numbers"), (std::vector<int>{7, -2, 7, 0}));
  EXPECT_EQ(labels("reals"), (std::vector<int>{1, 2, 2, 1}));
  EXPECT_EQ(labels("words"), (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(labels("digits"), (std::vector<int>{3, 1, 3, 2}));
  EXPECT_EQ(labels("categories"), (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(labels("missing"), (std::vector<int>{0, 0, kNoClass, 0}));
  expect_error(ErrorKind::data, {path, "wrong", "code 1"}, [&] { labels("wrong"); });
  expect_error(ErrorKind::data, {path, "below", "code -2"}, [&] { labels("below"); });
  expect_error(ErrorKind::data, {path, "short", "1 rows"}, [&] { labels("short"); });
  expect_error(ErrorKind::usage, {path, "absent", "words"}, [&] { labels("absent"); });
}

// Two modalities, the second with its rows in another order. `add` gives what joins them.
template <class F>
std::string mudata(const TempDir& dir, const F& add) {
  const std::string path = dir.path("m.h5mu");
  File file = test::create_h5(path);
  Group root = file.root();
  Group mod = root.create_group("mod");
  Group first = mod.create_group("b");
  add_table(first, "obs", {"s1", "s2"});
  add_table(first, "var", {"f"});
  add_numbers<double>(first, "X", Store::float64, {1, 2}, 1);
  Group second = mod.create_group("a");
  add_table(second, "obs", {"s3", "s2", "s0"});
  add_table(second, "var", {"g"});
  add_numbers<double>(second, "X", Store::float64, {30, 20, 0.5}, 1);
  add(root, mod);
  return path;
}

TEST(MuData, ObsmapSaysWhichRowIsWhichInstance) {
  const TempDir dir;
  const std::string path = mudata(dir, [](Group& root, Group& mod) {
    mod.set_attribute("mod-order", Names{"b", "a"});
    add_table(root, "obs", {"s0", "s1", "s2", "s3"});
    Group map = root.create_group("obsmap");
    add_numbers<std::uint32_t>(map, "b", Store::uint32, {0, 1, 2, 0});
    add_numbers<std::uint32_t>(map, "a", Store::uint32, {3, 0, 2, 1});
  });
  for (const Index at_once : {1, 2, 3, 4}) {
    const Input input = open_h5(path, {});
    EXPECT_EQ(input.source->schema().views[0].name, "b");
    EXPECT_EQ(input.source->ids(0, 4), (Names{"s0", "s1", "s2", "s3"}));
    EXPECT_EQ(read_rows(*input.source, at_once, 0), (Rows{{}, {1}, {2}, {}}));
    input.source->rewind();
    EXPECT_EQ(read_rows(*input.source, at_once, 1), (Rows{{0.5}, {}, {20}, {30}}));
  }
}

TEST(MuData, ViewsCanBeChosenAlsoFromObsm) {
  const TempDir dir;
  const std::string path = mudata(dir, [](Group&, Group& mod) {
    Group a = mod.group("a");
    Group obsm = a.has("obsm") ? a.group("obsm") : a.create_group("obsm");
    add_numbers<double>(obsm, "X_pca", Store::float64, {1, 2, 3, 4, 5, 6}, 2);
  });
  const Input input = open_h5(path, {.views = {"b", "a:X_pca"}});
  ASSERT_EQ(input.source->schema().views.size(), 2u);
  EXPECT_EQ(input.source->schema().views[1], (ViewSchema{"a:X_pca", 2, {}}));
  expect_error(ErrorKind::usage, {path, "'c'", "a, b"}, [&] { open_h5(path, {.views = {"c"}}); });
  expect_error(ErrorKind::usage, {"X_umap", "X_pca"}, [&] { open_h5(path, {.views = {"a:X_umap"}}); });
}

TEST(MuData, WithoutObsmapSamplesAreJoinedByName) {
  const TempDir dir;
  const std::string path = mudata(dir, [](Group&, Group& mod) {
    for (const std::string name : {"a", "b"}) {
      Group obs = mod.group(name).group("obs");
      obs.create("class", Store::text).append_text(name == "a" ? Names{"x", "y", "x"} : Names{"z", "y"});
    }
  });
  const Input input = open_h5(path, {.label_column = "class"});
  EXPECT_EQ(input.source->schema().views[0].name, "a");  // by name
  EXPECT_EQ(input.source->ids(0, 4), (Names{"s3", "s2", "s0", "s1"}));
  EXPECT_EQ(read_rows(*input.source, 3, 0), (Rows{{30}, {20}, {0.5}, {}}));
  input.source->rewind();
  EXPECT_EQ(read_rows(*input.source, 3, 1), (Rows{{}, {2}, {}, {1}}));
  EXPECT_EQ(input.truth, (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(open_h5(path, {.label_column = "a:class"}).truth, (std::vector<int>{0, 1, 0, kNoClass}))
      << "a sample that the modality lacks has no class";
}

TEST(MuData, MapsThatMakeNoSenseAreRefused) {
  for (const std::vector<std::uint32_t>& bad : {std::vector<std::uint32_t>{0, 1, 3, 0}, {0, 1, 1, 0}, {0, 1, 2}}) {
    const TempDir dir;
    const std::string path = mudata(dir, [&](Group& root, Group&) {
      add_table(root, "obs", {"s0", "s1", "s2", "s3"});
      Group map = root.create_group("obsmap");
      add_numbers<std::uint32_t>(map, "b", Store::uint32, bad);
      add_numbers<std::uint32_t>(map, "a", Store::uint32, {3, 0, 2, 1});
    });
    expect_error(ErrorKind::data, {path, "b"}, [&] { read_rows(*open_h5(path, {}).source, 4); });
  }
  const TempDir dir;
  const std::string path = mudata(dir, [&](Group& root, Group&) { root.set_attribute("axis", std::vector<Index>{1}); });
  expect_error(ErrorKind::data, {path, "axis"}, [&] { open_h5(path, {}); });
}

TEST(MuData, AFileThatChangedBetweenPassesIsRefused) {
  const TempDir dir;
  const std::string path = anndata(dir, [](Group& root) { add_sparse(root, "X", kCsr); });
  const Input input = open_h5(path, {});
  read_rows(*input.source, 2);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 1);
  expect_error(ErrorKind::io, {path, "changed"}, [&] { input.source->rewind(); });
}

TEST(MuData, OtherHdf5FilesAreRefused) {
  const TempDir dir;
  const std::string path = dir.path("x.h5");
  { test::create_h5(path); }
  expect_error(ErrorKind::data, {path, "obs"}, [&] { open_h5(path, {}); });
  expect_error(ErrorKind::usage, {"layers"}, [&] { open_input({dir.write_file("a.csv", "1,2\n")}, {.layer = "x"}); });
}

}  // namespace
}  // namespace omvc
