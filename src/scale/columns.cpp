#include "scale/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "scale/fence.hpp"

namespace omvc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kColumnsAtOnce = 512;  // so that what is gathered of them stays small
constexpr std::size_t kQuartileRows = 4096;  // more do not change a quartile by much
constexpr double kMayBeFar = 5;              // standard deviations: 2 % of the values cannot all be nearer than this
constexpr double kLeastTail = 0.005;         // share of the values beyond the plain fence that is a heavy tail,
constexpr double kFewestFar = 4;             // and their number
constexpr std::size_t kMostOutside = 4096;   // more than the glitches of a sample can be
constexpr double kFewGlitches = 2;           // that may be glitches whatever their share
constexpr double kApart = 2;                 // between a glitch and all other values, in their ranges
constexpr double kGap = 0.5;                 // between a word and all other values, in their ranges
constexpr double kLeastUnit = 1e-6;          // in means of the feature

// Numbers that people write for a missing value, with either sign; and those that are too large to be measured.
constexpr std::array kWords{9.0,       99.0,    999.0,   9999.0,  99999.0,      999999.0,
                            9999999.0, 32767.0, 32768.0, 65535.0, 2147483647.0, 2147483648.0};
constexpr double kHuge = 1e20;

bool is_word(double x) {
  return std::abs(x) >= kHuge || std::find(kWords.begin(), kWords.end(), std::abs(x)) != kWords.end();
}

// Calls use(row of numbers) for the rows of a view, all of them or the first `most`.
template <class F>
void for_rows(std::span<const Chunk> chunks, std::size_t view, std::size_t most, const F& use) {
  std::vector<double> row;
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) {
    std::visit(
        [&](const auto& X) {
          row.resize(static_cast<std::size_t>(X.cols));
          for (Index i = 0; i < X.rows && count < most; ++i, ++count) {
            if constexpr (requires { X.offsets; }) {
              std::fill(row.begin(), row.end(), 0.0);
              for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i)]);
                   e < static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
                row[static_cast<std::size_t>(X.columns[e])] = static_cast<double>(X.values[e]);
              }
            } else {
              const auto values = X.row(i);
              std::copy(values.begin(), values.end(), row.begin());
            }
            use(row);
          }
        },
        chunk.views[view].block);
  }
}

// What values add up to.
struct Sums {
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

// One column while it is looked at.
struct Seen {
  std::size_t feature = 0;
  double unit = 0;                        // of its logarithm; 0: none
  Extremes all;                           // of all rows, in the data's own numbers
  std::array<bool, 2> words{};            // whether all.low, all.high may be words
  Extremes plain{-kInfinity, kInfinity};  // what most numbers are within; and what all but glitches are within
  Extremes fence{-kInfinity, kInfinity};
  Sums inside;                   // this fence, after the logarithm
  std::vector<double> outside;   // in the data's own numbers, as long as they are few
  double tail = 0;               // numbers inside it that are not within the plain one
  double longest = 0;            // the farthest of them, in the data's own numbers
  std::array<double, 2> said{};  // how often each word was found
  std::vector<double> gathered;

  double map(double x) const { return unit > 0 ? std::log1p(std::max(x, 0.0) / unit) : x; }
  bool may_be_word(double x) const { return (words[0] && x == all.low) || (words[1] && x == all.high); }
};

class ColumnScan {
 public:
  ColumnScan(const ViewSurvey& survey, std::span<const Chunk> rows, std::size_t view, bool logarithms, ColumnsLook& out)
      : survey_(survey), rows_(rows), view_(view), logarithms_(logarithms), out_(out) {}

  void run() {
    out_.ceiling.assign(survey_.sum.size(), kInfinity);
    if (logarithms_) find_units();
    std::vector<Seen> columns;
    for (std::size_t j = 0; j < survey_.sum.size(); ++j) {
      if (worth_a_look(j)) columns.push_back(begin(j));
      if (columns.size() == kColumnsAtOnce || j + 1 == survey_.sum.size()) {
        look_at(columns);
        columns.clear();
      }
    }
  }

 private:
  // Sums tell that most columns have no value far out.
  bool worth_a_look(std::size_t j) const {
    const auto [low, high] = extremes_of(survey_, j);
    const double known = survey_.known(j);
    if (!(known > 0) || !(low < high)) return false;
    if (logarithms_ || is_word(low) || is_word(high)) return true;
    const double mean = survey_.sum[j] / known;
    const double variance = std::max(0.0, survey_.squares[j] / known - mean * mean);
    return std::max(high - mean, mean - low) >= kMayBeFar * std::sqrt(variance);
  }

