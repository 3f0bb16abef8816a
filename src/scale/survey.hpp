// What one look at the data tells about each view: enough to choose a scaling and to refuse hopeless data early.
#pragma once

#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

struct ViewSurvey {
  double observed = 0;   // instances
  double entries = 0;    // stored numbers that are not zero
  double negatives = 0;  // of them
  double fractions = 0;  // of them, not whole numbers
  double total = 0;      // sum of the entries that are not negative
  bool sparse = false;   // delivered as CSR
  // Of every feature over the observed instances, zeros included.
  std::vector<double> minimum;
  std::vector<double> maximum;
  std::vector<double> sum;
  std::vector<double> squares;
  std::vector<double> nonzeros;
};

struct Survey {
  explicit Survey(const Schema& schema);

  void add(const Chunk& chunk);

  double instances = 0;
  double unobserved = 0;  // of them, present in no view
  std::vector<ViewSurvey> views;
};

}  // namespace omvc
