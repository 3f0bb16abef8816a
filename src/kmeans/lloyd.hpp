// Lloyd's algorithm with distance bounds. Most rows keep their centre in most rounds; a lower bound on the distance
// from each row to each *group* of eight centres, and an upper bound on the distance to its own centre, prove it
// without computing any distance (Ding et al., "Yinyang k-means", ICML 2015). A group is what one row of SIMD
// arithmetic covers.
//
// The bounds are rounded outward by more than the error of a computed distance, so that a row is passed over only where
// the comparison of computed distances would have the same outcome: the labels are those of the plain algorithm, bit
// for bit, the lowest number among equals.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "omvc/kmeans.hpp"

#include "parallel/compute.hpp"

namespace omvc {

class Lloyd {
 public:
  Lloyd(const RowsView& rows, std::vector<double> centres, std::span<const double> weights, Compute& compute);

  // Gives each row its nearest centre. Returns whether any label changed.
  bool assign();

  // Moves each centre to the mean of its rows. A centre without rows takes the row that is farthest from its own centre
  // (the lowest number among equals, and never the only row of a cluster); it stays where it is if all distances are 0.
  void update();

  // The state after assign(). Leaves the object empty.
  KMeansResult take();

 private:
  static constexpr Index kGroup = 8;
  using Lanes = Eigen::Array<double, kGroup, 1>;

  template <class Body>
  void for_rows(const Body& body);  // body(first, last), on several threads
  bool assign_row(Index row);
  void move_centres(const std::vector<Index>& counts);
  Lanes group_distances(const double* x, Index group) const;
  void pack();
  void fill_empty_clusters(std::vector<Index>& counts);
  void move_bounds(const std::vector<double>& before);
  double above(double distance) const;
  double below(double distance) const;

  double weight(Index row) const { return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(row)]; }

  RowsView rows_;
  std::span<const double> weights_;
  Compute& compute_;
  Index clusters_;
  Index groups_;
  double slack_;                 // a relative error that no computed distance reaches
  std::vector<double> centres_;  // clusters x cols
  std::vector<double>
      packed_;  // groups x cols x kGroup: the centres of a group side by side; those beyond are infinite
  std::vector<int> labels_;
  std::vector<double> upper_;  // of each row: no less than the distance to its centre
  std::vector<double> lower_;  // rows x groups: no more than the distance to any other centre of the group
};

}  // namespace omvc
