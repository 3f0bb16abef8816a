#include <algorithm>

#include "chunk/kinds.hpp"
#include "cut/row_cut.hpp"

namespace omvc {
namespace {

// So many rows that the search and the cuts stay within bounds.
std::size_t pieces_of(const Sample& sample, bool text, const Recipe& recipe) {
  bool sparse = text;
  for (const ChunkView& view : sample.pieces().front().chunk->views) sparse = sparse || is_sparse(view.block);
  return sample.pieces_for(sparse ? recipe.sparse_graph_rows : recipe.graph_rows);
}

}  // namespace

RowGraphs row_graphs(const Prototypes& prototypes, const Sample& sample, const SampleRows& rows,
                     const BuildInput& input, const Recipe& recipe, Compute& compute) {
  const bool text = by_direction(input.unit_rows, recipe);
  RowGraphs out;
  out.pieces = pieces_of(sample, text, recipe);
  const std::vector<PreparedChunk>& pieces = sample.pieces();
  for (std::size_t p = 0; p < out.pieces; ++p) out.rows += pieces[p].size();
  const std::size_t views = pieces.front().views.size();
  out.views.resize(views);
  for (std::size_t p = 0; p < out.pieces; ++p) {
    std::vector<std::vector<bool>> present(static_cast<std::size_t>(pieces[p].size()), std::vector<bool>(views, false));
    for (std::size_t v = 0; v < views; ++v) {
      for (const Index at : pieces[p].present(v)) present[static_cast<std::size_t>(at)][v] = true;
    }
    out.presence.insert(out.presence.end(), present.begin(), present.end());
  }
  const FinePrototypes& fine = prototypes.fine;
  out.prototypes = fine.table();
  if (!text) out.near.assign(rows.near.begin(), rows.near.begin() + static_cast<std::ptrdiff_t>(out.pieces));
  const bool listed = !text && out.rows > recipe.exact_rows;
  out.table = std::make_shared<const RowTable>(make_row_table(
      {.pieces = {pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(out.pieces)},
       .near = out.near,
       .prototypes = *fine.table(),
       .list_of = listed ? group_prototypes(*fine.table(), out.rows, compute) : std::vector<std::int32_t>(),
       .complete = !text},
      compute));
  if (!text) {
    out.through.emplace(out.near, out.rows, fine.size());
    out.completed.emplace();
  }
  const Index most =
      std::min(text ? recipe.most_text_neighbours : std::max(recipe.most_neighbours, recipe.far_neighbours),
               std::max<Index>(out.rows - 1, 1));
  std::vector<RowNeighbours> found(out.pieces);
  for_pieces(out.pieces, compute, [&](std::size_t p, Compute& own) {
    std::vector<NarrowMatrix> products;
    if (!text) find_near(pieces[p], *fine.table(), 1, 0, own, &products);
    found[p] = find_rows(
        pieces[p], products, *fine.table(), *out.table,
        {.count = most, .probes = recipe.graph_probes, .apart = true, .whole = !text, .own = sample.first(p)}, own);
  });
  for (std::size_t p = 0; p < out.pieces; ++p) {
    out.lists.insert(out.lists.end(), found[p].lists.begin(), found[p].lists.end());
    for (std::size_t v = 0; v < views; ++v)
      append(out.views[v], pieces[p].present(v), sample.first(p), found[p].views[v]);
    if (text) continue;
    std::vector<Index> all(static_cast<std::size_t>(pieces[p].size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
    append(*out.completed, all, sample.first(p), found[p].whole);
  }
  return out;
}

}  // namespace omvc
