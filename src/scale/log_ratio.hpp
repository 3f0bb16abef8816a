// Centred log ratios: what makes counts of few things comparable between rows, such as proteins that are measured by
// antibody tags, which differ by orders of magnitude between features and between cells.
//
//     y_j = log(1 + x_j) - the mean of log(1 + x_j) over the features of the row
//
// A row needs nothing but itself, so rows are brought to this chunk by chunk. Its zeros do not stay zeros.
#pragma once

#include "omvc/chunk.hpp"

namespace omvc {

// Views of more features than this are not looked at for log ratios: every zero of a sparse row has to be visited.
inline constexpr Index kMostLogRatios = 1024;

// The centred log ratios of the rows first .. last - 1 of a block, row after row, into (last - first) * cols numbers.
// Negative numbers count as 0. A missing cell (NaN) stays missing, and the mean is that of the other cells.
template <class B>
void log_ratios(const B& block, Index first, Index last, double* out);

}  // namespace omvc