  void find_units() {
    const std::size_t d = survey_.sum.size();
    std::vector<double> least(d, kInfinity);
    std::vector<bool> negative(d, false);
    for_rows(rows_, view_, std::numeric_limits<std::size_t>::max(), [&](const std::vector<double>& row) {
      for (std::size_t j = 0; j < d; ++j) {
        if (row[j] > 0) least[j] = std::min(least[j], row[j]);
        if (row[j] < 0 && !is_word(row[j])) negative[j] = true;
      }
    });
    for (std::size_t j = 0; j < d; ++j) {
      const double usual = survey_.known(j) > 0 ? survey_.sum[j] / survey_.known(j) : 0;
      const bool has = !negative[j] && std::isfinite(least[j]);
      out_.unit.push_back(has ? std::max(least[j], kLeastUnit * usual) : 0);
    }
  }

  Seen begin(std::size_t j) const {
    Seen seen;
    seen.feature = j;
    seen.unit = logarithms_ ? out_.unit[j] : 0;
    seen.all = extremes_of(survey_, j);
    seen.words = {is_word(seen.all.low), is_word(seen.all.high)};
    return seen;
  }

  void look_at(std::vector<Seen>& columns) {
    if (columns.empty()) return;
    for_rows(rows_, view_, kQuartileRows, [&](const std::vector<double>& row) {
      for (Seen& seen : columns) {
        const double x = row[seen.feature];
        if (!std::isnan(x) && !seen.may_be_word(x)) seen.gathered.push_back(seen.map(x));
      }
    });
    for (Seen& seen : columns) {
      const std::vector<double> values = seen.gathered;
      seen.fence = seen.plain = fence_of(seen.gathered, kFence);
      if (logarithms_) continue;
      const Extremes wide = fence_of_logarithms(values, seen.plain);
      seen.fence = {std::min(seen.plain.low, wide.low), std::max(seen.plain.high, wide.high)};
    }
    for_rows(rows_, view_, std::numeric_limits<std::size_t>::max(), [&](const std::vector<double>& row) {
      for (Seen& seen : columns) count(row[seen.feature], seen);
    });
    for (Seen& seen : columns) judge(seen);
  }

  static void count(double x, Seen& seen) {
    if (std::isnan(x)) return;
    if (seen.may_be_word(x)) {
      seen.said[x == seen.all.low ? 0 : 1] += 1;
      return;
    }
    const double y = seen.map(x);
    const bool within = y >= seen.fence.low && y <= seen.fence.high;
    if (!within && seen.outside.size() < kMostOutside) {
      seen.outside.push_back(x);
      return;
    }
    seen.inside.add(y);
    if (y < seen.plain.low || y > seen.plain.high) lengthen(x, seen);
  }

  static void lengthen(double x, Seen& seen) {
    seen.tail += 1;
    const double usual = (seen.plain.low + seen.plain.high) / 2;
    if (seen.tail == 1 || std::abs(seen.map(x) - usual) > std::abs(seen.map(seen.longest) - usual)) seen.longest = x;
  }

  // A number of the list is a word where it is said again, and lies beyond the fence or far from all other values.
  bool says_missing(const Seen& seen, std::size_t side) const {
    const double word = side == 0 ? seen.all.low : seen.all.high;
    if (!seen.words[side] || seen.said[side] < 2 || !(seen.inside.count > 0)) return false;
    const double y = seen.map(word);
    if (seen.unit > 0 && word < 0) return true;
    if (y < seen.fence.low || y > seen.fence.high) return true;
    const double range = seen.inside.high - seen.inside.low;
    const double gap = side == 0 ? seen.inside.low - y : y - seen.inside.high;
    return range > 0 && gap >= kGap * range;
  }

  // What is outside of the fence and not far from the numbers inside goes on with them.
  static void take_neighbours(Seen& seen) {
    std::sort(seen.outside.begin(), seen.outside.end());
    const auto takes = [&](double x) {
      const double y = seen.map(x);
      const double range = seen.inside.high - seen.inside.low;
      if (std::max(y - seen.inside.high, seen.inside.low - y) >= kApart * range) return false;
      seen.inside.add(y);
      lengthen(x, seen);
      return true;
    };
    const auto above =
        std::find_if(seen.outside.begin(), seen.outside.end(), [&](double x) { return seen.map(x) > seen.fence.high; });
    auto last = above;
    while (last != seen.outside.end() && takes(*last)) ++last;
    auto first = above;
    while (first != seen.outside.begin() && takes(*(first - 1))) --first;
    seen.outside.erase(first, last);
  }

