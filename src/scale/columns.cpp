#include "scale/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scale/fence.hpp"
#include "scale/one_column.hpp"
#include "scale/relation.hpp"
#include "scale/rows_of_view.hpp"

namespace omvc {
namespace {

constexpr std::size_t kColumnsAtOnce = 512;  // so that what is gathered of them stays small
constexpr std::size_t kQuartileRows = 4096;  // more do not change a quartile by much
constexpr std::size_t kMiddleRows = 64;      // whose quartiles say where a column has its middle,
constexpr std::size_t kFewestMiddles = 20;   // or as many as know it
constexpr std::size_t kMostMiddles = 1 << 22;
constexpr double kMayBeAbsurd = 1000;  // interquartile ranges
constexpr double kMayBeFar = 5;        // standard deviations: 2 % of the values cannot all be nearer than this
constexpr double kLeastTail = 0.005;   // share of the values beyond the plain fence that is a heavy tail,
constexpr double kFewestFar = 4;       // and their number
constexpr double kFewGlitches = 2;     // that may be glitches whatever their share
constexpr double kLeastUnit = 1e-6;    // in means of the feature

class ColumnScan {
 public:
  ColumnScan(const ViewSurvey& survey, std::span<const Chunk> rows, std::size_t view, bool logarithms, ColumnsLook& out)
      : survey_(survey), rows_(rows), view_(view), logarithms_(logarithms), out_(out) {}

  void run() {
    out_.ceiling.assign(survey_.sum.size(), kInfinity);
    if (logarithms_) find_units();
    look_at_middles();
    std::vector<OneColumn> columns;
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
    if (!middles_.empty() && std::max(high - middles_[j].high, middles_[j].low - low) >
                                 kMayBeAbsurd * (middles_[j].high - middles_[j].low)) {
      return true;
    }
    return std::max(high - mean, mean - low) >= kMayBeFar * std::sqrt(variance);
  }

  // Numbers far out that are not few hide in the sums, which they make: the quartiles of some rows tell them.
  void look_at_middles() {
    const std::size_t d = survey_.sum.size();
    if (logarithms_ || d * kMiddleRows > kMostMiddles) return;
    const std::size_t step = std::max<std::size_t>(count_rows(rows_, view_) / kMiddleRows, 1);
    std::vector<std::vector<double>> values(d);
    std::size_t at = 0;
    for_rows(rows_, view_, std::numeric_limits<std::size_t>::max(), [&](const std::vector<double>& row) {
      if (!is_looked_at(at++, step)) return;
      for (std::size_t j = 0; j < d; ++j) {
        if (!std::isnan(row[j])) values[j].push_back(row[j]);
      }
    });
    for (std::vector<double>& column : values) {
      middles_.push_back(column.size() < kFewestMiddles ? Extremes{-kInfinity, kInfinity} : fence_of(column, 0));
    }
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

  OneColumn begin(std::size_t j) const {
    OneColumn column;
    column.feature = j;
    column.unit = logarithms_ ? out_.unit[j] : 0;
    column.all = extremes_of(survey_, j);
    column.words = {is_word(column.all.low), is_word(column.all.high)};
    return column;
  }

  void look_at(std::vector<OneColumn>& columns) {
    if (columns.empty()) return;
    for_rows(rows_, view_, kQuartileRows, [&](const std::vector<double>& row) {
      for (OneColumn& column : columns) {
        const double x = row[column.feature];
        if (!std::isnan(x) && !column.may_be_word(x)) column.gathered.push_back(column.map(x));
      }
    });
    for (OneColumn& column : columns) {
      const std::vector<double> values = column.gathered;
      column.fence = column.plain = fence_of(column.gathered, kFence);
      if (logarithms_) continue;
      const Extremes wide = fence_of_logarithms(values, column.plain);
      column.fence = {std::min(column.plain.low, wide.low), std::max(column.plain.high, wide.high)};
    }
    for_rows(rows_, view_, std::numeric_limits<std::size_t>::max(), [&](const std::vector<double>& row) {
      for (OneColumn& column : columns) column.count(row[column.feature]);
    });
    for (OneColumn& column : columns) judge(column);
  }

  // Whether the extremes of the column are words; notes them, and gives back those that are numbers.
  bool find_words(OneColumn& column, double stands_for) {
    bool any = false;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const double value = side == 0 ? column.all.low : column.all.high;
      const double y = column.map(value);
      const bool within = y >= column.fence.low && y <= column.fence.high;
      if (column.says_missing(side)) {
        note(ColumnNote::Kind::missing_word, column, column.said[side] * stands_for, value);
        take_word(column.feature, side, value);
        any = true;
      } else if (within) {
        if (column.said[side] > 0) column.inside.add(y, column.said[side]);
      } else if (column.said[side] > 0) {
        column.outside.insert(column.outside.end(), static_cast<std::size_t>(column.said[side]), value);
      } else if (std::find(column.outside.begin(), column.outside.end(), value) == column.outside.end()) {
        column.outside.push_back(value);  // of a row that is not in the sample
      }
    }
    return any;
  }

