// The leading eigenvectors of a symmetric operator that is only known by its products, all at once: clusters that are
// wholly apart give the eigenvalue 1 once each, which a method that goes on from one vector may find only once. A space
// of that many vectors finds them all; between two looks at it a polynomial of the operator takes away what belongs to
// the smaller eigenvalues (Zhou, Saad, Tiago, Chelikowsky 2006).
#pragma once

#include <functional>
#include <vector>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

struct Leading {
  std::vector<double> values;  // descending
  Matrix vectors;              // a column for each
};

// What may be left of A x - value x, for unit vectors x: good enough to be grouped, and next to nothing.
struct LeadingRule {
  double residual;
  int restarts;  // at most
};
inline constexpr LeadingRule kToBeGrouped{1e-3, 12};
inline constexpr LeadingRule kExact{1e-13, 100};

// `start` holds vectors to begin with, a column each; those that are missing are drawn from the seed. The result is the
// same for any number of threads where the products are.
Leading leading_eigenvectors(const std::function<Matrix(const Matrix&)>& times, Index rows, Index count,
                             const Matrix& start, std::uint64_t seed, const LeadingRule& rule, Compute& compute);

}  // namespace omvc
