#include <gtest/gtest.h>

#include "omvc/error.hpp"
#include "omvc/planted.hpp"
#include "omvc/source.hpp"

#include "scale/survey_blocks.hpp"

namespace omvc {
namespace {

constexpr Index kInstances = 3 * SurveyBlocks::kRows + 77;

std::unique_ptr<Source> planted() {
  return make_planted_source(
      {.instances = kInstances, .features = {70, 200}, .density = {1, 0.05}, .clusters = 3, .missing = 0.2, .seed = 2});
}

SurveyBlocks part(Source& source, Index first, Index count, Index chunk, Compute& compute) {
  SurveyBlocks blocks(source.schema(), true, first);
  const auto range = make_range_source(source, first, count);
  range->rewind();
  while (const auto piece = range->next(chunk)) blocks.add(*piece, compute);
  return blocks;
}

std::string bytes(const Survey& survey) {
  Archive archive;
  put_survey(archive, "s", survey);
  return archive.to_bytes();
}

TEST(SurveyBlocks, PartsThreadsAndOrderOfMergingChangeNoBit) {
  const auto source = planted();
  Compute one(1);
  Compute three(3);
  // Chunks that end within blocks, too; only the total depends on where they end.
  Survey whole = part(*source, 0, kInstances, 500, one).sum();
  EXPECT_EQ(whole.instances, static_cast<double>(kInstances));
  const std::string expected = bytes(whole);
  EXPECT_TRUE(bytes(part(*source, 0, kInstances, 500, three).sum()) == expected);
  const Index k = SurveyBlocks::kRows;
  // Between blocks, within them, several within one, and across some.
  for (const auto& cuts :
       std::vector<std::vector<Index>>{{0, k, kInstances},
                                       {0, 2 * k, 3 * k, kInstances},
                                       {0, 1, kInstances},
                                       {0, 100, 200, k - 1, k + 1, 2 * k + 5, kInstances - 1, kInstances},
                                       {0, k / 2, 3 * k, 3 * k + 10, kInstances}}) {
    for (const bool backwards : {false, true}) {
      std::vector<SurveyBlocks> parts;
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        parts.push_back(part(*source, cuts[i], cuts[i + 1] - cuts[i], 500, three));
      }
      if (backwards) std::reverse(parts.begin(), parts.end());
      for (std::size_t i = 1; i < parts.size(); ++i) {
        Archive archive;
        parts[i].save(archive, "part");
        parts[0].merge(SurveyBlocks::load(archive, "part", source->schema(), true));
      }
      EXPECT_TRUE(bytes(parts[0].sum()) == expected);
      EXPECT_TRUE(parts[0].gapless());
    }
  }
}

TEST(SurveyBlocks, GapsAndRowsThatComeTwiceAreNoticed) {
  const auto source = planted();
  Compute compute;
  const SurveyBlocks first = part(*source, 0, 9000, 500, compute);
  SurveyBlocks later = part(*source, 9100, 9000, 500, compute);
  EXPECT_TRUE(first.gapless());
  EXPECT_FALSE(later.gapless());
  later.merge(first);
  EXPECT_FALSE(later.gapless());
  later.merge(part(*source, 9000, 100, 500, compute));
  EXPECT_TRUE(later.gapless());
  later.merge(part(*source, 9000, 100, 500, compute));
  EXPECT_FALSE(later.gapless()) << "rows that have no place";
  SurveyBlocks again = first;
  EXPECT_THROW(again.merge(first), Error);
}

TEST(Survey, CountsWhatIsThere) {
  Schema schema;
  schema.views.push_back({"a", 3, {}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Chunk chunk;
  chunk.rows = {0, 1, 2};
  chunk.views.push_back({DenseBlock<double>{.rows = 2, .cols = 3, .values = {0, -1.5, 2, nan, 4, 2}}, {0, 2}});
  Survey survey(schema);
  Compute compute;
  survey.add(chunk, compute);
  const ViewSurvey& view = survey.views[0];
  EXPECT_EQ(survey.unobserved, 1);
  EXPECT_EQ(view.observed, 2);
  EXPECT_EQ(view.entries, 4);
  EXPECT_EQ(view.negatives, 1);
  EXPECT_EQ(view.fractions, 1);
  EXPECT_EQ(view.total, 8);
  EXPECT_EQ(view.cells, 1);
  EXPECT_EQ(view.missing, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(view.minimum, (std::vector<double>{0, -1.5, 2}));
  EXPECT_EQ(view.maximum, (std::vector<double>{0, 4, 2}));
  EXPECT_EQ(view.squares, (std::vector<double>{0, 18.25, 8}));
  EXPECT_EQ(view.nonzeros, (std::vector<double>{0, 2, 2}));
}

}  // namespace
}  // namespace omvc
