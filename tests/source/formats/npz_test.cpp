#include "source/formats/npz.hpp"

#include <gtest/gtest.h>

#include "file/reading_limits.hpp"
#include "support/chunks.hpp"
#include "support/data.hpp"
#include "support/npz_writer.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::bytes_of;
using test::dense_rows;
using test::expect_error;
using test::kNan;
using test::npy;
using test::npy_doubles;
using test::npy_longs;
using test::npy_vector;
using test::npy_words;
using test::NpzContent;
using test::Rows;

// 3 x 4: {{0, 1, 0, 2}, {0, 0, 0, 0}, {3, 0, 0, 0}}
NpzContent csr(const std::string& prefix = "") {
  return {{prefix + "indices", npy("<i4", "(3,)", bytes_of(std::vector<std::int32_t>{1, 3, 0}))},
          {prefix + "indptr", npy("<i4", "(4,)", bytes_of(std::vector<std::int32_t>{0, 2, 2, 3}))},
          {prefix + "format", npy("|S3", "()", "csr")},
          {prefix + "shape", npy_longs({3, 4})},
          {prefix + "data", npy_vector({1, 2, 3})}};
}
const Rows kSparse{{0, 1, 0, 2}, {0, 0, 0, 0}, {3, 0, 0, 0}};

NpzContent operator+(NpzContent a, const NpzContent& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

NpzContent with(NpzContent content, const std::string& name, const std::string& array) {
  for (auto& [known, bytes] : content) {
    if (known == name) bytes = array;
  }
  return content;
}

class Npz : public testing::Test {
 protected:
  Input open(const NpzContent& content) { return open_npz(test::write_npz(dir_.path("set.npz"), content)); }
  Rows read_view(const NpzContent& content) {
    const Input input = open(content);
    const Chunk chunk = read_all(*input.source);
    EXPECT_NO_THROW(check_chunk(chunk, input.source->schema()));
    return dense_rows(chunk.views[0], chunk.size());
  }
  void expect_refused(const NpzContent& content, std::vector<std::string> parts) {
    parts.push_back("set.npz");
    expect_error(ErrorKind::data, parts, [&] { read_view(content); });
  }

  test::TempDir dir_;
};

TEST_F(Npz, ZerosThatUnpackToFarTooMuchAreRefusedBeforeTheyAre) {
  ReadingLimits& limits = reading_limits();
  const ReadingLimits before = limits;
  limits.unpacked = 1 << 20;
  const std::string zeros = npy_doubles(1000, 300, std::vector<double>(300000));
  expect_error(ErrorKind::data, {"set.npz", "only zeros", ".npy"}, [&] { open({{"x", zeros}}); });
  limits = before;
  EXPECT_EQ(read_all(*open({{"x", zeros}}).source).size(), 1000);
}

TEST_F(Npz, ArraysAreViewsInTheOrderOfTheArchive) {
  const NpzContent content{
      {"text", npy_doubles(3, 2, {1, 2, kNan, kNan, 5, 6})},
      {"image", npy("<f4", "(3, 1)", bytes_of(std::vector<float>{7, 8, 9}))},
      {"audio", npy("|u1", "(3, 2)", std::string("\1\4\2\5\3\6", 6))},
      {"turned", npy("<f8", "(3, 2)", bytes_of(std::vector<double>{1, 3, 5, 2, 4, 6}), true)},
  };
  for (const bool packed : {true, false}) {
    const Input input = open_npz(test::write_npz(dir_.path("set.npz"), content, packed));
    EXPECT_EQ(input.source->schema(),
              (Schema{{{"text", 2, {}}, {"image", 1, {}}, {"audio", 2, {}}, {"turned", 2, {}}}}));
    EXPECT_EQ(input.source->size(), 3);
    for (int pass = 0; pass < 2; ++pass) {
      Rows text, image, audio, turned;
      while (const auto chunk = input.source->next(2)) {
        for (auto& row : dense_rows(chunk->views[0], chunk->size())) text.push_back(row);
        for (auto& row : dense_rows(chunk->views[1], chunk->size())) image.push_back(row);
        for (auto& row : dense_rows(chunk->views[2], chunk->size())) audio.push_back(row);
        for (auto& row : dense_rows(chunk->views[3], chunk->size())) turned.push_back(row);
        EXPECT_TRUE(std::holds_alternative<DenseBlock<float>>(chunk->views[1].block));
      }
      EXPECT_EQ(text, (Rows{{1, 2}, {}, {5, 6}}));
      EXPECT_EQ(image, (Rows{{7}, {8}, {9}}));
      EXPECT_EQ(audio, (Rows{{1, 4}, {2, 5}, {3, 6}}));
      EXPECT_EQ(turned, (Rows{{1, 2}, {3, 4}, {5, 6}}));
      ASSERT_TRUE(input.source->rewind());
    }
  }
}

TEST_F(Npz, ReadsEverySparseFormatThatSciPySaves) {
  EXPECT_EQ(read_view(csr()), kSparse);
  EXPECT_EQ(read_view(with(with(csr(), "indices", npy_longs({3, 1, 0})), "data", npy_vector({2, 1, 3}))), kSparse)
      << "columns may be in any order";
  EXPECT_EQ(read_view({{"indices", npy_longs({2, 0, 0})},
                       {"indptr", npy_longs({0, 1, 2, 2, 3})},
                       {"format", npy_words({U"csc"})},
                       {"shape", npy_longs({3, 4})},
                       {"data", npy_vector({3, 1, 2})}}),
            kSparse);
  EXPECT_EQ(read_view({{"row", npy_longs({2, 0, 0})},
                       {"col", npy_longs({0, 3, 1})},
                       {"format", npy("|S3", "()", "coo")},
                       {"shape", npy_longs({3, 4})},
                       {"data", npy_vector({3, 2, 1})}}),
            kSparse);
  const Input narrow = open(with(csr(), "data", npy("<f4", "(3,)", bytes_of(std::vector<float>{1, 2, 3}))));
  EXPECT_TRUE(std::holds_alternative<CsrBlock<float>>(narrow.source->next(3)->views[0].block));
  EXPECT_EQ(narrow.source->schema().views[0].name, "set") << "called like its file";
}

TEST_F(Npz, SparseMatricesWithPrefixesAreViewsToo) {
  NpzContent content = csr("text_") + NpzContent{{"image", npy_doubles(3, 1, {1, 2, 3})}} + csr("links.");
  std::erase_if(content, [](const auto& array) { return array.first == "links.format"; });
  const Input input = open(content);
  EXPECT_EQ(input.source->schema(), (Schema{{{"text", 4, {}}, {"image", 1, {}}, {"links", 4, {}}}}));
  const Chunk chunk = read_all(*input.source);
  EXPECT_EQ(dense_rows(chunk.views[0], 3), kSparse);
  EXPECT_EQ(dense_rows(chunk.views[2], 3), kSparse);
}

TEST_F(Npz, MaskLabelsIdsAndFeatureNames) {
  const NpzContent views{{"a", npy_doubles(3, 2, {1, 2, 3, 4, 5, 6})}, {"b", npy_doubles(3, 1, {7, 8, 9})}};
  const std::string mask = npy("|b1", "(3, 2)", std::string("\1\0\1\0\1\1", 6), true);  // by column: 1 0 1, 0 1 1
  for (const char* name : {"mask", "present", "W"}) {
    const Input input = open(views + NpzContent{{name, mask},
                                                {"label", npy("|u1", "(3,)", std::string("\3\3\1"))},
                                                {"ids", npy_words({U"x", U"\u00e9t\u00e9", U"\U0001F600"})},
                                                {"a_features", npy_words({U"height", U"w"})},
                                                {"ignored", npy_vector({1, 2})}});
    const Chunk chunk = read_all(*input.source);
    EXPECT_EQ(dense_rows(chunk.views[0], 3), (Rows{{1, 2}, {}, {5, 6}})) << name;
    EXPECT_EQ(dense_rows(chunk.views[1], 3), (Rows{{}, {8}, {9}})) << name;
    EXPECT_EQ(input.truth, (std::vector<int>{3, 3, 1}));
    EXPECT_EQ(input.source->ids(1, 5), (std::vector<std::string>{"\xC3\xA9t\xC3\xA9", "\xF0\x9F\x98\x80"}));
    EXPECT_EQ(input.source->schema().views[0].feature_names, (std::vector<std::string>{"height", "w"}));
  }
  const Input words = open(views + NpzContent{{"y", npy_words({U"cat", U"dog", U"cat"})},
                                              {"sample_id", npy("|S2", "(3,)", std::string("a\0bbc\0", 6))}});
  EXPECT_EQ(words.truth, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(words.source->ids(0, 3), (std::vector<std::string>{"a", "bb", "c"}));
  const Input wide = open(views + NpzContent{{"W", npy_doubles(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9})}});
  EXPECT_EQ(wide.source->schema().views.size(), 3u) << "a W that is no mask is a view";
}

TEST_F(Npz, NumbersAreIdsWhateverTheirType) {
  const NpzContent view{{"a", npy_doubles(3, 1, {1, 2, 3})}};
  const auto ids_of = [&](const std::string& ids) { return open(view + NpzContent{{"ids", ids}}).source->ids(0, 3); };
  EXPECT_EQ(ids_of(npy_longs({7, -2, 30})), (std::vector<std::string>{"7", "-2", "30"}));
  EXPECT_EQ(ids_of(npy_vector({7, -2, 9007199254740991})), (std::vector<std::string>{"7", "-2", "9007199254740991"}));
  EXPECT_EQ(ids_of(npy("<f4", "(3,)", bytes_of(std::vector<float>{7, 2, 3}))),
            (std::vector<std::string>{"7", "2", "3"}));
  EXPECT_EQ(ids_of(npy("<u8", "(3,)", bytes_of(std::vector<std::uint64_t>{1, 1ULL << 63, ~0ULL}))),
            (std::vector<std::string>{"1", "9223372036854775808", "18446744073709551615"}));
  expect_refused(view + NpzContent{{"ids", npy_vector({1, 2, 2.5})}}, {"ids", "entry 3 is 2.5", "whole numbers"});
  expect_refused(view + NpzContent{{"ids", npy_vector({1, kNan, 3})}}, {"ids", "entry 2", "whole numbers"});
  expect_refused(view + NpzContent{{"ids", npy_vector({1e300, 2, 3})}}, {"ids", "entry 1", "exact"});
  expect_refused(view + NpzContent{{"ids", npy("<f4", "(3,)", bytes_of(std::vector<float>{1, 16777216, 3}))}},
                 {"ids", "entry 2", "exact"});
  expect_refused(view + NpzContent{{"ids", npy_longs({1, 2, 3})}, {"obs_names", npy_words({U"a", U"b", U"c"})}},
                 {"'ids'", "'obs_names'", "keep one"});
}

TEST_F(Npz, SideArraysThatDoNotFitAreRefused) {
  const NpzContent views{{"a", npy_doubles(3, 2, {1, 2, 3, 4, 5, 6})}, {"b", npy_doubles(3, 1, {7, 8, 9})}};
  expect_refused(views + NpzContent{{"c", npy_doubles(2, 1, {7, 8})}}, {"a has 3 rows", "c has 2 rows"});
  expect_refused(views + NpzContent{{"y", npy_longs({1, 2})}}, {"y", "2 class labels", "3 instances"});
  expect_refused(views + NpzContent{{"y", npy_vector({1, 2, 2.5})}}, {"y", "entry 3", "2.5"});
  expect_refused(views + NpzContent{{"mask", npy_doubles(3, 4, std::vector<double>(12, 1))}}, {"mask", "3 x 4"});
  expect_refused(views + NpzContent{{"mask", npy_doubles(4, 2, std::vector<double>(8, 1))}}, {"mask", "4 rows"});
  expect_refused(views + NpzContent{{"mask", npy_doubles(3, 2, {1, 1, 1, 0.5, 1, 1})}}, {"mask", "instance 1", "0.5"});
  expect_refused(views + NpzContent{{"ids", npy_words({U"a", U"b", U"a"})}}, {"ids", "'a'", "unique"});
  expect_refused(views + NpzContent{{"ids", npy_words({U"a", U"b"})}}, {"ids", "2 sample ids"});
  expect_refused(views + NpzContent{{"a_features", npy_words({U"a"})}}, {"a_features", "1 names"});
}

TEST_F(Npz, SaysWhatCannotBeRead) {
  expect_refused({{"a", npy("|O", "(2,)", "\x80\x04pickle")}}, {"a", "pickled", "savez"});
  expect_refused({{"a", npy_vector({1, 2})}}, {"no views", "found a"});
  expect_refused(
      {{"a", npy_doubles(2, 1, {1, 2})}, {"b", npy("<f8", "(1, 1, 2)", bytes_of(std::vector<double>{1, 2}))}},
      {"b", "3 dimensions", "reshape(len(array), -1)"});
  expect_refused({{"a", npy("<U1", "(1, 2)", std::string(8, 'x'))}}, {"a", "text"});
  expect_refused({{"a", npy("<U0", "(1000000000000, 1)", "")}}, {"a", "<U0"});
  expect_refused(with(csr(), "format", npy("|S3", "()", "bsr")), {"bsr", "tocsr()"});
  const std::string none = test::write_npz(dir_.path("none.npz"), {});
  expect_error(ErrorKind::data, {"none.npz"},
               [&] { open_npz(dir_.write_file("none.npz", "PK\x03\x04 nothing else")); });
}

TEST_F(Npz, SparseArraysThatDoNotAgreeAreRefused) {
  expect_refused(with(csr(), "indices", npy_longs({1, 4, 0})), {"indices", "item 1", "0 .. 3"});
  expect_refused(with(csr(), "indices", npy_longs({1, -1, 0})), {"indices", "-1"});
  expect_refused(with(csr(), "indices", npy_longs({1, 1, 0})), {"row 0, column 1", "sum_duplicates()"});
  expect_refused(with(csr(), "indices", npy_longs({1, 3})), {"indices", "2 items for 3 entries"});
  expect_refused(with(csr(), "indices", npy_vector({1, 3, 0})), {"indices", "whole numbers"});
  expect_refused(with(csr(), "indptr", npy_longs({0, 2, 1, 3})), {"indptr", "item 2"});
  expect_refused(with(csr(), "indptr", npy_longs({0, 2, 2, 4})), {"indptr", "3 entries"});
  expect_refused(with(csr(), "indptr", npy_longs({1, 2, 2, 3})), {"indptr", "from 1"});
  expect_refused(with(csr(), "indptr", npy_longs({0, 3})), {"indptr", "2 items"});
  expect_refused(with(csr(), "shape", npy_longs({3})), {"1 dimensions"});
  expect_refused(with(csr(), "shape", npy_longs({-3, 4})), {"shape"});
  expect_refused(with(csr(), "shape", npy_longs({3, std::int64_t{1} << 40})), {"columns"});
  expect_refused(with(csr(), "shape", npy_longs({std::int64_t{1} << 40, 4})), {"1099511627776 rows"});
  expect_refused(with(csr(), "data", npy_vector({1, test::kInf, 3})), {"row 0", "infinite"});
}

TEST_F(Npz, EveryTruncationAndFlippedByteOfTheDataIsRefused) {
  for (const bool packed : {true, false}) {
    const std::string path = test::write_npz(
        dir_.path("set.npz"), {{"a", npy_doubles(3, 2, {1, 2, 3, 4, 5, 6})}, {"y", npy_longs({1, 2, 3})}}, packed);
    const std::string whole = test::read_bytes(path);
    const auto drain = [](const std::string& file) {
      const Input input = open_npz(file);
      while (input.source->next(2)) continue;
    };
    for (std::size_t size = 0; size < whole.size(); ++size) {
      dir_.write_file("cut.npz", std::string_view(whole).substr(0, size));
      EXPECT_THROW(drain(dir_.path("cut.npz")), Error) << size << " of " << whole.size();
    }
    // The first entry's bytes begin behind its local header of 30 bytes and its name.
    const std::size_t first = 30 + std::string_view("a.npy").size();
    const std::size_t size = packed ? 60 : npy_doubles(3, 2, {1, 2, 3, 4, 5, 6}).size();
    for (std::size_t at = first; at < first + size; ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
      dir_.write_file("damaged.npz", damaged);
      EXPECT_THROW(drain(dir_.path("damaged.npz")), Error) << "byte " << at;
    }
  }
}

TEST_F(Npz, TakesNoMemoryForSizesThatAreOnlyAnnounced) {
  const std::string path = test::write_npz(
      dir_.path("set.npz"), {{"a", npy("<f8", "(2, 2)", bytes_of(std::vector<double>{1, 2, 3, 4}), true)}}, false);
  std::string bytes = test::read_bytes(path);
  const std::size_t directory = bytes.rfind("PK\x01\x02");
  ASSERT_NE(directory, std::string::npos);
  bytes.replace(directory + 24, 4, "\xFF\xFF\xFF\x7F");  // the unpacked size in the directory
  dir_.write_file("set.npz", bytes);
  expect_error(ErrorKind::data, {"set.npz", "2147483647", "cannot hold"}, [&] { open_npz(path); });
  expect_refused({{"a", npy("<f8", "(1000000, 1000000)", std::string(64, '\0'), true)}}, {"a", "truncated"});
}

TEST_F(Npz, SeveralArchivesAreSeveralViews) {
  const std::string text = test::write_npz(dir_.path("text.npz"), csr());
  const std::string image = test::write_npz(dir_.path("image.npz"), {{"arr_0", npy_doubles(3, 1, {1, 2, 3})}});
  const Input input = open_input({text, image});
  EXPECT_EQ(input.source->schema(), (Schema{{{"text", 4, {}}, {"image", 1, {}}}}));
  const std::string both = test::write_npz(dir_.path("both.npz"),
                                           {{"a", npy_doubles(3, 1, {1, 2, 3})}, {"b", npy_doubles(3, 1, {1, 2, 3})}});
  expect_error(ErrorKind::usage, {"both.npz", "only input"}, [&] { open_input({text, both}); });
  EXPECT_EQ(
      open_input({dir_.write_file("npz_without_extension", test::read_bytes(both))}).source->schema().views.size(), 2u);
}

TEST_F(Npz, AnArrayWithIdsIsJoinedByThemWithOtherFiles) {
  const std::string image = test::write_npz(
      dir_.path("image.npz"), {{"image", npy_doubles(3, 1, {1, 2, 3})}, {"ids", npy_words({U"c", U"a", U"d"})}});
  const std::string text = dir_.write_file("text.csv", "id,x\na,10\nb,20\nc,30\n");
  const Input input = open_input({text, image});
  const Chunk chunk = read_all(*input.source);
  EXPECT_EQ(input.source->ids(0, 4), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(dense_rows(chunk.views[0], 4), (Rows{{10}, {20}, {30}, {}}));
  EXPECT_EQ(dense_rows(chunk.views[1], 4), (Rows{{2}, {}, {1}, {3}}));
  const std::string short_ids =
      test::write_npz(dir_.path("short.npz"), {{"a", npy_doubles(3, 1, {1, 2, 3})}, {"ids", npy_words({U"c", U"a"})}});
  expect_error(ErrorKind::data, {"short.npz", "2 ids for 3 instances"}, [&] { open_input({text, short_ids}); });
}

TEST_F(Npz, MasksForPresence) {
  const std::string mask = npy("|b1", "(3, 2)", std::string("\1\0\1\0\1\1", 6), true);
  const std::vector<bool> expected{true, false, false, true, true, true};
  EXPECT_EQ(read_presence(dir_.write_file("mask.npy", mask), 2), expected);
  EXPECT_EQ(read_presence(test::write_npz(dir_.path("one.npz"), {{"arr_0", mask}}), 2), expected);
  EXPECT_EQ(
      read_presence(test::write_npz(dir_.path("two.npz"), {{"a", npy_doubles(3, 1, {1, 2, 3})}, {"mask", mask}}), 2),
      expected);
  expect_error(ErrorKind::data, {"mask.npy", "3 x 2", "4 views"}, [&] { read_presence(dir_.path("mask.npy"), 4); });
  expect_error(ErrorKind::data, {"none.npz", "mask"}, [&] {
    read_presence(test::write_npz(dir_.path("none.npz"), {{"y", npy_longs({1})}}), 2);
  });
}

TEST(NpzData, Bdgp) {
  OMVC_NEED_DATA("bdgp/bdgp_4view_incomplete.npz");
  const Input input = open_input({test::data_path("bdgp/bdgp_4view_incomplete.npz")});
  const Chunk chunk = read_all(*input.source);
  const std::vector<Index> features{1000, 500, 250, 79};
  const std::vector<std::size_t> present{2299, 1297, 585, 2500};
  for (std::size_t v = 0; v < 4; ++v) {
    EXPECT_EQ(input.source->schema().views[v].features, features[v]);
    EXPECT_EQ(chunk.views[v].present.size(), present[v]);
  }
  EXPECT_EQ(input.source->schema().views[3].name, "text");
  EXPECT_EQ(input.truth->size(), 2500u);
}

TEST(NpzData, PickledCoauthorIsRefused) {
  OMVC_NEED_DATA("coauthor-cs/coauthor_cs.npz");
  expect_error(ErrorKind::data, {"coauthor_cs.npz", "pickled"},
               [] { open_input({test::data_path("coauthor-cs/coauthor_cs.npz")}); });
}

}  // namespace
}  // namespace omvc
