#include "omvc/explain.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "model/facts.hpp"
#include "model/telling.hpp"
#include "run/impl.hpp"

namespace omvc {

// What is explained from a Clusterer's inside.
struct Explainer {
  const Clusterer& clusterer;
  Clusterer::Impl& impl = clusterer.impl();
  Usage::Read read{impl.usage};

  const Model& model() const {
    impl.labeller();
    if (impl.model && impl.model->can_learn()) return *impl.model;
    throw Error(ErrorKind::usage, impl.model
                                      ? "this model was saved for prediction only: it keeps no rows; save it whole"
                                      : "a model of another method than omvc keeps no rows: fit with method omvc");
  }

  FeatureEffects effects(std::size_t view, int cluster) const {
    const std::vector<int>& numbers = model().names().numbers();
    const auto found = std::find(numbers.begin(), numbers.end(), cluster);
    if (view >= clusterer.schema().views.size() || found == numbers.end()) {
      throw Error(ErrorKind::usage, fmt::format("there is no cluster {} in view {}", cluster, view));
    }
    const std::lock_guard lock(impl.sharing);
    const RawSums& sums = impl.sums();
    FeatureEffects out;
    for (Index j = 0; j < clusterer.schema().views[view].features; ++j) {
      const Telling told = sums.compare(view, j, found - numbers.begin());
      out.mean.push_back(told.own);
      out.others.push_back(told.others);
      out.effect.push_back(told.effect);
      out.chance.push_back(told.chance);
    }
    return out;
  }

  std::vector<Feature> top(std::size_t view, int cluster, int count) const {
    impl.labeller();
    const Schema& schema = impl.schema();
    const std::vector<int> numbers = impl.model ? impl.model->names().numbers() : clusterer.clusters();
    const auto found = std::find(numbers.begin(), numbers.end(), cluster);
    if (view >= schema.views.size() || found == numbers.end() || count < 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("there are no {} features of cluster {} in view {}", count, cluster, view));
    }
    std::vector<Feature> features;
    const auto add = [&](const Telling& telling, double mean) {
      features.push_back({.number = telling.feature,
                          .name = schema.views[view].feature_name(telling.feature),
                          .weight = telling.own,
                          .lift = mean != 0 ? telling.own / mean : std::numeric_limits<double>::infinity(),
                          .high = telling.high()});
    };
    const Index place = found - numbers.begin();
    if (impl.model && impl.model->can_learn()) {
      const std::lock_guard lock(impl.sharing);
      for (const Telling& telling : impl.sums().telling(view, place, count)) add(telling, telling.others);
      return features;
    }
    const Matrix profiles = impl.model ? cluster_profiles(*impl.model, view) : impl.compared->profiles(view);  // d x K
    for (const Telling& telling : telling_features(profiles, place, count)) {
      add(telling, profiles.row(telling.feature).mean());
    }
    return features;
  }

  std::span<const double> basis(std::size_t view) const {
    const Factorisation* factors = impl.compared ? impl.compared->factors() : nullptr;
    if (impl.model) factors = impl.model->prototypes().factors.get();
    if (factors == nullptr) return {};
    const auto& views = factors->state().views;
    if (view >= views.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("there is no view {}: the model has views 0 to {}", view, views.size() - 1));
    }
    const Matrix& U = views[view].U;
    return {U.data(), static_cast<std::size_t>(U.size())};
  }

  static std::vector<CutLevel> tree(Clusterer& clusterer, int most) {
    Clusterer::Impl& impl = clusterer.impl();
    const Usage::Change change(impl.usage);
    Compute& compute = impl.compute.get();
    const Watched watched(compute);
    const Rest rest{impl.living()};
    return cluster_tree(rest.model, most, compute);
  }

  Neighbours near(Chunk chunk, Index count) const {
    const Model& known = model();
    known.intake().admit(chunk);
    known.intake().prepare(chunk);
    return impl.share([&](Compute& compute) {
      std::vector<Index> numbers;
      for (const Chunk& piece : known.rows_as_they_came(compute)) {
        numbers.insert(numbers.end(), piece.rows.begin(), piece.rows.end());
      }
      if (numbers.empty()) {
        throw Error(ErrorKind::usage,
                    "neighbours are known among the rows that clusters were made from: fit again, or refresh");
      }
      const PreparedChunk data(chunk);
      std::vector<NarrowMatrix> products;
      const Near near = known.placer()->near(data, compute, &products);
      Neighbours out{.count = count, .rows = {}, .weights = {}};
      out.rows.assign(static_cast<std::size_t>(data.size() * count), -1);
      out.weights.assign(out.rows.size(), 0.0);
      std::size_t at = 0;
      for (const Votes::Donors& of :
           known.clusters().votes->donors(data, near, products, std::nullopt, count, compute)) {
        for (std::size_t j = 0; j < of.rows.size(); ++j) {
          out.rows[at + j] = numbers[static_cast<std::size_t>(of.rows[j])];
          out.weights[at + j] = of.weights[j];
        }
        at += static_cast<std::size_t>(count);
      }
      return out;
    });
  }
};

std::vector<Feature> top_features(const Clusterer& model, std::size_t view, int cluster, int count) {
  return Explainer{model}.top(view, cluster, count);
}

std::vector<CutLevel> cluster_tree(Clusterer& model, int most) { return Explainer::tree(model, most); }

std::span<const double> basis(const Clusterer& model, std::size_t view) { return Explainer{model}.basis(view); }

FeatureEffects feature_effects(const Clusterer& model, std::size_t view, int cluster) {
  return Explainer{model}.effects(view, cluster);
}

Neighbours neighbours(const Clusterer& model, Chunk chunk, Index count) {
  if (count < 1) throw Error(ErrorKind::usage, fmt::format("{} neighbours cannot be listed: ask for 1 or more", count));
  return Explainer{model}.near(std::move(chunk), count);
}

}  // namespace omvc
