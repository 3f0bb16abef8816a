// Aligned tables on a terminal: the first row is the head, numbers are set flush right.
#pragma once

#include <string>
#include <vector>

namespace omvc::app {

std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace omvc::app
