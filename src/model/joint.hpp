// What the columns of several views say of each other: a Gaussian of all of them, from rows in which cells and whole
// views are missing (expectation and maximisation, Dempster, Laird and Rubin 1977). A cell is expected to be what the
// other columns of its row make it; a ridge keeps few rows from saying much.
#pragma once

#include <vector>

#include "chunk/matrix.hpp"
#include "kernels/data_block.hpp"

namespace omvc {

class Joint {
 public:
  // Rows x columns, NaN where nothing is known; the columns of view g are begin[g] .. begin[g + 1]. Rows that lack a
  // view have NaN in all of its columns.
  Joint(Matrix rows, std::vector<Index> begin, Compute& compute);

  void set_ridge(double ridge) { ridge_ = ridge; }
  // Mean square error, in deviations, with which this ridge tells the cells of the first view from the others of their
  // rows; infinite where there are none.
  double error(const Matrix& rows, double ridge, Compute& compute) const;
  // Puts what is expected into the cells that are missing. Views that a row lacks altogether stay so.
  void fill(Matrix& rows, Compute& compute) const;

 private:
  using Known = std::vector<bool>;  // which views
  Known known(const Matrix& rows, Index row) const;
  std::vector<Index> columns_of(const Known& views, bool wanted) const;
  Matrix precision(const std::vector<Index>& columns, double ridge) const;
  void standardise(Matrix& rows) const;
  // The same for rows of mean 0 and deviation 1. Where `uncertain` is given, views that rows lack are filled, too, and
  // the covariances of what was filled are added to it.
  void fill_standard(Matrix& rows, double ridge, Matrix* uncertain, Compute& compute) const;

  std::vector<Index> begin_;
  RowVector mean_;
  RowVector scale_;    // deviations; 0 of a column that has one value only
  Matrix covariance_;  // of columns of deviation 1
  double ridge_;
};

}  // namespace omvc
