// What a view is expected to be by the prototypes alone, where a model keeps no rows.
#pragma once

#include "model/known_rows.hpp"

namespace omvc {

// Rows that the intake has prepared, and the holes that they came with. Instances x features, in the data's own units;
// NaN for an instance without any view.
Matrix from_prototypes(const Model& model, const Placer& placer, std::size_t view, Chunk rows, const Holes& holes,
                       Compute& compute);

}  // namespace omvc
