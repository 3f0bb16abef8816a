#include "factorise/chunk_work.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "factorise/steps.hpp"

namespace omvc {
namespace {

double fill_weight(const FactorOptions& options, const ViewState& view, const State& state) {
  if (options.missing == Missing::fill_whole) return 1;
  return state.instances > 0 ? view.observed / state.instances : 0;
}

// Operations of one round on a view beside which waking threads costs nothing, and those that the operations of a view
// divide among threads by themselves (kernels/data_block.cpp).
constexpr double kWorthViews = 1 << 16;
constexpr double kDivided = 1 << 19;

// Which views go first, and whether they go side by side.
void plan_views(Index r, ChunkWork& work, const Compute& compute) {
  std::vector<double> numbers;
  for (const ViewWork& view : work.views) {
    numbers.push_back(view.X.entries() + static_cast<double>(r) * static_cast<double>(view.X.features()));
  }
  work.largest_first.resize(work.views.size());
  std::iota(work.largest_first.begin(), work.largest_first.end(), 0);
  std::stable_sort(work.largest_first.begin(), work.largest_first.end(),
                   [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
  const double all = std::accumulate(numbers.begin(), numbers.end(), 0.0) * static_cast<double>(r);
  const double most = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) * static_cast<double>(r);
  work.side_by_side = compute.threads() > 1 && compute.backend() == nullptr && work.views.size() > 1 &&
                      all > kWorthViews && most < kDivided;
}

}  // namespace

void for_each_view(ChunkWork& work, Compute& compute, const std::function<void(std::size_t, Compute&)>& body) {
  compute.poll();
  if (!work.side_by_side) {
    for (std::size_t v = 0; v < work.views.size(); ++v) body(v, compute);
    return;
  }
  while (work.alone.size() < work.views.size()) work.alone.push_back(std::make_unique<Compute>(1, compute));
  const Timed timed(compute.profile(), Step::learning);
  compute.run(static_cast<std::int64_t>(work.views.size()), [&](std::int64_t i) {
    const std::size_t v = work.largest_first[static_cast<std::size_t>(i)];
    Compute& alone = *work.alone[v];
    alone.profile().start();
    const Timed learning(alone.profile(), Step::learning);
    body(v, alone);
  });
  std::vector<Profile*> profiles;
  for (std::size_t v = 0; v < work.views.size(); ++v) profiles.push_back(&work.alone[v]->profile());
  compute.profile().take_over(profiles);
}

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
  plan_views(r, work, compute);
  work.consensus.setZero(chunk.size(), r);
  work.ridge = 0;
  work.groups.clear();
  if (options.consensus == Consensus::tight) work.groups = group_by_pattern(work);
}

}  // namespace omvc
