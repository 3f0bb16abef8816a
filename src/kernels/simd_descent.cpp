#include <limits>

#include "kernels/simd.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_descent.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Full = hn::ScalableTag<double>;
constexpr Index kWidest = static_cast<Index>(hn::MaxLanes(Full()));

int descend(const double* HWY_RESTRICT G, Index r, const double* HWY_RESTRICT q, const double* HWY_RESTRICT l,
            int sweeps, double tolerance, double* HWY_RESTRICT z) {
  const Full d;
  using V = hn::Vec<Full>;
  constexpr int kVectors = static_cast<int>(kLane / kWidest);
  const V zero = hn::Zero(d);
  const V half = hn::Set(d, 0.5);
  const V limit = hn::Set(d, tolerance);
  V active[kVectors];  // 1 for a problem that still moves, 0 for one that is done
  V lasso[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    active[v] = hn::Set(d, 1.0);
    lasso[v] = hn::Mul(half, hn::LoadU(d, l + v * kWidest));
  }
  for (int sweep = 1; sweep <= sweeps; ++sweep) {
    V change[kVectors];
    V largest[kVectors];
    for (int v = 0; v < kVectors; ++v) change[v] = largest[v] = zero;
    for (Index k = 0; k < r; ++k) {
      V gradient[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) gradient[v] = hn::Sub(lasso[v], hn::LoadU(d, q + k * kLane + v * kWidest));
      const double* HWY_RESTRICT row = G + k * r;
      for (Index j = 0; j < r; ++j) {
        const V g = hn::Set(d, row[j]);
        const double* HWY_RESTRICT from = z + j * kLane;
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) gradient[v] = hn::MulAdd(g, hn::LoadU(d, from + v * kWidest), gradient[v]);
      }
      // A component that nothing uses has no say: its entry is 0.
      const bool used = row[k] >= std::numeric_limits<double>::min();  // so that its inverse is finite
      const V scale = hn::Set(d, used ? 1 / row[k] : 0.0);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        double* at = z + k * kLane + v * kWidest;
        const V old = hn::LoadU(d, at);
        const V best = used ? hn::Max(hn::NegMulAdd(gradient[v], scale, old), zero) : zero;
        const V next = hn::IfThenElse(hn::Gt(active[v], zero), best, old);
        hn::StoreU(next, d, at);
        change[v] = hn::Max(change[v], hn::Abs(hn::Sub(next, old)));
        largest[v] = hn::Max(largest[v], next);
      }
    }
    bool moving = false;
    for (int v = 0; v < kVectors; ++v) {
      const auto more = hn::Gt(change[v], hn::Mul(limit, largest[v]));
      active[v] = hn::IfThenElseZero(more, active[v]);
      moving |= !hn::AllFalse(d, hn::Gt(active[v], zero));
    }
    if (!moving) return sweep;
  }
  return sweeps;
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(descend);

int coordinate_descent(const double* G, Index r, const double* q, const double* l, int sweeps, double tolerance,
                       double* z) {
  return HWY_DYNAMIC_DISPATCH(descend)(G, r, q, l, sweeps, tolerance, z);
}

}  // namespace omvc::simd
#endif
