// What a Clusterer holds: the place where sources, scaling, method, k-means and sinks meet.
#pragma once

#include <memory>
#include <optional>

#include "omvc/clusterer.hpp"

#include "methods/method.hpp"
#include "model/row_sample.hpp"
#include "scale/scaling.hpp"

namespace omvc {

struct Engine {
  explicit Engine(Options chosen);

  // Takes the schema of the data and forgets what was learned.
  void start(const Schema& data_schema);
  // Makes factors for the data, once their scaling is known.
  void begin();
  bool all_dense() const;  // no view is scaled as a sparse one is

  // Scales a chunk, choosing first the scaling of views that it is the first to show. Returns the number of negative
  // entries that it set to 0, by view.
  std::vector<Index> scale(Chunk& chunk);
  // The scaling of a view. Methods that factorise need it to be nonnegative.
  ViewScaling scaling_of(std::size_t view, const ViewSurvey& survey) const;
  std::vector<bool> unit_views() const;  // whose rows have length 1 and are compared by their directions
  void check_fits(const Chunk& chunk) const;
  bool learned() const { return factors || prototypes.candidates() > 0; }
  void check_learned() const;
  int rank() const;          // of the embedding: the clusters where there are prototypes only
  double instances() const;  // learned from

  // Finds the centres from the sample where they are not known.
  void need_centres();
  // Centres from embedding rows, row-major and free of scale or not as k-means is to see them.
  void find_centres(std::vector<double> rows);
  // Labels of embedding rows by the nearest centre; -1 for rows of NaN.
  std::vector<int> label(const double* rows, Index count) const;
  std::vector<ViewReport> views() const;

  // Options, schema and scaling: what a model and a checkpoint have in common.
  void put_setting(Archive& archive) const;
  // Takes over what the archive holds, where an option that it does not hold stays as it is.
  void get_setting(const Archive& archive);

  Options options;
  Schema schema;
  std::vector<ViewScaling> scaling;
  std::vector<Index> clipped;       // negative entries set to 0, by view, counted once for every instance
  std::unique_ptr<Omvc> factors;    // none before anything is learned, or where prototypes are all there is
  Prototypes prototypes;            // none, or those of one clustering: then they give the labels
  double prototype_instances = 0;   // learned from, where there are prototypes only
  bool prediction_only = false;     // the sums that learning goes on from were not kept
  std::optional<RowSample> sample;  // of what partial_fit has learned, for the centres
  std::vector<double> centres;      // empty until they are needed
  std::unique_ptr<Workers> workers;
};

struct Clusterer::Impl : Engine {
  using Engine::Engine;
};

}  // namespace omvc
