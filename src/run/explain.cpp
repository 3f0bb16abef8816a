#include "omvc/explain.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

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

FeatureEffects feature_effects(const Clusterer& model, std::size_t view, int cluster) {
  return Explainer{model}.effects(view, cluster);
}

Neighbours neighbours(const Clusterer& model, Chunk chunk, Index count) {
  if (count < 1) throw Error(ErrorKind::usage, fmt::format("{} neighbours cannot be listed: ask for 1 or more", count));
  return Explainer{model}.near(std::move(chunk), count);
}

}  // namespace omvc
