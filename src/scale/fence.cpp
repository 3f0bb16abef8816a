#include "scale/fence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace omvc {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kFenceOfLogarithms = 3;  // interquartile ranges: no number of a log-normal column is beyond
constexpr double kLessClear = 10;         // times as far, where most values of a column are the same

// The value that a share of them lies below. Reorders them.
double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

Extremes fence_of(std::vector<double>& values, double times) {
  if (values.empty()) return {-kNoBound, kNoBound};
  double low = quantile(values, 0.25);
  double high = quantile(values, 0.75);
  double usual = high - low;
  if (!(usual > 0)) {
    times *= kLessClear;
    const double middle = quantile(values, 0.5);
    std::erase(values, middle);
    if (values.empty()) return {-kNoBound, kNoBound};
    low = std::min(quantile(values, 0.25), middle);
    high = std::max(quantile(values, 0.75), middle);
    usual = high - low;
  }
  return {low - times * usual, high + times * usual};
}

Extremes fence_of_logarithms(std::vector<double> values, const Extremes& plain) {
  std::erase_if(values, [&](double x) { return x < plain.low || x > plain.high; });
  double unit = kNoBound;
  for (const double x : values) {
    if (x < 0) return {kNoBound, -kNoBound};
    if (x > 0) unit = std::min(unit, x);
  }
  if (!std::isfinite(unit)) return {kNoBound, -kNoBound};
  for (double& x : values) x = std::log1p(x / unit);
  const Extremes fence = fence_of(values, kFenceOfLogarithms);
  return {unit * std::expm1(fence.low), unit * std::expm1(fence.high)};
}

}  // namespace omvc
