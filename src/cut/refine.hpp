// K prototypes moved to rest in data space, from a labelling of the sample.
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
Assigned assign_sample(const Sample& sample, std::size_t pieces, const PrototypeTable& table, Compute& compute);

struct Refined {
  FinePrototypes prototypes;
  std::vector<std::int32_t> labels;  // of every instance of the sample that was used
  double error = 0;                  // the sum of the distances when they were assigned last
};

// Assigns the instances of the first `pieces` pieces and moves the prototypes, up to `rounds` times or until next to no
// label changes. `labels` are those to begin with, from the first instance on; an instance with -1, or beyond their
// end, has none.
Refined refine(const Sample& sample, std::size_t pieces, const Schema& schema, int clusters,
               const std::vector<std::int32_t>& labels, const FineRule& rule, int rounds, Compute& compute);

}  // namespace omvc
