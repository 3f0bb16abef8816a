// How far from most values of a column others may lie.
#pragma once

#include <vector>

#include "scale/extremes.hpp"

namespace omvc {

// `times` interquartile ranges below and above the quartiles. Where half of the values are the same, the others tell
// how far is usual, less clearly: most of what is not zero may be small. Reorders the values.
Extremes fence_of(std::vector<double>& values, double times);

// The fence of numbers that are not negative, by their logarithms: sizes, incomes and counts reach far without being
// glitches. Wherever a number within the plain fence is negative, there is no such fence: nothing is within it.
Extremes fence_of_logarithms(std::vector<double> values, const Extremes& plain);

}  // namespace omvc
