// What a table has that would take a view over, or hide what is in it, and that sums do not tell:
//
//     units    a category is several columns of 0 and 1, which count as one; so does a column of two values. Brought to
//              0 .. 1 it has up to ten times the variance of a column of measurements.
//     glitches few values that lie beyond kFence interquartile ranges from the quartiles, and are far out by their
//              logarithms, too, where no number is negative. One of them would set the range of its column and leave
//              nothing of all others.
//     words    a number such as -999 that comes again and again, far from all others: it may say that a value is
//              missing.
//     tails    many values beyond the fence: a heavy tail, which logarithms shorten.
//
// Units follow from the survey and the names of the features, the rest from the sample of the rows (which is the same
// for any number of parts), so that files, streams, arrays, ranks and parts that merge all find the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scale/survey.hpp"

namespace omvc {

// Neighbouring features that are one column of the user's table.
struct ColumnUnit {
  std::size_t first = 0;
  std::size_t last = 0;     // behind the last one
  bool two_values = false;  // a column of two values, or a category
};

// The units of a view. A category is neighbours of two values (0 and 1) that are named "title=value", or those whose
// names begin alike up to the last "_" or "." and of which every row has just one.
std::vector<ColumnUnit> column_units(const ViewSurvey& survey, const std::vector<std::string>& names);

// The columns of the user's table, which are the units of a view, and their cells that rows which are present lack.
struct TableColumns {
  Index count = 0;
  Index missing = 0;
};
TableColumns table_columns(const ViewSurvey& survey, const ViewSchema& schema);

// What users call a unit; "feature 3" where features have no names.
std::string unit_name(const ColumnUnit& unit, const ViewSchema& schema);

// What is to be told of a column.
struct ColumnNote {
  enum class Kind : unsigned char { glitches, missing_word, heavy_tail };
  Kind kind = Kind::glitches;
  std::size_t feature = 0;
  double cells = 0;  // of the sample, times the instances that each of its rows stands for
  double value = 0;  // the farthest; of a word: its number

  bool operator==(const ColumnNote&) const = default;
};

// How far from a quartile a value is a glitch, in interquartile ranges; and the share of a column's cells up to which
// such values are glitches, and beyond which they are a heavy tail.
inline constexpr double kFence = 10;
inline constexpr double kMostGlitches = 0.02;

struct ColumnsLook {
  std::vector<ColumnUnit> units;
  std::vector<double> relation;  // of each unit with the others of the view, 0 .. 1 (scale/relation.hpp)
  // The survey as if glitches and words were not there; of the logarithms, where they were asked for.
  ViewSurvey clean;
  std::vector<double> ceiling;  // of each feature: the largest value of `clean` where it has a glitch or a word, else
                                // infinite; empty: no rows were looked at
  std::vector<double> missing_below;  // of each feature: the word that is its smallest value, else -infinity; and
  std::vector<double> missing_above;  // the one that is its largest, else infinity; empty: no column has any
  std::vector<double> unit;       // of each feature, where logarithms were asked for: that of log(1 + x / unit); 0: the
                                  // feature has negative values and stays as it is
  std::vector<ColumnNote> notes;  // by feature
};

// Looks at the columns of a view. `rows` are the sample as it came, in an order that depends on nothing but the rows;
// without any, only units are found.
ColumnsLook look_at_columns(const ViewSurvey& survey, const ViewSchema& schema, std::span<const Chunk> rows,
                            std::size_t view, bool logarithms);

}  // namespace omvc
