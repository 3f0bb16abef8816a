#include "scale/columns.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "scale/scaling.hpp"
#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using Kind = ColumnNote::Kind;

Chunk one_view(Block block) {
  Chunk chunk{test::iota(block_rows(block)), {}};
  chunk.views.push_back({std::move(block), chunk.rows});
  return chunk;
}

ViewSurvey survey_of(const Chunk& chunk, Index cols) {
  Survey survey(test::schema_of({cols}));
  Compute compute;
  survey.add(chunk, compute);
  return survey.views[0];
}

struct Seen {
  ViewSurvey survey;
  ColumnsLook look;
};

Seen look_at(const Matrix& X, const std::vector<std::string>& names = {}, bool logarithms = false) {
  const Chunk chunk = one_view(test::dense_block<double>(X));
  Seen out{survey_of(chunk, X.cols()), {}};
  out.look = look_at_columns(out.survey, {"view1", X.cols(), names}, {&chunk, 1}, 0, logarithms);
  return out;
}

Matrix normal(Index rows, Index cols, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::normal_distribution<double> values;
  Matrix X(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) X(i, j) = values(draw);
  }
  return X;
}

std::vector<std::pair<std::size_t, std::size_t>> ends_of(const std::vector<ColumnUnit>& units, bool two_values) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const ColumnUnit& unit : units) {
    if (unit.two_values == two_values) out.emplace_back(unit.first, unit.last);
  }
  return out;
}

double variance(const Vector& x) { return (x.array() - x.mean()).square().mean(); }

TEST(Columns, CategoriesAndColumnsOfTwoValuesAreUnits) {
  Matrix X = normal(60, 8, 1);
  for (Index i = 0; i < 60; ++i) {
    X(i, 1) = i % 2 == 0 ? 1 : 2;                                    // two values that are not 0 and 1
    for (Index j = 2; j < 5; ++j) X(i, j) = i % 3 == j - 2 ? 1 : 0;  // a category
    for (Index j = 5; j < 7; ++j) X(i, j) = i % 4 == j - 5 ? 1 : 0;  // not one of them for every row
  }
  const std::vector<std::string> named{"a", "b", "c=x", "c=y", "c=z", "d_1", "d_2", "e"};
  const Seen seen = look_at(X, named);
  using Ends = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(ends_of(seen.look.units, true), (Ends{{1, 2}, {2, 5}, {5, 6}, {6, 7}}));
  EXPECT_EQ(ends_of(seen.look.units, false), (Ends{{0, 1}, {7, 8}}));
  EXPECT_EQ(unit_name(seen.look.units[2], {"view1", 8, named}), "c");
  EXPECT_EQ(unit_name(seen.look.units[3], {"view1", 8, named}), "d_1");
  EXPECT_EQ(unit_name(seen.look.units[3], {"view1", 8, {}}), "feature 5");
  // What pandas.get_dummies calls them, where every row has one of them.
  EXPECT_EQ(ends_of(look_at(X, {"a", "b", "c_x", "c_y", "c_z", "d", "f", "e"}).look.units, true),
            (Ends{{1, 2}, {2, 5}, {5, 6}, {6, 7}}));
  // Without names every column is for itself.
  EXPECT_EQ(look_at(X).look.units.size(), 8u);
}

// A category is one column of the user's table, and its cell is missing once; numbers stay apart whatever they are
// called.
TEST(Columns, MissingCellsAreThoseOfTheTable) {
  Matrix X = normal(40, 7, 3);
  const auto lose = [&](Index rows, Index first, Index last) {
    X.block(0, first, rows, last - first).setConstant(std::nan(""));
  };
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 3; j < 6; ++j) X(i, j) = i % 3 == j - 3 ? 1 : 0;
  }
  lose(4, 1, 2);
  lose(10, 2, 3);
  lose(20, 3, 6);
  for (const bool dummies : {false, true}) {
    const std::string mark = dummies ? "_" : "=";
    const std::vector<std::string> names{"t=0", "t=1", "t=2", "c" + mark + "x", "c" + mark + "y", "c" + mark + "z",
                                         "age"};
    const TableColumns found = table_columns(look_at(X, names).survey, {"view1", 7, names});
    EXPECT_EQ(found.count, 5) << mark;
    EXPECT_EQ(found.missing, 4 + 10 + 20) << mark;
  }
}

