#include <gtest/gtest.h>

#include "compare/fit.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

Survey survey_of(const std::vector<Index>& features, double instances, bool sparse, double entries_each) {
  Survey survey(test::schema_of(features));
  survey.instances = instances;
  for (ViewSurvey& view : survey.views) {
    view.sparse = sparse;
    view.observed = instances;
    view.entries = instances * entries_each;
  }
  return survey;
}

TEST(ChooseChunk, GrowsWithTheFeaturesAsFarAsTheInstancesAndMemoryAllow) {
  const auto chosen = [](const Survey& survey) { return choose_chunk(&survey); };
  EXPECT_EQ(choose_chunk(nullptr), 500);
  EXPECT_EQ(chosen(survey_of({20, 30}, 1e6, false, 50)), 500) << "few features";
  EXPECT_EQ(chosen(survey_of({1000, 500}, 1e6, true, 50)), 1500) << "as many as features";
  EXPECT_EQ(chosen(survey_of({30000, 20000}, 1e6, true, 50)), 4000) << "never more";
  EXPECT_EQ(chosen(survey_of({30000, 20000}, 64000, true, 50)), 2000) << "a thirty-second of the instances";
  EXPECT_EQ(chosen(survey_of({30000, 20000}, 1200, true, 50)), 500) << "small sets have the usual size";
  EXPECT_EQ(chosen(survey_of({16384}, 1e6, false, 16384)), 512) << "64 MB";
  EXPECT_EQ(chosen(survey_of({4000000}, 1e6, false, 4000000)), 50) << "never fewer";
}

TEST(ChooseChunk, AViewThatNobodyHasTakesNoRoom) {
  Survey survey = survey_of({40, 60}, 0, true, 0);
  EXPECT_EQ(choose_chunk(&survey), 500);
}

}  // namespace
}  // namespace omvc
