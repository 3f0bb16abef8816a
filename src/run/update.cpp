// Going on learning from a model with the instances of a source.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"
#include "model/chunk_learner.hpp"
#include "pass/pass.hpp"
#include "recipe/recipe.hpp"
#include "run/impl.hpp"

namespace omvc {
namespace {

constexpr double kLeastDistance = 1e-3;

constexpr Index kRows = 500;  // learned at a time where the model does not say

// Mean and variance of a feature; of no rows, 0.
std::pair<double, double> moments(const ViewSurvey& view, std::size_t feature) {
  const double rows = view.known(feature);
  if (!(rows > 0)) return {0, 0};
  const double mean = view.sum[feature] / rows;
  return {mean, std::max(0.0, view.squares[feature] / rows - mean * mean)};
}

ViewDrift drift_of(const std::string& name, const ViewSurvey& before, const ViewSurvey& now) {
  ViewDrift out{.name = name,
                .observed = static_cast<Index>(now.observed),
                .drift = std::numeric_limits<double>::quiet_NaN(),
                .chance = std::numeric_limits<double>::quiet_NaN()};
  if (!(before.observed > 0 && now.observed > 0)) return out;
  double moved = 0;
  double variance = 0;
  for (std::size_t j = 0; j < before.sum.size(); ++j) {
    const auto [old_mean, old_variance] = moments(before, j);
    const double step = moments(now, j).first - old_mean;
    moved += step * step;
    variance += old_variance;
  }
  out.drift = variance > 0 ? std::sqrt(moved / variance) : (moved > 0 ? std::numeric_limits<double>::infinity() : 0);
  out.chance = std::sqrt(1 / before.observed + 1 / now.observed);
  return out;
}

// What learning some rows says of the whole update, whose rows are numbered from `first` on.
void note(const Learned& learned, Index first, UpdateReport& out) {
  constexpr std::size_t kNamed = 10;
  out.set_aside += static_cast<Index>(learned.strange.size()) - learned.accepted;
  for (const StrangeRow& strange : learned.strange) {
    if (strange.row >= first && out.strange_rows.size() < kNamed) out.strange_rows.push_back(strange.row - first);
  }
  if (!learned.not_built.empty()) out.not_built = learned.not_built;
}

// The rows that were not set aside.
Chunk without_strange(Chunk rows, const Learned& learned) {
  std::vector<bool> usual(rows.rows.size(), true);
  for (const StrangeRow& strange : learned.strange) {
    const auto found = std::find(rows.rows.begin(), rows.rows.end(), strange.row);
    if (found != rows.rows.end()) usual[static_cast<std::size_t>(found - rows.rows.begin())] = false;
  }
  keep_in_place(rows, usual);
  return rows;
}

// Adds up how far and how sure the placed rows are, and returns how many there are.
double count_placed(const Placed& placed, UpdateReport& out) {
  double rows = 0;
  for (std::size_t i = 0; i < placed.labels.size(); ++i) {
    if (placed.labels[i] < 0 || !std::isfinite(placed.distance[i])) continue;
    rows += 1;
    // The scale of distances is one of logarithms: the mean of these is not that of a few outliers.
    out.distance += std::log(std::max(placed.distance[i], kLeastDistance));
    out.confidence += placed.confidence[i];
    out.outliers += placed.distance[i] > kOutlier ? 1 : 0;
  }
  return rows;
}

}  // namespace

UpdateReport Clusterer::update(Source& source, Observer& observer) {
  const Usage::Change change(impl().usage);
  const auto start = std::chrono::steady_clock::now();
  Model& model = impl().living();
  Compute& compute = impl().compute.get();
  const Schema schema = model.intake().schema();
  UpdateReport out;
  out.clusters_before = model.clusters().count;
  const Survey before = model.seen().survey();
  Survey fresh(schema);
  const Index first = static_cast<Index>(model.tally().instances);
  model.names().take_events();
  ChunkLearner learner(model);
  double placed_rows = 0;
  const Watched watched(compute, &learner);
  const double all = static_cast<double>(source.size().value_or(0));
  compute.tell(Phase::learning, 0);
  Pass pass(source, schema,
            {.rows = impl().options.chunk > 0 ? impl().options.chunk : kRows,
             .ahead = {.readers = compute.executor() ? 0 : 1}});
  pass.each([&](std::vector<StreamedChunk>& items) {
    Chunk& chunk = items.front().chunk;
    model.intake().admit(chunk);  // while its rows have the numbers that the source gave them
    for (Index& row : chunk.rows) row += first;
    Chunk seen = chunk;
    const Learned learned = learner.learn(std::move(chunk), compute);
    fresh.add(without_strange(std::move(seen), learned), compute);
    note(learned, first, out);
    if (learned.placed) placed_rows += count_placed(*learned.placed, out);
    const Progress& done = pass.progress();
    compute.tell(Phase::learning, all > 0 ? std::min(1.0, static_cast<double>(done.instances) / all) : 0);
    if (!compute.asked_to_stop() &&
        observer.on_chunk({.chunk = done.chunks,
                           .instances = done.instances,
                           .loss = model.clusters().count > 0 ? model.placing().sums().mean_distance() : 0}))
      return true;
    throw Error(ErrorKind::interrupted, fmt::format("interrupted after {} instances", done.instances));
  });
  out.instances = pass.progress().instances;
  if (out.instances > 0 && model.clusters().count > 0) {
    Learned last;
    last.not_built = learner.try_refresh(last.strange, compute);
    note(last, first, out);
  }
  model.names().forget_moves();
  out.unobserved = static_cast<Index>(fresh.unobserved);
  out.clusters = model.clusters().count;
  out.distance = placed_rows > 0 ? std::exp(out.distance / placed_rows) : 0;
  out.confidence /= std::max(placed_rows, 1.0);
  out.events = model.names().take_events();
  for (std::size_t v = 0; v < fresh.views.size(); ++v) {
    out.views.push_back(drift_of(schema.views[v].name, before.views[v], fresh.views[v]));
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace omvc