// Dates and times are large beside their range, so that the sums say little of it.
TEST(Columns, LargeNumbersAreNotTakenForTwoValues) {
  for (const double first : {20'200'101.0, 1.6e9, 3e5, 1e12}) {
    Chunk chunk{test::iota(200), {}};
    DenseBlock<double> block{.rows = 200, .cols = 2, .values = {}};
    for (Index i = 0; i < 200; ++i) {
      block.values.push_back(first + static_cast<double>(i * 37 % 200) / 20);
      block.values.push_back(static_cast<double>(i % 3 == 0));
    }
    chunk.views.push_back({std::move(block), chunk.rows});
    Survey survey(test::schema_of({2}));
    Compute compute;
    survey.add(chunk, compute);
    const std::vector<ColumnUnit> units = column_units(survey.views[0], {"time", "yes"});
    EXPECT_FALSE(units[0].two_values) << first;
    EXPECT_TRUE(units[1].two_values) << first;
  }
}

TEST(Columns, CleanDataAreLeftAsTheyAre) {
  const Matrix X = normal(500, 5, 2);
  const Seen seen = look_at(X);
  EXPECT_TRUE(seen.look.notes.empty());
  EXPECT_EQ(seen.look.clean.minimum, seen.survey.minimum);
  EXPECT_EQ(seen.look.clean.maximum, seen.survey.maximum);
  EXPECT_EQ(seen.look.clean.sum, seen.survey.sum);
  EXPECT_EQ(seen.look.clean.squares, seen.survey.squares);
}

TEST(Columns, AGlitchDoesNotSetTheRange) {
  Matrix X = normal(200, 4, 3);
  X(17, 1) = 4000;
  X(90, 2) = -1e6;
  const Seen seen = look_at(X);
  EXPECT_EQ(seen.look.notes, (std::vector<ColumnNote>{{Kind::glitches, 1, 1, 4000}, {Kind::glitches, 2, 1, -1e6}}));
  for (const Index j : {Index{1}, Index{2}}) {
    std::vector<double> others;
    for (Index i = 0; i < 200; ++i) {
      if (std::abs(X(i, j)) < 100) others.push_back(X(i, j));
    }
    const auto at = static_cast<std::size_t>(j);
    EXPECT_EQ(seen.look.clean.minimum[at], *std::min_element(others.begin(), others.end()));
    EXPECT_EQ(seen.look.clean.maximum[at], *std::max_element(others.begin(), others.end()));
    const Vector kept = Eigen::Map<const Vector>(others.data(), static_cast<Index>(others.size()));
    EXPECT_NEAR(seen.look.clean.sum[at] / 200, kept.mean(), 1e-12);
    EXPECT_NEAR(seen.look.clean.squares[at] / 200, kept.squaredNorm() / static_cast<double>(kept.size()), 1e-9);
  }
  EXPECT_EQ(seen.look.clean.maximum[0], seen.survey.maximum[0]);
}

// More rows than the sample holds: the survey knows of a value that no row of the sample has.
TEST(Columns, AGlitchOutsideOfTheSampleDoesNotSetTheRangeEither) {
  Matrix X = normal(401, 2, 15);
  X(400, 1) = 1e7;
  const ViewSurvey survey = survey_of(one_view(test::dense_block<double>(X)), 2);
  const Chunk sample = one_view(test::dense_block<double>(X.topRows(200)));
  const ColumnsLook look = look_at_columns(survey, {"view1", 2, {}}, {&sample, 1}, 0, false);
  ASSERT_EQ(look.notes.size(), 1u);
  EXPECT_EQ(look.notes[0].kind, Kind::glitches);
  EXPECT_EQ(look.notes[0].value, 1e7);
  EXPECT_EQ(look.clean.maximum[1], X.col(1).head(200).maxCoeff());
}

// Numbers that reach far without a gap are no glitches: the tail of a log-normal column, and of counts.
TEST(Columns, TailsOfPositiveNumbersStay) {
  for (const double deviation : {1.0, 1.5, 2.0}) {
    Matrix X = normal(3000, 3, 16);
    X = (deviation * X.array()).exp().matrix();
    X.col(2) = (10 * X.col(2)).array().floor();
    const Seen seen = look_at(X);
    EXPECT_EQ(seen.look.clean.maximum, seen.survey.maximum) << deviation;
    EXPECT_EQ(seen.look.clean.squares, seen.survey.squares) << deviation;
  }
}

