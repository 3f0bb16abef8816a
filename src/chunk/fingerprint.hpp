// A number that tells whether data are still the same: the sum over instances of a hash of their row number and of
// every entry observed. It depends neither on the order of the instances nor on how they are cut into chunks, so passes
// over the same data can be compared whatever their chunks.
#pragma once

#include <cstdint>

#include "omvc/chunk.hpp"

namespace omvc {

std::uint64_t fingerprint(const Chunk& chunk);

// Goes on with a hash of row numbers in the order of the stream, from 0 at its start, however it is cut.
std::uint64_t order_hash(std::uint64_t before, const Chunk& chunk);

}  // namespace omvc
