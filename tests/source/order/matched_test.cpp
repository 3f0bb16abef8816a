#include <cmath>
#include <gtest/gtest.h>

#include "omvc/source.hpp"

#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::Rows;

const Schema kModel{{{"text", 3, {"a", "b", "c"}}, {"image", 2, {"u", "v"}}}};

ChunkView dense(Index cols, std::vector<double> values) {
  const Index rows = static_cast<Index>(values.size()) / cols;
  ChunkView view{DenseBlock<double>{rows, cols, std::move(values)}, {}};
  for (Index i = 0; i < rows; ++i) view.present.push_back(i);
  return view;
}

// Two instances whose values are 1 .. for text and 10, 20, ... for image.
Chunk read_matched(const Schema& schema, std::vector<ChunkView> views, bool ignore_extra = false) {
  const auto source = make_matched_source(make_table_source(schema, {{0, 1}, std::move(views)}), kModel, ignore_extra);
  EXPECT_EQ(source->schema(), kModel);
  Chunk chunk = read_all(*source);
  check_chunk(chunk, kModel);
  return chunk;
}

const Rows kText{{1, 2, 3}, {4, 5, 6}};
const Rows kImage{{10, 20}, {30, 40}};

TEST(Matched, ViewsAndFeaturesAreBroughtToTheOrderOfTheModel) {
  const Chunk chunk = read_matched({{{"image", 2, {"v", "u"}}, {"text", 3, {"c", "a", "b"}}}},
                                   {dense(2, {20, 10, 40, 30}), dense(3, {3, 1, 2, 6, 4, 5})});
  EXPECT_EQ(dense_rows(chunk.views[0], 2), kText);
  EXPECT_EQ(dense_rows(chunk.views[1], 2), kImage);
}

TEST(Matched, SparseColumnsStayAscending) {
  CsrBlock<float> block{2, 3, {0, 2, 4}, {0, 2, 0, 1}, {3, 2, 6, 4}};
  const Chunk chunk = read_matched({{{"text", 3, {"c", "a", "b"}}, {"image", 2, {"u", "v"}}}},
                                   {{block, {0, 1}}, dense(2, {10, 20, 30, 40})});
  EXPECT_EQ(dense_rows(chunk.views[0], 2), (Rows{{0, 2, 3}, {4, 0, 6}}));
}

TEST(Matched, AViewThatTheDataLackIsAbsent) {
  const Chunk chunk = read_matched({{{"image", 2, {"u", "v"}}}}, {dense(2, {10, 20, 30, 40})});
  EXPECT_EQ(dense_rows(chunk.views[0], 2), (Rows{{}, {}}));
  EXPECT_EQ(dense_rows(chunk.views[1], 2), kImage);
}

TEST(Matched, ViewsUnderOtherNamesAreFoundByTheirFeatures) {
  const Chunk chunk = read_matched({{{"new1", 2, {"u", "v"}}, {"new2", 3, {"c", "b", "a"}}}},
                                   {dense(2, {10, 20, 30, 40}), dense(3, {3, 2, 1, 6, 5, 4})});
  EXPECT_EQ(dense_rows(chunk.views[0], 2), kText);
  EXPECT_EQ(dense_rows(chunk.views[1], 2), kImage);
}

TEST(Matched, WithoutNamesTheWidthsDecide) {
  const Chunk chunk =
      read_matched({{{"x", 3, {}}, {"y", 2, {}}}}, {dense(3, {1, 2, 3, 4, 5, 6}), dense(2, {10, 20, 30, 40})});
  EXPECT_EQ(dense_rows(chunk.views[0], 2), kText);
  expect_error(ErrorKind::data, {"view 1 (text)", "3 features", "have 2"}, [] {
    read_matched({{{"x", 2, {}}, {"y", 3, {}}}}, {dense(2, {10, 20, 30, 40}), dense(3, {1, 2, 3, 4, 5, 6})});
  });
  expect_error(ErrorKind::data, {"2 views", "'text', 'image'", "have 1", "NAME=FILE"}, [] {
    read_matched({{{"x", 3, {}}}}, {dense(3, {1, 2, 3, 4, 5, 6})});
  });
}

