#include "scale/log_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "chunk/kinds.hpp"
#include "scale/intake.hpp"
#include "scale/survey_blocks.hpp"
#include "support/awkward_rows.hpp"
#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

using test::Form;

Chunk one_view(const Matrix& X, Form form) {
  Chunk chunk{test::iota(X.rows()), {}};
  chunk.views.push_back({test::block_of(X, form), chunk.rows});
  return chunk;
}

// Counts over orders of magnitude: features and rows have levels of their own, and every feature is high in some rows.
Matrix counts(Index n, Index d, std::uint64_t seed) {
  const Matrix U = test::random_matrix(n, d + 1, seed);
  Matrix X(n, d);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      const double level = 1 + static_cast<double>(j % 4) + 2 * U(i, d) + ((i + j) % d == 0 ? 3 : 0);
      X(i, j) = std::floor(std::exp(level) * U(i, j));
    }
  }
  return X;
}

// As the header says it, with Eigen; cells that are NaN take no part.
Matrix naive_log_ratios(const Matrix& X) {
  Matrix Y = X.unaryExpr([](double x) { return std::isnan(x) ? x : std::log(1 + std::max(x, 0.0)); });
  for (Index i = 0; i < Y.rows(); ++i) {
    std::vector<double> known;
    for (Index j = 0; j < Y.cols(); ++j) {
      if (!std::isnan(Y(i, j))) known.push_back(Y(i, j));
    }
    double sum = 0;
    for (const double y : known) sum += y;
    if (!known.empty()) Y.row(i).array() -= sum / static_cast<double>(known.size());
  }
  return Y;
}

Survey survey_of(const Chunk& chunk, Index features) {
  Compute compute;
  Survey survey(test::schema_of({features}));
  survey.add(chunk, compute);
  return survey;
}

std::string described(const Matrix& X, Form form = Form::dense_double) {
  return choose_scaling(Scaling::automatic, survey_of(one_view(X, form), X.cols()).views[0], {"view1", 0, {}})
      .description;
}

TEST(LogRatio, IsWhatItsHeaderSaysInEveryForm) {
  Matrix X = counts(40, 6, 1);
  X(3, 2) = X(3, 4) = std::nan("");
  X.row(5).setConstant(std::nan(""));
  X.row(6).setZero();
  X(7, 0) = -4;
  X(8, 1) = 0.25;
  X(9, 1) = 123456789;
  const Matrix expected = naive_log_ratios(X);
  for (const Form form : test::kForms) {
    Matrix found(40, 6);
    std::visit(
        [&](const auto& block) {
          log_ratios(block, 0, 17, found.data());
          log_ratios(block, 17, 40, found.data() + 17 * 6);
        },
        test::block_of(X, form));
    for (Index i = 0; i < X.size(); ++i) {
      const double y = expected.data()[i];
      if (std::isnan(y)) {
        EXPECT_TRUE(std::isnan(found.data()[i])) << i;
      } else {
        EXPECT_NEAR(found.data()[i], y, 1e-6) << i;
      }
    }
  }
}

TEST(LogRatio, AutomaticGivesDenseCountsRatiosFromZeroToOneOfTotalVarianceOne) {
  const Matrix X = counts(300, 8, 2);
  Matrix expected = naive_log_ratios(X);
  double variance = 0;
  for (Index j = 0; j < 8; ++j) {
    auto column = expected.col(j).array();
    column -= column.minCoeff();
    column /= column.maxCoeff();
    variance += (column - column.mean()).square().mean();
  }
  expected /= std::sqrt(variance);
  for (const Form form : test::kForms) {
    Chunk chunk = one_view(X, form);
    const Survey survey = survey_of(chunk, 8);
    for (const Scaling scaling : {Scaling::automatic, Scaling::clr}) {
      Chunk scaled = chunk;
      apply_scaling({choose_scaling(scaling, survey.views[0], {"view1", 0, {}})}, test::schema_of({8}), scaled);
      for (Index i = 0; i < 300; ++i) {
        const std::vector<double> row = test::dense_row(scaled.views[0].block, i);
        for (Index j = 0; j < 8; ++j) EXPECT_NEAR(row[static_cast<std::size_t>(j)], expected(i, j), 1e-6);
      }
    }
  }
}

