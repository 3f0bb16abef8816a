// How far the features of a view are shifted, and what they are multiplied by: the parts of a ViewScaling that follow
// from ranges and variances.
#pragma once

#include <vector>

#include "scale/scaling.hpp"

namespace omvc {

// The mean of every feature, which stands in for its missing cells.
std::vector<double> means_of(const ViewSurvey& survey);

// Every feature shifted to minimum 0, and brought to maximum 1; or to standard deviation 1.
void spread_ranges(const ViewSurvey& survey, ViewScaling& out);
void spread_deviations(const ViewSurvey& survey, ViewScaling& out);
// Every feature shifted to minimum 0, and the view to total variance 1.
void shift_only(const ViewSurvey& survey, ViewScaling& out);
// Every feature from its minimum 0 to its maximum 1, then equal total variance between views.
void spread_evenly(const ViewSurvey& survey, ViewScaling& out);
// Every feature from 0 to 1, and units brought down to what one column of measurements weighs. Returns how many were.
std::size_t spread_units(const ColumnsLook& look, ViewScaling& out);
// The same as spread_evenly for what was looked at: units weigh alike, columns of few values of which neighbours by the
// others tell next to nothing hardly weigh, and values far above the range come back to it. Says so in the description,
// with the names of `schema`.
void spread_columns(const ColumnsLook& look, const ViewSchema& schema, ViewScaling& out);

}  // namespace omvc
