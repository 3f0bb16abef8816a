#include "model/joint.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "kernels/cholesky.hpp"

namespace omvc {
namespace {

constexpr int kJointRounds = 8;       // of filling and learning
constexpr double kFirstRidge = 1e-2;  // until one is chosen
constexpr Index kRowsAtOnce = 16;

std::vector<Index> missing_of(const Matrix& rows, Index row, const std::vector<Index>& columns) {
  std::vector<Index> out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (std::isnan(rows(row, columns[c]))) out.push_back(static_cast<Index>(c));
  }
  return out;
}

}  // namespace

Joint::Joint(Matrix rows, std::vector<Index> begin, Compute& compute) : begin_(std::move(begin)), ridge_(kFirstRidge) {
  const Index count = rows.cols();
  mean_ = RowVector::Zero(count);
  scale_ = RowVector::Zero(count);
  for (Index j = 0; j < count; ++j) {
    const Vector column = rows.col(j);
    const auto known = (column.array() == column.array()).cast<double>();
    const double cells = known.sum();
    if (!(cells > 0)) continue;
    mean_(j) = (known > 0).select(column.array(), 0.0).sum() / cells;
    const auto squares = (known > 0).select((column.array() - mean_(j)).square(), 0.0);
    scale_(j) = std::sqrt(squares.sum() / cells);
  }
  standardise(rows);
  covariance_ = Matrix::Identity(count, count);
  const bool whole = !rows.array().isNaN().any();
  for (int round = 0; round < (whole ? 1 : kJointRounds); ++round) {
    compute.poll();
    Matrix filled = rows;
    Matrix uncertain = Matrix::Zero(count, count);
    fill_standard(filled, kFirstRidge, &uncertain, compute);
    Matrix products(count, count);
    gram(filled, products, compute);
    covariance_ = (products + uncertain) / static_cast<double>(std::max<Index>(rows.rows(), 1));
  }
}

Joint::Known Joint::known(const Matrix& rows, Index row) const {
  Known out;
  for (std::size_t g = 0; g + 1 < begin_.size(); ++g) {
    const auto cells = rows.row(row).segment(begin_[g], begin_[g + 1] - begin_[g]).array();
    out.push_back(!cells.isNaN().all());
  }
  return out;
}

std::vector<Index> Joint::columns_of(const Known& views, bool wanted) const {
  std::vector<Index> out;
  for (std::size_t g = 0; g < views.size(); ++g) {
    for (Index j = begin_[g]; j < begin_[g + 1] && views[g] == wanted; ++j) out.push_back(j);
  }
  return out;
}

Matrix Joint::precision(const std::vector<Index>& columns, double ridge) const {
  const Index count = std::ssize(columns);
  Matrix own = covariance_(columns, columns);
  own.diagonal().array() += ridge;
  return solve_positive(std::move(own), Matrix::Identity(count, count));
}

void Joint::standardise(Matrix& rows) const {
  for (Index j = 0; j < rows.cols(); ++j) {
    rows.col(j).array() = (rows.col(j).array() - mean_(j)) * (scale_(j) > 0 ? 1 / scale_(j) : 0.0);
  }
}

// Of a row x with the precision P the missing cells m are expected at -P_mm^-1 P_mo x_o, with the covariance P_mm^-1.
void Joint::fill_standard(Matrix& rows, double ridge, Matrix* uncertain, Compute& compute) const {
  std::map<Known, std::vector<Index>> alike;
  for (Index i = 0; i < rows.rows(); ++i) alike[known(rows, i)].push_back(i);
  Matrix spread = Matrix::Zero(uncertain != nullptr ? rows.rows() : 0, rows.cols());
  for (const auto& group : alike) {
    const Known& views = group.first;
    const std::vector<Index>& members = group.second;
    const std::vector<Index> columns = columns_of(views, true);
    if (columns.empty()) {
      if (uncertain != nullptr) *uncertain += static_cast<double>(members.size()) * covariance_;
      if (uncertain != nullptr) rows(members, Eigen::all).setZero();
      continue;
    }
    const Matrix P = precision(columns, ridge);
    for_blocks(compute, std::ssize(members), kRowsAtOnce, true, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const Index row = members[static_cast<std::size_t>(i)];
        const std::vector<Index> missing = missing_of(rows, row, columns);
        if (missing.empty()) continue;
        Vector x = rows.row(row)(columns);
        x(missing).setZero();
        const Index count = std::ssize(missing);
        Matrix right(count, uncertain != nullptr ? count + 1 : 1);
        right.col(0) = -P(missing, Eigen::all) * x;
        if (uncertain != nullptr) right.rightCols(count).setIdentity();
        const Matrix solved = solve_positive(P(missing, missing), std::move(right));
        for (Index m = 0; m < count; ++m) {
          const Index column = columns[static_cast<std::size_t>(missing[static_cast<std::size_t>(m)])];
          rows(row, column) = solved(m, 0);
          if (uncertain != nullptr) spread(row, column) = solved(m, m + 1);
        }
      }
    });
    if (uncertain == nullptr) continue;
    const std::vector<Index> others = columns_of(views, false);
    if (others.empty()) continue;
    const Matrix weights = P * covariance_(columns, others);
    rows(members, others) = rows(members, columns) * weights;
    (*uncertain)(others, others) +=
        static_cast<double>(members.size()) * (covariance_(others, others) - covariance_(others, columns) * weights);
  }
  if (uncertain != nullptr) uncertain->diagonal() += spread.colwise().sum().transpose();
}

double Joint::error(const Matrix& rows, double ridge, Compute& compute) const {
  Matrix filled = rows;
  standardise(filled);
  std::map<Known, std::vector<Index>> alike;
  for (Index i = 0; i < rows.rows(); ++i) alike[known(rows, i)].push_back(i);
  fill_standard(filled, ridge, nullptr, compute);
  double sum = 0;
  double cells = 0;
  for (const auto& group : alike) {
    const Known& views = group.first;
    const std::vector<Index>& members = group.second;
    if (!views.front()) continue;
    const std::vector<Index> columns = columns_of(views, true);
    const Matrix P = precision(columns, ridge);
    const Matrix residuals = filled(members, columns) * P.leftCols(begin_[1]);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (Index j = 0; j < begin_[1]; ++j) {
        if (!(scale_(j) > 0) || std::isnan(rows(members[i], j))) continue;
        const double off = residuals(static_cast<Index>(i), j) / P(j, j);
        sum += off * off;
        cells += 1;
      }
    }
  }
  return cells > 0 ? sum / cells : std::numeric_limits<double>::infinity();
}

void Joint::fill(Matrix& rows, Compute& compute) const {
  Matrix filled = rows;
  standardise(filled);
  fill_standard(filled, ridge_, nullptr, compute);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      if (std::isnan(rows(i, j)) && !std::isnan(filled(i, j))) rows(i, j) = mean_(j) + scale_(j) * filled(i, j);
    }
  }
}

}  // namespace omvc
