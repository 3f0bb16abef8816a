#include "scale/intake.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "chunk/kinds.hpp"
#include "support/awkward_rows.hpp"
#include "support/chunks.hpp"

namespace omvc {
namespace {

using test::AwkwardRows;
using test::Form;
using Kind = Intake::Kind;

// The intake of a model that has learned these rows.
Intake learned(const AwkwardRows& rows, const std::vector<Form>& forms, Scaling scaling) {
  Compute compute;
  Survey survey(rows.schema);
  survey.add(rows.chunk(forms), compute);
  std::vector<ViewScaling> chosen(rows.schema.views.size());
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    if (survey.views[v].observed > 0) {
      chosen[v] = choose_scaling(scaling, survey.views[v], rows.schema.views[v]);
    }
  }
  return {rows.schema, std::move(chosen), kinds_of(survey)};
}

bool same(const ChunkView& a, const ChunkView& b, Index instances) {
  return a.block.index() == b.block.index() && a.present == b.present &&
         test::dense_rows(a, instances) == test::dense_rows(b, instances);
}

TEST(Intake, KnowsHowViewsWereLearned) {
  const AwkwardRows rows = test::awkward_rows(50, 1, -3, true);
  EXPECT_EQ(learned(rows, {Form::dense_float, Form::csr_double, Form::csr_double}, Scaling::automatic).kinds(),
            (std::vector{Kind::dense, Kind::sparse, Kind::unseen}));
  EXPECT_EQ(learned(rows, {Form::csr_float, Form::dense_double, Form::dense_double}, Scaling::l2).kinds(),
            (std::vector{Kind::sparse, Kind::dense, Kind::unseen}));
}

// By the steps that the header names, one after the other.
TEST(Intake, TakesRowsStepByStep) {
  for (const Scaling scaling : {Scaling::automatic, Scaling::total, Scaling::tfidf}) {
    for (const std::vector<Form>& forms : {std::vector{Form::dense_double, Form::csr_double}, {Form::csr_float}}) {
      const Intake intake = learned(test::awkward_rows(200, 1), forms, scaling);
      for (const Form form : test::kForms) {
        const Chunk given = test::awkward_rows(60, 2).chunk({form});
        Chunk whole = given;
        const std::vector<Index> negatives = intake.take(whole);
        Chunk admitted = given;
        intake.admit(admitted);
        Chunk naive = given;
        for (std::size_t v = 0; v < 2; ++v) {
          const bool sparse = forms[v % forms.size()] != Form::dense_double;
          naive.views[v].block = sparse ? as_sparse(naive.views[v].block) : as_dense(naive.views[v].block);
          EXPECT_EQ(is_sparse(admitted.views[v].block), sparse);
          EXPECT_EQ(admitted.views[v].block.index(), naive.views[v].block.index());
        }
        EXPECT_EQ(negatives, apply_scaling(intake.scaling(), intake.schema(), naive));
        clamp_to_narrow(naive);
        EXPECT_EQ(intake.prepare(admitted), negatives);
        for (std::size_t v = 0; v < 2; ++v) {
          EXPECT_TRUE(same(whole.views[v], naive.views[v], 60));
          EXPECT_TRUE(same(whole.views[v], admitted.views[v], 60));
        }
      }
    }
  }
}

TEST(Intake, DenseOrSparseRowsComeOutTheSame) {
  for (const Scaling scaling : {Scaling::automatic, Scaling::minmax, Scaling::variance, Scaling::l2, Scaling::total}) {
    const Intake intake = learned(test::awkward_rows(200, 1, 0), {Form::dense_double, Form::csr_double}, scaling);
    Chunk dense = test::awkward_rows(60, 2).chunk({Form::dense_double});
    Chunk sparse = test::awkward_rows(60, 2).chunk({Form::csr_double});
    EXPECT_EQ(intake.take(dense), intake.take(sparse));
    for (std::size_t v = 0; v < 2; ++v) EXPECT_TRUE(same(dense.views[v], sparse.views[v], 60));
  }
}

TEST(Intake, WhatComesOutIsFiniteAndCanBeSquaredInSinglePrecision) {
  for (const Scaling scaling : {Scaling::automatic, Scaling::none, Scaling::total, Scaling::minmax, Scaling::standard,
                                Scaling::variance, Scaling::l2, Scaling::tfidf}) {
    const Intake intake = learned(test::awkward_rows(200, 1, 0), {Form::dense_double, Form::csr_double}, scaling);
    for (const double value : {1e15, 1e20, 1e60, 1e139}) {
      AwkwardRows rows = test::awkward_rows(60, 2, 0);
      rows.views[0](1, 2) = rows.views[1](1, 2) = value;
      Chunk chunk = rows.chunk({Form::dense_double});
      EXPECT_NO_THROW(intake.take(chunk));
      for (const ChunkView& view : chunk.views) {
        std::visit(
            [](const auto& X) {
              for (const double x : X.values) EXPECT_TRUE(x >= 0 && x <= kNarrowValue) << x;
            },
            view.block);
      }
    }
  }
}

TEST(Intake, RefusesWithViewAndRow) {
  const Intake intake = learned(test::awkward_rows(200, 1, 0), {Form::dense_double, Form::csr_double}, Scaling::none);
  for (const double value : {-1.0, 1e141, -1e141, 1e300, test::kInf}) {
    for (const Form form : {Form::dense_double, Form::csr_double}) {
      AwkwardRows rows = test::awkward_rows(60, 2, 0);
      rows.views[1](31, 4) = value;
      Chunk chunk = rows.chunk({form});
      for (Index& row : chunk.rows) row += 4000;
      test::expect_error(ErrorKind::data, {"words", "row 4031"}, [&] { intake.take(chunk); });
      if (value == -1) {
        EXPECT_NO_THROW(Intake::check(chunk, intake.schema())) << "the scaling alone refuses it";
      } else {
        test::expect_error(ErrorKind::data, {"words", "row 4031"}, [&] { Intake::check(chunk, intake.schema()); });
      }
    }
  }
  Chunk other = test::awkward_rows(10, 2, 0, true).chunk({Form::dense_double});
  test::expect_error(ErrorKind::data, {}, [&] { intake.take(other); });
}

TEST(Intake, DropsViewsThatWereNeverSeen) {
  const Intake intake = learned(test::awkward_rows(200, 1, -3, true), {Form::dense_double}, Scaling::automatic);
  AwkwardRows rows = test::awkward_rows(60, 2, -3, true);
  rows.present[2] = test::iota(60);
  rows.views[2](3, 1) = -1e139;
  for (const Form form : test::kForms) {
    if (form == Form::dense_float || form == Form::csr_float) rows.views[2](3, 1) = -1e30;
    Chunk chunk = rows.chunk({form});
    intake.take(chunk);
    EXPECT_TRUE(chunk.views[2].present.empty());
    EXPECT_EQ(block_rows(chunk.views[2].block), 0);
    EXPECT_EQ(chunk.views[0].present, rows.present[0]);
  }
}

TEST(Intake, KindsTravelAndHostileOnesAreRefused) {
  const std::vector<Kind> kinds{Kind::unseen, Kind::sparse, Kind::dense};
  Archive archive;
  put_kinds(archive, "kinds", kinds);
  EXPECT_EQ(get_kinds(Archive::from_bytes(archive.to_bytes(), "test"), "kinds", 3), kinds);
  for (const std::size_t views : {0u, 2u, 4u}) {
    test::expect_error(ErrorKind::data, {"kinds"}, [&] { get_kinds(archive, "kinds", views); });
  }
  for (const Index bad : {Index{-1}, Index{3}, Index{256}, std::numeric_limits<Index>::min()}) {
    archive.put("kinds", std::vector<Index>{0, bad, 1});
    test::expect_error(ErrorKind::data, {"kinds"}, [&] { get_kinds(archive, "kinds", 3); });
  }
}

TEST(Intake, AModelThatDoesNotSayHowItsViewsWereStoredTakesThemAsTheyCome) {
  EXPECT_EQ(get_kinds(Archive(), "kinds", 3), std::vector<Intake::Kind>(3, Intake::Kind::unseen));
}

}  // namespace
}  // namespace omvc
