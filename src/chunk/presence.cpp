#include "chunk/presence.hpp"

#include <cmath>

namespace omvc {

std::vector<std::vector<bool>> presence_of(const Chunk& chunk) {
  std::vector<std::vector<bool>> present(chunk.rows.size(), std::vector<bool>(chunk.views.size(), false));
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    for (const Index at : chunk.views[v].present) present[static_cast<std::size_t>(at)][v] = true;
  }
  return present;
}

std::vector<double> presence_bits(const Chunk& chunk) {
  const bool many = chunk.views.size() > kMostPatternViews;
  std::vector<double> bits(chunk.rows.size(), many ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    for (const Index at : chunk.views[v].present) {
      bits[static_cast<std::size_t>(at)] += std::ldexp(1.0, static_cast<int>(v));
    }
  }
  return bits;
}

std::vector<bool> presence_from(double bits, std::size_t views) {
  std::vector<bool> present(views);
  for (std::size_t v = 0; v < views; ++v) present[v] = (static_cast<std::uint64_t>(bits) >> v & 1u) != 0;
  return present;
}

}  // namespace omvc
