#include "factorise/chunk_work.hpp"

#include <algorithm>

#include "factorise/steps.hpp"

namespace omvc {
namespace {

double fill_weight(const FactorOptions& options, const ViewState& view, const State& state) {
  if (options.missing == Missing::fill_whole) return 1;
  return state.instances > 0 ? view.observed / state.instances : 0;
}

}  // namespace

void observe(const FactorOptions& options, const PreparedChunk& chunk, State& state, Compute& compute) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (options.missing != Missing::ignore) chunk.views[v].add_row_sum(state.views[v].row_sum, compute);
    state.views[v].observed += static_cast<double>(chunk.views[v].rows());
  }
  state.instances += static_cast<double>(std::count(chunk.observed.begin(), chunk.observed.end(), true));
}

void make_work(const FactorOptions& options, const PreparedChunk& chunk, const State& state, ChunkWork& work,
               Compute& compute) {
  const Index r = state.scale.size();
  work.views.resize(chunk.views.size());
  work.observed = std::count(chunk.observed.begin(), chunk.observed.end(), true);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const std::vector<Index>& present = chunk.present(v);
    const ViewState& known = state.views[v];
    ViewWork& view = work.views[v];
    if (options.missing == Missing::ignore) {
      view.X = FilledView(chunk.views[v], present);
    } else {
      const Vector mean = known.observed > 0 ? Vector(known.row_sum / known.observed) : Vector(known.row_sum);
      view.X = FilledView(chunk.views[v], present, chunk.missing(v), mean, fill_weight(options, known, state));
    }
    view.V.setZero(view.X.rows(), r);
    view.share.c = view.X.squared_norm(compute);
  }
  work.consensus.setZero(chunk.size(), r);
  work.ridge = 0;
  work.groups.clear();
  if (options.consensus == Consensus::tight) work.groups = group_by_pattern(work);
}

}  // namespace omvc
