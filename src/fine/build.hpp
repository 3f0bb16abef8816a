// Fine prototypes made from a sample. A factorisation makes instances with different views comparable, k-means on its
// embedding gives groups, and prototypes begin as the means of these groups; then they move to the means of the rows
// that are nearest to them.
//
//     build(sample, ...)  ->  factors, prototypes, and what was found of the rows of the sample on the way
//
// A pure function: the same sample, input and recipe give the same bits for any number of threads.
#pragma once

#include <memory>
#include <vector>

#include "factorise/factorisation.hpp"
#include "fine/fine_prototypes.hpp"
#include "fine/sample.hpp"
#include "recipe/recipe.hpp"

namespace omvc {

struct Prototypes {
  std::shared_ptr<const Factorisation> factors;  // none before they are built
  FinePrototypes fine;
  std::vector<double> squares;  // of each view: mean ||x||^2 of its rows

  // 0 before they are built, and in a model for prediction whose clusters are round prototypes (Cut::round).
  Index size() const { return fine.size(); }
};

// What is known about the rows of a sample.
struct SampleRows {
  Matrix latent;           // latent rows of the first of them, in the scale of the basis
  std::vector<Near> near;  // of each piece: where its rows lie among the fine prototypes
};

struct BuildInput {
  const Schema& schema;
  std::vector<bool> unit_rows;  // of each view: its rows have length 1
  int clusters = 0;             // 0: not known yet
  int rank = 0;                 // 0: by the recipe
  std::uint64_t seed = 0;
  double weight = 1;  // instances that each row of the sample stands for
};

// Whether rows are compared by direction, as text is.
bool by_direction(const std::vector<bool>& unit_rows, const Recipe& recipe);

// Throws ErrorKind::data, naming the view, for values that cannot be squared as they are scaled.
Prototypes build(const Sample& sample, const BuildInput& input, const Recipe& recipe, SampleRows& rows,
                 Compute& compute);

// The rows of a sample among prototypes that were made before.
SampleRows look_again(const Sample& sample, const Prototypes& prototypes, Compute& compute);

}  // namespace omvc
