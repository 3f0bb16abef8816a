// Numbers that clusters keep. After each cut the new clusters are matched to the last ones by the mass they share,
// where that is most of both or at least a third; what matches keeps its number, what is new gets a number that nobody
// had, and what happened is told.
#pragma once

#include <string>
#include <vector>

#include "omvc/report.hpp"

#include "chunk/matrix.hpp"

namespace omvc {

struct Naming {
  std::vector<int> numbers;  // of each new cluster
  int next = 0;              // the first number that nobody has had
  std::vector<ClusterEvent> events;
};

// Clusters numbered by size, the largest 0; among equals by what comes first, where `firsts` says that.
Naming name_by_size(const std::vector<double>& sizes, const std::vector<Index>& firsts = {});

// shared(i, j): the mass that is in the last cluster i and in the new cluster j; fresh(j): the mass of new cluster j
// that no last cluster had. `last` holds the numbers of the last clusters and `next` the first number that nobody has
// had.
Naming match_names(const Matrix& shared, const Vector& fresh, const std::vector<int>& last, int next);

}  // namespace omvc
