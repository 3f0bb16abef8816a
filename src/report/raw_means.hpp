// Means of features over groups of instances, in the units in which the data came.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"
#include "scale/survey.hpp"

namespace omvc {

// Sums of the rows of each place (a prototype, a cluster), for every view.
class RawSums {
 public:
  RawSums(const Schema& schema, Index places);

  // Adds the rows of an unscaled chunk; places[i] is that of instance i, -1: none. What a row lacks counts as the mean
  // of its feature over all instances.
  void add(const Chunk& chunk, const std::vector<std::int32_t>& places, const Survey& survey);

  // Sums of groups of places: group[p] is the group of place p; -1: in none.
  RawSums grouped(const std::vector<int>& group, int groups) const;

  // Mean of a feature over the rows of a place, and over those of all others; NaN where no such row has the view.
  double own(std::size_t view, Index feature, Index place) const;
  double rest(std::size_t view, Index feature, Index place) const;

 private:
  std::vector<Matrix> sums_;       // of each view: features x places
  std::vector<RowVector> counts_;  // of each view: rows of each place
};

}  // namespace omvc
