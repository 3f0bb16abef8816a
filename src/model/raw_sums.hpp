// Means of features over groups of instances, in the units in which the data came, and which features tell a group from
// the others: the one definition for the terminal, JSON, the page and Python. Cells that are missing count for nothing.
#pragma once

#include <vector>

#include "model/model.hpp"
#include "model/telling.hpp"

namespace omvc {

// Sums of the rows of each place (a prototype, a cluster), for every view.
class RawSums {
 public:
  // With the scaling of each view, cells that it takes for missing and glitches that it has named count for nothing.
  RawSums(const Schema& schema, Index places, std::vector<ViewScaling> scaling = {});

  // Adds the rows of an unscaled chunk; places[i] is that of instance i, -1: none.
  void add(const Chunk& chunk, const std::vector<std::int32_t>& places);

  // Sums of groups of places: group[p] is the group of place p; -1: in none.
  RawSums grouped(const std::vector<int>& group, int groups) const;

  // Mean of a feature over the cells of a place, and over those of all others; NaN where there are none.
  double own(std::size_t view, Index feature, Index place) const;
  double rest(std::size_t view, Index feature, Index place) const;

  // Mean and variance of a feature over all cells.
  double mean(std::size_t view, Index feature) const {
    const Feature every = all(view, feature);
    return every.cells > 0 ? base(view, feature) + every.sum / every.cells : 0;
  }
  double variance(std::size_t view, Index feature) const {
    const Feature every = all(view, feature);
    return every.cells > 0 ? every.variance / every.cells : 0;
  }

  // A feature of a place beside the others: the effect is the difference of the two means over the deviation within the
  // two groups, and its chance that of a test of two means (Student), times the features of the view.
  Telling compare(std::size_t view, Index feature, Index place) const;
  // The features that tell a place from the others, at most `count`, by the size of the effect. Left out is what chance
  // may have made: a level of 1 %.
  std::vector<Telling> telling(std::size_t view, Index place, Index count) const;

  // Share of the variance about the means of the features that the places explain, each feature times `weights`.
  double explained(std::size_t view, const std::vector<double>& weights) const;

 private:
  double cells(std::size_t view, Index feature, Index place) const;
  double base(std::size_t view, Index feature) const;
  struct Feature {
    double cells = 0;
    double sum = 0;
    double variance = 0;  // sum of the squares about the mean
  };
  Feature all(std::size_t view, Index feature) const;

  std::vector<ViewScaling> scaling_;
  // Far from zero squares cancel: sums of dense features are of what is above a value of theirs.
  std::vector<Vector> above_;      // of each view: that value of each feature; NaN until one is known, 0 where sparse
  std::vector<Matrix> sums_;       // of each view: features x places
  std::vector<Vector> squares_;    // of each view: of every feature, over all places
  std::vector<RowVector> counts_;  // of each view: rows of each place
  std::vector<Matrix> missing_;    // of each view: cells, features x places; empty while there are none
};

// Of the clusters of a model, over the rows of its sample, 10,000 at most.
RawSums cluster_sums(const Model& model, Compute& compute);

}  // namespace omvc
