// Counter-based randomness: a number is a pure function of (seed, purpose, place), so it depends neither on threads nor
// on the order of calls nor on whether a run was resumed. The generator is Philox 4x32-10 (Salmon, Moraes, Dror, Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace omvc {

// What a random number is for. Streams with different purposes are independent. Values are part of the promise
// "same seed, same bits": new purposes are added at the end.
enum class Purpose : std::uint32_t {
  basis = 1,
  seeding,
  sample,
  shuffle,
  mask,
  planted_basis,
  planted_data,
  planted_mask,
  split,
  eigenvectors,
  cells
};

// Ten rounds of Philox 4x32.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// The numbers of one (seed, purpose, stream): random access by counter, e.g. stream = view and counter = global row.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint32_t stream = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        purpose_(static_cast<std::uint32_t>(purpose)),
        stream_(stream) {}

  std::uint64_t bits(std::uint64_t counter) const {
    const auto words = philox(
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), stream_, purpose_}, key_);
    return std::uint64_t{words[0]} << 32 | words[1];
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t counter) const { return static_cast<double>(bits(counter) >> 11) * 0x1.0p-53; }

  // Uniform in 0 .. n-1. The bias of the multiplication is below n / 2^64.
  std::uint64_t below(std::uint64_t n, std::uint64_t counter) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{bits(counter)} * n) >> 64);
  }

  // Standard normal (Box-Muller, one of the pair).
  double normal(std::uint64_t counter) const {
    const double u = 1.0 - uniform(2 * counter);  // in (0, 1], so that the logarithm is finite
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform(2 * counter + 1));
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t purpose_;
  std::uint32_t stream_;
};

}  // namespace omvc
