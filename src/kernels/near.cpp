#include "kernels/near.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/cpu_forms.hpp"
#include "kernels/nearest.hpp"
#include "kernels/simd_search.hpp"
#include "kernels/tall.hpp"
#include "parallel/prefetch.hpp"

namespace omvc {
namespace {

constexpr Index kRowsAtOnce = 64;  // that a thread searches
constexpr Index kFeatureBlock = 32;
constexpr Index kScannedAtOnce = 256;  // distances of prototypes of which most are too large
constexpr double kPairsWorthThreads = 1 << 16;

// ||x||^2 of every row.
std::vector<double> squares_of_rows(const Block& block, Compute& compute) {
  return std::visit(
      [&](const auto& X) {
        std::vector<double> squares(static_cast<std::size_t>(X.rows), 0.0);
        const bool in_parallel = static_cast<double>(X.values.size()) > kPairsWorthThreads;
        for_blocks(compute, X.rows, kRowsAtOnce, in_parallel, [&](Index first, Index last) {
          for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
            std::size_t begin = i * static_cast<std::size_t>(X.cols);
            std::size_t end = begin + static_cast<std::size_t>(X.cols);
            if constexpr (requires { X.offsets; }) {
              begin = static_cast<std::size_t>(X.offsets[i]);
              end = static_cast<std::size_t>(X.offsets[i + 1]);
            }
            for (std::size_t e = begin; e < end; ++e) {
              squares[i] += static_cast<double>(X.values[e]) * static_cast<double>(X.values[e]);
            }
          }
        });
        return squares;
      },
      block);
}

struct Listed {
  std::array<double, kMostNear + 1> distance;
  std::array<std::int32_t, kMostNear + 1> id;
};

// The `count` smallest of the row, ascending; the lowest number among equals.
void smallest(const double* row, Index m, Index count, Listed& out) {
  out.distance.fill(std::numeric_limits<double>::infinity());
  out.id.fill(-1);
  std::array<std::int32_t, kScannedAtOnce> places;
  double worst = std::numeric_limits<double>::infinity();
  const double reach = cpu::within_reach(row, m, count);
  for (Index first = 0; first < m; first += kScannedAtOnce) {
    const double* values = row + first;
    const double bound = std::min(reach, worst);
    const Index few = simd::places_up_to(values, std::min(kScannedAtOnce, m - first), bound, places.data());
    for (Index f = 0; f < few; ++f) {
      const std::int32_t k = places[static_cast<std::size_t>(f)];
      if (!(values[k] < worst)) continue;
      auto at = static_cast<std::size_t>(count - 1);
      for (; at > 0 && values[k] < out.distance[at - 1]; --at) {
        out.distance[at] = out.distance[at - 1];
        out.id[at] = out.id[at - 1];
      }
      out.distance[at] = values[k];
      out.id[at] = static_cast<std::int32_t>(first) + k;
      worst = out.distance[static_cast<std::size_t>(count - 1)];
    }
  }
}

// Multiples of 1 / kWeightSteps that add up to 1; the nearest takes what rounding leaves.
void set_weights(const Listed& listed, Index count, double reference, double* weights) {
  double sum = 0;
  for (Index j = 0; j < count; ++j) sum += reference - listed.distance[static_cast<std::size_t>(j)];
  double rest = 1;
  for (Index j = count - 1; j > 0; --j) {
    const double share = sum > 0 ? (reference - listed.distance[static_cast<std::size_t>(j)]) / sum : 0;
    weights[j] = std::round(share * kWeightSteps) / kWeightSteps;
    rest -= weights[j];
  }
  weights[0] = rest;
}

struct RowParts {
  std::vector<double> squares;  // of the observed views together
  std::vector<double> views;    // observed
};

RowParts parts_of(const PreparedChunk& chunk, const std::vector<std::vector<double>>& squares) {
  const auto n = static_cast<std::size_t>(chunk.size());
  RowParts parts{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    for (std::size_t i = 0; i < squares[v].size(); ++i) {
      const auto at = static_cast<std::size_t>(chunk.present(v)[i]);
      parts.squares[at] += squares[v][i];
      parts.views[at] += 1;
    }
  }
  return parts;
}

}  // namespace

std::uint64_t new_table_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void PrototypeTable::measure(Compute& compute) {
  id = new_table_id();
  norms.clear();
  for (const NarrowMatrix& P : columns) {
    norms.push_back(sum_of_tall_blocks(
        compute, P.rows(), P.cols(), RowVector(RowVector::Zero(P.cols())), [&](Index first, Index count) {
          return RowVector(P.middleRows(first, count).cast<double>().colwise().squaredNorm());
        }));
  }
}