TEST(Columns, WordsForMissingValuesAreCounted) {
  Matrix X = normal(400, 3, 4);
  X.col(2) = X.col(2).array() * 300 + 800;  // -999 is within ten interquartile ranges of these
  double first = 0;
  double third = 0;
  for (Index i = 0; i < 400; i += 20) X(i, 0) = -999, ++first;
  for (Index i = 7; i < 400; i += 5) X(i, 2) = -9999, ++third;
  const Seen seen = look_at(X);
  EXPECT_EQ(seen.look.notes,
            (std::vector<ColumnNote>{{Kind::missing_word, 0, first, -999}, {Kind::missing_word, 2, third, -9999}}));
  EXPECT_GT(seen.look.clean.minimum[0], -10);
  EXPECT_GT(seen.look.clean.minimum[2], -1000);
  // The same number once is a glitch, and in a column that reaches that far it is a number.
  Matrix Y = normal(400, 2, 5);
  Y(3, 0) = -999;
  for (Index i = 0; i < 400; ++i) Y(i, 1) = static_cast<double>(i * 7 % 1000);
  EXPECT_EQ(look_at(Y).look.notes, (std::vector<ColumnNote>{{Kind::glitches, 0, 1, -999}}));
}

TEST(Columns, AHeavyTailIsToldAndKept) {
  Matrix X = normal(2000, 2, 6);
  X.col(1) = (2.5 * X.col(1).array()).exp();
  const Seen seen = look_at(X);
  ASSERT_EQ(seen.look.notes.size(), 1u);
  EXPECT_EQ(seen.look.notes[0].kind, Kind::heavy_tail);
  EXPECT_EQ(seen.look.notes[0].feature, 1u);
  EXPECT_EQ(seen.look.clean.maximum[1], seen.survey.maximum[1]);
  EXPECT_TRUE(std::isinf(seen.look.ceiling[1]));
}

// A small cluster that lies far out in one column is more than a few glitches.
TEST(Columns, AClusterIsNoGlitch) {
  Matrix X = normal(500, 2, 7);
  for (Index i = 0; i < 25; ++i) X(i, 0) += 200;
  const Seen seen = look_at(X);
  EXPECT_EQ(seen.look.clean.maximum[0], seen.survey.maximum[0]);
}

TEST(Columns, PiecesAndStorageChangeNothing) {
  Matrix X = normal(300, 5, 8).cwiseAbs();
  X(12, 3) = 1e5;
  for (Index i = 0; i < 300; i += 9) X(i, 1) = 9999;
  const Chunk whole = one_view(test::dense_block<double>(X));
  const ViewSurvey survey = survey_of(whole, 5);
  const ViewSchema schema{"view1", 5, {}};
  const ColumnsLook one = look_at_columns(survey, schema, {&whole, 1}, 0, false);
  std::vector<Chunk> pieces;
  for (Index first = 0; first < 300; first += 77) {
    const Matrix rows = X.middleRows(first, std::min<Index>(77, 300 - first));
    pieces.push_back(
        one_view(first % 2 == 0 ? Block(test::dense_block<double>(rows)) : Block(test::csr_block<double>(rows))));
  }
  const ColumnsLook many = look_at_columns(survey, schema, pieces, 0, false);
  EXPECT_EQ(one.notes, many.notes);
  EXPECT_EQ(one.ceiling, many.ceiling);
  EXPECT_EQ(one.clean.sum, many.clean.sum);
  EXPECT_EQ(one.clean.squares, many.clean.squares);
}

ViewScaling chosen(Scaling scaling, const Seen& seen) {
  return choose_scaling(scaling, seen.survey, {"view1", 0, {}}, &seen.look);
}

Matrix scaled(const ViewScaling& scaling, const Matrix& X) {
  Chunk chunk = one_view(test::dense_block<double>(X));
  apply_scaling({scaling}, test::schema_of({X.cols()}), chunk);
  Matrix out(X.rows(), X.cols());
  for (Index i = 0; i < X.rows(); ++i) {
    const std::vector<double> row = test::dense_row(chunk.views[0].block, i);
    out.row(i) = Eigen::Map<const RowVector>(row.data(), X.cols());
  }
  return out;
}

