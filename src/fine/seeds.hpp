// Where prototypes begin: a factorisation of the sample, which makes instances with different views comparable, and
// k-means on its embedding.
#pragma once

#include "factorise/factorisation.hpp"
#include "fine/sample.hpp"
#include "recipe/recipe.hpp"

namespace omvc {

struct Embedded {
  Factorisation factors;
  Matrix latent;  // a row per instance of the pieces used, in the scale of the basis
};

// How samples are factorised. `by_direction` says that some view has rows of length 1.
FactorOptions seed_options(bool by_direction, std::uint64_t seed, const Recipe& recipe);

// Learns the first pieces of the sample chunk by chunk, in passes. `by_direction` says that some view has rows of
// length 1.
Embedded factorise_sample(const Sample& sample, std::size_t pieces, const Schema& schema, int rank, bool by_direction,
                          std::uint64_t seed, const Recipe& recipe, Compute& compute);

// A group 0 .. groups-1 of every latent row, or fewer groups where there are fewer rows. By direction where text asks
// for it; dense clusters may differ by their level alone, so there lengths count.
std::vector<std::int32_t> group_latent(const Matrix& latent, bool by_direction, Index groups, int starts,
                                       int iterations, std::uint64_t seed, Compute& compute);

}  // namespace omvc
