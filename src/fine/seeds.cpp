#include "fine/seeds.hpp"

#include <algorithm>
#include <cmath>

#include "omvc/kmeans.hpp"

namespace omvc {

FactorOptions seed_options(bool by_direction, std::uint64_t seed, const Recipe& recipe) {
  FactorOptions options;
  options.seed = seed;
  if (!by_direction) options.ridge = recipe.dense_ridge;
  return options;
}

Embedded factorise_sample(const Sample& sample, std::size_t pieces, const Schema& schema, int rank, bool by_direction,
                          std::uint64_t seed, const Recipe& recipe, Compute& compute) {
  const FactorOptions options = seed_options(by_direction, seed, recipe);
  Factorisation factors(options, schema, rank);
  const Index rows = pieces < sample.pieces().size() ? sample.first(pieces) : sample.size();
  Matrix latent = Matrix::Zero(rows, rank);
  const Index passes = by_direction && static_cast<Index>(pieces) >= recipe.once_pieces ? 1 : recipe.factor_passes;
  for (int pass = 1; pass <= passes; ++pass) {
    factors.begin_pass(pass);
    for (std::size_t p = 0; p < pieces; ++p) {
      const PreparedChunk& piece = sample.pieces()[p];
      const Matrix before = latent.middleRows(sample.first(p), piece.size());
      const LearnedRows learned = factors.learn(piece, pass > 1 ? &before : nullptr, compute);
      for (std::size_t i = 0; i < learned.positions.size(); ++i) {
        latent.row(sample.first(p) + learned.positions[i]) = learned.values.row(static_cast<Index>(i));
      }
    }
  }
  factors.rest();
  latent = latent * factors.state().scale.asDiagonal();
  return {std::move(factors), std::move(latent)};
}

std::vector<std::int32_t> group_latent(const Matrix& latent, bool by_direction, Index groups, int starts,
                                       int iterations, std::uint64_t seed, Compute& compute) {
  const Timed timed(compute.profile(), Step::kmeans);
  Matrix rows = latent;
  if (by_direction) {
    to_unit_length(rows.data(), rows.rows(), rows.cols());
  } else {
    // A length says as much of how many views were observed as of the level of an instance: it counts by its root.
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) /= std::sqrt(std::max(rows.row(i).norm(), 1e-300));
  }
  const KMeansResult found =
      kmeans({rows.data(), rows.rows(), rows.cols()}, {.clusters = static_cast<int>(std::min(groups, rows.rows())),
                                                       .starts = starts,
                                                       .max_iterations = iterations,
                                                       .seed = seed,
                                                       .threads = compute.threads(),
                                                       .executor = compute.executor()});
  return {found.labels.begin(), found.labels.end()};
}

}  // namespace omvc
