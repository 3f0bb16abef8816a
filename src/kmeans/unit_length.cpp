#include <cmath>

#include "omvc/kmeans.hpp"

namespace omvc {

void to_unit_length(double* rows, Index count, Index cols) {
  for (Index i = 0; i < count; ++i) {
    double* row = rows + i * cols;
    double squares = 0;
    for (Index k = 0; k < cols; ++k) squares += row[k] * row[k];
    if (!(squares > 0)) continue;
    const double length = std::sqrt(squares);
    for (Index k = 0; k < cols; ++k) row[k] /= length;
  }
}

}  // namespace omvc