  // Whether the extremes of the column are words; notes them, and gives back those that are numbers.
  bool find_words(Seen& seen, double stands_for) {
    bool any = false;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const double value = side == 0 ? seen.all.low : seen.all.high;
      const double y = seen.map(value);
      const bool within = y >= seen.fence.low && y <= seen.fence.high;
      if (says_missing(seen, side)) {
        note(ColumnNote::Kind::missing_word, seen, seen.said[side] * stands_for, value);
        take_word(seen.feature, side, value);
        any = true;
      } else if (within) {
        if (seen.said[side] > 0) seen.inside.add(y, seen.said[side]);
      } else if (seen.said[side] > 0) {
        seen.outside.insert(seen.outside.end(), static_cast<std::size_t>(seen.said[side]), value);
      } else if (std::find(seen.outside.begin(), seen.outside.end(), value) == seen.outside.end()) {
        seen.outside.push_back(value);  // of a row that is not in the sample
      }
    }
    return any;
  }

  void judge(Seen& seen) {
    const double rows = seen.inside.count + static_cast<double>(seen.outside.size()) + seen.said[0] + seen.said[1];
    if (!(seen.inside.count > 0)) return;
    const double stands_for = survey_.known(seen.feature) / rows;
    const bool words = find_words(seen, stands_for);
    take_neighbours(seen);
    const auto far = static_cast<double>(seen.outside.size());
    const bool glitches =
        far > 0 && far <= std::max(kFewGlitches, kMostGlitches * rows) && seen.inside.low < seen.inside.high;
    if (glitches) {
      const bool below =
          seen.inside.low - seen.map(seen.outside.front()) > seen.map(seen.outside.back()) - seen.inside.high;
      note(ColumnNote::Kind::glitches, seen, far * stands_for, below ? seen.outside.front() : seen.outside.back());
    } else {
      for (const double x : seen.outside) {
        seen.inside.add(seen.map(x));
        lengthen(x, seen);
      }
    }
    if (seen.tail >= std::max(kFewestFar, kLeastTail * rows)) {
      note(ColumnNote::Kind::heavy_tail, seen, seen.tail * stands_for, seen.longest);
    }
    if (logarithms_ || glitches || words) keep(seen, glitches || words);
  }

  void note(ColumnNote::Kind kind, const Seen& seen, double cells, double value) {
    out_.notes.push_back({kind, seen.feature, std::round(cells), value});
  }

  void take_word(std::size_t j, std::size_t side, double value) {
    out_.missing_below.resize(survey_.sum.size(), -kInfinity);
    out_.missing_above.resize(survey_.sum.size(), kInfinity);
    (side == 0 ? out_.missing_below : out_.missing_above)[j] = value;
  }

  // What stands in the survey from now on. Rows that are not in the sample may reach farther than those that are.
  void keep(const Seen& seen, bool cleaned) {
    const std::size_t j = seen.feature;
    ViewSurvey& clean = out_.clean;
    const double known = survey_.known(j);
    clean.sum[j] = seen.inside.sum / seen.inside.count * known;
    clean.squares[j] = seen.inside.squares / seen.inside.count * known;
    clean.minimum[j] = cleaned ? seen.inside.low : seen.map(seen.all.low);
    clean.maximum[j] = cleaned ? seen.inside.high : seen.map(seen.all.high);
    if (!cleaned) return;
    out_.ceiling[j] = seen.inside.high;
    if (seen.inside.low > 0) clean.nonzeros[j] = known;  // a zero was a glitch
  }

  const ViewSurvey& survey_;
  std::span<const Chunk> rows_;
  std::size_t view_;
  bool logarithms_;
  ColumnsLook& out_;
};

}  // namespace

ColumnsLook look_at_columns(const ViewSurvey& survey, const ViewSchema& schema, std::span<const Chunk> rows,
                            std::size_t view, bool logarithms) {
  ColumnsLook out;
  out.clean = survey;
  if (!rows.empty()) ColumnScan(survey, rows, view, logarithms, out).run();
  out.units = column_units(logarithms ? survey : out.clean, schema.feature_names);
  return out;
}

}  // namespace omvc
