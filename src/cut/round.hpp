// Are clusters round, and alike? Then one mean per cluster tells them apart as well as can be: a graph draws ragged
// borders through the midst of rows that overlap. Where they are anything else, means would cut them to pieces.
#pragma once

#include <vector>

#include "fine/sample.hpp"
#include "kernels/near.hpp"
#include "recipe/recipe.hpp"

namespace omvc {

// How rows lie around the means of their clusters, over the views by how much they spread there.
struct Shape {
  // Over how many dimensions what is left of the rows spreads evenly, (tr C)^2 / tr C^2 for its covariance C, as a
  // share of the features: 1 for a ball, next to 0 where features go together. 0 where a view is sparse.
  double roundness = 0;
  double tightest = 0;  // mean square in that cluster over that of all rows, the mean over the views
  double loosest = 0;
};

// Of the first labels.size() rows of a sample, which lie in its first `pieces` pieces; -1: in no cluster. `means` has a
// column for each cluster.
Shape shape_of(const Sample& sample, std::size_t pieces, const std::vector<int>& labels, const PrototypeTable& means,
               Compute& compute);

bool round_and_alike(const Shape& shape, const Recipe& recipe);

}  // namespace omvc
