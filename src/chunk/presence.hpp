// Which views the instances of a chunk have.
#pragma once

#include <limits>
#include <vector>

#include "omvc/chunk.hpp"

namespace omvc {

inline constexpr std::size_t kMostPatternViews = 52;  // whose patterns are bits of a number that a double holds exactly

// Of each instance: the views that it has.
std::vector<std::vector<bool>> presence_of(const Chunk& chunk);

// The same as the bits of a whole number, which a row store keeps; NaN for data of more than kMostPatternViews views.
std::vector<double> presence_bits(const Chunk& chunk);
std::vector<bool> presence_from(double bits, std::size_t views);

}  // namespace omvc