TEST(LogRatio, DenseOrSparseRowsComeOutTheSameToTheBit) {
  Matrix X = counts(200, 7, 3);
  X(4, 2) = std::nan("");
  const Survey dense = survey_of(one_view(X, Form::dense_double), 7);
  const Survey sparse = survey_of(one_view(X, Form::csr_float), 7);
  const ViewScaling one = choose_scaling(Scaling::automatic, dense.views[0], {"view1", 0, {}});
  const ViewScaling other = choose_scaling(Scaling::automatic, sparse.views[0], {"view1", 0, {}});
  EXPECT_TRUE(one.log_ratios);
  EXPECT_EQ(one.shift, other.shift);
  EXPECT_EQ(one.gain, other.gain);
  EXPECT_EQ(one.fill, other.fill);
  EXPECT_EQ(one.factor, other.factor);
  for (const auto& [left, right] :
       {std::pair{Form::dense_double, Form::csr_double}, {Form::dense_float, Form::csr_float}}) {
    Chunk a = one_view(X, left);
    Chunk b = one_view(X, right);
    apply_scaling({one}, test::schema_of({7}), a);
    apply_scaling({one}, test::schema_of({7}), b);
    for (Index i = 0; i < 200; ++i) {
      EXPECT_EQ(test::dense_row(a.views[0].block, i), test::dense_row(b.views[0].block, i)) << "row " << i;
    }
  }
}

TEST(LogRatio, OrdinaryTablesOfWholeNumbersAreNoCounts) {
  const Index n = 500;
  const Matrix U = test::random_matrix(n, 12, 4);
  const auto table = [&](const auto& number) {
    Matrix X(n, 12);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < 12; ++j) X(i, j) = std::floor(number(U(i, j), j));
    }
    return X;
  };
  const Matrix taken = counts(n, 12, 5);
  EXPECT_EQ(described(taken).rfind("dense counts", 0), 0U) << described(taken);
  EXPECT_EQ(described(taken, Form::csr_double), described(taken));
  Matrix fractions = taken;
  fractions(17, 3) += 0.5;
  Matrix negative = taken;
  negative(17, 3) = -1;
  Matrix zeros = taken;
  zeros.rightCols(8).setZero();
  Matrix mixed = taken;  // ages beside them
  mixed.leftCols(3) = table([](double u, Index) { return 18 + 60 * u; }).leftCols(3);
  const std::vector<std::pair<std::string, Matrix>> others{
      {"yes and no", table([](double u, Index) { return 2 * u; })},
      {"ratings", table([](double u, Index) { return 1 + 5 * u; })},
      {"ages", table([](double u, Index) { return 100 * u; })},
      {"years", table([](double u, Index) { return 1950 + 70 * u; })},
      {"bytes", table([](double u, Index) { return 256 * u; })},
      {"dark bytes", table([](double u, Index) { return 256 * std::pow(u, 12); })},
      {"an even range", table([](double u, Index) { return 40000 * u; })},
      {"numbers of rows", table([](double u, Index j) { return (j == 0 ? 1e6 : 10) * u; })},
      {"fractions", fractions},
      {"negatives", negative},
      {"mostly zeros", zeros},
      {"several units", mixed},
      {"few features", taken.leftCols(4)},
  };
  for (const auto& [name, X] : others) EXPECT_EQ(described(X).find("log ratios"), std::string::npos) << name;
}

std::string bytes(const Survey& survey) {
  Archive archive;
  put_survey(archive, "s", survey);
  return archive.to_bytes();
}

TEST(LogRatio, SurveysOfPartsMergeToThatOfTheWholeToTheBit) {
  const Index n = 2 * SurveyBlocks::kRows + 50;
  const Matrix X = counts(n, 70, 6);
  const Schema schema = test::schema_of({70});
  const Chunk all = one_view(X, Form::csr_float);
  Compute one(1);
  Compute three(3);
  const auto part = [&](Index first, Index last, Index step, Compute& compute) {
    SurveyBlocks blocks(schema, false, first);
    for (Index at = first; at < last; at += step) {
      blocks.add(take_instances(all, test::iota(std::min(step, last - at), at)), compute);
    }
    return blocks;
  };
  const std::string expected = bytes(part(0, n, 700, one).sum());
  EXPECT_TRUE(bytes(part(0, n, n, three).sum()) == expected);
  SurveyBlocks merged = part(9000, n, 333, three);
  Archive archive;
  merged.save(archive, "part");
  SurveyBlocks first = part(0, 9000, 5000, one);
  first.merge(SurveyBlocks::load(archive, "part", schema, false));
  EXPECT_TRUE(bytes(first.sum()) == expected);
  EXPECT_EQ(first.sum().views[0].log_ratios.size(), 1U);
}