void cpu::find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                    std::vector<NarrowMatrix>* products, Compute& compute) {
  const Index m = table.size();
  const Index n = chunk.size();
  for (const ChunkView& view : chunk.chunk->views) near.squares.push_back(squares_of_rows(view.block, compute));
  const RowParts parts = parts_of(chunk, near.squares);

  std::vector<NarrowMatrix> unwanted;
  std::vector<NarrowMatrix>& made = products != nullptr ? *products : unwanted;
  made.resize(chunk.views.size());
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    made[v].resize(chunk.views[v].rows(), m);
    const Timed timed(compute.profile(), Step::times, m);
    cpu::times(chunk.views[v].block(), table.columns[v], made[v], compute);
  }
  const Index listed = std::min(near.count + 1, m);
  std::vector<double> gaps(static_cast<std::size_t>(n), 0.0);
  for_blocks(compute, n, kRowsAtOnce, static_cast<double>(n * m) > kPairsWorthThreads, [&](Index first, Index last) {
    Listed found;
    RowVector distances(m);                       // short of ||x||^2
    std::vector<Index> next(chunk.views.size());  // row of each view
    for (std::size_t v = 0; v < next.size(); ++v) {
      const std::vector<Index>& present = chunk.present(v);
      next[v] = std::lower_bound(present.begin(), present.end(), first) - present.begin();
    }
    for (Index i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (parts.views[at] == 0) continue;
      distances.setZero();
      for (std::size_t v = 0; v < next.size(); ++v) {
        const auto row = static_cast<std::size_t>(next[v]);
        if (row == chunk.present(v).size() || chunk.present(v)[row] != i) continue;
        simd::add_short_distances(table.norms[v].data(), made[v].row(next[v]++).data(), m, distances.data());
      }
      smallest(distances.data(), m, listed, found);
      const double reference = listed > near.count ? found.distance[static_cast<std::size_t>(near.count)]
                                                   : found.distance[static_cast<std::size_t>(listed - 1)] + beyond;
      if (!std::isfinite(reference)) continue;  // values so large that their squares are not numbers any more
      set_weights(found, near.count, reference, near.weights.data() + i * near.count);
      std::copy_n(found.id.begin(), near.count, near.ids.begin() + i * near.count);
      gaps[at] = found.distance[static_cast<std::size_t>(near.count - 1)] - found.distance[0];
      near.distances[at] = std::max(0.0, found.distance[0] + parts.squares[at]) / parts.views[at];
    }
  });
  for (const double gap : gaps) near.gap += gap;
}

void cpu::add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                           std::vector<Matrix>& sums, Compute& compute) {
  struct Part {
    std::size_t view;
    Index first;
    Index last;
  };
  std::vector<Part> parts;
  double values = 0;
  for (std::size_t v = 0; v < sums.size(); ++v) {
    for (const Members& of : members) {
      values += std::visit([](const auto& X) { return static_cast<double>(X.values.size()); },
                           of.chunk->chunk->views[v].block);
    }
    // A part of sparse rows has to be looked for in each of them.
    const Index features = sums[v].rows();
    const Index block = std::max<Index>(kFeatureBlock, (features + compute.threads() - 1) / compute.threads());
    for (Index first = 0; first < features; first += block) {
      parts.push_back({v, first, std::min(features, first + block)});
    }
  }
  const auto add = [&](const auto& X, const Members& of, const Part& part) {
    const auto& [view, first, last] = part;
    // 1.5 * 2^52 times the quantum: adding and subtracting it leaves multiples of it.
    const double round = 6755399441055744.0 * quantum[view];
    const Index stride = sums[view].outerStride();
    const std::vector<Index>& present = of.chunk->present(view);
    for (Index i = 0; i < X.rows; ++i) {
      const std::int32_t id = (*of.ids)[static_cast<std::size_t>(present[static_cast<std::size_t>(i)])];
      if (id < 0) continue;
      double* to = sums[view].data() + id;
      if constexpr (requires { X.offsets; }) {
        const auto begin = X.columns.begin() + X.offsets[static_cast<std::size_t>(i)];
        const auto end = X.columns.begin() + X.offsets[static_cast<std::size_t>(i) + 1];
        for (auto column = std::lower_bound(begin, end, first); column != end && *column < last; ++column) {
          const auto e = static_cast<std::size_t>(column - X.columns.begin());
          to[*column * stride] += sign * ((static_cast<double>(X.values[e]) + round) - round);
        }
      } else {
        const auto* x = X.values.data() + i * X.cols;
        prefetch_stripe(x, X.rows - i, X.cols, first, last);
        for (Index j = first; j < last; ++j) to[j * stride] += sign * ((static_cast<double>(x[j]) + round) - round);
      }
    }
  };
  for_blocks(compute, static_cast<Index>(parts.size()), 1, values > kPairsWorthThreads, [&](Index at, Index) {
    const Part& part = parts[static_cast<std::size_t>(at)];
    for (const Members& of : members) {
      std::visit([&](const auto& X) { add(X, of, part); }, of.chunk->chunk->views[part.view].block);
    }
  });
}

}  // namespace omvc
