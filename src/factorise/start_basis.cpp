#include "factorise/start_basis.hpp"

#include "factorise/seed_instances.hpp"
#include "factorise/steps.hpp"

namespace omvc {

void start_basis(const FactorOptions& options, const PreparedChunk& chunk, State& state, Compute& compute) {
  std::vector<std::size_t> fresh;
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    if (state.views[v].observed == 0 && !chunk.present(v).empty()) fresh.push_back(v);
  }
  if (fresh.empty()) return;
  if (options.start == Start::random) {
    for (const std::size_t v : fresh) {
      const Random random(options.seed, Purpose::basis, static_cast<std::uint32_t>(v));
      Matrix& U = state.views[v].U;
      for (Index i = 0; i < U.size(); ++i) U.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
    }
  } else {
    const Random random(options.seed, Purpose::basis);
    std::vector<Matrix> seeds = seed_instances(chunk, state.scale.size(), random, compute);
    for (const std::size_t v : fresh) state.views[v].U = std::move(seeds[v]);
  }
  rescale_basis(options, state, nullptr, compute);
}

}  // namespace omvc
