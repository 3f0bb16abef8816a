// Names that columns of sample ids have.
#pragma once

#include <string_view>

namespace omvc {

// Of a first column that holds ids whatever its values are; none is such a name, too.
bool is_usual_id_name(std::string_view name);
// Of a first column that holds ids if its values are whole numbers, each once.
bool is_likely_id_name(std::string_view name);
// Of a column anywhere that holds ids if its values (nearly) all differ: the names above without those that a
// measurement or a category may have as well (number, code, row).
bool means_ids(std::string_view name);

}  // namespace omvc
