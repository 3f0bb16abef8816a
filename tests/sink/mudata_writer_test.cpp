#include <filesystem>
#include <gtest/gtest.h>

#include "omvc/convert.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/input.hpp"
#include "omvc/planted.hpp"
#include "omvc/sink.hpp"

#include "hdf5/file.hpp"
#include "support/chunks.hpp"
#include "support/temp_dir.hpp"

namespace omvc {
namespace {

using test::dense_rows;
using test::expect_error;
using test::TempDir;

PlantedOptions planted(std::vector<Index> features, std::vector<double> density) {
  return {.instances = 900, .features = std::move(features), .density = std::move(density), .missing = 0.4, .seed = 2};
}

// Both sources deliver the same instances, of the same types, whatever their numbers.
void expect_same(Source& expected, Source& actual) {
  ASSERT_EQ(expected.schema(), actual.schema());
  while (auto left = expected.next(100)) {
    const auto right = actual.next(100);
    ASSERT_TRUE(right);
    ASSERT_EQ(left->size(), right->size());
    for (std::size_t v = 0; v < left->views.size(); ++v) {
      EXPECT_EQ(left->views[v].present, right->views[v].present);
      EXPECT_EQ(left->views[v].block.index(), right->views[v].block.index());
      EXPECT_EQ(dense_rows(left->views[v], left->size()), dense_rows(right->views[v], right->size()));
    }
  }
  EXPECT_FALSE(actual.next(1));
}

TEST(WriteMudata, WhatIsWrittenIsReadBack) {
  const TempDir dir;
  const std::string path = dir.path("out.h5mu");
  const PlantedOptions options = planted({8, 300, 20}, {1, 0.03, 1});
  for (const int compression : {0, 3}) {
    const auto source = make_planted_source(options);
    const auto label = [&](Index row) { return planted_label(options, row); };
    EXPECT_EQ(write_mudata(*source, path, {.label = label, .compression = compression}), 900);
    const Input input = open_input({path}, {.label_column = "truth"});
    source->rewind();
    expect_same(*source, *input.source);
    ASSERT_TRUE(input.truth);
    for (Index row = 0; row < 900; ++row) EXPECT_EQ(input.truth->at(static_cast<std::size_t>(row)), label(row));
    EXPECT_EQ(input.source->ids(41, 2), (std::vector<std::string>{"41", "42"}));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path("")), {}), 1);
}

TEST(WriteMudata, OneViewWithAbsentInstancesIsReadBackFromAnnData) {
  const TempDir dir;
  const std::string path = dir.path("view1.h5ad");  // a view is called after its file
  for (const double density : {1.0, 0.1}) {
    PlantedOptions options = planted({50}, {density});
    options.keep_one_view = false;
    const auto source = make_planted_source(options);
    write_mudata(*source, path);
    source->rewind();
    expect_same(*source, *open_input({path}).source);
  }
}

TEST(WriteMudata, TheOrderOfTheStreamIsThatOfTheFile) {
  const TempDir dir;
  const std::string path = dir.path("out.h5mu");
  const PlantedOptions options = planted({8, 300}, {1, 0.03});
  const auto source = make_shuffled_source(make_planted_source(options), 7);
  write_mudata(*source, path, {.label = [](Index row) { return static_cast<int>(row); }});
  source->rewind();
  const Input input = open_input({path}, {.label_column = "row"});
  expect_same(*source, *input.source);
  source->rewind();
  const Chunk all = *source->next(900);
  EXPECT_EQ(std::vector<Index>(input.truth->begin(), input.truth->end()), all.rows);
  EXPECT_EQ(open_input({path}, {.label_column = "truth"}).truth, input.truth);
  EXPECT_EQ(input.source->ids(5, 1).front(), std::to_string(all.rows[5]));
}

TEST(WriteMudata, NothingIsLeftBehindWhereItFails) {
  const TempDir dir;
  const auto source = make_planted_source(planted({8, 9}, {}));
  const auto stop = [](Index) { return false; };
  expect_error(ErrorKind::interrupted, {"out.h5mu"},
               [&] { write_mudata(*source, dir.path("out.h5mu"), {.progress = stop}); });
  expect_error(ErrorKind::usage, {"out.h5ad", "2"}, [&] { write_mudata(*source, dir.path("out.h5ad")); });
  while (source->next(1000)) continue;
  expect_error(ErrorKind::data, {"no instances"}, [&] { write_mudata(*source, dir.path("out.h5mu")); });
  EXPECT_TRUE(std::filesystem::is_empty(dir.path("")));
  expect_error(ErrorKind::io, {"absent"}, [&] { write_mudata(*source, dir.path("absent/out.h5mu")); });
}

