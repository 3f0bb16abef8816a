// What is to be expected of what an instance lacks of a view, and how far off that may be. Of single cells of a view
// that it has model/cells.hpp knows more; of a view that it lacks altogether these tell:
//
//   the mean of all rows, and the means of the clusters, by the shares of the prototypes in them
//   the rows of the sample that are nearest to the instance by the views that it has, and have the view
//   each of these views: a ridge regression of the view on it (cut/ridge.hpp)
//
// One row of the sample in five has the view hidden from all of them, and the mixture is made by what they say of these
// (model/mixture.hpp). Where the model keeps no rows, the mean of the prototypes that the instance lies between stands
// for all of it, and nobody knows the spread.
#pragma once

#include <memory>
#include <vector>

#include "cut/ridge.hpp"
#include "model/cells.hpp"
#include "model/known_rows.hpp"
#include "model/mixture.hpp"
#include "model/model.hpp"

namespace omvc {

class Expectation {
 public:
  // Of a view; the model stays as it is for as long as this is used.
  Expectation(const Model& model, std::size_t view, Compute& compute);
  ~Expectation();

  // Instances x features, in the data's own units. NaN for an instance without any view.
  struct Found {
    Matrix values;
    Matrix spread;  // the root of the mean square error that was seen where it was hidden; NaN: not known
  };
  // Of rows that the intake has prepared, which had these holes before. `learn_cells` is called before instances that
  // have the view, but lack cells of it, are asked about.
  Found of(const Chunk& rows, const Holes& holes, Compute& compute) const;
  void learn_cells(Compute& compute);

 private:
  struct Told;
  void learn_regressions(const std::vector<std::int32_t>& rows, const Vector& variance, Compute& compute);
  void learn_regression(std::size_t v, const Block& rows, const MatrixTargets& targets, const Vector& variance,
                        Compute& compute);
  void learn_mixture(std::vector<std::int32_t> hidden, Compute& compute);
  // `own`, where given, are the rows of the sample that the instances are.
  Told tell(const PreparedChunk& chunk, const std::vector<std::unique_ptr<Reader>>& readers, Compute& compute,
            const std::vector<std::int32_t>* own) const;
  Matrix told_of(const Told& told, Index instance) const;  // tellers x features
  static std::vector<bool> who_tells(const Told& told, Index instance);
  void tell_view(const Chunk& rows, const std::vector<Index>& into, Found& out, Compute& compute) const;

  const Model& model_;
  std::size_t view_;
  std::shared_ptr<const Placer> placer_;
  std::unique_ptr<const KnownRows> rows_;        // none: prototypes alone tell
  RowVector mean_;                               // of each feature
  Vector variance_;                              // likewise
  Matrix means_;                                 // of each cluster, clusters x features
  std::vector<std::unique_ptr<Reader>> views_;   // a regression on each view; none where there is none
  std::vector<std::unique_ptr<Reader>> judged_;  // the same without the rows that are hidden
  std::vector<std::int32_t> having_;             // rows of the sample that have the view
  std::unique_ptr<Mixture> mixture_;
  std::unique_ptr<Cells> cells_;
};

}  // namespace omvc
