#include "kernels/simd.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_newton.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Doubles()));
constexpr int kVectors = kLane / kLanes < 4 ? static_cast<int>(kLane / kLanes) : 4;  // side by side in registers
constexpr Index kStrip = kVectors * kLanes;                                          // problems in them
constexpr int kEntries = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 2 : 4;   // of a problem, likewise

// sum[e] += the first `depth` entries of `in`, each times M(entry, at + e), for kCount entries e.
template <int kCount>
HWY_INLINE void add_entries(const double* HWY_RESTRICT M, Index r, Index depth, Index at, const double* HWY_RESTRICT in,
                            hn::Vec<Doubles> (&sum)[kCount][kVectors]) {
  const Doubles d;
  const double* HWY_RESTRICT factors = M + at;
  for (Index j = 0; j < depth; ++j, factors += r) {
    hn::Vec<Doubles> right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, in + j * kLane + v * kLanes);
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
      const auto factor = hn::Set(d, factors[e]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[e][v] = hn::MulAdd(factor, right[v], sum[e][v]);
    }
  }
}

// Calls body(number of entries, first entry) for tiles that cover the entries of a problem.
template <class Body>
HWY_INLINE void for_entry_tiles(Index r, const Body& body) {
  Index k = 0;
  for (; k + kEntries <= r; k += kEntries) body(std::integral_constant<int, kEntries>(), k);
  for (; k < r; ++k) body(std::integral_constant<int, 1>(), k);
}

// Half the gradient, h = z G - q + l / 2, and the direction -h times the inverse, of one strip.
HWY_INLINE void direct(const double* HWY_RESTRICT G, const double* HWY_RESTRICT inverse, Index r,
                       const double* HWY_RESTRICT q, const double* HWY_RESTRICT l, const double* HWY_RESTRICT z,
                       double* HWY_RESTRICT h, double* HWY_RESTRICT to) {
  const Doubles d;
  const auto half = hn::Set(d, 0.5);
  for_entry_tiles(r, [&]<int kCount>(std::integral_constant<int, kCount>, Index at) HWY_ATTR {
    hn::Vec<Doubles> sum[kCount][kVectors];
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const auto lasso = hn::Mul(half, hn::LoadU(d, l + v * kLanes));
        sum[e][v] = hn::Sub(lasso, hn::LoadU(d, q + (at + e) * kLane + v * kLanes));
      }
    }
    add_entries(G, r, r, at, z, sum);
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[e][v], d, h + (at + e) * kLane + v * kLanes);
    }
  });
  for_entry_tiles(r, [&]<int kCount>(std::integral_constant<int, kCount>, Index at) HWY_ATTR {
    hn::Vec<Doubles> sum[kCount][kVectors];
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[e][v] = hn::Zero(d);
    }
    add_entries(inverse, r, r, at, h, sum);
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) hn::StoreU(hn::Neg(sum[e][v]), d, to + (at + e) * kLane + v * kLanes);
    }
  });
}

using Vector = hn::Vec<Doubles>;
using Flags = hn::Mask<Doubles>;

HWY_INLINE std::uint32_t bits_of(const Flags (&flags)[kVectors]) {
  const Doubles d;
  std::uint32_t bits = 0;
  for (int v = 0; v < kVectors; ++v) {
    std::uint8_t some[8] = {};
    hn::StoreMaskBits(d, flags[v], some);
    bits |= static_cast<std::uint32_t>(some[0]) << (v * kLanes);
  }
  return bits;
}

HWY_INLINE void flags_of(std::uint32_t bits, Flags (&flags)[kVectors]) {
  const Doubles d;
  for (int v = 0; v < kVectors; ++v) {
    const std::uint8_t some[8] = {static_cast<std::uint8_t>(bits >> (v * kLanes))};
    flags[v] = hn::LoadMaskBits(d, some);
  }
}

// The step s from z to max(z + gamma direction, 0), and h s'.
HWY_INLINE void project(Index r, double gamma, const double* HWY_RESTRICT h, const double* HWY_RESTRICT along,
                        const double* HWY_RESTRICT z, double* HWY_RESTRICT step, Vector (&slope)[kVectors]) {
  const Doubles d;
  const Vector size = hn::Set(d, gamma);
  for (int v = 0; v < kVectors; ++v) slope[v] = hn::Zero(d);
  for (Index k = 0; k < r; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Index at = k * kLane + v * kLanes;
      const Vector old = hn::LoadU(d, z + at);
      const Vector s = hn::Sub(hn::Max(hn::MulAdd(size, hn::LoadU(d, along + at), old), hn::Zero(d)), old);
      hn::StoreU(s, d, step + at);
      slope[v] = hn::MulAdd(hn::LoadU(d, h + at), s, slope[v]);
    }
  }
}

