// One small incomplete data set, and the pieces of files that hold it.
#pragma once

#include <string>
#include <vector>

#include "omvc/planted.hpp"

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc::test {

// Two dense views and one that is mostly zeros. Values are multiples of 1/1024, so text holds them exactly.
struct DataSet {
  std::vector<Matrix> views;               // absent rows hold 0
  std::vector<std::vector<bool>> present;  // [view][instance]
  std::vector<int> truth;

  Index rows() const { return views[0].rows(); }
  bool has(std::size_t view, Index row) const { return present[view][static_cast<std::size_t>(row)]; }
  static bool sparse(std::size_t view) { return view == 2; }

  // The view with `mark` in the place of what is absent.
  Matrix marked(std::size_t view, double mark) const {
    Matrix X = views[view];
    for (Index i = 0; i < rows(); ++i) {
      if (!has(view, i)) X.row(i).setConstant(mark);
    }
    return X;
  }

  // instances x views of 0 and 1
  Matrix mask() const {
    Matrix out(rows(), static_cast<Index>(views.size()));
    for (std::size_t v = 0; v < views.size(); ++v) {
      for (Index i = 0; i < rows(); ++i) out(i, static_cast<Index>(v)) = has(v, i) ? 1 : 0;
    }
    return out;
  }

  std::vector<Index> present_rows(std::size_t view) const {
    std::vector<Index> out;
    for (Index i = 0; i < rows(); ++i) {
      if (has(view, i)) out.push_back(i);
    }
    return out;
  }

  // As a reader delivers it, the third view dense or sparse.
  Chunk table(bool sparse_third) const {
    Chunk chunk;
    chunk.rows = iota(rows());
    for (std::size_t v = 0; v < views.size(); ++v) {
      const auto block = [&](const Matrix& X) {
        return sparse(v) && sparse_third ? Block(csr_block<double>(X)) : Block(dense_block<double>(X));
      };
      chunk.views.push_back(view_of(views[v], present_rows(v), block));
    }
    return chunk;
  }
};

inline DataSet small_data_set() {
  const PlantedOptions planted{
      .instances = 150, .features = {8, 5, 40}, .density = {1, 1, 0.15}, .clusters = 3, .missing = 0.3, .seed = 11};
  const auto source = make_planted_source(planted);
  const Chunk chunk = read_all(*source);
  DataSet data;
  for (const ChunkView& view : chunk.views) {
    Matrix X = Matrix::Zero(planted.instances, block_cols(view.block));
    data.present.emplace_back(static_cast<std::size_t>(planted.instances), false);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      const std::vector<double> row = dense_row(view.block, static_cast<Index>(i));
      for (std::size_t j = 0; j < row.size(); ++j) {
        X(view.present[i], static_cast<Index>(j)) = std::round(row[j] * 1024) / 1024;
      }
      data.present.back()[static_cast<std::size_t>(view.present[i])] = true;
    }
    data.views.push_back(std::move(X));
  }
  for (Index i = 0; i < planted.instances; ++i) data.truth.push_back(planted_label(planted, i));
  return data;
}

inline std::vector<double> by_row(const Matrix& X) {
  std::vector<double> out;
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) out.push_back(X(i, j));
  }
  return out;
}

inline std::vector<double> by_column(const Matrix& X) { return by_row(X.transpose()); }

}  // namespace omvc::test
