// Numbers that clusters keep. After each cut the new clusters are matched to the last ones by the mass they share. Two
// can match where each shares more with the other than with any other cluster, or where they share at least a third of
// the larger one. A new cluster that matches keeps the number, any other gets a number that no cluster had before, and
// the events say what happened.
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

// Clusters numbered by size, the largest 0. Where `firsts` is given, equals are numbered by it, the smallest first.
Naming name_by_size(const std::vector<double>& sizes, const std::vector<Index>& firsts = {});

// shared(i, j): the mass that is in the last cluster i and in the new cluster j; fresh(j): the mass of new cluster j
// that no last cluster had. `last` holds the numbers of the last clusters and `next` the first number that nobody has
// had.
Naming match_names(const Matrix& shared, const Vector& fresh, const std::vector<int>& last, int next);

}  // namespace omvc