TEST(Matched, WhatIsMissingOrAdditionalIsNamed) {
  const ChunkView image = dense(2, {10, 20, 30, 40});
  expect_error(ErrorKind::data, {"view 1 (text)", "lack 1 of the 3", "'c'", "add the column", "fit a model without it"},
               [&] {
                 read_matched({{{"text", 2, {"a", "b"}}, {"image", 2, {"u", "v"}}}}, {dense(2, {1, 2, 4, 5}), image});
               });
  const Schema more{{{"text", 4, {"a", "x", "b", "c"}}, {"image", 2, {"u", "v"}}}};
  const ChunkView wide = dense(4, {1, 9, 2, 3, 4, 9, 5, 6});
  expect_error(ErrorKind::data, {"view 1 (text)", "'x'", "--ignore-extra"}, [&] { read_matched(more, {wide, image}); });
  EXPECT_EQ(dense_rows(read_matched(more, {wide, image}, true).views[0], 2), kText);
  const Schema third{{{"image", 2, {"u", "v"}}, {"p", 1, {"p"}}, {"q", 1, {"q"}}}};
  const std::vector<ChunkView> views{image, dense(1, {1, 2}), dense(1, {1, 2})};
  expect_error(ErrorKind::data, {"no view 'p', 'q'", "'text', 'image'"}, [&] { read_matched(third, views); });
  EXPECT_EQ(dense_rows(read_matched(third, views, true).views[1], 2), kImage);
}

// As when a table got another name and a column more: leaving out what is extra must not leave out the view.
TEST(Matched, AViewUnderAnotherNameIsFoundByMostOfItsFeatures) {
  std::vector<std::string> notes;
  const Schema data{{{"visit2", 4, {"a", "b", "c", "new"}}, {"image", 2, {"u", "v"}}}};
  const auto table = [&] {
    return make_table_source(data, {{0, 1}, {dense(4, {1, 2, 3, 0, 4, 5, 6, 0}), dense(2, {10, 20, 30, 40})}});
  };
  const auto source = make_matched_source(table(), kModel, true, &notes);
  EXPECT_EQ(dense_rows(read_all(*source).views[0], 2), kText);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("1 column that the model lacks is left out: 'new'"), std::string::npos) << notes[0];
  expect_error(ErrorKind::data, {"no feature 'new'"}, [&] { make_matched_source(table(), kModel); });
}

TEST(Matched, WhatTheFitLeftOutIsLeftOutAgain) {
  Schema model = kModel;
  model.views[0].left_out = {"age", "ward"};
  const Schema data{{{"text", 6, {"a", "age", "b", "ward=n", "ward=s", "c"}}, {"image", 2, {"u", "v"}}}};
  std::vector<std::string> notes;
  const auto source = make_matched_source(
      make_table_source(data, {{0, 1}, {dense(6, {1, 9, 2, 0, 1, 3, 4, 9, 5, 1, 0, 6}), dense(2, {10, 20, 30, 40})}}),
      model, false, &notes);
  EXPECT_EQ(dense_rows(read_all(*source).views[0], 2), kText);
  EXPECT_TRUE(notes.empty());
}

TEST(Matched, ViewsThatAreLeftOutOrLackingAreNamed) {
  std::vector<std::string> notes;
  const Schema data{{{"image", 2, {"u", "v"}}, {"other", 2, {"p", "q"}}}};
  make_matched_source(make_table_source(data, {{0, 1}, {dense(2, {10, 20, 30, 40}), dense(2, {1, 2, 3, 4})}}), kModel,
                      true, &notes);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("left out, since the model has no such view: 'other'"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("lack the model's view 'text'"), std::string::npos) << notes[1];
}

}  // namespace
}  // namespace omvc
