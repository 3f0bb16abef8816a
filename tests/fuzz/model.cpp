// A model file with a right checksum: loaded, asked about everything, used, saved and loaded again.
#include <algorithm>

#include "omvc/clusterer.hpp"
#include "omvc/explain.hpp"

#include "archive_mutator.hpp"
#include "fuzz.hpp"

namespace {

using omvc::Chunk;
using omvc::Clusterer;
using omvc::Index;

// Two instances, the second without the first view.
Chunk small_chunk(const omvc::Schema& schema) {
  Chunk chunk;
  chunk.rows = {0, 1};
  for (const omvc::ViewSchema& view : schema.views) {
    omvc::DenseBlock<double> block{.rows = 2, .cols = view.features, .values = {}};
    std::vector<Index> present{0, 1};
    if (chunk.views.empty()) {
      block.rows = 1;
      present = {0};
    }
    for (Index i = 0; i < block.rows * block.cols; ++i) block.values.push_back(static_cast<double>(i % 3));
    chunk.views.push_back({std::move(block), std::move(present)});
  }
  return chunk;
}

void use(Clusterer& model) {
  const Chunk chunk = small_chunk(model.schema());
  const omvc::Assignment found = model.assign(chunk);
  omvc::fuzz::require(found.labels.size() == 2, "every instance gets a label");
  for (const int label : found.labels) {
    const std::vector<int> clusters = model.clusters();
    const bool known = std::find(clusters.begin(), clusters.end(), label) != clusters.end();
    omvc::fuzz::require(label == -1 || known, "a label is a cluster");
  }
  for (const int cluster : model.clusters()) top_features(model, 0, cluster, 3);
  model.summary();
  if (!model.summary().learns) return;
  cluster_tree(model, 4);
  model.partial_fit(chunk);
  model.refresh();
  model.cut(2);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static omvc::fuzz::InputFile file("model.omvc");
  static const omvc::test::TempDir copies;
  std::optional<Clusterer> model;
  try {
    model = Clusterer::load(file.write(omvc::fuzz::with_checksum(omvc::fuzz::as_text(data, size))));
  } catch (const omvc::Error&) {
    return 0;
  }
  model->summary();
  const std::string path = copies.path("copy.omvc");
  try {
    model->save(path);
  } catch (const omvc::Error&) {
    model->save(path, omvc::ModelKind::prediction);  // it was saved for prediction only
  }
  Clusterer::load(path);  // what it throws is a finding, as above: a model that was accepted can be kept
  try {
    use(*model);
  } catch (const omvc::Error&) {
  }
  return 0;
}