TEST(Columns, ACategoryWeighsWhatAMeasurementDoes) {
  Matrix X = normal(300, 9, 9);
  for (Index i = 0; i < 300; ++i) {
    X.block(i, 0, 1, 5).array() += 8 * static_cast<double>(i % 6);  // which both go with
    X(i, 5) = i % 2;
    for (Index j = 6; j < 9; ++j) X(i, j) = i % 3 == j - 6 ? 1 : 0;
  }
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "yes", "k=1", "k=2", "k=3"};
  const Matrix Y = scaled(chosen(Scaling::automatic, look_at(X, names)), X);
  std::vector<double> measured;
  for (Index j = 0; j < 5; ++j) measured.push_back(variance(Y.col(j)));
  std::sort(measured.begin(), measured.end());
  EXPECT_NEAR(variance(Y.col(5)), measured[2], 1e-9);
  EXPECT_NEAR(variance(Y.col(6)) + variance(Y.col(7)) + variance(Y.col(8)), measured[2], 1e-9);
  double total = 0;
  for (Index j = 0; j < 9; ++j) total += variance(Y.col(j));
  EXPECT_NEAR(total, 1, 1e-9);
}

// Neighbours by the other columns tell whether a column of few values goes with them. One that does not would divide
// the rows into sheets however little it weighs.
TEST(Columns, AColumnOfFewValuesThatGoesWithNoOtherWeighsNextToNothing) {
  Matrix X = normal(400, 8, 3);
  std::mt19937_64 draw(4);
  for (Index i = 0; i < 400; ++i) {
    X.row(i).array() += 6 * static_cast<double>(i % 4);
    X(i, 4) = static_cast<double>(draw() % 2);      // anybody's toss of a coin
    X(i, 5) = static_cast<double>(draw() % 5 + 1);  // a rating of noise
    X(i, 6) = static_cast<double>(i % 4 / 2);       // goes with the clusters
    X(i, 7) = i % 3 == 0 ? kNan : static_cast<double>(i % 4);
  }
  const Seen seen = look_at(X);
  ASSERT_EQ(seen.look.relation.size(), 8u);
  for (const std::size_t u : {0u, 1u, 2u, 3u}) EXPECT_EQ(seen.look.relation[u], 1) << u;
  EXPECT_LT(seen.look.relation[4], 0.1);
  EXPECT_LT(seen.look.relation[5], 0.1);
  EXPECT_GT(seen.look.relation[6], 0.9);
  EXPECT_GT(seen.look.relation[7], 0.9);
  const Matrix Y = scaled(chosen(Scaling::automatic, seen), X);
  EXPECT_LT(variance(Y.col(4)), 0.05 * variance(Y.col(0)));
  EXPECT_LT(variance(Y.col(5)), 0.05 * variance(Y.col(0)));
  EXPECT_GT(variance(Y.col(6)), 0.5 * variance(Y.col(0)));
  EXPECT_NE(chosen(Scaling::automatic, seen).description.find("2 columns of few values ('feature 4', 'feature 5')"),
            std::string::npos);
}

// The features of a category are zero for all rows but those of one value, which makes no text of a table.
TEST(Columns, ACategoryOfManyValuesIsNoSparseView) {
  constexpr Index kTowns = 45;
  Matrix X = Matrix::Zero(450, 3 + kTowns);
  X.leftCols(3) = normal(450, 3, 11);
  std::vector<std::string> names{"bmi", "platelets", "crp"};
  for (Index town = 0; town < kTowns; ++town) names.push_back("town=" + std::to_string(town));
  for (Index i = 0; i < 450; ++i) X(i, 3 + i % kTowns) = 1;
  const Seen seen = look_at(X, names);
  const ViewSchema schema{"view1", X.cols(), names};
  EXPECT_TRUE(needs_columns(Scaling::automatic, seen.survey, schema));
  EXPECT_TRUE(choose_scaling(Scaling::automatic, seen.survey, schema, &seen.look).description.starts_with("dense: "));
  // Without names these are features of which one in sixteen is not zero. Negative numbers are measurements all the
  // same.
  EXPECT_FALSE(needs_columns(Scaling::automatic, survey_of(one_view(test::dense_block<double>(X.cwiseAbs())), X.cols()),
                             {"view1", X.cols(), {}}));
}

