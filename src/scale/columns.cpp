#include "scale/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

namespace omvc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kColumnsAtOnce = 512;  // so that what is gathered of them stays small
constexpr std::size_t kQuartileRows = 4096;  // more do not change a quartile by much
constexpr double kMayBeFar = 5;              // standard deviations: 2 % of the values cannot all be nearer than this
constexpr double kFenceOfFew = 100;          // interquartile ranges, where most values of a column are the same
constexpr double kFewGlitches = 2;           // that may be glitches whatever their share
constexpr double kGap = 0.5;                 // between a word and all other values, in their ranges
constexpr double kLeastUnit = 1e-6;          // in means of the feature
constexpr double kTwoValues = 1e-9;          // how far from two values the sums may be, which were rounded

// Numbers that people write for a missing value, with either sign; and those that are too large to be measured.
constexpr std::array kWords{9.0,       99.0,    999.0,   9999.0,  99999.0,      999999.0,
                            9999999.0, 32767.0, 32768.0, 65535.0, 2147483647.0, 2147483648.0};
constexpr double kHuge = 1e20;

bool is_word(double x) {
  return std::abs(x) >= kHuge || std::find(kWords.begin(), kWords.end(), std::abs(x)) != kWords.end();
}

struct Extremes {
  double low = 0;
  double high = 0;
};

// A feature that is stored for some instances only is zero for the others.
Extremes extremes_of(const ViewSurvey& survey, std::size_t j) {
  const bool zeros = survey.nonzeros[j] < survey.known(j);
  return {zeros ? std::min(survey.minimum[j], 0.0) : survey.minimum[j],
          zeros ? std::max(survey.maximum[j], 0.0) : survey.maximum[j]};
}

// Whether every value of a feature is its smallest or its largest: then the products of the distances to both add up
// to nothing.
bool has_two_values(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  if (!(low < high) || !std::isfinite(high - low)) return false;
  const double known = survey.known(j);
  const double between = (low + high) * survey.sum[j] - survey.squares[j] - known * low * high;
  const double size = known * std::max({low * low, high * high, (high - low) * (high - low)});
  return std::abs(between) <= kTwoValues * size;
}

bool is_constant(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  return !(low < high);
}

// 0 and 1, or one of them.
bool is_flag(const ViewSurvey& survey, std::size_t j) {
  const auto [low, high] = extremes_of(survey, j);
  return (has_two_values(survey, j) && low == 0 && high == 1) || (is_constant(survey, j) && (low == 0 || low == 1));
}

// What a name begins with, up to the last of these marks; empty where there is none.
std::string_view title_of(std::string_view name, std::string_view marks) {
  const std::size_t at = name.find_last_of(marks);
  return at == std::string_view::npos ? std::string_view() : name.substr(0, at);
}

