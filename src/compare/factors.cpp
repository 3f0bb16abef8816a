#include "compare/factors.hpp"

#include <algorithm>

#include "kmeans/row_sample.hpp"

namespace omvc {

FactorOptions factor_options(const Options& options) {
  FactorOptions out{.consensus = Consensus::soft,
                    .alpha = options.alpha,
                    .beta = options.beta,
                    .ridge = 0,
                    .missing = Missing::fill,
                    .statistics = Statistics::accumulate,
                    .start = Start::random,
                    .solver = RowSolver::hals,
                    .rounds = options.rounds,
                    .tolerance = options.tolerance,
                    .seed = options.seed};
  switch (options.method) {
    case Algorithm::onmf_i:
    case Algorithm::onmf_da:
      out.consensus = Consensus::tight;
      out.missing = Missing::fill_whole;
      break;
    case Algorithm::multinmf:
      out.beta = {0};
      out.missing = Missing::fill_whole;
      break;
    case Algorithm::omvc_paper:
      out.solver = options.solver;
      break;
    default:
      break;
  }
  return out;
}

FactorOptions embedding_options(const Options& options) {
  FactorOptions out = factor_options(options);
  if (options.method == Algorithm::mic) out.beta = {0};
  return out;
}

void write_rows(RowStore& store, std::span<const Index> numbers, const LearnedRows& learned) {
  std::vector<Index> rows;
  for (const Index at : learned.positions) rows.push_back(numbers[static_cast<std::size_t>(at)]);
  store.write(rows, learned.values.data());
}

void StoredEmbedding::read(Index first, Index count, double* out) const {
  store_->read(first, count, out);
  Eigen::Map<Matrix> rows(out, count, rank());
  rows = rows * scale_.asDiagonal();
}

std::vector<double> sample_rows(const Embedding& embedding, Index limit, std::uint64_t seed) {
  constexpr Index kRowsAtOnce = 4096;
  const auto r = static_cast<std::size_t>(embedding.rank());
  RowSample sample(limit, seed);
  std::vector<double> block;
  for (Index first = 0; first < embedding.rows(); first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, embedding.rows() - first);
    block.resize(static_cast<std::size_t>(count) * r);
    embedding.read(first, count, block.data());
    for (Index i = 0; i < count; ++i) sample.offer(first + i, {block.data() + static_cast<std::size_t>(i) * r, r});
  }
  return sample.values();
}

}  // namespace omvc