void write_results(Sink& sink, Index rows, Index rank, bool sure = false) {
  std::vector<int> labels;
  std::vector<double> embedding;
  const std::vector<double> confidence(300, 0.75);
  const std::vector<double> distance(300, 1.5);
  for (Index row = 0; row < rows; ++row) labels.push_back(static_cast<int>(row % 4) - 1);
  for (Index i = 0; i < rows * rank; ++i) embedding.push_back(0.5 * static_cast<double>(i));
  for (Index first = 0; first < rows; first += 300) {
    sink.write({first,
                std::span<const int>(labels).subspan(static_cast<std::size_t>(first), 300),
                {embedding.data() + first * rank, 300, rank},
                sure ? std::span<const double>(confidence) : std::span<const double>(),
                sure ? std::span<const double>(distance) : std::span<const double>()});
  }
  sink.finish();
}

TEST(H5Sink, ResultsAreAddedToACopyOfTheInput) {
  const TempDir dir;
  const std::string in = dir.path("in.h5mu");
  const std::string out = dir.path("out.h5mu");
  const auto source = make_planted_source(planted({8, 300}, {1, 0.03}));
  write_mudata(*source, in, {.label = [](Index row) { return static_cast<int>(row); }});
  const Input input = open_input({in});
  write_results(*make_h5_sink(out, in, *input.source), 900, 3, true);
  {
    const h5::Group first = h5::File::open(out).root();
    EXPECT_EQ(first.dataset("obs/omvc_confidence").read<double>(899, 1), (std::vector<double>{0.75}));
    EXPECT_EQ(first.dataset("obs/omvc_distance").read<double>(0, 1), (std::vector<double>{1.5}));
    EXPECT_EQ(first.group("obs").text_list_attribute("column-order"),
              (std::vector<std::string>{"truth", "omvc", "omvc_confidence", "omvc_distance"}));
  }
  // Again, with results there already.
  const std::string again = dir.path("again.h5mu");
  const Input second = open_input({out});
  write_results(*make_h5_sink(again, out, *second.source), 900, 2);
  source->rewind();
  const Input read = open_input({again}, {.label_column = "omvc"});
  expect_same(*source, *read.source);
  for (std::size_t row = 0; row < 900; ++row) {
    EXPECT_EQ((*read.truth)[row], row % 4 == 0 ? kNoClass : static_cast<int>(row % 4) - 1);
  }
  const h5::Group root = h5::File::open(again).root();
  EXPECT_EQ(root.dataset("obsm/X_omvc").shape(), (std::vector<Index>{900, 2}));
  EXPECT_EQ(root.dataset("obsm/X_omvc").read<double>(899, 1), (std::vector<double>{899, 899.5}));
  EXPECT_EQ(root.group("obs").text_list_attribute("column-order"), (std::vector<std::string>{"truth", "omvc"}));
  EXPECT_FALSE(root.has("obs/omvc_confidence")) << "those of an earlier run are gone";
  expect_error(ErrorKind::usage, {"input"}, [&] { make_h5_sink(in, in, *input.source); });
}

TEST(H5Sink, OtherInputsGetANewFile) {
  const TempDir dir;
  const std::string out = dir.path("out.h5ad");
  const auto source = make_planted_source(planted({8}, {}));
  write_results(*make_h5_sink(out, "", *source), 900, 0);
  const h5::Group root = h5::File::open(out).root();
  EXPECT_EQ(root.dataset("obs/omvc/codes").read<Index>(0, 5), (std::vector<Index>{-1, 0, 1, 2, -1}));
  EXPECT_EQ(root.dataset("obs/omvc/categories").read_text(0, 3), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(root.group("obs/omvc").text_attribute("encoding-type"), "categorical");
  EXPECT_EQ(root.dataset("obs/_index").read_text(899, 1).front(), "899");
  EXPECT_FALSE(root.has("X"));
  EXPECT_FALSE(root.has("obsm/X_omvc"));
}

}  // namespace
}  // namespace omvc
