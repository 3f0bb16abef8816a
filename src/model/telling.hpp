// Which features tell a cluster from the others.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"

namespace omvc {

struct Telling {
  Index feature = 0;
  double own = 0;     // its mean in the cluster
  double others = 0;  // the mean of the others; 0 where there are none
  double effect = 0;  // their difference over the deviation within both, where it is known
  double chance = 1;  // of such a difference where there is none, over all features of the view; 1: not known
  bool high() const { return own > others; }
};

// Where no rows are known (model/raw_sums.hpp), from means alone: the features of a view, at most `count` of them,
// whose mean in the cluster differs most from the mean over those of the others. In scaled data this is what the
// feature adds to the distance between them. Profiles have a column for each cluster. Those that do not differ are left
// out.
std::vector<Telling> telling_features(const Matrix& profiles, Index cluster, Index count);

}  // namespace omvc
