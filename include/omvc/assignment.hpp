// What a model says of instances.
#pragma once

#include <vector>

namespace omvc {

struct Assignment {
  std::vector<int> labels;         // cluster number of each instance; -1 without any view
  std::vector<double> confidence;  // share of the vote; NaN without any view. Empty where the method has none
  std::vector<double> distance;    // from the nearest prototype, relative to what is usual there; likewise
  std::vector<double> embedding;   // instances x rank, row-major; NaN without any view. Empty unless it was asked for
};

}  // namespace omvc
