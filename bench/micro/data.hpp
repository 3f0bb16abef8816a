// Random data of a given shape.
#pragma once

#include "omvc/chunk.hpp"

#include "chunk/matrix.hpp"

namespace omvc::bench {

// rows x cols, uniform in [0, 1). A share `zeros` of the entries is zero.
Matrix random_factor(Index rows, Index cols, double zeros = 0);

// Every entry is there.
template <class T>
DenseBlock<T> random_dense(Index rows, Index cols);

// Every row has the same number of entries, at least one, spread over the columns.
template <class T>
CsrBlock<T> random_csr(Index rows, Index cols, double density);

}  // namespace omvc::bench
