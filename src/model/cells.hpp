// What is to be expected of single cells that a row lacks of a view that it has, and how far off that may be. Other
// things are known of such a row than of one that lacks the view (model/expected.hpp): its other columns. These tell:
//
//   the mean of all rows, and the means of the clusters, by the shares of the prototypes in them
//   the rows of the sample that are nearest to the row where it is filled in, by the cells that both have; and where
//   much of it is missing, the nearest of all rows. Only rows that have the cell count
//   all columns of the view and of other dense views together (model/joint.hpp)
//   each of the other views: a ridge regression of the view on it
//
// A missing cell stands at the mean of its column where rows are compared, far from where its row belongs, and as near
// as can be to rows that lack the same cell. So it is filled by what the other columns say before the row is placed.
// Cells of one row of the sample in five are hidden at random, and the mixture is made by what is said of these.
#pragma once

#include <memory>
#include <vector>

#include "cut/ridge.hpp"
#include "model/donors.hpp"
#include "model/joint.hpp"
#include "model/known_rows.hpp"
#include "model/mixture.hpp"
#include "model/model.hpp"

namespace omvc {

class Cells {
 public:
  using Readers =
      std::vector<std::unique_ptr<Reader>>;  // of the view, one for each other view; none where there is none

  // What is known of the view; all of it must outlive this.
  struct Known {
    const Model& model;
    std::size_t view;
    const Placer& placer;
    const KnownRows& rows;
    const RowVector& mean;   // of each feature
    const Matrix& means;     // of each cluster, clusters x features
    const Vector& variance;  // of each feature
  };
  // `having` are rows of the sample that have the view, of which every Ridge::kFolds-th is not known to `judged`.
  Cells(const Known& known, const std::vector<std::int32_t>& having, const Readers& judged, Compute& compute);

  // For prepared rows with the holes that they came with: puts what is expected of the holes of the view, and its
  // spread, into the row that each instance has in these.
  void tell(Chunk rows, const Holes& holes, const Readers& readers, const std::vector<Index>& into, Matrix& values,
            Matrix& spread, Compute& compute) const;

 private:
  struct Told;
  void learn_joint(const std::vector<std::int32_t>& having, Compute& compute);
  void learn_mixture(const std::vector<std::int32_t>& hidden, const Readers& judged, std::uint64_t round,
                     Compute& compute);
  Matrix columns_of(const Chunk& rows, const Holes& holes) const;
  // Returns the rows of the view, filled, in the data's own units; NaN where nobody can.
  Matrix fill(Chunk& rows, const Holes& holes, const Joint* joint, Compute& compute) const;
  Told told(Chunk rows, const Holes& holes, const Readers& readers, const Joint* joint, Compute& compute) const;
  // `own` is the row of the sample that the instance is; -1: none.
  Matrix says(const Told& told, const Holes& holes, Index instance, std::int32_t own) const;

  Known known_;
  Donors donors_;
  std::vector<std::size_t> views_;  // that are told together, the view itself first
  std::vector<Index> begin_;
  std::unique_ptr<Joint> judged_joint_;
  std::unique_ptr<Joint> joint_;
  Mixture mixture_;
};

}  // namespace omvc
