// Making complete data incomplete, for experiments. Figures under different protocols are never comparable.
#pragma once

#include <cstdint>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"

namespace omvc {

enum class MaskProtocol {
  independent,  // each view loses each instance with probability `rate`; an instance that loses all keeps one at random
  cyclic,       // the paper's authors': view v loses the v-th of consecutive slices, wrapping round, of one permutation
                // of the instances, each slice rate * N long
  partial,      // a share `rate` of the instances loses 1 .. V-1 views, chosen at random
};

// present[row * views + view]. The same arguments give the same mask on every machine.
// Throws ErrorKind::usage for fewer than 2 views or a rate outside [0, 1), and, under the cyclic protocol, for a rate
// at which some instance would lose every view (rate * views > views - 1).
OMVC_API std::vector<bool> make_mask(MaskProtocol protocol, Index rows, Index views, double rate, std::uint64_t seed);

// A random permutation of 0 .. rows-1: an order for a stream whose file is sorted by class.
OMVC_API std::vector<Index> random_order(Index rows, std::uint64_t seed);

}  // namespace omvc
