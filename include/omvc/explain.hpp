// What a model tells of its clusters and of instances beyond labels: which features tell a cluster from the others, how
// clusters split, what every feature is like in a cluster, and which rows an instance is like.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/export.hpp"

namespace omvc {

struct Feature {
  Index number = 0;   // 0-based
  std::string name;   // or its number as text where the view has no names
  double weight = 0;  // its mean in the cluster, in the data's own units (scaled, where the model keeps no rows)
  double lift = 0;    // the weight relative to the mean of the others; infinite where that is 0
  bool high = true;   // higher in the cluster than in the others, or lower
};

// The features that tell a cluster from the others in a view, at most `count` of them, the most telling first, by the
// difference of the means over the deviation within; only what chance does not explain.
OMVC_API std::vector<Feature> top_features(const Clusterer& model, std::size_t view, int cluster, int count);

// How clusters split as their number grows from 2 to `most`. The model is used as by a function that changes it: by
// one thread alone.
OMVC_API std::vector<CutLevel> cluster_tree(Clusterer& model, int most);

// U_v of the factorisation, features x rank, row-major; nothing where there is none. It lies in the model, until that
// learns more.
OMVC_API std::span<const double> basis(const Clusterer& model, std::size_t view);

// Every feature of a view in one cluster beside the other clusters, in the order of the features, over the cells that
// are there.
struct FeatureEffects {
  std::vector<double> mean;    // in the cluster, in the data's own units; NaN where there are no cells
  std::vector<double> others;  // likewise in the other clusters together
  std::vector<double> effect;  // their difference over the deviation within both; 0 where there is none
  std::vector<double> chance;  // of such an effect where there is none, over all features of the view
};

// Over the rows of the sample. Throws ErrorKind::usage where there is no such view or cluster, or the model keeps no
// rows: it was saved for prediction only, or is of another method than omvc.
OMVC_API FeatureEffects feature_effects(const Clusterer& model, std::size_t view, int cluster);

// The rows of the sample that are nearest to some instances by all views that each has, the nearest first; an instance
// that is a row of the sample is not among its own.
struct Neighbours {
  Index count = 0;              // listed for each instance
  std::vector<Index> rows;      // by the numbers that they had in the source; -1 where there are fewer
  std::vector<double> weights;  // of sum 1 for each instance that has any; 0 where there are fewer
};

// Throws ErrorKind::usage where the model keeps no rows, or has learned more since its clusters were made.
OMVC_API Neighbours neighbours(const Clusterer& model, Chunk chunk, Index count);

}  // namespace omvc
