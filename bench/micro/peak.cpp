// Compiled once for every instruction set that Highway knows for this architecture; the best one is chosen when run.
#include "limits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace omvc::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains: more than two units with a latency of four or five need, and with the two constants no more than the
// 16 registers of AVX2. Each chain runs towards 2, so no number overflows or becomes denormal.
MultiplyAdds run_chains(std::int64_t rounds) {
  const hn::ScalableTag<double> d;
  const auto half = hn::Set(d, 0.5);
  const auto one = hn::Set(d, 1.0);
  auto a = hn::Set(d, 0.0), b = hn::Set(d, 0.1), c = hn::Set(d, 0.2), e = hn::Set(d, 0.3);
  auto f = hn::Set(d, 0.4), g = hn::Set(d, 0.5), h = hn::Set(d, 0.6), i = hn::Set(d, 0.7);
  auto j = hn::Set(d, 0.8), k = hn::Set(d, 0.9), l = hn::Set(d, 1.1), m = hn::Set(d, 1.2);
  for (std::int64_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, half, one);
    b = hn::MulAdd(b, half, one);
    c = hn::MulAdd(c, half, one);
    e = hn::MulAdd(e, half, one);
    f = hn::MulAdd(f, half, one);
    g = hn::MulAdd(g, half, one);
    h = hn::MulAdd(h, half, one);
    i = hn::MulAdd(i, half, one);
    j = hn::MulAdd(j, half, one);
    k = hn::MulAdd(k, half, one);
    l = hn::MulAdd(l, half, one);
    m = hn::MulAdd(m, half, one);
  }
  const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(f, g));
  const auto second = hn::Add(hn::Add(hn::Add(h, i), hn::Add(j, k)), hn::Add(l, m));
  const double result = hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
  constexpr double kChains = 12;
  return {2 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds), hwy::TargetName(HWY_TARGET),
          result};
}

}  // namespace omvc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace omvc::bench {

HWY_EXPORT(run_chains);

MultiplyAdds multiply_adds(std::int64_t rounds) { return HWY_DYNAMIC_DISPATCH(run_chains)(rounds); }

}  // namespace omvc::bench
#endif
