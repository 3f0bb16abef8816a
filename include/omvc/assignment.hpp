// What a model says of instances.
#pragma once

#include <vector>

namespace omvc {

// What is told of instances beside label, confidence and distance, where somebody asks for it.
struct Extras {
  bool embedding = false;
  bool membership = false;
};

struct Assignment {
  std::vector<int> labels;         // cluster number of each instance; -1 without any view
  std::vector<double> confidence;  // chance that other rows agree; NaN: no view, or not known. Empty: no method
  std::vector<double> distance;    // from the nearest prototype, relative to what is usual there; likewise
  std::vector<double> embedding;   // instances x rank, row-major; NaN without any view. Empty unless it was asked for
  // Instances x clusters, row-major: the chance that a model of other rows gives each cluster. Rows sum to 1; that of
  // the label is its confidence, and none is larger. NaN and empty as confidence, and empty unless it was asked for.
  std::vector<double> membership = {};
  std::vector<int> clusters = {};  // the numbers of its columns, ascending
};

}  // namespace omvc
