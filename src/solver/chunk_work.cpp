#include "solver/chunk_work.hpp"

#include <algorithm>

#include "solver/steps.hpp"

namespace omvc {
namespace {

double fill_weight(const Options& options, const ViewState& view, const State& state) {
  if (options.method == Algorithm::onmf_i || options.method == Algorithm::onmf_da ||
      options.method == Algorithm::multinmf) {
    return 1;
  }
  return state.instances > 0 ? view.observed / state.instances : 0;
}

}  // namespace

void observe(const PreparedChunk& chunk, State& state) {
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    chunk.views[v].add_row_sum(state.views[v].row_sum);
    state.views[v].observed += static_cast<double>(chunk.views[v].rows());
  }
  state.instances += static_cast<double>(std::count(chunk.observed.begin(), chunk.observed.end(), true));
}

ChunkWork make_work(const Options& options, const PreparedChunk& chunk, const State& state) {
  ChunkWork work;
  const Index r = state.scale.size();
  work.observed = std::count(chunk.observed.begin(), chunk.observed.end(), true);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const std::vector<Index>& present = chunk.present(v);
    const ViewState& known = state.views[v];
    const auto add = [&](FilledView X) {
      work.views.push_back({.X = std::move(X), .V = {}, .XU = {}, .UtU = {}, .share = {}, .total = {}});
    };
    if (options.missing == Missing::ignore) {
      add(FilledView(chunk.views[v], present));
    } else {
      const Vector mean = known.observed > 0 ? Vector(known.row_sum / known.observed) : Vector(known.row_sum);
      add(FilledView(chunk.views[v], present, chunk.missing(v), mean, fill_weight(options, known, state)));
    }
    work.views.back().V.setZero(work.views.back().X.rows(), r);
    work.views.back().share.c = work.views.back().X.squared_norm();
  }
  work.consensus.setZero(chunk.size(), r);
  if (options.consensus == Consensus::tight) work.groups = group_by_pattern(work);
  return work;
}

}  // namespace omvc
