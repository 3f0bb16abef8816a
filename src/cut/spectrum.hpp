// The graph of prototypes and its cuts. Prototypes are the nodes, their affinity W the weights of the edges; a
// normalised cut into K groups is k-means on the first K eigenvectors of D^-1/2 W D^-1/2, rows of unit length and
// weighted by degree (Shi, Malik 2000; Ng, Jordan, Weiss 2002). Nothing here needs the data.
#pragma once

#include <cstdint>
#include <vector>

#include "chunk/matrix.hpp"
#include "parallel/compute.hpp"

namespace omvc {

struct Spectrum {
  std::vector<double> values;  // the largest eigenvalues, descending; the first is 1
  Matrix vectors;              // nodes x values
  Vector degree;               // of every node; 0 for one that no instance is near to
};

// The first `count` eigenpairs of the normalised affinity, or all of them where there are fewer nodes.
Spectrum spectrum_of(const Matrix& affinity, Index count, Compute& compute);

// A group of every node, 0 .. clusters-1, for at most as many clusters as the spectrum has vectors and nodes with a
// degree. A node without a degree is in group 0. The result depends on the seed and not on threads. `starts` are
// those of k-means.
std::vector<int> cut_spectrum(const Spectrum& spectrum, int clusters, std::uint64_t seed, Index starts,
                              Compute& compute);

}  // namespace omvc
