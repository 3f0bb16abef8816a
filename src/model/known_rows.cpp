#include "model/known_rows.hpp"

#include "chunk/kinds.hpp"
#include "chunk/rows.hpp"
#include "scale/scaling.hpp"

namespace omvc {
namespace {

// Of one row of a block; entries that are not stored are zeros that were observed.
template <class T>
std::vector<Index> holes_of(const DenseBlock<T>& X, Index row, const ViewScaling& scaling) {
  std::vector<Index> out;
  const auto values = X.row(row);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (is_missing(scaling, j, static_cast<double>(values[j]))) out.push_back(static_cast<Index>(j));
  }
  return out;
}

template <class T>
std::vector<Index> holes_of(const CsrBlock<T>& X, Index row, const ViewScaling&) {
  std::vector<Index> out;
  const auto last = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]);
  for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]); e < last; ++e) {
    if (X.values[e] != X.values[e]) out.push_back(Index{X.columns[e]});
  }
  return out;
}

}  // namespace

Holes holes_of(const Chunk& chunk, const std::vector<ViewScaling>& scaling) {
  Holes out(chunk.views.size(), std::vector<std::vector<Index>>(chunk.rows.size()));
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (!scaling[v].known) continue;
    const std::vector<Index>& present = chunk.views[v].present;
    for (std::size_t i = 0; i < present.size(); ++i) {
      out[v][static_cast<std::size_t>(present[i])] = std::visit(
          [&](const auto& X) { return holes_of(X, static_cast<Index>(i), scaling[v]); }, chunk.views[v].block);
    }
  }
  return out;
}

KnownRows::KnownRows(const Model& model, std::size_t view, Compute& compute)
    : scaling_(model.intake().scaling()[view]), survey_(model.seen().survey().views[view]), view_(view) {
  std::vector<Chunk> chunks = model.rows_as_they_came(compute);
  scaled_ = chunks.empty();
  holes_.resize(model.intake().schema().views.size());
  if (scaled_) {
    chunks.push_back(rows_of(model.clusters().votes->table()));
    find_filled(chunks.front(), model.intake());
  }
  for (Chunk& chunk : chunks) {
    const std::size_t first = place_.size();
    place_.resize(first + chunk.rows.size(), {blocks_.size(), -1});
    const std::vector<Index>& present = chunk.views[view].present;
    for (std::size_t i = 0; i < present.size(); ++i) {
      place_[first + static_cast<std::size_t>(present[i])].row = static_cast<Index>(i);
    }
    Holes holes = scaled_ ? Holes() : holes_of(chunk, model.intake().scaling());
    for (std::size_t v = 0; v < holes.size(); ++v) {
      std::move(holes[v].begin(), holes[v].end(), std::back_inserter(holes_[v]));
    }
    blocks_.push_back(std::move(chunk.views[view].block));
  }
}

// Where the rows are known as they are compared only, a cell that has to the bit what stands in for a missing one is
// taken to be missing: nothing else is as good as certain to be the mean.
void KnownRows::find_filled(const Chunk& rows, const Intake& intake) {
  for (std::size_t v = 0; v < rows.views.size(); ++v) {
    holes_[v].resize(rows.rows.size());
    const auto* X = std::get_if<DenseBlock<float>>(&rows.views[v].block);
    const ViewScaling& scaling = intake.scaling()[v];
    if (X == nullptr || !scaling.known || scaling.unit_rows) continue;
    Chunk empty{.rows = {0}, .views = std::vector<ChunkView>(rows.views.size())};
    for (std::size_t u = 0; u < rows.views.size(); ++u) empty.views[u].block = take_rows(rows.views[u].block, {});
    empty.views[v] = {.block = DenseBlock<float>{.rows = 1,
                                                 .cols = X->cols,
                                                 .values = std::vector<float>(static_cast<std::size_t>(X->cols),
                                                                              static_cast<float>(kNan))},
                      .present = {0}};
    intake.prepare(empty);
    const Block filled = as_dense(narrowed(std::move(empty.views[v].block)));
    const auto* fill = std::get_if<DenseBlock<float>>(&filled);
    for (std::size_t i = 0; fill != nullptr && i < rows.views[v].present.size(); ++i) {
      std::vector<Index>& of_row = holes_[v][static_cast<std::size_t>(rows.views[v].present[i])];
      for (Index j = 0; j < X->cols; ++j) {
        if (X->row(static_cast<Index>(i))[static_cast<std::size_t>(j)] == fill->row(0)[static_cast<std::size_t>(j)]) {
          of_row.push_back(j);
        }
      }
    }
  }
}

RowVector KnownRows::row(std::int32_t id) const {
  const Place& place = place_[static_cast<std::size_t>(id)];
  const std::vector<Index> one{place.row};
  const Block dense = as_dense(widened(take_rows(blocks_[place.block], one)));
  const auto& cells = std::get<DenseBlock<double>>(dense).values;
  std::vector<double> values(cells.begin(), cells.end());
  if (scaled_) values = unscaled(scaling_, survey_, std::move(values));
  for (const Index j : holes(view_, id)) values[static_cast<std::size_t>(j)] = kNan;
  return Eigen::Map<const RowVector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace omvc
