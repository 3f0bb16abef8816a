// What decides how a stream is factorised. The verbs and methods fill it in; the solver knows nothing of them.
#pragma once

#include <cstdint>
#include <vector>

#include "omvc/options.hpp"

namespace omvc {

// How the views of an instance are held together.
enum class Consensus {
  tight,  // one latent row per instance, solved jointly over its observed views: the limit of alpha to infinity
  soft,   // one latent row per view, pulled to their weighted mean by alpha (Eq. 7)
};

// What stands in for a missing view.
enum class Missing {
  ignore,      // weight 0: only what was observed speaks
  fill,        // the running mean of the view (Eq. 10) with the share of instances present as its weight (Eq. 11)
  fill_whole,  // the same mean, taken for a real row: weight 1
};

// What a later pass does with the share of a chunk in the running sums.
enum class Statistics {
  replace,     // the chunk's old share is subtracted first, so every instance counts once
  accumulate,  // every pass adds to the sums (Section IV-C, as in the authors' script)
};

// Where the basis comes from before the first chunk is learned.
enum class Start {
  data,    // instances of the first chunk
  random,  // uniform numbers
};

// The defaults are the tight consensus, with which the living model finds its seeds.
struct FactorOptions {
  Consensus consensus = Consensus::tight;
  std::vector<double> alpha{1e-2};  // soft consensus: pull of each view to it; one value, or one per view
  std::vector<double> beta{1e-7};   // soft consensus: lasso on the latent rows
  double ridge = 0.05;  // tight consensus: ridge on the latent rows, as a multiple of the mean diagonal of U'U
  Missing missing = Missing::ignore;
  Statistics statistics = Statistics::replace;
  Start start = Start::data;
  RowSolver solver = RowSolver::hals;
  int rounds = 60;          // updates of all factors on a chunk, at most
  double tolerance = 1e-3;  // a chunk is done when a round changes the loss by less than this share of it
  std::uint64_t seed = 0;
};

}  // namespace omvc
