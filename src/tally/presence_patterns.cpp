#include "tally/presence_patterns.hpp"

#include "chunk/presence.hpp"

namespace omvc {

PresencePatterns::PresencePatterns(std::size_t views, const RowFolder& folder)
    : views_(views), store_(folder.open("patterns", 1)) {}

void PresencePatterns::remember(const Chunk& chunk) {
  if (views_ <= kMostPatternViews) store_->write(chunk.rows, presence_bits(chunk).data());
}

std::vector<double> PresencePatterns::read(Index first, Index count) const {
  std::vector<double> patterns(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
  if (views_ <= kMostPatternViews) store_->read(first, count, patterns.data());
  return patterns;
}

}  // namespace omvc
