// One column while it is looked at (scale/columns.hpp): which of its numbers are usual, which lie far out, and which
// are words for a missing value.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "scale/extremes.hpp"

namespace omvc {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number that people write for a missing value, or one that is too large to be measured.
bool is_word(double x);

// What values add up to.
struct ColumnSums {
  double count = 0;
  double sum = 0;
  double squares = 0;
  double low = kInfinity;
  double high = -kInfinity;

  void add(double x, double times = 1) {
    count += times;
    sum += times * x;
    squares += times * x * x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

struct OneColumn {
  std::size_t feature = 0;
  double unit = 0;                        // of its logarithm; 0: none
  Extremes all;                           // of all rows, in the data's own numbers
  std::array<bool, 2> words{};            // whether all.low, all.high may be words
  Extremes plain{-kInfinity, kInfinity};  // what most numbers are within; and what all but glitches are within
  Extremes fence{-kInfinity, kInfinity};
  ColumnSums inside;             // this fence, after the logarithm
  std::vector<double> outside;   // in the data's own numbers, as long as they are few
  double absurd = 0;             // numbers so far outside that they never set a range, however many; and the farthest
  double farthest = 0;           // of them, in the data's own numbers
  double tail = 0;               // numbers inside it that are not within the plain one
  double longest = 0;            // the farthest of them, in the data's own numbers
  std::array<double, 2> said{};  // how often each word was found
  std::vector<double> gathered;

  double map(double x) const;
  bool may_be_word(double x) const { return (words[0] && x == all.low) || (words[1] && x == all.high); }
  void count(double x);
  bool is_absurd(double y) const;  // after the logarithm
  void lengthen(double x);         // takes a number into the tail
  // Whether all.low or all.high (side 0 or 1) says that a value is missing.
  bool says_missing(std::size_t side) const;
  // What is outside of the fence and not far from the numbers inside goes on with them.
  void take_neighbours();
};

}  // namespace omvc