TEST(LogRatio, OneFractionAnywhereMeansThatNoneAreSurveyed) {
  Matrix X = counts(30, 6, 7);
  const Survey whole = survey_of(one_view(X, Form::dense_double), 6);
  X(29, 5) += 0.5;
  const Survey other = survey_of(one_view(X, Form::dense_double), 6);
  EXPECT_EQ(whole.views[0].log_ratios.size(), 1U);
  EXPECT_TRUE(other.views[0].log_ratios.empty());
  for (const bool first : {false, true}) {
    Survey sum = first ? other : whole;
    sum.merge(first ? whole : other);
    EXPECT_TRUE(sum.views[0].log_ratios.empty());
    Archive archive;
    put_survey(archive, "s", sum);
    EXPECT_TRUE(get_survey(archive, "s", test::schema_of({6})).views[0].log_ratios.empty());
  }
  EXPECT_TRUE(Survey(test::schema_of({kMostLogRatios + 1})).views[0].log_ratios.empty());
}

TEST(LogRatio, FeaturesThatComeLaterAreScaledToo) {
  const Matrix X = counts(200, 8, 8);
  Compute compute;
  Survey survey(test::schema_of({6}));
  survey.add(one_view(X.leftCols(6), Form::csr_double), compute);
  survey.widen(test::schema_of({8}));
  survey.add(one_view(X, Form::csr_double), compute);
  const ViewScaling scaling = choose_scaling(Scaling::clr, survey.views[0], {"view1", 0, {}});
  ASSERT_EQ(scaling.gain.size(), 8U);
  for (const double gain : scaling.gain) EXPECT_GT(gain, 0);
}

// A row whose total is the usual one comes back; of others the ratios of counts plus 1 do.
TEST(LogRatio, ComesBackInCounts) {
  const Matrix X = counts(100, 6, 9);
  Chunk chunk = one_view(X, Form::dense_double);
  const Survey survey = survey_of(chunk, 6);
  const ViewScaling scaling = choose_scaling(Scaling::clr, survey.views[0], {"view1", 0, {}});
  apply_scaling({scaling}, test::schema_of({6}), chunk);
  const double usual = X.sum() / 100;
  for (Index i = 0; i < 100; ++i) {
    const std::vector<double> row = unscaled(scaling, survey.views[0], test::dense_row(chunk.views[0].block, i));
    const double times = (usual + 6) / (X.row(i).sum() + 6);
    for (Index j = 0; j < 6; ++j) {
      const double expected = std::max((X(i, j) + 1) * times - 1, 0.0);
      EXPECT_NEAR(row[static_cast<std::size_t>(j)], expected, 1e-8 * (1 + expected));
    }
  }
}

TEST(LogRatio, AskedForItTakesCountsOnly) {
  const Schema schema = test::schema_of({6});
  for (const auto& [value, word] : {std::pair{-1.0, "negative"}, std::pair{2.5, "not whole"}}) {
    for (const Form form : test::kForms) {
      const Matrix X = counts(50, 6, 10);
      const Survey survey = survey_of(one_view(X, form), 6);
      const Intake intake(schema, {choose_scaling(Scaling::clr, survey.views[0], {"view1", 0, {}})}, kinds_of(survey),
                          {Scaling::clr});
      Chunk good = one_view(X, form);
      EXPECT_NO_THROW(intake.take(good));
      EXPECT_EQ(is_sparse(good.views[0].block), false);
      Matrix odd = X;
      odd(31, 4) = value;
      Chunk chunk = one_view(odd, form);
      test::expect_error(ErrorKind::data, {"view1", "row 31", word}, [&] { intake.take(chunk); });
      test::expect_error(ErrorKind::data, {"view1", "counts"}, [&, number = value] {
        Matrix all = X;
        all(2, 2) = number;
        choose_scaling(Scaling::clr, survey_of(one_view(all, form), 6).views[0], {"view1", 0, {}});
      });
    }
  }
}

// A later row may lie beyond the counts that the scaling was chosen for.
TEST(LogRatio, AutomaticSetsLaterNegativesToZeroAndCountsThem) {
  const Matrix X = counts(200, 6, 11);
  const Survey survey = survey_of(one_view(X, Form::dense_double), 6);
  const ViewScaling scaling = choose_scaling(Scaling::automatic, survey.views[0], {"view1", 0, {}});
  Matrix later = X.topRows(2);
  later(0, 1) = 0;
  later.row(1) = later.row(0);
  later(1, 1) = -7;
  Chunk chunk = one_view(later, Form::csr_double);
  EXPECT_EQ(apply_scaling({scaling}, test::schema_of({6}), chunk), (std::vector<Index>{1}));
  EXPECT_EQ(test::dense_row(chunk.views[0].block, 0), test::dense_row(chunk.views[0].block, 1));
}

}  // namespace
}  // namespace omvc
