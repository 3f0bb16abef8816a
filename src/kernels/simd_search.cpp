// The inner loops of searches for what is nearest: distances of many members at once, and which of them are small.
#include "kernels/simd_search.hpp"

#define HWY_TARGET_INCLUDE "kernels/simd_search.cpp"
#include "kernels/simd_targets.hpp"
// The first include runs through this file once for each instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, D>;

// Twice a product is exact, so that whether it is subtracted by itself or fused does not change a bit.
void distances(double square, const double* HWY_RESTRICT squares, const float* HWY_RESTRICT dots, Index count,
               double* HWY_RESTRICT out) {
  const D d;
  const Narrow narrow;
  const auto own = hn::Set(d, square);
  const auto two = hn::Set(d, 2.0);
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= count; i += step) {
    const auto dot = hn::PromoteTo(d, hn::LoadU(narrow, dots + i));
    const auto distance = hn::NegMulAdd(two, dot, hn::Add(own, hn::LoadU(d, squares + i)));
    hn::StoreU(hn::IfThenElseZero(hn::Gt(distance, hn::Zero(d)), distance), d, out + i);
  }
  for (; i < count; ++i) {
    const double distance = square + squares[i] - 2 * static_cast<double>(dots[i]);
    out[i] = distance > 0 ? distance : 0;
  }
}

void add_short(const double* HWY_RESTRICT norms, const float* HWY_RESTRICT dots, Index count,
               double* HWY_RESTRICT sums) {
  const D d;
  const Narrow narrow;
  const auto two = hn::Set(d, 2.0);
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= count; i += step) {
    const auto dot = hn::PromoteTo(d, hn::LoadU(narrow, dots + i));
    const auto distance = hn::NegMulAdd(two, dot, hn::LoadU(d, norms + i));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), distance), d, sums + i);
  }
  for (; i < count; ++i) sums[i] += norms[i] - 2 * static_cast<double>(dots[i]);
}

void add(const double* HWY_RESTRICT values, Index count, double* HWY_RESTRICT sums) {
  const D d;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= count; i += step) {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, values + i)), d, sums + i);
  }
  for (; i < count; ++i) sums[i] += values[i];
}

Index places(const double* HWY_RESTRICT values, Index count, double bound, std::int32_t* HWY_RESTRICT out) {
  const D d;
  const auto most = hn::Set(d, bound);
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index found = 0;
  Index i = 0;
  for (; i + step <= count; i += step) {
    const auto small = hn::Le(hn::LoadU(d, values + i), most);
    if (hn::AllFalse(d, small)) continue;
    for (Index at = i; at < i + step; ++at) {
      out[found] = static_cast<std::int32_t>(at);
      found += values[at] <= bound ? 1 : 0;
    }
  }
  for (; i < count; ++i) {
    if (values[i] <= bound) out[found++] = static_cast<std::int32_t>(i);
  }
  return found;
}

}  // namespace omvc::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::simd {

HWY_EXPORT(distances);
HWY_EXPORT(add_short);
HWY_EXPORT(add);
HWY_EXPORT(places);

void squared_distances(double square, const double* squares, const float* dots, Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(distances)(square, squares, dots, count, out);
}
void add_short_distances(const double* norms, const float* dots, Index count, double* sums) {
  HWY_DYNAMIC_DISPATCH(add_short)(norms, dots, count, sums);
}
void add_values(const double* values, Index count, double* sums) { HWY_DYNAMIC_DISPATCH(add)(values, count, sums); }
Index places_up_to(const double* values, Index count, double bound, std::int32_t* places) {
  return HWY_DYNAMIC_DISPATCH(places)(values, count, bound, places);
}

}  // namespace omvc::simd
#endif
