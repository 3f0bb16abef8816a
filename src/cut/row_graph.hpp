// The neighbourhood graph of the rows of a sample: for each view the nearest rows by cosine, each similarity relative
// to the neighbourhoods of both rows, averaged over the views that two rows share (the idea of NEMO: Rappoport, Shamir,
// Bioinformatics 2019). Rows that share words are held together without any centre between them, which text needs where
// views are missing.
#pragma once

#include "fine/sample.hpp"

namespace omvc {

// The affinity of the first `rows` instances of the sample, rows x rows. Memory and time grow with the square of rows.
Matrix row_affinity(const Sample& sample, Index rows, Workers& workers);

}  // namespace omvc
