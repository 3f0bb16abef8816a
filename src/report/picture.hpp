// What a model looks like: its fine prototypes in the plane, its cuts into other numbers of clusters, the features that
// tell clusters apart in the user's own units, and some instances between their prototypes. All of it comes from the
// model; its size and the time it takes do not depend on the number of instances.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.hpp"

namespace omvc {

// A feature that tells a cluster from the others.
struct PictureFeature {
  std::size_t view = 0;
  Index feature = 0;
  double own = 0;   // mean over the members of the cluster that have the view, as the data came
  double rest = 0;  // mean over all other instances that have it
};

// One way to cut the prototypes into clusters.
struct PictureLevel {
  bool own = false;           // the clusters that the model has
  std::vector<int> numbers;   // of the clusters; one that lives on in the next cut keeps its own
  std::vector<double> sizes;  // of each of them
  std::vector<int> group;     // of each prototype: a place in `numbers`
  std::vector<std::vector<PictureFeature>> features;  // of each cluster, the most telling first
};

struct PictureEdge {
  Index one = 0;
  Index other = 0;
  double weight = 0;  // 0 .. 1
};

// An instance of the sample, between the prototypes that are near to it.
struct PicturePoint {
  Index row = 0;
  int pattern = 0;  // a place in Picture::patterns
  int label = -1;
  double confidence = 0;
  double distance = 0;
  std::vector<std::int32_t> near;
  std::vector<double> weights;
};

// Features that tell the clusters that the model has, and their means in every one of them, as the data came.
struct PictureHeat {
  struct Row {
    std::size_t view = 0;
    Index feature = 0;
    double mean = 0;            // of all cells
    double deviation = 0;       // likewise
    std::vector<double> means;  // of each cluster; NaN where it has no cells
  };
  std::vector<Row> rows;
};

// The values of a feature at the instances drawn, as the data came; NaN where it is missing.
struct PictureValues {
  std::size_t view = 0;
  Index feature = 0;
  std::vector<double> of_point;
};

struct Picture {
  PictureHeat heat;
  std::vector<PictureValues> values;  // of the features of `heat`
  Matrix at;                          // prototypes x 2
  Vector mass;
  std::vector<PictureEdge> edges;
  std::vector<double> eigenvalues;
  std::vector<PictureLevel> levels;  // by ascending number of clusters
  std::vector<std::vector<bool>> patterns;
  std::vector<PicturePoint> points;
  Index rows = 0;  // number of rows of the sample from which the values of features were taken
  Report sampled;  // a report of these rows, where there is none of all instances
};

struct PictureLimits {
  Index points = 5000;
  int levels = 30;                // the largest number of clusters cut
  std::size_t own_features = 24;  // of a cluster that the model has
  std::size_t features = 12;      // of a cluster of another cut
  Index rows = 10000;             // of the sample looked at
  std::size_t heat = 40;          // features of the table of means
};

Picture picture_of(Model& model, const PictureLimits& limits, Compute& compute);

// For a terminal: prototypes, eigenvalues and one level, the clusters that the model has.
Picture sketch_of(Model& model, Compute& compute);

}  // namespace omvc
