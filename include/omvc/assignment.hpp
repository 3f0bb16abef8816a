// What a model says of instances.
#pragma once

#include <vector>

namespace omvc {

struct Assignment {
  std::vector<int> labels;         // cluster number of each instance; -1 without any view
  std::vector<double> confidence;  // chance that other rows agree; NaN: no view, or not known. Empty: no method
  std::vector<double> distance;    // from the nearest prototype, relative to what is usual there; likewise
  std::vector<double> embedding;   // instances x rank, row-major; NaN without any view. Empty unless it was asked for
};

}  // namespace omvc
