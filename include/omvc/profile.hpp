// What a run costs: the time of its steps, and how often the data were multiplied. Parts of a report (report.hpp).
#pragma once

#include <string>

#include "omvc/chunk.hpp"

namespace omvc {

// How often the data were multiplied by matrices of so many columns: what learning costs. One product is one view of
// one chunk multiplied once, which takes as many multiplications as the view has entries there, times the columns.
struct ProductCount {
  int columns = 0;
  Index times = 0;            // X U
  Index transpose_times = 0;  // X' V

  bool operator==(const ProductCount&) const = default;
};

// The time that a run spent in one step.
struct StepTime {
  std::string name;  // such as row_solver
  double seconds = 0;
  bool overlaps = false;  // it went on beside other steps, on a thread of its own: no part of the sum
};

}  // namespace omvc
