// Planted data: multi-view data of any size whose clusters are known, for tests, demonstrations and measurements.
//
//     PlantedOptions options{.instances = 1'000'000, .features = {200, 30'000}, .density = {1.0, 0.001}};
//     std::unique_ptr<Source> source = make_planted_source(options);
//
// Row i is a pure function of (options, i): nothing is held but one prototype for each view and cluster, so memory does
// not grow with the number of instances, a row is the same whatever the chunks, and the source can be rewound at no
// cost.
//
// In every view each cluster has strong features of its own, about features / clusters of them (with fewer features
// than clusters, clusters share their strong features). An instance i of cluster c has an amplitude a_i, uniform in
// [0.5, 1.5), which all its views share.
//   - A dense view holds x_ij = a_i * (common_j + separation * strength_cj) + noise * u, where common_j is in [0, 0.2),
//     strength_cj is in [0.5, 1.5) for the strong features of c and 0 for all others, and u is uniform in [0, 1).
//   - A sparse view holds about density * features entries a row, each a_i times a weight in [0.5, 1.5). A share
//     separation / (separation + noise) of them falls on the strong features of c, as far as there are enough; the
//     others fall anywhere.
// All values are nonnegative and single precision.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "omvc/export.hpp"
#include "omvc/source.hpp"

namespace omvc {

struct PlantedOptions {
  Index instances = 1000;
  std::vector<Index> features = {50, 50};  // of each view
  std::vector<double> density;             // of each view, in (0, 1]; 1 is a dense view. None: all views are dense
  int clusters = 5;
  double missing = 0;         // probability that a view lacks an instance, each view on its own; in [0, 1)
  bool keep_one_view = true;  // an instance that would lose all its views keeps one, drawn at random
  double separation = 1;      // how far strong features stand out; positive
  double noise = 0.5;         // 0 or more
  std::uint64_t seed = 0;
};

// The shapes of data sets of the literature, at the sizes and with the share of missing instances of the paper:
// "reuters" (111,740 instances, five sparse views of 11,547 .. 34,279 features with about 100 entries a row), "youtube"
// (92,457, three dense views) and "digit" (2,000, five dense views). Throws ErrorKind::usage for any other name.
OMVC_API PlantedOptions planted_shape(std::string_view name);

// Views are named view1, view2, ..., and their features f1, f2, ....
// Throws ErrorKind::usage for options outside their ranges.
OMVC_API std::unique_ptr<Source> make_planted_source(const PlantedOptions& options);

// The cluster of an instance, 0 .. clusters-1, all equally likely. Depends on seed and clusters only.
OMVC_API int planted_label(const PlantedOptions& options, Index row);

}  // namespace omvc
