#include <array>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <numeric>
#include <thread>

#include "hdf5/file.hpp"
#include "support/chunks.hpp"
#include "support/h5_file.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using namespace h5;
using test::expect_error;
using test::TempDir;

// A chunk is unpacked whole, so that kilobytes can ask for any memory.
TEST(Hdf5, ChunksThatUnpackToFarTooMuchAreRefused) {
  const TempDir dir;
  const std::string path = dir.path("bomb.h5");
  for (const int times : {1, 2}) {
    const hsize_t rows = times == 1 ? 20000 : 10;
    const std::array<hsize_t, 2> shape{rows, rows};
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, shape.data());
    for (int i = 0; i < times; ++i)
      H5Pset_filter(creation, H5Z_FILTER_DEFLATE, 0, 1, std::array<unsigned, 1>{9}.data());
    const hid_t dataset = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
    expect_error(ErrorKind::data, {"bomb.h5", times == 1 ? "smaller chunks" : "deflated once"},
                 [&] { File::open(path).root().dataset("x"); });
  }
}

TEST(Hdf5, RowsAppendedInPiecesAreReadBackByAnyRange) {
  const TempDir dir;
  const std::string path = dir.path("a.h5");
  constexpr Index kRows = 1000;
  constexpr Index kCols = 7;
  std::vector<float> all(kRows * kCols);
  std::iota(all.begin(), all.end(), 0.5F);
  for (const int gzip : {0, 4}) {
    File file = test::create_h5(path);
    Group root = file.root();
    Dataset dataset = root.create("x", Store::float32, {.cols = kCols, .chunk_rows = 64, .gzip = gzip});
    for (Index row = 0; row < kRows;) {
      const Index count = std::min<Index>(1 + row % 90, kRows - row);
      dataset.append(all.data() + row * kCols, count);
      row += count;
    }
    file.close();
    const Dataset read = File::open(path).root().dataset("x");
    EXPECT_EQ(read.shape(), (std::vector<Index>{kRows, kCols}));
    EXPECT_EQ(read.elements(), Elements::float32);
    EXPECT_EQ(read.read_all<float>(), all);
    for (const Index first : {0, 63, 64, 500, 999, 1000}) {
      for (const Index count : {0, 1, 65, 400}) {
        if (first + count > kRows) continue;
        const std::vector<double> expected(all.begin() + first * kCols, all.begin() + (first + count) * kCols);
        EXPECT_EQ(read.read<double>(first, count), expected);
      }
    }
    const std::vector<Index> box = read.read<Index>(10, 2, 3, 2);
    EXPECT_EQ(box, (std::vector<Index>{73, 74, 80, 81}));
    expect_error(ErrorKind::data, {path, "/x", "1000"}, [&] { read.read<float>(999, 2); });
    expect_error(ErrorKind::data, {path, "/x"}, [&] { read.read<float>(0, 1, 6, 2); });
  }
}

