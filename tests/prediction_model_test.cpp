#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/data.hpp"
#include "support/small_fit.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::Collected;

TEST(PredictionModel, IsSmallerAssignsMuchTheSameAndDoesNotLearn) {
  const test::TempDir folder;
  for (const Preset preset : {Preset::standard, Preset::paper}) {
    const auto source = make_planted_source(test::small_planted());
    Collected found;
    Clusterer model(test::small_options(preset));
    model.fit(*source, found);
    model.save(folder.path("whole"));
    model.save(folder.path("small"), ModelKind::prediction);
    if (preset == Preset::standard) {
      EXPECT_LT(2 * std::filesystem::file_size(folder.path("small")), std::filesystem::file_size(folder.path("whole")));
    }
    Clusterer small = Clusterer::load(folder.path("small"));
    source->rewind();
    const Chunk data = read_all(*source);
    const Assignment a = model.assign(data);
    const Assignment b = small.assign(data);
    // Without the rows of the sample readers vote in the place of neighbours, and see most rows as they do.
    double same = 0;
    for (std::size_t i = 0; i < a.labels.size(); ++i) same += a.labels[i] == b.labels[i] ? 1 : 0;
    EXPECT_GE(same, (preset == Preset::standard ? 0.7 : 1) * static_cast<double>(a.labels.size()));
    EXPECT_EQ(a.embedding, b.embedding);
    EXPECT_EQ(small.summary().instances, model.summary().instances);
    if (preset == Preset::standard) {
      test::expect_error(ErrorKind::usage, {"prediction only"}, [&] { small.partial_fit(data); });
      test::expect_error(ErrorKind::usage, {"prediction only"}, [&] { small.cut(2); });
      test::expect_error(ErrorKind::usage, {"prediction only"}, [&] { small.save(folder.path("again")); });
    }
    small.save(folder.path("again"), ModelKind::prediction);
    EXPECT_EQ(test::read_bytes(folder.path("again")), test::read_bytes(folder.path("small")));
  }
}

}  // namespace
}  // namespace omvc
