// Bringing views to a common, nonnegative scale. All scalings have one form, so that a model keeps one struct and
// applies it to new instances just as it was applied to the old ones:
//
//     x_j  ->  factor * unit( gain_j * (clip(x_j) - shift_j) )       unit: the row to length 1, where asked for
//
// Where logarithms are asked for, x_j is log(1 + x_j / unit_j) from the start, which leaves zeros what they are.
// Only entries that are stored are touched, so a sparse view stays sparse: a feature that is zero for some instance is
// not shifted unless it has negative values in a dense view. Dense counts alone come out dense however they are stored:
// clip(x_j) then becomes its centred log ratio (scale/log_ratio.hpp) before it is shifted.
#pragma once

#include <string>
#include <vector>

#include "omvc/options.hpp"

#include "scale/columns.hpp"
#include "scale/survey.hpp"

namespace omvc {

struct ViewScaling {
  bool known = false;             // false until the view was first seen
  bool clip = false;              // negative values become 0, and are counted
  bool refuse_negatives = false;  // negative values are an error; without this, clip and shift they stay as they are
  bool unit_rows = false;         // rows of length 1
  bool log_ratios = false;        // numbers become centred log ratios first; shift, gain and fill are of those
  double factor = 1;
  std::vector<double> shift;    // of each feature; empty: 0
  std::vector<double> gain;     // of each feature; empty: 1
  std::vector<double> fill;     // of each feature, before shift and gain: what stands in for a missing cell (NaN)
  std::vector<double> ceiling;  // of each feature, before shift and gain: larger values are brought back to it; empty:
                                // none. Smaller values than the shift are brought back to it wherever there is one.
  // Of each feature, in the data's own numbers: values up to `missing_below` and from `missing_above` on are words for
  // a missing value, and filled like one; empty: none are.
  std::vector<double> missing_below;
  std::vector<double> missing_above;
  std::vector<double> unit;       // of each feature: numbers become log(1 + x / unit) first, and shift, gain, fill and
                                  // ceiling are of those; 0: they stay as they are; empty: all do
  std::vector<ColumnNote> notes;  // what was found in the columns
  std::string description;        // in words, for reports
  std::string reason;             // why it was chosen, likewise
};

inline constexpr double kLargestValue = 1e140;  // whose square, and sums of such squares, are finite
inline constexpr double kSmallestValue = 1 / kLargestValue;

// Chooses the scaling of a view; options.hpp says what each does.
//   automatic  sparse counts: tf-idf weights, rows of length 1. Other sparse or mostly-zero views: rows of length 1,
//              unless a dense view has negative values.
//              Dense counts of a wide range: centred log ratios, and then as dense.
//              Dense: every feature from its minimum 0 to its maximum 1, then equal total variance between views.
// Those that shift features refuse negative values in a view stored sparse, since shifting would fill its zeros.
// A missing cell is filled with the mean of its feature. In a dense view a category and a column of two values weigh at
// most what one column of measurements of median variance does; glitches (scale/columns.hpp) do not set the range of
// their column and are brought back to it, and so are later values that lie beyond it by more than the range itself.
// Throws ErrorKind::data, naming the view, for values too large or too small to be squared, where log ratios are asked
// for and the view is not of counts, and where logarithms are asked for and there are no rows to look at.
ViewScaling choose_scaling(Scaling scaling, const ViewSurvey& survey, const ViewSchema& schema,
                           const ColumnsLook* look = nullptr);
// Whether a scaling of this view depends on a look at its columns.
bool needs_columns(Scaling scaling, const ViewSurvey& survey, const ViewSchema& schema);
// The scaling of every view that was seen, by what was asked for (one, or one per view), the survey and the sample as
// it came; of a view that was not seen, that of `before`.
std::vector<ViewScaling> choose_scalings(const std::vector<Scaling>& asked, const Schema& schema, const Survey& survey,
                                         std::span<const Chunk> rows, std::vector<ViewScaling> before);

// Whether a number of the data, of the j-th feature, is none, but a word for a missing value.
bool is_missing(const ViewScaling& scaling, std::size_t j, double x);
// Whether it says nothing of its feature: a missing value, or a glitch, which lies beyond the range of the others.
bool is_left_out(const ViewScaling& scaling, std::size_t j, double x);

// For rows that no survey has seen. Throws ErrorKind::data, naming view and row, for values too large to be squared.
void check_magnitudes(const Chunk& chunk, const Schema& schema);

// Whether a scaling that was asked for takes no negative value in a view that is stored sparse, or dense: `none` and
// `clr` in neither, and those that shift features not in sparse views, whose zeros shifting would fill.
bool refuses_negatives(Scaling asked, bool sparse);
// Throws ErrorKind::data, naming view and row, for a negative value that this scaling of each view refuses, and for one
// that is not whole where it takes counts only.
void check_negatives(const Chunk& chunk, const Schema& schema, const std::vector<Scaling>& asked);

// Applies the scaling to every view of the chunk; returns the number of negative entries that were set to 0, by view.
// Throws ErrorKind::data, naming view and row, for a negative value where the scaling refuses them.
// Values that are lent are copied where the scaling changes them, and left where they are where it does not.
std::vector<Index> apply_scaling(const std::vector<ViewScaling>& scaling, const Schema& schema, Chunk& chunk);

// Values farther out than this are brought back to it, so that they can be squared in single precision, in which scaled
// rows are compared. A block without such values is not touched: what is lent is not copied.
inline constexpr double kNarrowValue = 1e15;
void clamp_to_narrow(Chunk& chunk);

// A scaled row back in the data's own units. A row that was brought to length 1, or to ratios, has lost its total; it
// gets the mean total of the rows of the view. Of ratios that were averaged this is about the geometric mean.
std::vector<double> unscaled(const ViewScaling& scaling, const ViewSurvey& survey, std::vector<double> row);

}  // namespace omvc
