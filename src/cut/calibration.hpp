// What a vote and a distance mean.
//
//   confidence   the chance that a model learned from other rows of the same data gives the instance the same cluster.
//                Models of parts of the rows label the rows that were left out; where they agree with the whole model,
//                after their clusters were matched, is a yes. A curve that never falls leads from the share of the vote
//                to the share of yes.
//   distance     how unusual an instance is: 1 in the middle of the rows, as seen from all others; kOutlier where one
//                row in a hundred lies beyond it (recipe/recipe.hpp). It is told from the middle and the ninth tenth of
//                the rows, so that outliers among them do not hide themselves.
//
// A row that lies far from all that is known has neighbours that agree, since they are far away together: its vote is
// drawn to 1 / K, the farther it lies the more, and the curve is made from such votes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file/archive.hpp"

namespace omvc {

// A curve that never falls: from (0, 0) on, level over the points that are pooled, and level behind the last of them.
class Curve {
 public:
  struct Point {
    double share = 0;
    bool same = false;
  };
  Curve() = default;
  // The best one for these points in the sense of least squares: neighbours that fall are pooled (Ayer et al. 1955).
  explicit Curve(std::vector<Point> points);

  double operator()(double share) const;

  void save(Archive& archive, const std::string& key) const;
  // Throws ErrorKind::data where it is none.
  static Curve load(const Archive& archive, const std::string& key);

 private:
  std::vector<double> shares_{0, 1};  // ascending
  std::vector<double> chances_{0, 1};
};

// From a distance of any kind to one whose meaning is that of above.
class DistanceScale {
 public:
  DistanceScale() = default;
  explicit DistanceScale(std::vector<double> distances);

  double operator()(double distance) const;

  void save(Archive& archive, const std::string& key) const;
  static DistanceScale load(const Archive& archive, const std::string& key);

 private:
  double middle_ = 1;  // of the distances
  double spread_ = 1;  // of their logarithms, from the middle to where kOutlier is
};

struct Calibration {
  Curve chance;              // of a vote of neighbours, or where there are none of the prototypes
  Curve alone;               // of a vote without the rows, as a model for prediction has it
  DistanceScale rows;        // of distances from neighbours
  DistanceScale prototypes;  // of distances from the nearest prototype, relative to those of its members
  Index models = 0;          // that were made of other rows
  Index compared = 0;        // rows that they labelled

  void save(Archive& archive, const std::string& key) const;
  static Calibration load(const Archive& archive, const std::string& key);
};

// The share of a vote, drawn to 1 / K where the instance lies far from all that is known.
double drawn(double share, double distance, int clusters);

// The chance of every cluster, of sum 1, where that of one of them is `sure`, at least 1 / K: what is left goes to the
// others in proportion to `chances`, or in equal parts where these are 0, and none of them gets more than `sure`.
RowVector divided(RowVector chances, int cluster, double sure);

}  // namespace omvc
