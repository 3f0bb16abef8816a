#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/omvc.h"
#include "omvc/version.hpp"

#include "support/temp_dir.hpp"

extern "C" {
int omvc_try_from_c(const char* path);
int omvc_try_sparse_from_c(void);
}

namespace omvc {
namespace {

TEST(CApi, FitsSavesLoadsLearnsOnAndCutsFromC) {
  const test::TempDir folder;
  EXPECT_EQ(omvc_try_from_c(folder.path("model.omvc").c_str()), 0) << "the line of plain.c; " << omvc_error();
}

TEST(CApi, TakesSparseRows) { EXPECT_EQ(omvc_try_sparse_from_c(), 0) << "the line of plain.c; " << omvc_error(); }

// Rows and columns of an array may have any step, as a slice of a larger one has.
TEST(CApi, GivesTheLabelsOfTheLibrary) {
  constexpr Index kRows = 240;
  constexpr Index kStep = 5;
  std::vector<double> table;
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kStep; ++j)
      table.push_back(i % 2 == j % 2 ? 4 : 0.01 * static_cast<double>((i * 13 + j) % 17));
  }
  const omvc_view view{.name = nullptr,
                       .columns = 3,
                       .type = OMVC_FLOAT64,
                       .values = table.data(),
                       .row_step = kStep,
                       .offsets = nullptr,
                       .numbers = nullptr};
  omvc_model* model = omvc_new();
  ASSERT_EQ(omvc_set(model, "clusters", "2"), OMVC_OK);
  std::vector<std::int32_t> labels(kRows);
  std::vector<double> confidence(kRows);
  ASSERT_EQ(omvc_fit(model, &view, 1, kRows, labels.data(), confidence.data(), nullptr), OMVC_OK) << omvc_error();
  omvc_free(model);

  Options options;
  options.clusters = 2;
  const Fitted same = Clusterer(options).fit(
      {{.rows = DenseRows<double>{.data = table.data(), .rows = kRows, .cols = 3, .row_step = kStep}}});
  EXPECT_EQ(std::vector<int>(labels.begin(), labels.end()), same.found.labels);
  EXPECT_EQ(confidence, same.found.confidence);
}

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(std::string(version()), std::to_string(OMVC_VERSION_MAJOR) + "." + std::to_string(OMVC_VERSION_MINOR) +
                                        "." + std::to_string(OMVC_VERSION_PATCH));
  EXPECT_STREQ(omvc_version(), version());
}

}  // namespace
}  // namespace omvc
