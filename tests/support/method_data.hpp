// Small incomplete data for tests of methods, and the parts of a fit that a method needs to be run by hand.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "omvc/clusterer.hpp"
#include "omvc/evaluation.hpp"
#include "omvc/planted.hpp"

#include "compare/method.hpp"
#include "kernels/naive.hpp"
#include "support/collected.hpp"
#include "support/random_data.hpp"

namespace omvc::test {

// Two views, dense and sparse, of three clusters; every fourth instance lacks the first view, every fifth the second,
// and every twentieth both.
inline Chunk small_chunk(Index first, Index n) {
  Matrix left = random_matrix(n, 6, static_cast<std::uint64_t>(first) + 1);
  Matrix right = random_sparse(n, 15, 0.3, static_cast<std::uint64_t>(first) + 2);
  std::vector<Index> in_left, in_right;
  for (Index i = 0; i < n; ++i) {
    const Index cluster = (first + i) % 3;
    left.row(i).segment(2 * cluster, 2).array() += 1;
    right.row(i).segment(5 * cluster, 5).array() += 1;
    if ((first + i) % 4 != 0) in_left.push_back(i);
    if ((first + i) % 5 != 0) in_right.push_back(i);
  }
  Chunk chunk{iota(n, first), {}};
  chunk.views.push_back(view_of(left, in_left, dense_block<double>));
  chunk.views.push_back(view_of(right, in_right, csr_block<double>));
  return chunk;
}

inline const Schema& small_schema() {
  static const Schema kSchema = schema_of({6, 15});
  return kSchema;
}

// A view with a row for every instance: the observed one, or `fill`.
inline Matrix filled_rows(const ChunkView& view, Index instances, const RowVector& fill) {
  Matrix out = fill.replicate(instances, 1);
  const Matrix rows = naive::densify(view.block);
  for (std::size_t i = 0; i < view.present.size(); ++i) out.row(view.present[i]) = rows.row(static_cast<Index>(i));
  return out;
}

// The mean of the observed rows.
inline RowVector mean_row(const ChunkView& view) { return naive::densify(view.block).colwise().mean(); }

// Runs a method over chunks as a fit does, without scaling.
class MethodRun {
 public:
  MethodRun(const Options& options, std::vector<Chunk> chunks) : chunks_(std::move(chunks)) {
    counts_.squares.assign(small_schema().views.size(), 0.0);
    method_ = make_method({.options = options,
                           .schema = small_schema(),
                           .passes = options.passes,
                           .again = true,
                           .rows = {},
                           .counts = &counts_});
  }

  void pass(int number) {
    method_->begin_pass(number);
    for (const Chunk& chunk : chunks_) {
      const PreparedChunk data(chunk);
      if (number == 1) {
        counts_.instances = std::max(counts_.instances, chunk.rows.back() + 1);
        for (std::size_t v = 0; v < data.views.size(); ++v) counts_.squares[v] += data.views[v].squared_norm(compute_);
        counts_.observed += std::count(data.observed.begin(), data.observed.end(), true);
      }
      method_->learn(data, compute_);
    }
    method_->end_pass(compute_);
  }

  Method& method() { return *method_; }
  double loss() const { return method_->average_loss(compute_); }
  Index instances() const { return counts_.instances; }
  Index observed() const { return counts_.observed; }

  Matrix embedding() const {
    Matrix out(counts_.instances, method_->rank());
    method_->embedding(out.rows())->read(0, out.rows(), out.data());
    return out;
  }

 private:
  std::vector<Chunk> chunks_;
  StreamCounts counts_;
  std::unique_ptr<Method> method_;
  mutable Compute compute_{1};
};

// NMI of labels and planted clusters.
inline double agreement(const std::vector<int>& labels, const PlantedOptions& data) {
  Contingency counts;
  for (std::size_t i = 0; i < labels.size(); ++i) counts.add(labels[i], planted_label(data, static_cast<Index>(i)));
  return score(counts).nmi_geometric;
}

}  // namespace omvc::test
