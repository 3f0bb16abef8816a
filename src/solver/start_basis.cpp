#include "solver/start_basis.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "kernels/data_block.hpp"
#include "random/philox.hpp"
#include "solver/steps.hpp"

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

Candidates find_candidates(const Chunk& chunk) {
  Candidates found;
  std::vector<bool> any(chunk.rows.size(), false);
  for (const ChunkView& view : chunk.views) {
    std::vector<Index> rows(chunk.rows.size(), -1);
    for (std::size_t i = 0; i < view.present.size(); ++i) {
      rows[static_cast<std::size_t>(view.present[i])] = static_cast<Index>(i);
      any[static_cast<std::size_t>(view.present[i])] = true;
    }
    found.row_in.push_back(std::move(rows));
  }
  for (std::size_t i = 0; i < any.size(); ++i) {
    if (any[i]) found.positions.push_back(static_cast<Index>(i));
  }
  return found;
}

// Draws the instances that become components: the first uniformly, each further one with a probability that grows with
// the squared distance to the nearest chosen one, as a mean over the views that both have. Two instances without a
// common view count as far apart as the farthest pair known.
std::vector<Index> choose_instances(const Options& options, const Chunk& chunk, const Candidates& candidates, Index r,
                                    Workers& workers) {
  const Random random(options.seed, Purpose::basis);
  const std::size_t n = candidates.positions.size();
  std::vector<std::vector<double>> norms;  // view, row
  std::vector<DataBlock> blocks;
  for (const ChunkView& view : chunk.views) {
    blocks.emplace_back(view.block);
    norms.emplace_back();
    for (Index i = 0; i < block_rows(view.block); ++i) norms.back().push_back(row_squared_norm(view.block, i));
  }
  std::vector<Index> chosen;
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  double farthest = 0;
  while (static_cast<Index>(chosen.size()) < std::min<Index>(r, static_cast<Index>(n))) {
    const double draw = random.uniform(chosen.size());
    std::size_t pick = n - 1;
    if (chosen.empty()) {
      pick = std::min(n - 1, static_cast<std::size_t>(draw * static_cast<double>(n)));
    } else {
      double sum = 0;
      for (const double x : nearest) sum += x;
      double left = draw * sum;
      for (std::size_t i = 0; i < n; ++i) {
        left -= nearest[i];
        if (left < 0) {
          pick = i;
          break;
        }
      }
    }
    const auto at = static_cast<std::size_t>(candidates.positions[pick]);
    chosen.push_back(static_cast<Index>(at));

    std::vector<double> distance(n, 0);
    std::vector<int> common(n, 0);
    for (std::size_t v = 0; v < blocks.size(); ++v) {
      const Index row = candidates.row_in[v][at];
      if (row < 0) continue;
      Matrix x(blocks[v].cols(), 1);
      copy_row(chunk.views[v].block, row, x.col(0));
      Matrix products(blocks[v].rows(), 1);
      blocks[v].times(x, products, workers);
      for (std::size_t i = 0; i < n; ++i) {
        const Index other = candidates.row_in[v][static_cast<std::size_t>(candidates.positions[i])];
        if (other < 0) continue;
        const double squared = norms[v][static_cast<std::size_t>(other)] - 2 * products(other, 0) +
                               norms[v][static_cast<std::size_t>(row)];
        distance[i] += std::max(0.0, squared);
        ++common[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (common[i] > 0) distance[i] /= common[i];
      farthest = std::max(farthest, distance[i]);
    }
    for (std::size_t i = 0; i < n; ++i) nearest[i] = std::min(nearest[i], common[i] > 0 ? distance[i] : farthest);
    nearest[pick] = 0;
  }
  return chosen;
}

void fill_fresh(const Options& options, const Chunk& chunk, const std::vector<std::size_t>& fresh, State& state,
                Workers& workers) {
  const Index r = state.scale.size();
  if (options.start == Start::random) {
    for (const std::size_t v : fresh) {
      const Random random(options.seed, Purpose::basis, static_cast<std::uint32_t>(v));
      Matrix& U = state.views[v].U;
      for (Index i = 0; i < U.size(); ++i) U.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
    }
    return;
  }
  const Candidates candidates = find_candidates(chunk);
  const std::vector<Index> chosen = choose_instances(options, chunk, candidates, r, workers);
  for (const std::size_t v : fresh) {
    const ChunkView& view = chunk.views[v];
    const Random random(options.seed, Purpose::basis, static_cast<std::uint32_t>(v) + 1);
    Vector mean = Vector::Zero(block_cols(view.block));
    DataBlock(view.block).add_row_sum(mean);
    mean /= static_cast<double>(view.present.size());
    Matrix& U = state.views[v].U;
    for (Index k = 0; k < r; ++k) {
      const Index row = k < static_cast<Index>(chosen.size())
                            ? candidates.row_in[v][static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])]
                            : -1;
      if (row >= 0) {
        copy_row(view.block, row, U.col(k));
        continue;
      }
      for (Index j = 0; j < U.rows(); ++j) {
        U(j, k) = mean(j) * (0.5 + random.uniform(static_cast<std::uint64_t>(j * r + k)));
      }
    }
  }
}

}  // namespace

void start_basis(const Options& options, const Chunk& chunk, State& state, Workers& workers) {
  std::vector<std::size_t> fresh;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (state.views[v].observed == 0 && !chunk.views[v].present.empty()) fresh.push_back(v);
  }
  if (fresh.empty()) return;
  fill_fresh(options, chunk, fresh, state, workers);
  rescale_basis(options, state, nullptr);
}
}  // namespace omvc
