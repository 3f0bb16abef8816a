// What the columns of few values of a view have to do with its other columns.
//
// Rows that differ in a column of two values, or in a category, lie on sheets that no row lies between: the graph of
// neighbours falls apart along them, however little the column weighs beside the measurements together. That is right
// where the column goes with the others, as the kind of an animal goes with its sizes, and ruins clusters where it is
// anybody's toss of a coin. So each of them is asked whether the neighbours that a row has by all other columns have
// the same value as the row.
#pragma once

#include <span>
#include <vector>

#include "scale/columns.hpp"

namespace omvc {

// Of each unit of the view, as found in the sample: how much more often than by chance the neighbours of a row have its
// value, 0 (no more often) .. 1 (always). 1 as well for columns of many values, and for all where too few rows, too few
// columns of many values, or too many columns would have to say. Rows and units are those of look_at_columns.
std::vector<double> relations(const ColumnsLook& look, std::span<const Chunk> rows, std::size_t view);

}  // namespace omvc
