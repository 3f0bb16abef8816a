// A graph in the plane: nodes with many instances between them are placed side by side, all others apart.
//
// The layout is that of t-SNE (van der Maaten, Hinton 2008) with the affinity of the graph in the place of a kernel,
// and begins with the second and third eigenvectors, so that its overall shape shows the cut. Graphs have at most a few
// thousand nodes; one step takes nodes^2 operations.
#pragma once

#include "cut/spectrum.hpp"
#include "parallel/compute.hpp"

namespace omvc {

// Nodes x 2, from -1 to 1 in both directions, to one scale. Depends on the graph alone, not on threads.
Matrix lay_out(const Matrix& affinity, const Spectrum& spectrum, Compute& compute);

}  // namespace omvc
