#include "reproduce/plot_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace omvc::app {
namespace {

constexpr double kSlack = 1e-9;  // of a step: ends that miss a round number by rounding still get their tick

double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - kSlack)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> ticks;
  const double first = std::ceil(low / step - kSlack);
  const double last = std::floor(high / step + kSlack);
  for (double i = first; i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int wanted) {
  if (!(low < high)) return {low};
  double step = round_step((high - low) / std::max(wanted, 2));
  std::vector<double> ticks = multiples(low, high, step);
  while (ticks.size() < 2) {
    step = round_step(step / 2.5);
    ticks = multiples(low, high, step);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int wanted) {
  if (!(low < high)) return {low};
  const int first = static_cast<int>(std::ceil(std::log10(low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log10(high) + kSlack));
  std::vector<double> ticks;
  if (last - first >= 1) {
    const int step = (last - first) / std::max(wanted, 2) + 1;
    for (int power = first; power <= last; power += step) ticks.push_back(std::pow(10, power));
    return ticks;
  }
  for (int power = first - 1; power <= last + 1; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if (tick >= low * (1 - kSlack) && tick <= high * (1 + kSlack)) ticks.push_back(tick);
    }
  }
  return ticks.size() < 2 ? linear_ticks(low, high, wanted) : ticks;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e6)) return fmt::format("{:.4g}", value);
  const std::string text = fmt::format("{:.3e}", value);
  const std::size_t split = text.find('e');
  std::string mantissa = text.substr(0, split);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.back() == '.') mantissa.pop_back();
  return fmt::format("{}e{}", mantissa, std::stoi(text.substr(split + 1)));
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks) {
  double largest = 0;
  double least_gap = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    largest = std::max(largest, std::abs(ticks[i]));
    if (i == 0) continue;
    const double gap = std::abs(ticks[i] - ticks[i - 1]);
    least_gap = i == 1 ? gap : std::min(least_gap, gap);
  }
  if (least_gap == 0) least_gap = largest;
  std::vector<std::string> texts;
  if (largest >= 1e6 || (largest > 0 && least_gap < 1e-3)) {
    for (const double tick : ticks) texts.push_back(short_number(tick));
    return texts;
  }
  int decimals = 0;
  for (double gap = least_gap; largest > 0 && decimals < 6; ++decimals, gap *= 10) {
    if (std::abs(gap - std::round(gap)) < 1e-6 * std::max(gap, 1.0) && std::round(gap) >= 1) break;
  }
  for (const double tick : ticks) texts.push_back(fmt::format("{:.{}f}", tick, decimals));
  return texts;
}

}  // namespace omvc::app