TEST(Hdf5, TextFlagsAndAttributesComeBack) {
  const TempDir dir;
  const std::string path = dir.path("a.h5");
  const std::vector<std::string> words{"one", "", "drei \xc3\xa4", "a much longer text than the others are"};
  {
    File file = test::create_h5(path);
    Group group = file.root().create_group("g");
    group.create("words", Store::text).append_text(words);
    group.create("flags", Store::boolean).append_flags({1, 0, 1});
    group.set_attribute("name", "first");
    group.set_attribute("name", "value");
    group.set_attribute("list", words);
    group.set_attribute("none", std::vector<std::string>{});
    group.set_attribute("shape", std::vector<Index>{3, 4});
    group.set_flag_attribute("ordered", true);
    file.close();
  }
  const Group group = File::open(path).root().group("g");
  EXPECT_EQ(group.names(), (std::vector<std::string>{"flags", "words"}));
  EXPECT_EQ(group.dataset("words").read_text(0, 4), words);
  EXPECT_EQ(group.dataset("words").read_text(2, 1), std::vector<std::string>{words[2]});
  EXPECT_EQ(group.dataset("flags").elements(), Elements::boolean);
  EXPECT_EQ(group.dataset("flags").read_all<std::int32_t>(), (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(group.text_attribute("name"), "value");
  EXPECT_EQ(group.text_attribute("absent", "otherwise"), "otherwise");
  EXPECT_EQ(group.text_list_attribute("list"), words);
  EXPECT_TRUE(group.text_list_attribute("none").empty());
  EXPECT_TRUE(group.has_attribute("none"));
  EXPECT_EQ(group.integer_attribute("shape"), (std::vector<Index>{3, 4}));
  EXPECT_EQ(group.integer_attribute("ordered"), std::vector<Index>{1});
  EXPECT_TRUE(group.integer_attribute("name").empty());
  expect_error(ErrorKind::data, {path, "/g/words", "numbers"}, [&] { group.dataset("words").read_all<double>(); });
  expect_error(ErrorKind::data, {path, "/g/flags", "text"}, [&] { group.dataset("flags").read_text(0, 1); });
  expect_error(ErrorKind::data, {path, "/g/absent"}, [&] { group.dataset("absent"); });
}

// What other programs write: text of fixed length, references, links that lead nowhere.
TEST(Hdf5, ReadsWhatOtherProgramsWrite) {
  const TempDir dir;
  const std::string path = dir.path("a.h5");
  {
    const Call call;
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t two = 2;
    const hid_t space = H5Screate_simple(1, &two, nullptr);
    const hid_t fixed = H5Tcopy(H5T_C_S1);
    H5Tset_size(fixed, 4);
    H5Tset_strpad(fixed, H5T_STR_NULLPAD);
    const hid_t text = H5Dcreate2(file, "text", fixed, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(text, fixed, H5S_ALL, H5S_ALL, H5P_DEFAULT, "ab\0\0wxyz");
    const hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hobj_ref_t references[2];
    H5Rcreate(&references[0], file, "text", H5R_OBJECT, -1);
    H5Rcreate(&references[1], file, "group", H5R_OBJECT, -1);
    const hid_t cells = H5Dcreate2(file, "cells", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(cells, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references);
    H5Lcreate_soft("nowhere", file, "lost", H5P_DEFAULT, H5P_DEFAULT);
    for (const hid_t id : {cells, text}) H5Dclose(id);
    H5Gclose(group);
    H5Sclose(space);
    H5Tclose(fixed);
    H5Fclose(file);
  }
  const Group root = File::open(path).root();
  EXPECT_EQ(root.dataset("text").read_text(0, 2), (std::vector<std::string>{"ab", "wxyz"}));
  const std::vector<Object> cells = root.dataset("cells").read_references(0, 2);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_TRUE(cells[0].is_dataset());
  EXPECT_TRUE(cells[1].is_group());
  EXPECT_FALSE(root.has("lost"));
  EXPECT_FALSE(root.has("lost/deeper"));
  EXPECT_FALSE(root.has("group/absent"));
  EXPECT_TRUE(root.has_group("group"));
  EXPECT_TRUE(root.has_dataset("text"));
  EXPECT_FALSE(root.has_group("text"));
}

// A kilobyte can announce any size.
TEST(Hdf5, WhatCannotBeInTheFileIsRefusedBeforeMemoryIsTaken) {
  const TempDir dir;
  const std::string path = dir.path("a.h5");
  {
    const Call call;
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t shape[2] = {1000, hsize_t{1} << 40};
    const hsize_t chunk[2] = {1, 1024};
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    H5Dclose(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
  }
  const Dataset dataset = File::open(path).root().dataset("x");
  expect_error(ErrorKind::data, {path, "/x", "damaged"}, [&] { dataset.read<double>(0, 1); });
  EXPECT_EQ(dataset.read<double>(0, 1, 5, 10), std::vector<double>(10, 0.0));
}

TEST(Hdf5, SeveralThreadsMayReadAtOnce) {
  const TempDir dir;
  const std::string path = dir.path("a.h5");
  std::vector<Index> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), 0);
  {
    File file = test::create_h5(path);
    file.root().create("x", Store::int64, {.gzip = 1}).append(numbers.data(), static_cast<Index>(numbers.size()));
    file.close();
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const Dataset dataset = File::open(path, true).root().dataset("x");
      for (Index first = 0; first < 99000; first += 997) {
        const auto part = dataset.read<Index>(first, 1000);
        if (part.front() != first || part.back() != first + 999) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace omvc