// s G s': the products of different entries once, doubled, and the squares.
HWY_INLINE void curve(const double* HWY_RESTRICT G, Index r, const double* HWY_RESTRICT step,
                      Vector (&curvature)[kVectors]) {
  const Doubles d;
  Vector cross[kVectors];
  Vector square[kVectors];
  for (int v = 0; v < kVectors; ++v) cross[v] = square[v] = hn::Zero(d);
  for_entry_tiles(r, [&]<int kCount>(std::integral_constant<int, kCount>, Index at) HWY_ATTR {
    Vector sum[kCount][kVectors];
    for (int e = 0; e < kCount; ++e) {
      for (int v = 0; v < kVectors; ++v) sum[e][v] = hn::Zero(d);
    }
    add_entries(G, r, at, at, step, sum);
#pragma GCC unroll 4
    for (int e = 0; e < kCount; ++e) {
      const double* HWY_RESTRICT column = G + at * r + at + e;  // of the corner on the diagonal
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const double* HWY_RESTRICT from = step + at * kLane + v * kLanes;
        for (int j = 0; j < e; ++j) {
          sum[e][v] = hn::MulAdd(hn::Set(d, column[j * r]), hn::LoadU(d, from + j * kLane), sum[e][v]);
        }
        const Vector s = hn::LoadU(d, from + e * kLane);
        cross[v] = hn::MulAdd(s, sum[e][v], cross[v]);
        square[v] = hn::MulAdd(hn::Mul(hn::Set(d, column[e * r]), s), s, square[v]);
      }
    }
  });
  for (int v = 0; v < kVectors; ++v) curvature[v] = hn::MulAdd(hn::Set(d, 2.0), cross[v], square[v]);
}

// Moves the problems of a strip that are flagged, and returns their bits.
HWY_INLINE std::uint32_t move(Index r, const double* HWY_RESTRICT step, const Flags (&flags)[kVectors],
                              double* HWY_RESTRICT z) {
  const Doubles d;
  const std::uint32_t bits = bits_of(flags);
  for (Index k = 0; k < r && bits != 0; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      const Index at = k * kLane + v * kLanes;
      const Vector old = hn::LoadU(d, z + at);
      // z + s may round to just below zero.
      const Vector next = hn::Max(hn::Add(old, hn::LoadU(d, step + at)), hn::Zero(d));
      hn::StoreU(hn::IfThenElse(flags[v], next, old), d, z + at);
    }
  }
  return bits;
}

// One strip: `searching` has a bit for each problem that is to move. Returns those that did.
HWY_INLINE std::uint32_t search(const double* HWY_RESTRICT G, Index r, const NewtonRule& rule, std::uint32_t searching,
                                const double* HWY_RESTRICT h, double* HWY_RESTRICT along, double* HWY_RESTRICT step,
                                double* HWY_RESTRICT z) {
  const Doubles d;
  std::uint32_t moved = 0;
  Vector slope[kVectors];
  Flags flags[kVectors];
  const auto descending = [&] HWY_ATTR {
    flags_of(searching & ~moved, flags);
    bool any = false;
    for (int v = 0; v < kVectors; ++v) {
      flags[v] = hn::And(flags[v], hn::Lt(slope[v], hn::Zero(d)));
      any |= !hn::AllFalse(d, flags[v]);
    }
    return any;
  };
  double gamma = 1;
  for (int attempt = 0; attempt < rule.tries && moved != searching; ++attempt, gamma *= rule.eta) {
    project(r, gamma, h, along, z, step, slope);
    if (!descending()) continue;
    Vector curvature[kVectors];
    curve(G, r, step, curvature);
    const Vector share = hn::Set(d, 2 * (1 - rule.sigma));
    for (int v = 0; v < kVectors; ++v) {
      flags[v] = hn::And(flags[v], hn::Le(hn::MulAdd(share, slope[v], curvature[v]), hn::Zero(d)));
    }
    moved |= move(r, step, flags, z);
  }
  if (moved == searching) return moved;
  const Vector bound = hn::Set(d, rule.lipschitz);
  for (Index k = 0; k < r; ++k) {
    for (int v = 0; v < kVectors; ++v) {
      const Index at = k * kLane + v * kLanes;
      hn::StoreU(hn::Neg(hn::Div(hn::LoadU(d, h + at), bound)), d, along + at);
    }
  }
  project(r, 1, h, along, z, step, slope);
  if (descending()) moved |= move(r, step, flags, z);
  return moved;
}

std::uint32_t step_all(const double* HWY_RESTRICT G, const double* HWY_RESTRICT inverse, Index r,
                       const NewtonRule& rule, const double* HWY_RESTRICT q, const double* HWY_RESTRICT l,
                       std::uint32_t problems, double* HWY_RESTRICT room, double* HWY_RESTRICT z) {
  double* const h = room;
  double* const along = room + r * kLane;
  double* const step = room + 2 * r * kLane;
  std::uint32_t moved = 0;
  for (Index strip = 0; strip < kLane; strip += kStrip) {
    const auto searching = static_cast<std::uint32_t>(problems >> strip & ((std::uint64_t{1} << kStrip) - 1));
    if (searching == 0) continue;
    direct(G, inverse, r, q + strip, l + strip, z + strip, h + strip, along + strip);
    moved |= search(G, r, rule, searching, h + strip, along + strip, step + strip, z + strip) << strip;
  }
  return moved;
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(step_all);

std::uint32_t newton_step(const double* G, const double* inverse, Index r, const NewtonRule& rule, const double* q,
                          const double* l, std::uint32_t problems, double* room, double* z) {
  return HWY_DYNAMIC_DISPATCH(step_all)(G, inverse, r, rule, q, l, problems, room, z);
}

}  // namespace omvc::simd
#endif
