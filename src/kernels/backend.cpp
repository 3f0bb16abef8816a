#include "kernels/backend.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "chunk/kinds.hpp"
#include "kernels/cpu_forms.hpp"

namespace omvc {
namespace {

class CpuBackend final : public Backend {
 public:
  void find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                 std::vector<NarrowMatrix>* products, Compute& compute) override {
    cpu::find_near(chunk, table, beyond, near, products, compute);
  }
  void find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                 const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search, RowNeighbours& out,
                 Compute& compute) override {
    cpu::find_rows(chunk, products, prototypes, rows, search, out, compute);
  }
  void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                        std::vector<Matrix>& sums, Compute& compute) override {
    cpu::add_rounded_rows(members, sign, quantum, sums, compute);
  }
  void times(const DataBlock& X, const MatrixIn& U, MatrixOut out, Compute& compute) override {
    cpu::times(X.block(), U, out, compute);
  }
  void times(const DataBlock& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) override {
    cpu::times(X.block(), U, out, compute);
  }
  void add_transpose_times(const DataBlock& X, const MatrixIn& V, MatrixOut out, Compute& compute) override {
    cpu::add_transpose_times(X.block(), V, out, compute);
  }
  std::string name() const override { return "processors"; }
};

// Values that no sum of squares holds have no distances.
void check_placed(const PreparedChunk& chunk, const Near& near) {
  for (std::size_t i = 0; i < near.distances.size(); ++i) {
    if (!chunk.observed[i]) continue;
    if (std::isfinite(near.distances[i]) && near.id(static_cast<Index>(i), near.count - 1) >= 0) continue;
    throw Error(ErrorKind::data, fmt::format("row {}: its distances to what was learned are no finite numbers; its "
                                             "values, or those of the model, are far too large",
                                             chunk.chunk->rows[i]));
  }
}

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

Near find_near(const PreparedChunk& chunk, const PrototypeTable& table, Index wanted, double beyond, Compute& compute,
               std::vector<NarrowMatrix>* products) {
  const Timed timed(compute.profile(), Step::prototypes);
  const Index n = chunk.size();
  Near near;
  near.count = std::max<Index>(std::min({wanted, table.size(), kMostNear}), 1);
  near.ids.assign(static_cast<std::size_t>(n * near.count), -1);
  near.weights.assign(static_cast<std::size_t>(n * near.count), 0.0);
  near.distances.assign(static_cast<std::size_t>(n), std::numeric_limits<double>::quiet_NaN());
  if (table.size() == 0) return near;  // one place for each instance, and nothing in it
  backend_of(compute).find_near(chunk, table, beyond, near, products, compute);
  check_placed(chunk, near);
  return near;
}

RowNeighbours find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                        const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search,
                        Compute& compute) {
  const Timed timed(compute.profile(), Step::neighbours);
  const auto none = [&](Index instances) {
    const auto places = static_cast<std::size_t>(instances * search.count);
    return NearRows{.count = search.count,
                    .ids = std::vector<std::int32_t>(places, -1),
                    .distances = std::vector<double>(places, std::numeric_limits<double>::infinity())};
  };
  RowNeighbours out;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Block& block = chunk.chunk->views[v].block;
    if (block_rows(block) > 0 && is_sparse(block) != rows.views[v].sparse) {
      throw Error(ErrorKind::data, "rows are compared with others of which one is dense and the other sparse");
    }
    out.views.push_back(none(block_rows(block)));
  }
  if (search.whole) out.whole = none(chunk.size());
  out.lists.resize(static_cast<std::size_t>(chunk.size()));
  backend_of(compute).find_rows(chunk, products, prototypes, rows, search, out, compute);
  return out;
}

void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                      std::vector<Matrix>& sums, Compute& compute) {
  const Timed timed(compute.profile(), Step::prototypes);
  backend_of(compute).add_rounded_rows(members, sign, quantum, sums, compute);
}

void DataBlock::times(const MatrixIn& U, MatrixOut out, Compute& compute) const {
  compute.poll();
  const Timed timed(compute.profile(), Step::times, U.cols());
  backend_of(compute).times(*this, U, out, compute);
}

void DataBlock::times(const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) const {
  compute.poll();
  const Timed timed(compute.profile(), Step::times, U.cols());
  backend_of(compute).times(*this, U, out, compute);
}

void DataBlock::add_transpose_times(const MatrixIn& V, MatrixOut out, Compute& compute) const {
  const Timed timed(compute.profile(), Step::transpose_times, V.cols());
  backend_of(compute).add_transpose_times(*this, V, out, compute);
}

}  // namespace omvc
