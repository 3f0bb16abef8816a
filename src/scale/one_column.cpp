#include "scale/one_column.hpp"

#include <algorithm>
#include <cmath>

namespace omvc {
namespace {

constexpr std::size_t kMostOutside = 4096;  // more than the glitches of a sample can be
constexpr double kApart = 2;                // between a glitch and all other values, in their ranges
constexpr double kGap = 0.5;                // between a word and all other values, in their ranges

// Numbers that people write for a missing value, with either sign; and those that are too large to be measured.
constexpr std::array kWords{9.0,         99.0,    999.0,   9999.0,  99999.0,      999999.0,     9999999.0,   99999999.0,
                            999999999.0, 32767.0, 32768.0, 65535.0, 2147483647.0, 2147483648.0, 4294967295.0};
constexpr double kAbsurdWidths = 1000;  // widths of the fence beyond it: a gap that no data have
constexpr double kHuge = 1e20;

}  // namespace

bool is_word(double x) {
  return std::abs(x) >= kHuge || std::find(kWords.begin(), kWords.end(), std::abs(x)) != kWords.end();
}

double OneColumn::map(double x) const { return unit > 0 ? std::log1p(std::max(x, 0.0) / unit) : x; }

void OneColumn::count(double x) {
  if (std::isnan(x)) return;
  if (may_be_word(x)) {
    said[x == all.low ? 0 : 1] += 1;
    return;
  }
  const double y = map(x);
  if (is_absurd(y)) {
    absurd += 1;
    if (absurd == 1 || std::abs(x) > std::abs(farthest)) farthest = x;
    return;
  }
  const bool within = y >= fence.low && y <= fence.high;
  if (!within && outside.size() < kMostOutside) {
    outside.push_back(x);
    return;
  }
  inside.add(y);
  if (y < plain.low || y > plain.high) lengthen(x);
}

bool OneColumn::is_absurd(double y) const {
  const double reach = kAbsurdWidths * (fence.high - fence.low);
  return reach > 0 && (y - fence.high > reach || fence.low - y > reach);
}

void OneColumn::lengthen(double x) {
  tail += 1;
  const double usual = (plain.low + plain.high) / 2;
  if (tail == 1 || std::abs(map(x) - usual) > std::abs(map(longest) - usual)) longest = x;
}

// A number of the list is a word where it is said again, and lies beyond the fence or far from all other values.
bool OneColumn::says_missing(std::size_t side) const {
  const double word = side == 0 ? all.low : all.high;
  if (!words[side] || said[side] < 2 || !(inside.count > 0)) return false;
  const double y = map(word);
  if (unit > 0 && word < 0) return true;
  if (y < fence.low || y > fence.high) return true;
  const double range = inside.high - inside.low;
  const double gap = side == 0 ? inside.low - y : y - inside.high;
  return range > 0 && gap >= kGap * range;
}

void OneColumn::take_neighbours() {
  std::sort(outside.begin(), outside.end());
  const auto takes = [&](double x) {
    const double y = map(x);
    const double range = inside.high - inside.low;
    if (std::max(y - inside.high, inside.low - y) >= kApart * range) return false;
    inside.add(y);
    lengthen(x);
    return true;
  };
  const auto above = std::find_if(outside.begin(), outside.end(), [&](double x) { return map(x) > fence.high; });
  auto last = above;
  while (last != outside.end() && takes(*last)) ++last;
  auto first = above;
  while (first != outside.begin() && takes(*(first - 1))) --first;
  outside.erase(first, last);
}

}  // namespace omvc
