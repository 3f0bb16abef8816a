// Where the ticks of an axis stand and what is written at them.
#pragma once

#include <string>
#include <vector>

namespace omvc::app {

// Round numbers (1, 2 or 5 times a power of ten apart) inside [low, high], about `wanted` of them and at least two
// where low < high. A range of no length gives its one value.
std::vector<double> linear_ticks(double low, double high, int wanted);

// The powers of ten inside [low, high], thinned to at most `wanted`; with fewer than two powers inside, 1, 2 and 5
// times them. Both ends must be positive.
std::vector<double> log_ticks(double low, double high, int wanted);

// At most four digits, and an exponent without padding: 0.01, 2e-5, 1e6.
std::string short_number(double value);

// The ticks as text, all with the same number of decimals; ticks that need many, or are large, as short numbers.
std::vector<std::string> tick_texts(const std::vector<double>& ticks);

}  // namespace omvc::app
