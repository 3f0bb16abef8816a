// Lines above the header of a table that are no part of it: the title of a report, who made it, when.
#pragma once

#include <vector>

#include "source/table/text_layout.hpp"

namespace omvc {

// How many of the first lines are titles: each has fewer fields than the data below, or only one that is not empty, and
// no numbers, and a header without numbers comes next. None where the user says that there is no header.
std::size_t count_titles(const LayoutWishes& wishes, const std::vector<TextLine>& lines, const CellFormat& cells);

}  // namespace omvc
