#include "chunk/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <variant>

namespace omvc {
namespace {

constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;  // odd, bits well spread: 2^64 over the golden ratio

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= kPrime;
  x ^= x >> 29;
  x *= kPrime;
  return x ^ x >> 32;
}

// Four independent lanes of words, so that the multiplications overlap and hashing runs at the speed of memory.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::array<std::uint64_t, 4> lanes{seed, seed + 1, seed + 2, seed + 3};
  std::size_t at = 0;
  for (; at + 32 <= size; at += 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at + 8 * lane, 8);
      lanes[lane] = std::rotl((lanes[lane] ^ word) * kPrime, 29);
    }
  }
  for (; at < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<std::size_t>(8, size - at));
    lanes[0] = std::rotl((lanes[0] ^ word) * kPrime, 29);
  }
  return mix(lanes[0] + mix(lanes[1] + mix(lanes[2] + mix(lanes[3] + size))));
}

template <class B>
std::uint64_t hash_row(const B& X, Index i, std::uint64_t seed) {
  if constexpr (requires { X.offsets; }) {
    const auto first = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
    const auto count = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]) - first;
    const std::uint64_t columns = hash_bytes(X.columns.data() + first, count * sizeof X.columns[0], seed);
    return hash_bytes(X.values.data() + first, count * sizeof X.values[0], columns);
  } else {
    return hash_bytes(X.row(i).data(), X.row(i).size_bytes(), seed);
  }
}

}  // namespace

std::uint64_t number_hash(Index place, const Chunk& chunk) {
  std::uint64_t sum = 0;
  for (const Index row : chunk.rows) {
    sum += mix(static_cast<std::uint64_t>(row) + 1) - mix(static_cast<std::uint64_t>(place++) + 1);
  }
  return sum;
}

std::uint64_t order_hash(Index place, const Chunk& chunk) {
  std::uint64_t sum = 0;
  for (const Index row : chunk.rows) {
    sum += mix(mix(static_cast<std::uint64_t>(place++) + 1) * kPrime + static_cast<std::uint64_t>(row) + 1);
  }
  return sum;
}

std::uint64_t fingerprint(const Chunk& chunk) {
  std::uint64_t sum = 0;
  for (const Index row : chunk.rows) sum += mix(static_cast<std::uint64_t>(row) + 1);
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const ChunkView& view = chunk.views[v];
    std::visit(
        [&](const auto& X) {
          for (std::size_t i = 0; i < view.present.size(); ++i) {
            const auto row = static_cast<std::uint64_t>(chunk.rows[static_cast<std::size_t>(view.present[i])]);
            sum += hash_row(X, static_cast<Index>(i), mix((row + 1) * kPrime + v));
          }
        },
        view.block);
  }
  return sum;
}

}  // namespace omvc
