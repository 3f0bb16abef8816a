// Whole fits of data that lack views, and models that were saved and loaded, on a card that is pretended
// (pretend_card.cpp): everything that is told has the bits of processors.
#include <cmath>
#include <gtest/gtest.h>

#include "omvc/checkpointing.hpp"
#include "omvc/clusterer.hpp"
#include "omvc/error.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

#include "support/chunks.hpp"
#include "support/temp_dir.hpp"
#include "support/temporary_environment.hpp"

namespace omvc {
namespace {

using test::TemporaryEnvironment;

PlantedOptions planted(std::uint64_t seed, std::vector<double> density) {
  return {.instances = 600,
          .features = {14, 60},
          .density = std::move(density),
          .clusters = 4,
          .missing = 0.4,
          .seed = seed};
}

Options options_for(const std::string& device) {
  Options options;
  options.clusters = 4;
  options.threads = 2;
  options.device = device;
  return options;
}

struct Told {
  std::vector<int> labels;
  std::vector<double> numbers;
  bool operator==(const Told&) const = default;
};

// Bits of what is told: NaN, which is not equal to itself, as a number that nothing else is.
Told told(const Assignment& found) {
  Told out{.labels = found.labels, .numbers = {}};
  for (const auto* numbers : {&found.confidence, &found.distance, &found.embedding, &found.membership}) {
    for (const double x : *numbers) out.numbers.push_back(std::isnan(x) ? -1 : x);
  }
  return out;
}

struct Result {
  std::string model;
  Told seen;
  Told others;
  std::vector<double> filled;
};

Result fit_on(const std::string& device, const PlantedOptions& data) {
  Clusterer model(options_for(device));
  const std::unique_ptr<Source> source = make_planted_source(data);
  model.fit(*source);
  source->rewind();
  const Chunk rows = *source->next(200);
  PlantedOptions more = data;
  more.instances = 900;
  const std::unique_ptr<Source> longer = make_planted_source(more);
  longer->next(600);
  const Chunk others = *longer->next(300);
  const Extras everything{.embedding = true, .membership = true};
  Result out{.model = model.to_bytes(ModelKind::whole),
             .seen = told(model.assign(rows, everything)),
             .others = told(model.assign(others, everything)),
             .filled = {}};
  for (const double x : model.impute(others, 1).values) out.filled.push_back(std::isnan(x) ? -1 : x);
  return out;
}

TEST(WholeFit, OfDataThatLackViewsHasTheBitsOfProcessors) {
  const TemporaryEnvironment library("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
  const TemporaryEnvironment everything("OMVC_CUDA_EVERYTHING", "1");
  for (const std::vector<double>& density : {std::vector<double>{1, 1}, {1, 0.2}}) {
    SCOPED_TRACE(density[1]);
    const Result card = fit_on("cuda", planted(5, density));
    const Result processors = fit_on("cpu", planted(5, density));
    EXPECT_EQ(card.model, processors.model);
    EXPECT_EQ(card.seen, processors.seen);
    EXPECT_EQ(card.others, processors.others);
    EXPECT_EQ(card.filled, processors.filled);
  }
}

// A card keeps a copy of the tables that it was given, by their ids.
TEST(WholeFit, ModelsThatWereLoadedDoNotShareTables) {
  const TemporaryEnvironment library("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
  const TemporaryEnvironment everything("OMVC_CUDA_EVERYTHING", "1");
  std::vector<Clusterer> models;
  std::vector<Told> right;
  const std::unique_ptr<Source> source = make_planted_source(planted(9, {1, 1}));
  const Chunk rows = *source->next(100);
  for (const std::uint64_t seed : {1U, 2U}) {
    Clusterer made(options_for("cpu"));
    made.fit(*make_planted_source(planted(seed, {1, 1})));
    right.push_back(told(made.assign(rows)));
    models.push_back(Clusterer::from_bytes(made.to_bytes(ModelKind::whole), "a model"));
    models.back().set_threads(1, "cuda");
  }
  for (int again = 0; again < 2; ++again) {
    for (std::size_t m = 0; m < models.size(); ++m) EXPECT_EQ(told(models[m].assign(rows)), right[m]);
  }
}

// The option is of the fit: who loads the model has named no card.
TEST(WholeFit, AModelOfAFastFitIsLoadedWithoutACard) {
  std::string bytes;
  {
    const TemporaryEnvironment library("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
    Options options = options_for("cuda");
    options.fast = true;
    Clusterer model(options);
    model.fit(*make_planted_source(planted(3, {1, 1})));
    bytes = model.to_bytes(ModelKind::whole);
  }
  const Clusterer loaded = Clusterer::from_bytes(bytes, "a model");
  EXPECT_EQ(loaded.assign(*make_planted_source(planted(3, {1, 1}))->next(50)).labels.size(), 50U);
  EXPECT_EQ(loaded.to_bytes(ModelKind::whole), bytes);
}

// A run that was begun exactly does not go on with other arithmetic.
TEST(WholeFit, AnExactRunIsNotResumedFast) {
  const TemporaryEnvironment library("OMVC_CUDA_LIBRARY", OMVC_PRETEND_CARD);
  const test::TempDir folder;
  const std::string file = folder.path("run");
  const std::unique_ptr<Source> source = make_planted_source(planted(3, {1, 1}));
  MemorySink sink;
  Options options = options_for("cuda");
  Clusterer(options).fit(*source, sink, {.checkpointing = {.file = file}});
  options.fast = true;
  test::expect_error(ErrorKind::usage, {"fast", "--resume"}, [&] {
    source->rewind();
    Clusterer(options).fit(*source, sink, {.checkpointing = {.file = file, .resume = true}});
  });
}

}  // namespace
}  // namespace omvc