// Where half of the columns are such there are no others that would say so; and too few rows say nothing.
TEST(Columns, RelationsAreAskedOfEnoughRowsAndColumns) {
  Matrix X = normal(400, 3, 5);
  std::mt19937_64 draw(6);
  for (Index i = 0; i < 400; ++i) X(i, 1) = static_cast<double>(draw() % 2);
  for (Index i = 0; i < 400; ++i) X(i, 2) = static_cast<double>(draw() % 2);
  EXPECT_EQ(look_at(X).look.relation, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(look_at(X.topRows(30)).look.relation, (std::vector<double>{1, 1, 1}));
}

// Error codes are no part of the range of a column, however many of its cells have one.
TEST(Columns, AbsurdValuesDoNotSetTheRangeHoweverMany) {
  for (const double share : {0.01, 0.05, 0.2}) {
    for (const double code : {1e9, -1e9, 999999999.0}) {
      Matrix X = normal(1000, 2, 8);
      const auto bad = static_cast<Index>(share * 1000);
      for (Index i = 0; i < bad; ++i) X(i * 5, 0) = code;
      const Seen seen = look_at(X);
      ASSERT_EQ(seen.look.notes.size(), 1u) << share << ", " << code;
      EXPECT_EQ(seen.look.notes[0].cells, static_cast<double>(bad));
      EXPECT_EQ(seen.look.notes[0].value, code);
      EXPECT_LT(std::max(std::abs(seen.look.clean.maximum[0]), std::abs(seen.look.clean.minimum[0])), 10);
    }
  }
}

TEST(Columns, AViewOfYesAndNoStaysAsItIs) {
  Matrix X = normal(300, 12, 10);
  for (Index j = 0; j < 12; ++j) {
    for (Index i = 0; i < 300; ++i) X(i, j) = X(i, j) > 0.1 * static_cast<double>(j) ? 1 : 0;
  }
  const Seen seen = look_at(X);
  const ViewScaling with = chosen(Scaling::automatic, seen);
  const ViewScaling without = choose_scaling(Scaling::automatic, seen.survey, {"view1", 0, {}});
  EXPECT_EQ(with.gain, without.gain);
  EXPECT_EQ(with.factor, without.factor);
}

TEST(Columns, ValuesFarOutComeBack) {
  Matrix X = normal(200, 3, 11);
  X(5, 1) = 1e4;
  const Seen seen = look_at(X);
  const ViewScaling scaling = chosen(Scaling::automatic, seen);
  const Matrix Y = scaled(scaling, X);
  EXPECT_NEAR(Y(5, 1), Y.col(1).maxCoeff(), 1e-12);
  EXPECT_NEAR(Y(5, 1), scaling.factor, 1e-9) << "the range is 0 .. 1";
  // A later row beyond the range of a column without glitches, too, but not to the range itself.
  Matrix later = X.topRows(1);
  later(0, 0) = 1e9;
  EXPECT_NEAR(scaled(scaling, later)(0, 0), 2 * scaling.factor, 1e-9);
  // What was asked for by name is done to the letter, and told.
  const ViewScaling asked = chosen(Scaling::minmax, seen);
  EXPECT_TRUE(asked.ceiling.empty());
  EXPECT_EQ(asked.notes, seen.look.notes);
}

TEST(Columns, WordsAreFilledLikeMissingCells) {
  Matrix X = normal(200, 2, 14);
  for (Index i = 0; i < 200; i += 10) X(i, 1) = 9999;
  Matrix Y = X;
  for (Index i = 0; i < 200; i += 10) Y(i, 1) = test::kNan;
  const Matrix words = scaled(chosen(Scaling::automatic, look_at(X)), X);
  const Matrix missing = scaled(chosen(Scaling::automatic, look_at(Y)), Y);
  EXPECT_LT((words - missing).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Columns, LogarithmsAreThoseOfTheFormulaAndComeBack) {
  Matrix X = (1.5 * normal(400, 4, 12).array()).exp().matrix();
  X.col(1) *= 1e-7;
  X(3, 2) = 0;
  X.col(3) = normal(400, 1, 13);  // negative values: as it is
  const Seen seen = look_at(X, {}, true);
  const ViewScaling scaling = chosen(Scaling::log, seen);
  const Matrix Y = scaled(scaling, X);
  for (Index j = 0; j < 4; ++j) {
    Vector expected = X.col(j);
    if (j < 3) {
      double least = test::kInf;
      for (Index i = 0; i < 400; ++i) least = X(i, j) > 0 ? std::min(least, X(i, j)) : least;
      expected = (X.col(j).array() / std::max(least, 1e-6 * X.col(j).mean())).log1p();
    }
    const double low = expected.minCoeff();
    expected = (expected.array() - low) / (expected.maxCoeff() - low) * scaling.factor;
    EXPECT_LT((expected - Y.col(j)).cwiseAbs().maxCoeff(), 1e-9) << j;
  }
  const std::vector<double> back = unscaled(scaling, seen.survey, {Y(8, 0), Y(8, 1), Y(8, 2), Y(8, 3)});
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(back[static_cast<std::size_t>(j)] / X(8, j), 1, 1e-9);
}

}  // namespace
}  // namespace omvc
