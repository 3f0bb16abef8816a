// What a run that goes on from a checkpoint has that the one before it did not want, or had and must not lose.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/collected.hpp"
#include "support/small_fit.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::Collected;

// Wants labels alone.
struct Labels final : Collected {
  bool wants_embedding() const override { return false; }
};

// Stops a run after some chunks.
class Stopper : public Observer {
 public:
  explicit Stopper(int chunks) : left_(chunks) {}
  bool on_chunk(const ChunkReport&) override { return --left_ > 0; }

 private:
  int left_;
};

// Lets a run come to its results, and no further.
struct Unwritable final : Collected {
  bool wants_embedding() const override { return false; }
  void finish() override { throw Error(ErrorKind::io, "full"); }
};

class Resume : public testing::Test {
 protected:
  Report fit(Sink& sink, Observer& observer, bool keeps) {
    Clusterer model(test::small_options(Preset::standard));
    const Checkpointing keep{.file = keeps ? dir_.path("ckpt") : "", .resume = keeps, .seconds = 0, .chunks = 1};
    return model.fit(*make_planted_source(test::small_planted()), sink, {.observer = &observer, .checkpointing = keep});
  }

  test::TempDir dir_;
  Observer silent_;
};

TEST_F(Resume, AnEmbeddingThatIsWantedLaterIsThatOfAnUndisturbedRun) {
  Collected expected;
  fit(expected, silent_, false);
  for (const int chunks : {1, 8, 9}) {  // in the first pass, between passes, and in the last of five
    remove_checkpoint(dir_.path("ckpt"));
    Labels labels;
    Stopper stopper(chunks);
    EXPECT_THROW(fit(labels, stopper, true), Error);
    Collected found;
    fit(found, silent_, true);
    EXPECT_EQ(found.labels, expected.labels) << chunks;
    ASSERT_EQ(found.embedding.size(), expected.embedding.size());
    for (std::size_t i = 0; i < found.embedding.size(); ++i) {
      const bool both = std::isnan(found.embedding[i]) && std::isnan(expected.embedding[i]);
      ASSERT_TRUE(both || found.embedding[i] == expected.embedding[i]) << chunks << ", number " << i;
    }
  }
}

TEST_F(Resume, AnEmbeddingThatNobodyKeptIsRefusedWhenAllPassesAreOver) {
  Unwritable full;
  EXPECT_THROW(fit(full, silent_, true), Error);
  Collected found;
  test::expect_error(ErrorKind::usage, {"ckpt", "no embedding", "without --embedding"},
                     [&] { fit(found, silent_, true); });
  Labels labels;
  EXPECT_NO_THROW(fit(labels, silent_, true));
}

TEST_F(Resume, TheWorthOfViewsIsToldAlsoByARunThatGoesOn) {
  Labels labels;
  const Report expected = fit(labels, silent_, false);
  Stopper stopper(3);
  EXPECT_THROW(fit(labels, stopper, true), Error);
  const Report resumed = fit(labels, silent_, true);
  ASSERT_EQ(resumed.views.size(), expected.views.size());
  for (std::size_t v = 0; v < expected.views.size(); ++v) {
    EXPECT_GT(expected.views[v].worth, 0);
    EXPECT_EQ(resumed.views[v].worth, expected.views[v].worth);
  }
}

TEST_F(Resume, AMethodThatKeepsNoCheckpointLeavesNothingBehind) {
  Options options = method_options(Algorithm::concat_kmeans);
  options.clusters = 3;
  Labels labels;
  test::expect_error(ErrorKind::usage, {"--checkpoint"}, [&] {
    Clusterer(options).fit(*make_planted_source(test::small_planted()), labels,
                           {.checkpointing = {.file = dir_.path("ckpt")}});
  });
  EXPECT_FALSE(std::filesystem::exists(dir_.path("ckpt.rows")));
}

TEST_F(Resume, AsManyClustersAsThereAreStayWhatTheyAre) {
  Clusterer model(test::small_options(Preset::standard));
  Labels labels;
  model.fit(*make_planted_source(test::small_planted()), labels);
  const std::string before = model.to_bytes();
  model.cut(3);
  EXPECT_TRUE(model.to_bytes() == before);
  EXPECT_TRUE(model.events().empty());
}

}  // namespace
}  // namespace omvc
