#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/input.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/data.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::Collected;

// Files written by the first version. They are read by every later one.
TEST(OldFiles, AModelOfVersion1StillAssigns) {
  const std::string root = OMVC_SOURCE_DIR;
  Clusterer model = Clusterer::load(root + "/tests/data/model-v1.omvc");
  const Input input = open_input({root + "/examples/data/text.csv", root + "/examples/data/image.tsv"});
  EXPECT_EQ(model.assign(read_all(*input.source)).labels, read_labels(root + "/tests/data/model-v1.labels"));
}

TEST(OldFiles, ACheckpointOfVersion1IsReadByInfoAndRefusedByFitWithWhatToDo) {
  const std::string root = OMVC_SOURCE_DIR;
  const test::TempDir folder;
  std::filesystem::copy(root + "/tests/data/checkpoint-v1", folder.path("ckpt"));
  std::filesystem::copy(root + "/tests/data/checkpoint-v1.rows", folder.path("ckpt.rows"));
  const auto summary = read_checkpoint(folder.path("ckpt"));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->options.clusters, 3);
  const Input input = open_input({root + "/examples/data/text.csv", root + "/examples/data/image.tsv"});
  Options options;
  options.clusters = 3;
  Collected resumed;
  Observer silent;
  test::expect_error(ErrorKind::data, {"another version", "without --resume"}, [&] {
    Clusterer(options).fit(*input.source, resumed, silent, {.file = folder.path("ckpt"), .resume = true});
  });
}

}  // namespace
}  // namespace omvc
