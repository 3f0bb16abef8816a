// Clusters of sparse rows of length 1, such as text: small prototypes of thousands of features are noise there, so K
// prototypes are looked for directly, from several beginnings. All are moved by means and then to rest by direction,
// and the one whose instances are nearest to their prototypes is kept.
//
//   embedding    k-means on the embedding of the factorisation
//   row graph    a cut of the neighbourhood graph of the rows (row_graph.hpp)
//   prototypes   a cut of the graph of a few fine prototypes
#pragma once

#include <string>

#include "cut/refine.hpp"

namespace omvc {

struct Candidate {
  std::string name;
  Refined refined;
};

struct CandidateInput {
  const Sample& sample;
  const Schema& schema;
  const Matrix& latent;                                // of the sample
  const std::vector<std::vector<std::int32_t>>& more;  // labellings of the sample by others, such as a cut
  int clusters = 0;
  FineRule rule;
  std::uint64_t seed = 0;
};

// The best candidate, refined on the whole sample; `errors` receives the name and error of each.
Candidate best_candidate(const CandidateInput& input, std::vector<std::pair<std::string, double>>& errors,
                         Workers& workers);

}  // namespace omvc
