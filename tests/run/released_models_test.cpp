// Models that releases have written are read by this version (docs/cpp.md, "What holds between versions").
#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/planted.hpp"

namespace omvc {
namespace {

// What tests/models/README.md generates.
PlantedOptions planted(Index instances) {
  return {.instances = instances, .features = {8, 6}, .clusters = 3, .missing = 0.3, .seed = 5};
}

TEST(ReleasedModels, AreReadLabelAndGoOnLearning) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OMVC_SOURCE_DIR "/tests/models")) {
    if (entry.path().extension() != ".omvc") continue;
    ++models;
    SCOPED_TRACE(entry.path().filename().string());
    Clusterer model = Clusterer::load(entry.path());
    EXPECT_EQ(model.clusters().size(), 3u);
    EXPECT_EQ(model.summary().instances, 400);
    const auto source = make_planted_source(planted(800));
    Contingency counts;
    const auto score_labels = [&](const std::vector<int>& labels, Index first) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        counts.add(labels[i], planted_label(planted(800), first + static_cast<Index>(i)));
      }
    };
    score_labels(model.assign(*source->next(400)).labels, 0);
    score_labels(model.partial_fit(*source->next(400)).labels, 400);
    EXPECT_GT(score(counts).nmi_geometric, 0.8);
    EXPECT_EQ(model.summary().instances, 800);
  }
  EXPECT_GT(models, 0);
}

}  // namespace
}  // namespace omvc
