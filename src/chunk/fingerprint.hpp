// A number that tells whether data are still the same: the sum over instances of a hash of their row number and of
// every entry observed. It depends neither on the order of the instances nor on how they are cut into chunks, so passes
// over the same data can be compared whatever their chunks.
#pragma once

#include <cstdint>

#include "omvc/chunk.hpp"

namespace omvc {

std::uint64_t fingerprint(const Chunk& chunk);

// The same of the order of the stream: the sum over instances of a hash of their place in it, counted from `place` on,
// and their row number.
std::uint64_t order_hash(Index place, const Chunk& chunk);

// 0 over a whole pass, summed up, where its row numbers are those of the places, each once and in any order.
std::uint64_t number_hash(Index place, const Chunk& chunk);

}  // namespace omvc