// The end of the category that begins with feature j; j where none does.
std::size_t end_of_category(const ViewSurvey& survey, const std::vector<std::string>& names, std::size_t j) {
  if (names.empty() || !is_flag(survey, j)) return j;
  for (const std::string_view marks : {std::string_view("="), std::string_view("_.")}) {
    const std::string_view title = title_of(names[j], marks);
    if (title.empty()) continue;
    std::size_t end = j;
    double ones = 0;
    for (; end < names.size() && title_of(names[end], marks) == title && is_flag(survey, end); ++end) {
      ones += survey.sum[end];
    }
    if (end > j + 1 && (marks == "=" || std::abs(ones - survey.known(j)) <= kTwoValues * ones)) return end;
  }
  return j;
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

// The value that a share of them lies below. Reorders them.
double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Where glitches begin on either side. Where half of the values are the same, the others tell how far is usual, less
// clearly: most of what is not zero may be small.
Extremes fence_of(std::vector<double>& values) {
  if (values.empty()) return {-kInfinity, kInfinity};
  double low = quantile(values, 0.25);
  double high = quantile(values, 0.75);
  double usual = high - low;
  double fence = kFence;
  if (!(usual > 0)) {
    fence = kFenceOfFew;
    const double middle = quantile(values, 0.5);
    std::erase(values, middle);
    if (values.empty()) return {-kInfinity, kInfinity};
    low = std::min(quantile(values, 0.25), middle);
    high = std::max(quantile(values, 0.75), middle);
    usual = high - low;
  }
  return {low - fence * usual, high + fence * usual};
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
  void add(const Sums& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// One column while it is looked at.
struct Seen {
  std::size_t feature = 0;
  double unit = 0;              // of its logarithm; 0: none
  Extremes all;                 // of all rows, in the data's own numbers
  std::array<bool, 2> words{};  // whether all.low, all.high may be words
  Extremes fence{-kInfinity, kInfinity};
  Sums inside;  // this and the rest: after the logarithm
  Sums beyond;
  double farthest = 0;           // of those beyond, in the data's own numbers
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
    for (Seen& seen : columns) seen.fence = fence_of(seen.gathered);
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
    if (y >= seen.fence.low && y <= seen.fence.high) return seen.inside.add(y);
    seen.beyond.add(y);
    const double usual = seen.inside.count > 0 ? seen.inside.sum / seen.inside.count : 0;
    if (seen.beyond.count == 1 || std::abs(y - usual) > std::abs(seen.map(seen.farthest) - usual)) seen.farthest = x;
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

  void judge(Seen& seen) {
    const double rows = seen.inside.count + seen.beyond.count + seen.said[0] + seen.said[1];
    if (!(rows > 0)) return;
    const double stands_for = survey_.known(seen.feature) / rows;
    const auto note = [&](ColumnNote::Kind kind, double cells, double value) {
      out_.notes.push_back({kind, seen.feature, std::round(cells * stands_for), value});
    };
    std::array<bool, 2> word{};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const double value = side == 0 ? seen.all.low : seen.all.high;
      word[side] = says_missing(seen, side);
      if (word[side]) {
        note(ColumnNote::Kind::missing_word, seen.said[side], value);
        take_word(seen.feature, side, value);
      } else if (seen.said[side] > 0) {
        const double y = seen.map(value);
        const bool far = y < seen.fence.low || y > seen.fence.high;
        if (far) seen.farthest = value;
        (far ? seen.beyond : seen.inside).add(y, seen.said[side]);
      }
    }
    const bool far = seen.beyond.count > 0;
    const bool glitches =
        far && seen.beyond.count <= std::max(kFewGlitches, kMostGlitches * rows) && seen.inside.low < seen.inside.high;
    if (glitches) note(ColumnNote::Kind::glitches, seen.beyond.count, seen.farthest);
    if (far && !glitches) {
      note(ColumnNote::Kind::heavy_tail, seen.beyond.count, seen.farthest);
      seen.inside.add(seen.beyond);
    }
    if (logarithms_ || glitches || word[0] || word[1]) keep(seen, glitches || word[0] || word[1]);
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

std::vector<ColumnUnit> column_units(const ViewSurvey& survey, const std::vector<std::string>& names) {
  std::vector<ColumnUnit> units;
  for (std::size_t j = 0; j < survey.sum.size();) {
    const std::size_t end = end_of_category(survey, names, j);
    const bool category = end > j;
    units.push_back({j, category ? end : j + 1, category || has_two_values(survey, j)});
    j = units.back().last;
  }
  return units;
}

std::string unit_name(const ColumnUnit& unit, const ViewSchema& schema) {
  const std::vector<std::string>& names = schema.feature_names;
  if (names.empty()) return "feature " + schema.feature_name(static_cast<Index>(unit.first));
  if (unit.last == unit.first + 1) return names[unit.first];
  const std::string_view by_value = title_of(names[unit.first], "=");
  return std::string(by_value.empty() ? title_of(names[unit.first], "_.") : by_value);
}

ColumnsLook look_at_columns(const ViewSurvey& survey, const ViewSchema& schema, std::span<const Chunk> rows,
                            std::size_t view, bool logarithms) {
  ColumnsLook out;
  out.clean = survey;
  if (!rows.empty()) ColumnScan(survey, rows, view, logarithms, out).run();
  out.units = column_units(logarithms ? survey : out.clean, schema.feature_names);
  return out;
}

}  // namespace omvc
