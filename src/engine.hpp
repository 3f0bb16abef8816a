// What a Clusterer holds: the place where sources, scaling, method, k-means and sinks meet.
#pragma once

#include <memory>
#include <optional>

#include "omvc/clusterer.hpp"

#include "methods/ensemble.hpp"
#include "model/row_sample.hpp"
#include "source/scaling.hpp"

namespace omvc {

struct Engine {
  explicit Engine(Options chosen);

  // Takes the schema of the data and forgets what was learned.
  void start(const Schema& data_schema);
  // Makes a method for the data, once their scaling is known.
  void begin();
  int choose_rank() const;

  // Scales a chunk, choosing first the scaling of views that it is the first to show. Negative entries that it sets to
  // 0 are counted where asked for: once for every instance.
  void scale(Chunk& chunk, bool count_negatives);
  std::vector<bool> unit_views() const;  // whose rows the scaling brings to length 1
  void check_fits(const Chunk& chunk) const;
  void check_learned() const;

  // Centres from embedding rows, row-major and free of scale or not as k-means is to see them.
  void find_centres(std::vector<double> rows);
  // Labels of embedding rows by the nearest centre; -1 for rows of NaN.
  std::vector<int> label(const double* rows, Index count) const;
  std::vector<ViewReport> views() const;

  Options options;
  Schema schema;
  std::vector<ViewScaling> scaling;
  std::vector<Index> clipped;  // negative entries set to 0, by view, first pass only
  std::unique_ptr<Omvc> method;
  Prototypes prototypes;            // none, or those of one clustering: then they give the labels
  std::optional<RowSample> sample;  // of what partial_fit has learned, for the centres
  std::vector<double> centres;      // empty until they are needed
  std::unique_ptr<Workers> workers;
};

struct Clusterer::Impl : Engine {
  using Engine::Engine;
};

}  // namespace omvc