  void judge(OneColumn& column) {
    const double rows = column.inside.count + static_cast<double>(column.outside.size()) + column.said[0] +
                        column.said[1] + column.absurd;
    if (!(column.inside.count > 0)) return;
    const double stands_for = survey_.known(column.feature) / rows;
    const bool words = find_words(column, stands_for);
    column.take_neighbours();
    const auto far = static_cast<double>(column.outside.size());
    const bool glitches =
        far > 0 && far <= std::max(kFewGlitches, kMostGlitches * rows) && column.inside.low < column.inside.high;
    if (column.absurd > 0) note(ColumnNote::Kind::glitches, column, column.absurd * stands_for, column.farthest);
    if (glitches && column.absurd == 0) {
      const bool below = column.inside.low - column.map(column.outside.front()) >
                         column.map(column.outside.back()) - column.inside.high;
      note(ColumnNote::Kind::glitches, column, far * stands_for,
           below ? column.outside.front() : column.outside.back());
    } else if (!glitches) {
      for (const double x : column.outside) {
        column.inside.add(column.map(x));
        column.lengthen(x);
      }
    }
    if (column.tail >= std::max(kFewestFar, kLeastTail * rows)) {
      note(ColumnNote::Kind::heavy_tail, column, column.tail * stands_for, column.longest);
    }
    const bool cleaned = glitches || words || column.absurd > 0;
    if (logarithms_ || cleaned) keep(column, cleaned);
  }

  void note(ColumnNote::Kind kind, const OneColumn& column, double cells, double value) {
    out_.notes.push_back({kind, column.feature, std::round(cells), value});
  }

  void take_word(std::size_t j, std::size_t side, double value) {
    out_.missing_below.resize(survey_.sum.size(), -kInfinity);
    out_.missing_above.resize(survey_.sum.size(), kInfinity);
    (side == 0 ? out_.missing_below : out_.missing_above)[j] = value;
  }

  // What stands in the survey from now on. Rows that are not in the sample may reach farther than those that are.
  void keep(const OneColumn& column, bool cleaned) {
    const std::size_t j = column.feature;
    ViewSurvey& clean = out_.clean;
    const double known = survey_.known(j);
    clean.sum[j] = column.inside.sum / column.inside.count * known;
    clean.squares[j] = column.inside.squares / column.inside.count * known;
    clean.minimum[j] = cleaned ? column.inside.low : column.map(column.all.low);
    clean.maximum[j] = cleaned ? column.inside.high : column.map(column.all.high);
    if (!cleaned) return;
    out_.ceiling[j] = column.inside.high;
    if (column.inside.low > 0) clean.nonzeros[j] = known;  // a zero was a glitch
  }

  std::vector<Extremes> middles_;  // the quartiles of each feature in some rows
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
  out.relation = rows.empty() ? std::vector<double>(out.units.size(), 1.0) : relations(out, rows, view);
  return out;
}

}  // namespace omvc
