// What is to be expected of what an instance lacks: the mean of the rows of the sample that are nearest to it by the
// views that it has, and have the view, drawn to the mean of its cluster where they differ among each other; where the
// model keeps no sample, the mean of the prototypes that it lies between.
#pragma once

#include "model/model.hpp"

namespace omvc {

// Of rows that were taken in, instances x features in the data's own units. NaN for an instance without any view.
Matrix expected(const Model& model, const PreparedChunk& chunk, std::size_t view, Compute& compute);

}  // namespace omvc
