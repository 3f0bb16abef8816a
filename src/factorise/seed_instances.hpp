// Instances of a chunk that stand for all of it: where factorisations and prototypes start from.
#pragma once

#include <vector>

#include "kernels/data_block.hpp"
#include "random/philox.hpp"

namespace omvc {

// What a view that a drawn instance lacks gives its column.
enum class Absent {
  varied,  // the mean of the view, every entry varied at random by up to a half: components must differ in every view
  mean,    // the mean of the view
  filled,  // the same, and distances are between filled instances too
};

// Draws `count` instances as in k-means++: the first uniformly, each further one with a probability proportional to its
// squared distance from the nearest one drawn, as a mean over the views that both have; two instances without a common
// view count as far apart as the farthest pair known. Returns d_v x count for every view, an instance a column. Beyond
// the number of instances, columns are varied means. A view absent from the chunk gives zeros. `random` is given the
// stream of one purpose; different streams give independent draws.
std::vector<Matrix> seed_instances(const PreparedChunk& chunk, Index count, const Random& random, Compute& compute,
                                   Absent absent = Absent::varied);

}  // namespace omvc
