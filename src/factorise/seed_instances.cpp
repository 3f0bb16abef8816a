#include "factorise/seed_instances.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "kernels/data_block.hpp"
#include "random/draw.hpp"

namespace omvc {
namespace {

// Writes row i of a block to a column of U.
void copy_row(const Block& block, Index i, Eigen::Ref<Eigen::VectorXd, 0, Eigen::InnerStride<>> column) {
  column.setZero();
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.offsets; }) {
          for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
               e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
            column(X.columns[e]) = static_cast<double>(X.values[e]);
          }
        } else {
          const auto row = X.row(i);
          for (Index j = 0; j < X.cols; ++j) column(j) = static_cast<double>(row[static_cast<std::size_t>(j)]);
        }
      },
      block);
}

double row_squared_norm(const Block& block, Index i) {
  Vector row(block_cols(block));
  copy_row(block, i, row);
  return row.squaredNorm();
}

// The instances of the chunk that have some view, each with its row in every view (-1 where it is absent).
struct Candidates {
  std::vector<std::vector<Index>> row_in;  // view, position
  std::vector<Index> positions;
};

Candidates find_candidates(const PreparedChunk& chunk) {
  Candidates found;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    std::vector<Index> rows(chunk.observed.size(), -1);
    for (std::size_t i = 0; i < chunk.present(v).size(); ++i) {
      rows[static_cast<std::size_t>(chunk.present(v)[i])] = static_cast<Index>(i);
    }
    found.row_in.push_back(std::move(rows));
  }
  for (std::size_t i = 0; i < chunk.observed.size(); ++i) {
    if (chunk.observed[i]) found.positions.push_back(static_cast<Index>(i));
  }
  return found;
}

Vector mean_of(const DataBlock& view, Compute& compute) {
  Vector mean = Vector::Zero(view.cols());
  view.add_row_sum(mean, compute);
  return mean / static_cast<double>(std::max<Index>(1, view.rows()));
}

// Squared distances between instances, as means over the views that both have, or over all views where they are filled.
class Distances {
 public:
  Distances(const PreparedChunk& chunk, const Candidates& candidates, bool filled, Compute& compute)
      : chunk_(&chunk), candidates_(&candidates), filled_(filled), compute_(&compute) {
    for (std::size_t v = 0; v < chunk.views.size(); ++v) {
      const Block& block = chunk.chunk->views[v].block;
      norms_.emplace_back();
      for (Index i = 0; i < block_rows(block); ++i) norms_.back().push_back(row_squared_norm(block, i));
      if (filled) means_.push_back(mean_of(chunk.views[v], compute));
    }
  }

  // From the instance at `position` to every candidate; -1 where they have no view in common.
  std::vector<double> from(std::size_t position) const {
    const std::vector<Index>& all = candidates_->positions;
    std::vector<double> sum(all.size(), 0);
    std::vector<int> common(all.size(), 0);
    for (std::size_t v = 0; v < chunk_->views.size(); ++v) {
      const Index row = candidates_->row_in[v][position];
      if (row < 0 && !filled_) continue;
      Matrix x(chunk_->views[v].cols(), 1);
      if (row >= 0) {
        copy_row(chunk_->chunk->views[v].block, row, x.col(0));
      } else {
        x = means_[v];
      }
      const double own = row >= 0 ? norms_[v][static_cast<std::size_t>(row)] : x.squaredNorm();
      Matrix products(chunk_->views[v].rows(), 1);
      chunk_->views[v].times(x, products, *compute_);
      const double from_mean = filled_ ? (means_[v] - x.col(0)).squaredNorm() : 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Index other = candidates_->row_in[v][static_cast<std::size_t>(all[i])];
        if (other < 0 && !filled_) continue;
        sum[i] += other < 0 ? from_mean
                            : std::max(0.0, norms_[v][static_cast<std::size_t>(other)] - 2 * products(other, 0) + own);
        ++common[i];
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) sum[i] = common[i] > 0 ? sum[i] / common[i] : -1;
    return sum;
  }

 private:
  const PreparedChunk* chunk_;
  const Candidates* candidates_;
  bool filled_;
  Compute* compute_;
  std::vector<std::vector<double>> norms_;  // view, row
  std::vector<Vector> means_;               // of each view, where missing rows are filled
};

std::vector<Index> choose_instances(const PreparedChunk& chunk, const Candidates& candidates, Index count,
                                    const Random& random, bool filled, Compute& compute) {
  const std::size_t n = candidates.positions.size();
  const Distances distances(chunk, candidates, filled, compute);
  std::vector<Index> chosen;
  std::vector<double> nearest(n, 1.0);
  std::vector<bool> taken(n, false);
  double farthest = 0;
  while (static_cast<Index>(chosen.size()) < std::min<Index>(count, static_cast<Index>(n))) {
    const Index drawn = draw(nearest, random.uniform(chosen.size()));
    // Where all others coincide with one that was drawn, the first that was not is taken.
    const auto pick = drawn >= 0
                          ? static_cast<std::size_t>(drawn)
                          : static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    taken[pick] = true;
    const auto position = static_cast<std::size_t>(candidates.positions[pick]);
    const std::vector<double> distance = distances.from(position);
    farthest = std::max(farthest, *std::max_element(distance.begin(), distance.end()));
    for (std::size_t i = 0; i < n; ++i) {
      const double d = distance[i] >= 0 ? distance[i] : farthest;
      nearest[i] = chosen.empty() ? d : std::min(nearest[i], d);
    }
    nearest[pick] = 0;
    chosen.push_back(static_cast<Index>(position));
  }
  return chosen;
}

}  // namespace

std::vector<Matrix> seed_instances(const PreparedChunk& chunk, Index count, const Random& random, Compute& compute,
                                   Absent absent) {
  const Candidates candidates = find_candidates(chunk);
  const std::vector<Index> chosen =
      choose_instances(chunk, candidates, count, random, absent == Absent::filled, compute);
  std::vector<Matrix> seeds;
  std::uint64_t used = static_cast<std::uint64_t>(count);  // random numbers spent so far
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Block& block = chunk.chunk->views[v].block;
    Matrix U = Matrix::Zero(block_cols(block), count);
    const Vector mean = mean_of(chunk.views[v], compute);
    for (Index k = 0; k < count; ++k) {
      const bool drawn = k < static_cast<Index>(chosen.size());
      const Index row =
          drawn ? candidates.row_in[v][static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])] : -1;
      if (row >= 0) {
        copy_row(block, row, U.col(k));
      } else if (drawn && absent != Absent::varied) {
        U.col(k) = mean;
      } else {
        for (Index j = 0; j < U.rows(); ++j) {
          U(j, k) = mean(j) * (0.5 + random.uniform(used + static_cast<std::uint64_t>(j * count + k)));
        }
      }
    }
    used += static_cast<std::uint64_t>(U.size());
    seeds.push_back(std::move(U));
  }
  return seeds;
}

}  // namespace omvc
