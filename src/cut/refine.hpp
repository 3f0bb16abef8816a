// K prototypes moved to rest in data space, from a labelling of the sample; and what tells whether they, or the cut
// they came from, are the better clusters.
#pragma once

#include "fine/fine_prototypes.hpp"
#include "fine/sample.hpp"

namespace omvc {

// The nearest prototype of each instance of the first `pieces` pieces, -1 for one without any view, and the sum of the
// distances.
struct Assigned {
  std::vector<std::int32_t> labels;
  double error = 0;
};
Assigned assign_sample(const Sample& sample, std::size_t pieces, const PrototypeTable& table, Workers& workers);

struct Refined {
  FinePrototypes prototypes;
  std::vector<std::int32_t> labels;  // of every instance of the sample that was used
  double error = 0;                  // the sum of the distances when they were assigned last
};

// Assigns the instances of the first `pieces` pieces and moves the prototypes, up to `rounds` times or until next to no
// label changes. Labels to begin with: of the instances from the first on; -1 or beyond the end: none.
Refined refine(const Sample& sample, std::size_t pieces, const Schema& schema, int clusters,
               const std::vector<std::int32_t>& labels, const FineRule& rule, int rounds, Workers& workers);

// The normalised cut of a labelling, from the weights z with which instances lie among the fine prototypes: with
// D = sum of z over all instances, s_k that over cluster k and n_k its size,
//
//     ncut = 1 - mean over k of (sum_j s_kj^2 / D_j) / n_k
//
// It is exact, additive over chunks but for the last step, and defined for any labelling: the less the better.
double normalised_cut(const std::vector<Near>& near, const std::vector<std::int32_t>& labels, int clusters, Index fine);

}  // namespace omvc
